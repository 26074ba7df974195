// Changing an entry of x.
import { make } from "./elements.js";
import { number } from "./numbers.js";

/**
 * The panel that changes x.
 *
 * @param change called with what changes of the state
 * @param leave called when Enter or Escape ends an entry
 * @returns element; build(case); sync(view); begin() puts the cursor there
 */
export function makeEditor(change, leave) {
  let view;
  const name = make("span", {});
  const text = make("input", {
    inputmode: "decimal", size: 10, autocomplete: "off", "aria-describedby": "explorer-fault",
    oninput: () => type(text.value), onblur: () => sync(view),
    onkeydown: ({ key }) => { if (key === "Enter" || key === "Escape") leave(); },
  });
  const slider = make("input", {
    type: "range", step: "any", "aria-label": "value", oninput: () => type(slider.value),
  });
  const undo = make("button", { type: "button", onclick: reset }, "Undo all");
  const fault = make("span", { id: "explorer-fault", class: "note", role: "alert" });
  const element = make("fieldset", { class: "editor" },
    make("label", {}, name, text), slider, undo, fault);

  function type(entered) {
    const value = number(entered);
    complain(value === undefined ? `“${entered}” is no finite number; write 0.5 or 1e-3.` : "");
    if (value === undefined) return;
    const { chosen, state: { item, entry: [i, j], edits } } = view;
    const changed = new Map(edits).set(`${item}.${i}.${j}`, value);
    if (value === chosen.input.x[item][i][j]) changed.delete(`${item}.${i}.${j}`);
    change({ edits: changed });
  }

  function reset() {
    text.focus();
    change({ edits: new Map() });
  }

  function complain(message) {
    fault.textContent = message;
    text.setAttribute("aria-invalid", message !== "");
  }

  function build({ input: { x } }) {
    slider.max = 2 * Math.max(...x.flat(2).map(Math.abs)) || 1;
    slider.min = -slider.max;
  }

  function sync(now) {
    view = now;
    const { item, entry: [i, j], edits } = view.state;
    const value = view.result.x[i][j];
    name.textContent = `Change x[${item}, ${i}, ${j}] to `;
    undo.disabled = !edits.size;
    if (document.activeElement !== slider) slider.value = value;
    // What is being typed stays as it is ("0." on the way to "0.5").
    if (document.activeElement === text && number(text.value) === value) return;
    text.value = value;
    complain("");
  }

  return { element, build, sync, begin: () => text.select() };
}

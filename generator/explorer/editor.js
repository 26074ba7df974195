// Changing an entry of x.
import { make } from "./elements.js";
import { number } from "./numbers.js";

/**
 * The panel that changes x; `change` is called with what changes, `leave` when the reader is done.
 * Returns element, build(case), sync(view), and begin(), which puts the cursor there.
 */
export function makeEditor(change, leave) {
  let view;
  const name = make("span");
  const text = make("input", {
    size: 10, oninput: () => type(text.value), onblur: () => sync(view),
    onkeydown: ({ key }) => { if (key === "Enter" || key === "Escape") leave(); },
  });
  const slider = make("input", {
    type: "range", step: "any", "aria-label": "value", oninput: () => type(slider.value),
  });
  const undo = make("button", {
    type: "button", onclick: () => change({ edits: new Map() }),
  }, "Undo all");
  const fault = make("span", { class: "note", role: "alert" });
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

  function complain(message) {
    fault.textContent = message;
    text.setCustomValidity(message);
  }

  function build({ input: { x } }) {
    slider.max = 2 * Math.max(...x.flat(2).map(Math.abs)) || 1;
    slider.min = -slider.max;
  }

  function sync(now) {
    view = now;
    const { item, entry: [i, j] } = view.state;
    const value = view.result.x[i][j];
    name.textContent = `Change x[${item}, ${i}, ${j}] to `;
    slider.value = value;
    // What is being typed stays as it is ("0." on the way to "0.5").
    if (document.activeElement === text && number(text.value) === value) return;
    text.value = value;
    complain("");
  }

  return { element, build, sync, begin: () => text.select() };
}

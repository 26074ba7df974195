// The list of steps: a tab with a thumbnail for each.
import { make, thumbnail } from "./elements.js";
import { GROUPS, nameOf, order, outcome } from "./steps.js";

/** The tabs; `choose` is called with a step. Returns element and sync(view). */
export function makeRail(choose) {
  const element = make("div", {
    class: "rail", role: "tablist", "aria-label": "Steps", onkeydown: walk,
  });
  let tabs = new Map();

  function tab(id, norm) {
    const label = id === "attended" ? "W_o" : nameOf(id, norm);
    return make("button", {
      type: "button", role: "tab", "data-step": id, "data-group": GROUPS[id],
      "aria-controls": "explorer-stage", onclick: () => choose(id),
    }, make("i"), make("span", {}, label));
  }

  function walk(event) {
    const steps = [...tabs.keys()];
    const at = steps.indexOf(event.target.dataset.step);
    const places = { ArrowRight: (at + 1) % steps.length, ArrowLeft: at - 1, Home: 0, End: -1 };
    if (!(event.key in places)) return;
    event.preventDefault();
    const to = steps.at(places[event.key]);
    choose(to);
    tabs.get(to).focus();
  }

  function sync({ state, result, before }) {
    const steps = order(state.norm);
    if (steps.join() !== [...tabs.keys()].join()) {
      tabs = new Map(steps.map((id) => [id, tab(id, state.norm)]));
      element.replaceChildren(...tabs.values());
    }
    for (const [id, button] of tabs) {
      const rows = outcome(result, id, state.head);
      const changed = before && rows.join() !== outcome(before, id, state.head).join();
      button.firstChild.replaceChildren(thumbnail(rows, id === "weights" ? 1 : undefined));
      button.setAttribute("aria-selected", id === state.step);
      button.tabIndex = id === state.step ? 0 : -1;
      button.classList.toggle("changed", Boolean(changed));
    }
    // Sideways only: the page stays where the reader has it.
    const { offsetLeft, clientWidth } = tabs.get(state.step);
    element.scrollLeft = offsetLeft - (element.clientWidth - clientWidth) / 2;
  }

  return { element, sync };
}

// The choices: case, sequence, head, norm, mask, padding.
import { make, thumbnail } from "./elements.js";
import { MASKS, NORMS } from "./state.js";

/** A group of radio buttons or check boxes; `choose` is called with all values checked. */
function choice(type, legend, options, choose) {
  const values = () => options.flatMap(([value], n) => (inputs[n].checked ? [value] : []));
  const onchange = () => choose(values());
  const inputs = options.map(() => make("input", { type, name: `explorer-${legend}`, onchange }));
  const labels = options.map(([, ...label], n) => make("label", {}, inputs[n], label));
  const sync = (chosen) => options.forEach(([value], n) => {
    inputs[n].checked = chosen.includes(value);
  });
  return { element: make("fieldset", {}, make("legend", {}, legend), labels), sync };
}

/** The panel; `choose` is called with what changes. Returns element, build(case) and sync(view). */
export function makeControls(cases, choose) {
  const select = make("select", { onchange: () => choose({ case: select.value }) },
    cases.map(({ name, title }) => make("option", { value: name }, title ?? name)));
  const rest = make("div");
  let groups;

  function build({ input: { x, num_heads: heads } }) {
    const radio = (key, legend, options) =>
      choice("radio", legend, options, ([value]) => choose({ [key]: value }));
    const positions = x[0].map((_, i) => [i, i]);
    groups = {
      item: radio("item", "Sequence", x.map((_, i) => [i, i])),
      head: radio("head", "Head", Array.from({ length: heads }, (_, n) => [n, n, make("i")])),
      norm: radio("norm", "Norm", NORMS.map((norm) => [norm, `${norm}-norm`])),
      mask: radio("mask", "Mask", MASKS.map((mask) => [mask, mask])),
      padding: choice("checkbox", "Padding", positions, (padding) => choose({ padding })),
    };
    groups.item.element.hidden = x.length === 1;
    rest.replaceChildren(...Object.values(groups).map(({ element }) => element));
  }

  function sync({ state, result }) {
    select.value = state.case;
    for (const [key, { sync: check }] of Object.entries(groups)) check([state[key]].flat());
    groups.head.element.querySelectorAll("i").forEach((slot, n) =>
      slot.replaceChildren(thumbnail(result.weights[n], 1)));
    groups.padding.element.hidden = state.mask !== "padding";
  }

  const named = make("label", {}, "Case", select);
  return { element: make("div", { class: "controls" }, named, rest), build, sync };
}

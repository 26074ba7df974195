// The entry: the state, and the panels that show it (README.md).
import { makeControls } from "./controls.js";
import { makeEditor } from "./editor.js";
import { make } from "./elements.js";
import { forward } from "./forward.js";
import { rounded } from "./numbers.js";
import { makeRail } from "./rail.js";
import { makeStage } from "./stage.js";
import { edited, initial, link, parse } from "./state.js";
import { order, outcome } from "./steps.js";

/** The explorer's elements, and open(), which shows the view that the address asks for. */
function explorer({ cases, texts }) {
  let state = initial(cases[0]);
  let built, view, saving;

  const controls = makeControls(cases, choose);
  const rail = makeRail((step) => update({ step }));
  const stage = makeStage(texts, { select, move, edit: () => editor.begin() });
  const editor = makeEditor(update, () => stage.focus());
  const button = (by, text) => make("button", { type: "button", onclick: () => move(by) }, text);
  const status = make("small");
  const ignored = make("p", { class: "note", role: "alert" });
  const address = make("a", {}, "Link to this view");

  // In another case the same question: norm, mask and step stay.
  function choose(change) {
    const { norm, mask, step } = state;
    const other = cases.find(({ name }) => name === change.case);
    if (other) state = { ...initial(other), norm, mask, step };
    update(change);
  }

  function update(change) {
    Object.assign(state, change);
    ignored.textContent = "";
    render();
    save();
  }

  function select(change) {
    Object.assign(state, change);
    editor.sync(view);
    save();
  }

  function move(by) {
    const steps = order(state.norm);
    update({ step: steps.at((steps.indexOf(state.step) + by) % steps.length) });
  }

  function render() {
    const chosen = cases.find(({ name }) => name === state.case);
    if (chosen !== built) [controls, editor].forEach((panel) => panel.build(chosen));
    built = chosen;
    const { input } = chosen;
    const { norm, mask, padding, item, head, edits } = state;
    const options = { norm, mask, padding };
    const result = forward(input, edited(chosen, state), options);
    const before = edits.size ? forward(input, input.x[item], options) : null;
    const tokens = chosen.tokens?.[item];
    view = { state, chosen, input, tokens, item, head, options, result, before };
    const rows = outcome(result, state.step, head);
    const [r, c] = state.step === "x" ? state.entry : state.cell;
    state.cell = [Math.min(r, rows.length - 1), Math.min(c, rows[0].length - 1)];
    for (const panel of [controls, rail, stage, editor]) panel.sync(view);
    status.textContent = comparison(view);
    address.href = link(state);
  }

  // Not at every movement of the slider: browsers limit how often an address may change.
  function save() {
    address.href = link(state);
    clearTimeout(saving);
    saving = setTimeout(() => history.replaceState(null, "", link(state)), 250);
  }

  function open() {
    const asked = parse(location.hash, cases);
    if (!asked) return;
    ({ state } = asked);
    render();
    if (asked.ignored.length) {
      ignored.textContent = `Not on this page, and left out: ${asked.ignored.join(", ")}.`;
    }
    controls.element.parentElement.scrollIntoView();
  }

  render();
  const [back, next] = [button(-1, "← Back"), button(1, "Next →")];
  const moves = make("div", { class: "moves" }, back, next, status);
  const foot = make("small", {}, address, make("br"), texts.help);
  const top = [ignored, controls.element, rail.element, moves];
  return { elements: [...top, stage.element, editor.element, foot], open };
}

/** How far the output is from the case's expected one. */
function comparison({ chosen, state, result }) {
  const expected = chosen.expected?.[state.item].flat();
  if (!expected) return "";
  const far = result.output.flat().map((value, n) => Math.abs(value - expected[n]));
  return `Distance of y from the case's expected output: ${rounded(Math.max(...far))}`;
}

/** Put the explorer after the section's heading; if it can't start, say why below what is there. */
function start(section, data) {
  try {
    const { elements, open } = explorer(JSON.parse(data.textContent));
    const heading = section.querySelector("h1, h2, h3");
    section.replaceChildren(...(heading ? [heading] : []), ...elements);
    section.classList.add("live");
    addEventListener("hashchange", open);
    open();
  } catch (error) {
    section.append(make("p", { role: "alert" }, `The explorer can't start: ${error.message}`));
    throw error;
  }
}

start(document.getElementById("explorer"), document.getElementById("explorer-data"));

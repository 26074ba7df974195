// The step shown: formula, text, tables, and what an entry is made of.
import { heatmap, make, math, place } from "./elements.js";
import { exact, number } from "./numbers.js";
import { explain, order, outcome, step, trouble } from "./steps.js";

/**
 * The panel of the current step.
 *
 * @param act select(what changes), edit() of x, move(by) to another step
 * @returns element; sync(view); focus() the entry in question
 */
export function makeStage(texts, act) {
  const content = make("div", {
    onmouseover: point, onmouseleave: () => light(chosen), onfocusin: select, onkeydown: press,
  });
  const detail = make("output", { class: "detail" });
  const element = make("div", {
    class: "stage", role: "tabpanel", id: "explorer-stage", "aria-labelledby": "explorer-step",
  }, content, detail);
  // What is described when nothing is pointed at, and where the focus was last.
  let view, shown, chosen, origin;

  const tableOf = (grid) => (grid === "out" ? shown.output : shown.inputs[grid]);
  const cell = (at) => content.querySelector(`[data-at="${at.join(" ")}"]`);
  const hit = (target) => target.closest("[data-at]");
  const spot = ({ dataset: { at } }) => at.split(" ").map((part) => number(part) ?? part);
  const earlier = ({ key, n }) => view.before && key && outcome(view.before, key, n);

  function sync(now) {
    view = now;
    const focused = content.contains(document.activeElement) && hit(document.activeElement);
    const steps = order(view.state.norm);
    const { step: id, cell: at } = view.state;
    const said = texts.steps[id];
    shown = step(id, view);
    const { formula, output: { name } } = shown;
    const count = make("small", {}, `${steps.indexOf(id) + 1} of ${steps.length} `);
    content.replaceChildren(
      make("h3", { id: "explorer-step" }, count, `${name}: ${said.title}`),
      make("p", {}, formula && math(`${name} = ${formula}`)),
      make("p", {}, explain(said, view)),
      make("p", { class: "note" }, texts[trouble(view)]),
      tables());
    chosen = ["out", ...at];
    origin ??= chosen;
    if (focused) (cell(spot(focused)) ?? cell(chosen)).focus();
    else light(chosen);
  }

  function tables() {
    const { state, tokens } = view;
    const figure = (table, grid, focus) => heatmap(table, {
      grid, tokens, before: earlier(table), focus: table.key === "x" ? state.entry : focus,
    });
    const sign = (text) => text && make("span", { class: "op" }, text);
    const inputs = shown.inputs.flatMap((table, n) => [sign(table.op), figure(table, n)]);
    const output = figure(shown.output, "out", state.cell);
    return make("div", { class: "tables" }, inputs, sign(inputs.length > 0 && "="), output);
  }

  function light(at) {
    const [grid, r, c] = at;
    for (const td of content.querySelectorAll(".v[data-at]")) {
      const [other, i, j] = spot(td);
      const [n, ...pair] = grid === "out" ? [other, r, c, i, j] : [grid, i, j, r, c];
      const across = (grid === "out") !== (other === "out");
      td.classList.toggle("lit", across && shown.inputs[n].lit(...pair));
    }
    content.querySelector(".chosen")?.classList.remove("chosen");
    cell(at).classList.add("chosen");
    detail.replaceChildren(...describe(at).map((line) => make("span", {}, line)));
  }

  function describe([grid, r, c]) {
    const table = tableOf(grid);
    const value = table.rows[r][c];
    if (value === undefined) {
      const { title, values } = table.extras[c - table.rows[r].length];
      return [`${table.name}, row ${r}: ${title} = ${exact(values[r])}`];
    }
    const was = earlier(table)?.[r][c] ?? value;
    const terms = grid === "out" ? shown.terms(r, c) : "";
    return [
      `${place(table, r, c)} = ${exact(value)}`, terms && `= ${terms}`,
      grid === "out" ? "" : `goes into the marked entries of ${shown.output.name}`,
      Object.is(was, value) ? "" : `before your change: ${exact(was)}`,
    ];
  }

  function point({ target }) {
    if (hit(target)) light(spot(hit(target)));
  }

  function select({ target }) {
    const td = hit(target);
    if (!td) return;
    chosen = origin = spot(td);
    const [grid, ...at] = chosen;
    td.closest("table").querySelector("[tabindex='0']").tabIndex = -1;
    td.tabIndex = 0;
    light(chosen);
    if (td.matches(".extra")) return;
    if (grid === "out") act.select({ cell: at });
    if (tableOf(grid).key === "x") act.select({ entry: at });
  }

  function press(event) {
    const { target, key, ctrlKey, altKey, metaKey } = event;
    const td = hit(target);
    if (!td || altKey || metaKey) return;
    const [grid, r, c] = spot(td);
    const [rows, columns] = [tableOf(grid).rows.length, td.parentElement.cells.length - 1];
    const to = {
      ArrowUp: [r - 1, c], ArrowDown: [r + 1, c], ArrowLeft: [r, c - 1], ArrowRight: [r, c + 1],
      Home: [ctrlKey ? 0 : r, 0], End: [ctrlKey ? rows - 1 : r, columns - 1],
    }[key];
    const by = { PageUp: -1, PageDown: 1 }[key];
    if (to) cell([grid, ...to])?.focus();
    else if (by) act.move(by);
    else if (key === "Enter" && tableOf(grid).key === "x") act.edit();
    else return;
    event.preventDefault();
  }

  return { element, sync, focus: () => (cell(origin) ?? cell(chosen)).focus() };
}

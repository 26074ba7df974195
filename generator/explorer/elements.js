// Page elements: formulas, heat maps, thumbnails. Text reaches the page as text nodes only.
import { rounded } from "./numbers.js";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child || child === 0));
  return element;
}

const within = (namespace) => (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(`http://www.w3.org/${namespace}`, tag), attributes, children);
const svg = within("2000/svg");
const mathml = within("1998/Math/MathML");

/** An element with attributes (on…: a listener) and children, empty ones left out. */
export const make = within("1999/xhtml");

/** MathML: `_` and `^` take the next atom; `{…}`, `frac{…}{…}`, `sqrt{…}`; W1 is W_1. */
export function math(source) {
  const tokens = `{${source}}`.match(/\p{L}+|\d+|\S/gu);
  const atom = () => {
    const token = tokens.shift();
    if (token === "frac") return mathml("mfrac", {}, atom(), atom());
    if (token === "sqrt") return mathml("msqrt", {}, atom());
    const kind = /\p{L}/u.test(token) ? "mi" : /\d/.test(token) ? "mn" : "mo";
    if (token !== "{") return mathml(kind, {}, token);
    const row = mathml("mrow");
    while (tokens[0] !== "}") row.append(scripted());
    tokens.shift();
    return row;
  };
  const scripted = () => {
    let base = atom();
    if (base.localName === "mi" && /\d/.test(tokens[0])) tokens.unshift("_");
    while (/[_^]/.test(tokens[0])) {
      base = mathml(tokens.shift() === "_" ? "msub" : "msup", {}, base, atom());
    }
    return base;
  };
  return mathml("math", { displaystyle: true }, atom());
}

const largest = (rows) => Math.max(0, ...rows.flat().filter(Number.isFinite).map(Math.abs));

/** Colour by a value: its sign is the hue, its size against `full` the strength. */
function tint(element, value, full) {
  element.classList.add("v", value < 0 ? "neg" : "pos");
  if (!Number.isFinite(value)) element.classList.add("hatched");
  else element.style.setProperty("--m", `${Math.round((100 * Math.abs(value)) / (full || 1))}%`);
  return element;
}

/** A table without its numbers. */
export function thumbnail(rows, full = largest(rows)) {
  const rects = rows.flatMap((row, y) =>
    row.map((value, x) => tint(svg("rect", { x, y, width: 1, height: 1 }), value, full)));
  const viewBox = `0 0 ${rows[0].length} ${rows.length}`;
  return svg("svg", { viewBox, "aria-hidden": true, preserveAspectRatio: "none" }, rects);
}

/** The place of an entry as NumPy writes it. */
export const place = ({ name, at, vector }, r, c) =>
  `${name}[${[...at, ...(vector ? [] : [r]), c].join(", ")}]`;

/**
 * A step's table as a heat map: an ARIA grid with one tab stop.
 *
 * @param options grid: a name for it; tokens: a word per position; focus: the entry that Tab
 *   reaches; before: rows to compare with, to mark what differs
 */
export function heatmap(table, { grid, tokens, focus = [0, 0], before }) {
  const { name, rows, extras = [], inHead, masked, vector, note = "" } = table;
  const full = table.full || largest(rows);
  const word = (shown, i) => shown && tokens && make("span", {}, tokens[i]);
  const side = (c) => (inHead ? (inHead(c) ? "ours" : "aside") : "");
  const cell = (r, c, value, classes) => make("td", {
    "data-at": `${grid} ${r} ${c}`, class: classes, tabindex: focus.join() === `${r},${c}` ? 0 : -1,
  }, rounded(value));
  const entry = (value, r, c) => {
    const changed = before && !Object.is(before[r][c] + 0, value + 0);
    const classes = [side(c), masked?.(r, c) && "hatched", changed && "changed"];
    return tint(cell(r, c, value, classes.filter(Boolean).join(" ")), value, full);
  };
  const header = make("tr", {}, make("td"),
    rows[0].map((_, c) => make("th", { scope: "col", class: side(c) }, word(table.keys, c), c)),
    extras.map(({ name: text, title }) => make("th", { scope: "col", title }, text)));
  const body = rows.map((row, r) => make("tr", {},
    vector ? make("td") : make("th", { scope: "row" }, word(table.positions, r), " ", r),
    row.map((value, c) => entry(value, r, c)),
    extras.map(({ values }, n) => cell(r, row.length + n, values[r], "extra"))));
  const size = `${rows.length} × ${rows[0].length}`;
  return make("figure", {},
    make("figcaption", {}, make("b", {}, name), make("small", {}, ` ${size} ${note}`)),
    make("table", { role: "grid", "aria-label": `${name}, ${size}`, "aria-readonly": true },
      make("thead", {}, header), make("tbody", {}, body)));
}

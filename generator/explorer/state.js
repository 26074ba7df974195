// The reader's choices, and the link that holds them.
import { number } from "./numbers.js";
import { order } from "./steps.js";

const PREFIX = "#explorer?";
export const NORMS = ["post", "pre"];
export const MASKS = ["none", "causal", "padding"];

/** The view that a case opens with; `edits` has changed entries of x by "item.position.feature". */
export const initial = ({ name, input: { x } }) => ({
  case: name, item: 0, head: 0, norm: "post", mask: "none", padding: [x[0].length - 1], step: "x",
  cell: [0, 0], entry: [0, 0], edits: new Map(),
});

/** A sequence of a case with the reader's changes. */
export const edited = ({ input }, { item, edits }) =>
  input.x[item].map((row, i) => row.map((value, j) => edits.get(`${item}.${i}.${j}`) ?? value));

/** The fragment of a link to exactly this view. */
export function link({ edits, ...state }) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(state)) query.set(key, [value].flat().join(" "));
  if (edits.size) query.set("x", [...edits].map((edit) => edit.join(":")).join(" "));
  return PREFIX + query;
}

/**
 * The view that a fragment asks for, or null when the fragment is not the explorer's.
 *
 * @returns state; ignored: what does not fit the page, and was left at its usual value
 */
export function parse(fragment, cases) {
  if (!fragment.startsWith(PREFIX)) return null;
  const query = new URLSearchParams(fragment.slice(PREFIX.length));
  const chosen = cases.find(({ name }) => name === query.get("case")) ?? cases[0];
  const { x, num_heads: heads } = chosen.input;
  const [length, width] = [x[0].length, x[0][0].length];

  const oneOf = (values) => (text) => values.find((value) => String(value) === text);
  const index = (limit) => oneOf([...Array(limit).keys()]);
  const list = (read, count) => (text) => {
    const values = text.split(" ").filter(Boolean).map(read);
    const wrong = values.includes(undefined) || (count && values.length !== count);
    return wrong ? undefined : values;
  };
  const change = (text) => {
    const [, place, i, j, k, value] = /^((\d+)\.(\d+)\.(\d+)):(.+)$/.exec(text) ?? [];
    const fits = x[i]?.[j]?.[k] !== undefined && number(value) !== undefined;
    return fits ? [place, number(value)] : undefined;
  };
  const readers = {
    case: oneOf([chosen.name]), item: index(x.length), head: index(heads), norm: oneOf(NORMS),
    mask: oneOf(MASKS), step: oneOf(order("post")), padding: list(index(length)),
    cell: list(index(999), 2), entry: list((word, n) => index([length, width][n])(word), 2),
    x: list(change),
  };

  const read = {};
  const ignored = [];
  for (const [key, text] of query) {
    const value = readers[key]?.(text);
    if (value === undefined) ignored.push(`${key}=${text}`);
    else read[key] = value;
  }
  const { x: edits, ...rest } = read;
  return { state: { ...initial(chosen), ...rest, edits: new Map(edits) }, ignored };
}

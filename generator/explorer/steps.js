// What each step shows: its tables, its formula, and which entries an entry comes from.
import { EPSILON, isMasked, moments } from "./forward.js";
import { rounded } from "./numbers.js";

/** Where a group of steps begins. */
export const GROUPS = {
  x: "Input", Q: "Attention", hidden: "Feed-forward", residual1: "Add", norm1: "Norm",
  residual2: "Add", norm2: "Norm",
};

const ATTENTION = "Q K V logits weights context merged attended";
const ORDERS = {
  post: `x ${ATTENTION} residual1 norm1 hidden relu narrowed residual2 norm2`,
  pre: `x norm1 ${ATTENTION} residual1 norm2 hidden relu narrowed residual2`,
};

/** The steps in their order. */
export const order = (norm) => ORDERS[norm].split(" ");

const NAMES = { post: { norm1: "z", norm2: "y" }, pre: { residual1: "z", residual2: "y" } };

/** A step's result by name: z stands between the halves, y at the end. */
export const nameOf = (id, norm) => NAMES[norm][id] ?? id;

const PER_HEAD = ["logits", "weights", "context"];

/** The rows that a step results in; one head's where the heads are apart. */
export const outcome = (result, id, head) =>
  (PER_HEAD.includes(id) ? result[id][head] : result[id]);

const term = (value) => (value < 0 ? `(${rounded(value, 4)})` : rounded(value, 4));
const times = (a, b) => `${term(a)}×${term(b)}`;

function sum(terms) {
  const rest = terms.length - 12;
  return terms.slice(0, 12).join(" + ") + (rest > 0 ? ` + … (${rest} more)` : "");
}

const column = ({ rows }, name, title, of) => ({ name, title, values: rows.map(of) });

// Which [r, c] of an input goes into the output's [i, j].
const sameEntry = (i, j, r, c) => r === i && c === j;
const rowOf = (i, j, r) => r === i;
const columnOf = (first) => (i, j, r, c) => c === first + j;

function product(left, right, bias, first = 0) {
  const inputs = [{ ...left, lit: rowOf }, { op: "·", ...right, lit: columnOf(first) }];
  if (bias) inputs.push({ op: "+", ...bias, lit: columnOf(0) });
  return {
    inputs, formula: `${left.name} · ${right.name}${bias ? ` + ${bias.name}` : ""}`,
    terms: (i, j) => sum([
      ...left.rows[i].map((value, k) => times(value, right.rows[k][first + j])),
      ...(bias ? [term(bias.rows[0][j])] : []),
    ]),
  };
}

const addition = (left, right) => ({
  formula: `${left.name} + ${right.name}`,
  inputs: [{ ...left, lit: sameEntry }, { op: "+", ...right, lit: sameEntry }],
  terms: (i, j) => sum([term(left.rows[i][j]), term(right.rows[i][j])]),
});

function normalization(read, gamma, beta) {
  const variance = (row) => moments(row).variance;
  const extras = [
    column(read, "μ", "mean", (row) => moments(row).mean),
    column(read, "σ²", "variance", variance),
    column(read, "σ²/(σ²+ε)", "variance once normalized",
      (row) => variance(row) / (variance(row) + EPSILON)),
  ];
  return {
    formula: `${gamma.name} · frac{${read.name} − μ}{sqrt{σ^2 + ε}} + ${beta.name}`,
    inputs: [
      { ...read, extras, lit: rowOf },
      { op: "normalized ×", ...gamma, lit: columnOf(0) },
      { op: "+", ...beta, lit: columnOf(0) },
    ],
    terms: (i, j) => {
      const [mean, square] = extras.map(({ values }) => term(values[i]));
      return `${term(gamma.rows[0][j])} × (${term(read.rows[i][j])} − ${mean})`
        + ` / √(${square} + ${EPSILON.toExponential()}) + ${term(beta.rows[0][j])}`;
    },
  };
}

/** The tables of a view, and what steps ask about it. */
function tablesOf({ input, result, item, head, options }) {
  const width = result.x[0].length / input.num_heads;
  const start = head * width;
  const masked = (i, j) => isMasked(options, i, j);
  const table = (key, more, n = head) => ({
    key, n, name: nameOf(key, options.norm), rows: outcome(result, key, n), positions: true,
    at: PER_HEAD.includes(key) ? [item, n] : [item], ...more,
  });
  const square = (key) => table(key, { keys: true, masked, full: key === "weights" && 1 });
  const parameter = (name, more) => {
    const vector = !Array.isArray(input[name][0]);
    return { name, vector, rows: vector ? [input[name]] : input[name], at: [], ...more };
  };
  return {
    table, square, parameter, masked, start, width, heads: result.context,
    pre: options.norm === "pre", mask: options.mask === "none" ? "" : " + mask",
    h: input.num_heads > 1 ? `_${head}` : "", inHead: (c) => c >= start && c < start + width,
  };
}

const projection = ({ table, parameter, inHead, pre }, id) => ({
  ...product(table(pre ? "norm1" : "x"), parameter(`W_${id.toLowerCase()}`, { inHead })),
  output: table(id, { inHead }),
});

function logits({ table, square, inHead, masked, mask, width, h }) {
  const [Q, K] = [table("Q", { inHead }), table("K", { inHead })];
  const products = (i, j) =>
    Q.rows[i].map((value, k) => times(value, K.rows[j][k])).filter((_, k) => inHead(k));
  return {
    formula: `frac{Q${h} K${h}^⊤}{sqrt{d_k}}${mask}`, output: square("logits"),
    inputs: [
      { ...Q, lit: (i, j, r, c) => r === i && inHead(c) },
      { op: "·", ...K, note: "transposed", lit: (i, j, r, c) => r === j && inHead(c) },
    ],
    terms: (i, j) => (masked(i, j) ? "−∞: masked" : `(${sum(products(i, j))}) / √${width}`),
  };
}

function weights({ square }) {
  const read = square("logits");
  const output = square("weights");
  output.extras = [column(output, "Σ", "sum", (row) => row.reduce((a, b) => a + b))];
  return {
    formula: "softmax {( logits )}", inputs: [{ ...read, lit: rowOf }], output,
    terms: (i, j) => {
      const largest = Math.max(...read.rows[i]);
      const powers = read.rows[i].map((value) => `exp(${rounded(value, 4)} − ${term(largest)})`);
      return `${powers[j]} / (${sum(powers)})`;
    },
  };
}

const merged = ({ table, heads, inHead, width }) => ({
  formula: `{[ ${heads.map((_, n) => `context_${n}`).join(" , ")} ]}`,
  output: table("merged", { inHead }),
  inputs: heads.map((_, n) => ({
    ...table("context", { op: n ? "," : "", note: `of head ${n}` }, n),
    lit: (i, j, r, c) => r === i && n * width + c === j,
  })),
  terms: (i, j) => `column ${j % width} of head ${Math.floor(j / width)}`,
});

const context = ({ table, square, inHead, start, h }) => ({
  ...product(square("weights"), table("V", { inHead }), null, start), formula: `weights · V${h}`,
});

function relu({ table }) {
  const hidden = table("hidden");
  return {
    formula: "max {( hidden , 0 )}", inputs: [{ ...hidden, lit: sameEntry }],
    terms: (i, j) => `max(${rounded(hidden.rows[i][j], 4)}, 0)`,
  };
}

const norm = ({ table, parameter }, key, n) =>
  normalization(table(key), parameter(`gamma${n}`), parameter(`beta${n}`));

const STEPS = {
  x: () => ({ inputs: [], terms: () => "" }),
  Q: projection, K: projection, V: projection, logits, weights, context, merged,
  attended: ({ table, parameter }) => product(table("merged"), parameter("W_o")),
  residual1: ({ table }) => addition(table("x"), table("attended")),
  norm1: (tables) => norm(tables, tables.pre ? "x" : "residual1", 1),
  hidden: ({ table, parameter, pre }) =>
    product(table(pre ? "norm2" : "norm1"), parameter("W1"), parameter("b1")),
  relu,
  narrowed: ({ table, parameter }) => product(table("relu"), parameter("W2"), parameter("b2")),
  residual2: ({ table, pre }) => addition(table(pre ? "residual1" : "norm1"), table("narrowed")),
  norm2: (tables) => norm(tables, tables.pre ? "residual1" : "residual2", 2),
};

/**
 * One step of a view.
 *
 * @returns formula of the output; output: a table; inputs: tables with `lit(i, j, r, c)`, whether
 *   their [r, c] goes into the output's [i, j]; terms(i, j): how that entry is computed
 */
export function step(id, view) {
  const tables = tablesOf(view);
  return { output: tables.table(id), ...STEPS[id](tables, id) };
}

/** A step's text, with what is said under a mask or of pre-norm. */
export function explain({ text, masked, pre }, { head, options }) {
  const more = [options.mask !== "none" && masked, options.norm === "pre" && pre];
  return [text, ...more.filter(Boolean)].join(" ").replace("{head}", head);
}

/** The name of what is wrong when a view's output is not finite: "padded", "overflow", or "". */
export function trouble({ result, options }) {
  if (result.output.flat().every(Number.isFinite)) return "";
  return result.x.every((_, j) => isMasked(options, 0, j)) ? "padded" : "overflow";
}

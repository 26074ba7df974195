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

/** A step's result by name: z stands between the halves, y at the end. */
export function nameOf(id, norm) {
  const names = norm === "pre" ? { residual1: "z", residual2: "y" } : { norm1: "z", norm2: "y" };
  return names[id] ?? id;
}

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

/** Figures of each row, in a column after it. */
const aside = ({ rows }, name, title, of) => ({ name, title, values: rows.map(of) });
const variance = (row) => moments(row).variance;

/**
 * One step of a view.
 *
 * @returns formula (what the output equals); inputs: tables with `lit(i, j, r, c)`, whether their
 *   [r, c] goes into the output's [i, j]; output: a table; terms(i, j): that entry's computation
 */
export function step(id, { input, result, item, head, options }) {
  const pre = options.norm === "pre";
  const heads = input.num_heads;
  const width = result.x[0].length / heads;
  const start = head * width;
  const inHead = (c) => c >= start && c < start + width;
  const h = heads > 1 ? `_${head}` : "";

  const table = (key, more, n = head) => ({
    key, n, name: nameOf(key, options.norm), rows: outcome(result, key, n), positions: true,
    at: PER_HEAD.includes(key) ? [item, n] : [item], ...more,
  });
  const square = (key) => table(key, {
    keys: true, masked: (r, c) => isMasked(options, r, c), full: key === "weights" && 1,
  });
  const parameter = (name, more) => {
    const vector = !Array.isArray(input[name][0]);
    return { name, vector, rows: vector ? [input[name]] : input[name], at: [], ...more };
  };

  const same = (i, j, r, c) => r === i && c === j;
  const row = (i, j, r) => r === i;
  const column = (first) => (i, j, r, c) => c === first + j;

  function product(left, right, bias, first = 0) {
    const inputs = [{ ...left, lit: row }, { op: "·", ...right, lit: column(first) }];
    if (bias) inputs.push({ op: "+", ...bias, lit: column(0) });
    return {
      inputs, formula: `${left.name} ${right.name}${bias ? ` + ${bias.name}` : ""}`,
      terms: (i, j) => sum([
        ...left.rows[i].map((value, k) => times(value, right.rows[k][first + j])),
        ...(bias ? [term(bias.rows[0][j])] : []),
      ]),
    };
  }
  const addition = (left, right) => ({
    formula: `${left.name} + ${right.name}`,
    inputs: [{ ...left, lit: same }, { op: "+", ...right, lit: same }],
    terms: (i, j) => sum([term(left.rows[i][j]), term(right.rows[i][j])]),
  });
  function normalization(read, n) {
    const [gamma, beta] = [parameter(`gamma${n}`), parameter(`beta${n}`)];
    const extras = [
      aside(read, "μ", "mean", (values) => moments(values).mean),
      aside(read, "σ²", "variance", variance),
      aside(read, "σ²/(σ²+ε)", "variance once normalized",
        (values) => variance(values) / (variance(values) + EPSILON)),
    ];
    return {
      formula: `γ_${n} frac{${read.name} − μ}{sqrt{σ^2 + ε}} + β_${n}`,
      inputs: [
        { ...read, extras, lit: row },
        { op: "normalized ×", ...gamma, lit: column(0) },
        { op: "+", ...beta, lit: column(0) },
      ],
      terms: (i, j) => {
        const [mean, square] = extras.map(({ values }) => term(values[i]));
        return `${term(gamma.rows[0][j])} × (${term(read.rows[i][j])} − ${mean})`
          + ` / √(${square} + ${EPSILON.toExponential()}) + ${term(beta.rows[0][j])}`;
      },
    };
  }
  const projection = () => ({
    ...product(table(pre ? "norm1" : "x"), parameter(`W_${id.toLowerCase()}`, { inHead })),
    output: table(id, { inHead }),
  });

  const makers = {
    x: () => ({ inputs: [], terms: () => "" }),
    Q: projection,
    K: projection,
    V: projection,
    logits: () => {
      const [Q, K] = [table("Q", { inHead }), table("K", { inHead })];
      const products = (i, j) => Q.rows[i].map((value, k) => times(value, K.rows[j][k]));
      return {
        formula: `frac{Q${h} K${h}^⊤}{sqrt{d_k}}${options.mask === "none" ? "" : " + mask"}`,
        inputs: [
          { ...Q, lit: (i, j, r, c) => r === i && inHead(c) },
          { op: "·", ...K, note: "transposed", lit: (i, j, r, c) => r === j && inHead(c) },
        ],
        output: square(id),
        terms: (i, j) => (isMasked(options, i, j) ? "masked"
          : `(${sum(products(i, j).filter((_, k) => inHead(k)))}) / √${width}`),
      };
    },
    weights: () => {
      const logits = square("logits");
      const output = square(id);
      output.extras = [aside(output, "Σ", "sum", (values) => values.reduce((a, b) => a + b))];
      return {
        formula: "softmax ( logits )", inputs: [{ ...logits, lit: row }], output,
        terms: (i, j) => {
          const largest = Math.max(...logits.rows[i]);
          const power = (value) => `exp(${rounded(value, 4)} − ${term(largest)})`;
          const powers = logits.rows[i].map(power);
          return `${powers[j]} / (${sum(powers)})`;
        },
      };
    },
    context: () => ({
      ...product(square("weights"), table("V", { inHead }), null, start),
      formula: `weights V${h}`,
    }),
    merged: () => ({
      formula: `[ ${result.context.map((_, n) => `context_${n}`).join(" , ")} ]`,
      inputs: result.context.map((_, n) => ({
        ...table("context", { op: n && "," }, n),
        lit: (i, j, r, c) => r === i && n * width + c === j,
      })),
      terms: (i, j) => `column ${j % width} of head ${Math.floor(j / width)}`,
    }),
    attended: () => product(table("merged"), parameter("W_o")),
    residual1: () => addition(table("x"), table("attended")),
    norm1: () => normalization(table(pre ? "x" : "residual1"), 1),
    hidden: () => product(table(pre ? "norm2" : "norm1"), parameter("W1"), parameter("b1")),
    relu: () => {
      const hidden = table("hidden");
      return {
        formula: "max ( hidden , 0 )", inputs: [{ ...hidden, lit: same }],
        terms: (i, j) => `max(${rounded(hidden.rows[i][j], 4)}, 0)`,
      };
    },
    narrowed: () => product(table("relu"), parameter("W2"), parameter("b2")),
    residual2: () => addition(table(pre ? "residual1" : "norm1"), table("narrowed")),
    norm2: () => normalization(table(pre ? "residual1" : "residual2"), 2),
  };
  return { id, output: table(id), ...makers[id]() };
}

/** A step's text, with what is said under a mask or of pre-norm. */
export function explain({ text, masked = "", pre = "" }, { input, result, head, options }) {
  const values = { head, width: result.x[0].length / input.num_heads };
  const more = [options.mask !== "none" && masked, options.norm === "pre" && pre].filter(Boolean);
  return [text, ...more].join(" ").replace(/\{(\w+)\}/g, (_, key) => values[key]);
}

/** The name of what is wrong when a view's output is not finite: "padded", "overflow", or "". */
export function trouble({ result, options }) {
  if (result.output.flat().every(Number.isFinite)) return "";
  return result.x.every((_, i) => isMasked(options, 0, i)) ? "padded" : "overflow";
}

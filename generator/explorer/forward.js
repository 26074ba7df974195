// The encoder block on lists of rows, every intermediate result kept.
// Vaswani et al., "Attention Is All You Need" (2017), sections 3.1 to 3.3.

export const EPSILON = 1e-6;

const total = (row) => row.reduce((sum, value) => sum + value, 0);
const dot = (u, v) => total(u.map((value, k) => value * v[k]));
const add = (a, b) => a.map((row, i) => row.map((value, j) => value + b[i][j]));
const matmul = (a, b) =>
  a.map((row) => b[0].map((_, j) => dot(row, b.map((line) => line[j]))));
const affine = (a, b, bias) => add(matmul(a, b), a.map(() => bias));

/** Weights that are positive and sum to 1; NaN when every logit is -Infinity. */
export function softmax(logits) {
  const largest = Math.max(...logits);
  const exponentials = logits.map((logit) => Math.exp(logit - largest));
  const sum = total(exponentials);
  return exponentials.map((value) => value / sum);
}

/** Mean and population variance of a row. */
export function moments(row) {
  const mean = total(row) / row.length;
  return { mean, variance: total(row.map((value) => (value - mean) ** 2)) / row.length };
}

function layerNorm(rows, gamma, beta) {
  return rows.map((row) => {
    const { mean, variance } = moments(row);
    const deviation = Math.sqrt(variance + EPSILON);
    return row.map((value, j) => (gamma[j] * (value - mean)) / deviation + beta[j]);
  });
}

/** Whether query position i may not see key position j. */
export function isMasked({ mask, padding }, i, j) {
  return mask === "causal" ? j > i : mask === "padding" && padding.includes(j);
}

/**
 * One sequence through the block.
 *
 * @param input a case's parameters by name
 * @param x the sequence: (sequence, d_model)
 * @param options norm: "post" | "pre"; mask: "none" | "causal" | "padding"; padding: positions
 * @returns rows by step, one table per head for `logits`, `weights`, `context`; and `output`
 */
export function forward(input, x, options) {
  const pre = options.norm === "pre";
  const norm = (rows, n) => layerNorm(rows, input[`gamma${n}`], input[`beta${n}`]);
  const result = { x, logits: [], weights: [], context: [] };

  if (pre) result.norm1 = norm(x, 1);
  const source = pre ? result.norm1 : x;
  result.Q = matmul(source, input.W_q);
  result.K = matmul(source, input.W_k);
  result.V = matmul(source, input.W_v);
  const width = x[0].length / input.num_heads;
  for (let head = 0; head < input.num_heads; head += 1) {
    const columns = (rows) => rows.map((row) => row.slice(head * width, (head + 1) * width));
    // A masked logit is replaced, never multiplied: 0 × -Infinity would be NaN.
    const keys = columns(result.K);
    const logits = columns(result.Q).map((query, i) => keys.map((key, j) =>
      (isMasked(options, i, j) ? -Infinity : dot(query, key) / Math.sqrt(width))));
    const weights = logits.map(softmax);
    result.logits.push(logits);
    result.weights.push(weights);
    result.context.push(matmul(weights, columns(result.V)));
  }
  result.merged = x.map((_, i) => result.context.flatMap((context) => context[i]));
  result.attended = matmul(result.merged, input.W_o);
  result.residual1 = add(x, result.attended);

  const z = pre ? result.residual1 : norm(result.residual1, 1);
  if (pre) result.norm2 = norm(z, 2);
  else result.norm1 = z;
  result.hidden = affine(pre ? result.norm2 : z, input.W1, input.b1);
  result.relu = result.hidden.map((row) => row.map((value) => Math.max(value, 0)));
  result.narrowed = affine(result.relu, input.W2, input.b2);
  result.residual2 = add(z, result.narrowed);
  if (!pre) result.norm2 = norm(result.residual2, 2);

  result.output = pre ? result.residual2 : result.norm2;
  return result;
}

// The encoder block on nested arrays (a list of rows), every intermediate result kept.
// Vaswani et al., "Attention Is All You Need" (2017), sections 3.1 to 3.3.

export const EPSILON = 1e-6;

const add = (a, b) => a.map((row, i) => row.map((value, j) => value + b[i][j]));
const columns = (a, from, to) => a.map((row) => row.slice(from, to));
const transpose = (a) => a[0].map((_, j) => a.map((row) => row[j]));

function matmul(a, b, bias) {
  return a.map((row) =>
    b[0].map((_, j) => row.reduce((sum, value, k) => sum + value * b[k][j], 0) + (bias ? bias[j] : 0)));
}

/** Weights that are positive and sum to 1; NaN when every logit is -Infinity. */
export function softmax(logits) {
  const largest = Math.max(...logits);
  const exponentials = logits.map((logit) => Math.exp(logit - largest));
  const sum = exponentials.reduce((a, b) => a + b, 0);
  return exponentials.map((value) => value / sum);
}

/** Mean and population variance of a row. */
export function moments(row) {
  const mean = row.reduce((a, b) => a + b, 0) / row.length;
  const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length;
  return { mean, variance };
}

function layerNorm(rows, gamma, beta) {
  return rows.map((row) => {
    const { mean, variance } = moments(row);
    return row.map((value, j) => (gamma[j] * (value - mean)) / Math.sqrt(variance + EPSILON) + beta[j]);
  });
}

/** Whether query position i may not see key position j. */
export function isMasked({ mask, padding }, i, j) {
  return mask === "causal" ? j > i : mask === "padding" && padding.includes(j);
}

/**
 * One sequence through the block.
 *
 * @param input the parameters by name, as in a case's input; its `x` is not read
 * @param x the sequence: (sequence, d_model)
 * @param options norm: "post" | "pre"; mask: "none" | "causal" | "padding";
 *   padding: the positions that no query may see
 * @returns rows by step; `logits`, `weights` and `context` hold one table per head;
 *   `output` is the block's result
 */
export function forward(input, x, options = { norm: "post", mask: "none", padding: [] }) {
  const pre = options.norm === "pre";
  const norm = (rows, n) => layerNorm(rows, input[`gamma${n}`], input[`beta${n}`]);
  const result = { x };

  if (pre) result.norm1 = norm(x, 1);
  const source = pre ? result.norm1 : x;
  for (const name of ["Q", "K", "V"]) result[name] = matmul(source, input[`W_${name.toLowerCase()}`]);

  const width = x[0].length / input.num_heads;
  Object.assign(result, { logits: [], weights: [], context: [] });
  for (let head = 0; head < input.num_heads; head += 1) {
    const [Q, K, V] = ["Q", "K", "V"].map((name) => columns(result[name], head * width, (head + 1) * width));
    // A masked logit is replaced, never multiplied: 0 × -Infinity would be NaN.
    const logits = matmul(Q, transpose(K)).map((row, i) =>
      row.map((value, j) => (isMasked(options, i, j) ? -Infinity : value / Math.sqrt(width))));
    const weights = logits.map(softmax);
    result.logits.push(logits);
    result.weights.push(weights);
    result.context.push(matmul(weights, V));
  }
  result.merged = x.map((_, i) => result.context.flatMap((context) => context[i]));
  result.attended = matmul(result.merged, input.W_o);
  result.residual1 = add(x, result.attended);

  if (pre) result.norm2 = norm(result.residual1, 2);
  else result.norm1 = norm(result.residual1, 1);
  result.hidden = matmul(pre ? result.norm2 : result.norm1, input.W1, input.b1);
  // Not Math.max, so that a NaN stays one in every engine and -0 becomes 0.
  result.relu = result.hidden.map((row) => row.map((value) => (value <= 0 ? 0 : value)));
  result.narrowed = matmul(result.relu, input.W2, input.b2);
  result.residual2 = add(pre ? result.residual1 : result.norm1, result.narrowed);
  if (!pre) result.norm2 = norm(result.residual2, 2);

  result.output = pre ? result.residual2 : result.norm2;
  return result;
}

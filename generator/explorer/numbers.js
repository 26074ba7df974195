// Numbers as text, and text as numbers.

/** A number at some digits: "1.00" was rounded, a shorter "1" or "0.5" is exact. */
export function rounded(value, digits = 3) {
  let text = exact(value);
  if (Number.isFinite(value) && text.length > digits + 2 + (value < 0)) {
    const size = Math.abs(value);
    const short = size >= 0.01 && size < 1e4;
    text = short ? value.toPrecision(digits) : value.toExponential(digits - 2);
  }
  return text.replace("e+", "e").replace("inf", "∞").replaceAll("-", "−");
}

/** Every digit of a float64, as Python reads it. */
export function exact(value) {
  return Number.isNaN(value) ? "nan" : String(value).replace("Infinity", "inf");
}

/** What a reader typed as a finite number, or undefined. */
export function number(text) {
  const value = Number(text.replace("−", "-") || NaN);
  return text.trim() && Number.isFinite(value) ? value : undefined;
}

// Nothing on the page needs this: it lets a reader walk over the elements of an array, with the
// pointer or the arrow keys, and copy a snippet.
"use strict";

const decode = (text) => {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / 8 }, (_, i) => view.getFloat64(8 * i, true));
};

const indexOf = (flat, shape) => {
  const index = [];
  for (const size of [...shape].reverse()) {
    index.unshift(flat % size);
    flat = Math.floor(flat / size);
  }
  return index;
};

const brief = (value) => {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || size === 0) return String(value);
  return size >= 1e5 || size < 1e-3
    ? value.toExponential(1).replace("e+", "e")
    : String(Number(value.toPrecision(3)));
};

class Walker {
  constructor(group) {
    this.group = group;
    this.shape = group.dataset.shape ? group.dataset.shape.split(",").map(Number) : [];
    this.expected = decode(group.dataset.expected);
    this.actual = decode(group.dataset.actual);
    this.ratio = decode(group.dataset.ratio);
    this.columns = this.shape.at(-1) ?? 1;
    this.flat = null;
    this.figures = group.querySelector(".figures");
    this.readout = document.createElement("output");
    this.readout.className = "readout";
    this.figures.after(this.readout);
    this.figures.tabIndex = 0;
    this.figures.setAttribute("role", "group");
    this.figures.setAttribute("aria-label", "expected, got and difference; arrow keys read single elements");
    this.figures.addEventListener("pointermove", (event) => this.point(event));
    this.figures.addEventListener("pointerdown", (event) => this.point(event));
    this.figures.addEventListener("keydown", (event) => this.key(event));
    this.figures.addEventListener("focus", () => this.flat ?? this.show(this.worst()));
    this.readout.textContent = "Point at an element, or press the arrow keys here, to read it.";
  }

  worst() {
    return this.ratio.reduce((best, value, i) => !(value <= this.ratio[best]) ? i : best, 0);
  }

  point(event) {
    const cell = event.target.closest("td");
    if (cell) {
      const row = cell.parentElement;
      const offset = Number(cell.closest("table").dataset.offset);
      this.show(offset + row.sectionRowIndex * this.columns + cell.cellIndex);
      return;
    }
    const picture = event.target.closest("svg");
    if (!picture?.dataset.columns) return;
    const box = picture.getBoundingClientRect();
    const { width, height } = picture.viewBox.baseVal;
    const column = Math.min(width - 1, Math.max(0, Math.floor((event.clientX - box.left) / box.width * width)));
    const row = Math.min(height - 1, Math.max(0, Math.floor((event.clientY - box.top) / box.height * height)));
    this.show(Number(picture.dataset.offset) + row * this.columns + column);
  }

  key(event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.columns, ArrowDown: this.columns };
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const next = (this.flat ?? this.worst()) + step;
    if (next >= 0 && next < this.expected.length) this.show(next);
  }

  show(flat) {
    this.flat = flat;
    const index = indexOf(flat, this.shape);
    const [expected, actual, ratio] = [this.expected[flat], this.actual[flat], this.ratio[flat]];
    const verdict = ratio <= 1 ? "within the tolerance" : `${brief(ratio)} times the tolerance`;
    const place = this.shape.length ? `result[${index.join(", ")}]` : "result";
    this.readout.textContent = `${place}  expected ${expected}  got ${actual}  off by ${brief(actual - expected)}, ${verdict}`;
    this.mark(flat);
  }

  mark(flat) {
    for (const old of this.figures.querySelectorAll(".cursor")) {
      if (old instanceof SVGElement) old.remove();
      else old.classList.remove("cursor");
    }
    for (const piece of this.figures.querySelectorAll("[data-offset]")) {
      const local = flat - Number(piece.dataset.offset);
      const [row, column] = [Math.floor(local / this.columns), local % this.columns];
      if (piece instanceof HTMLTableElement) {
        piece.tBodies[0].rows[row]?.cells[column]?.classList.add("cursor");
      } else if (piece.dataset.columns && row >= 0 && row < piece.viewBox.baseVal.height) {
        const cursor = document.createElementNS("http://www.w3.org/2000/svg", "rect");
        for (const [name, value] of Object.entries({ class: "cursor", x: column, y: row, width: 1, height: 1 })) {
          cursor.setAttribute(name, value);
        }
        piece.append(cursor);
      }
    }
  }
}

for (const group of document.querySelectorAll(".values[data-expected]")) new Walker(group);

for (const block of document.querySelectorAll("pre.copy")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    getSelection().selectAllChildren(block);
    try {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Selected: press Ctrl+C";
    }
  });
  block.before(button);
}

addEventListener("beforeprint", () => {
  for (const closed of document.querySelectorAll(".card details.values-of:not([open])")) closed.open = true;
});

// Copy buttons on code; a page without scripts, or without a clipboard, has none.
if (navigator.clipboard) {
  for (const block of document.querySelectorAll("pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(block.textContent);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Press Ctrl+C";
        getSelection().selectAllChildren(block);
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    const frame = document.createElement("div");
    frame.className = "code";
    block.before(frame);
    frame.append(block, button);
  }
}
// What is wider than its place scrolls, and so must be reachable by keyboard.
const scrolling = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
for (const part of document.querySelectorAll("pre, .table, .figure, .formula")) scrolling.observe(part);
// A link into a folded part opens it.
const unfold = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let part = target?.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
};
addEventListener("hashchange", unfold);
unfold();

// What the page does in the browser alone, so that it also works while the server is away:
// the draft, light and dark, and frames as high as what is in them.
(() => {
  const DRAFT = "judge-draft", THEME = "judge-theme";
  const system = window.matchMedia("(prefers-color-scheme: dark)");

  const isDark = () => {
    const chosen = localStorage.getItem(THEME);
    return chosen ? chosen === "dark" : system.matches;
  };

  const paint = (root) => { root.style.colorScheme = isDark() ? "dark" : "light"; };

  const applyTheme = () => {
    paint(document.documentElement);
    for (const frame of document.querySelectorAll("iframe")) {
      if (frame.contentDocument) paint(frame.contentDocument.documentElement);
    }
    emitEvent("judge-theme", isDark());
  };

  const fit = (frame) => {
    const page = frame.contentDocument;
    if (!page || !page.body) return;
    paint(page.documentElement);
    if (!frame.classList.contains("report-frame")) return;
    const measure = () => { frame.style.height = `${page.documentElement.offsetHeight + 4}px`; };
    new ResizeObserver(measure).observe(page.documentElement);
    measure();
  };

  const watched = new WeakSet();
  const watchFrames = () => {
    for (const frame of document.querySelectorAll("iframe")) {
      if (watched.has(frame)) continue;
      watched.add(frame);
      frame.addEventListener("load", () => fit(frame));
      if (frame.contentDocument && frame.contentDocument.readyState === "complete") fit(frame);
    }
  };
  new MutationObserver(watchFrames).observe(document.body, { childList: true, subtree: true });

  const page = { key: "", document: null, editor: null };

  const keep = () => {
    const state = page.editor && page.editor.state;
    if (!state || state.doc === page.document) return;
    page.document = state.doc;
    localStorage.setItem(page.key, state.doc.toString());
  };

  window.judgePage = {
    // Begin to keep the editor's text; what stands in it now is no draft yet.
    begin(slug, editor) {
      page.key = `${DRAFT}:${slug}`;
      page.editor = editor;
      page.document = editor.state.doc;
      setInterval(keep, 400);
      window.addEventListener("pagehide", keep);
      editor.contentDOM.setAttribute("tabindex", "0");
      editor.contentDOM.setAttribute("aria-label", "Your solution; Escape, then Tab, leaves it");
      system.addEventListener("change", applyTheme);
      watchFrames();
      applyTheme();
    },
    draft: (slug) => ({
      text: localStorage.getItem(`${DRAFT}:${slug}`),
      of: localStorage.getItem(`${DRAFT}-of:${slug}`),
    }),
    // The draft goes on from this submission; its address is the page's.
    submitted(slug, identity) {
      keep();
      localStorage.setItem(`${DRAFT}-of:${slug}`, identity);
      history.replaceState(null, "", `/submissions/${identity}`);
    },
    focus() { page.editor.focus(); },
    toggle() {
      localStorage.setItem(THEME, isDark() ? "light" : "dark");
      applyTheme();
    },
  };
})();

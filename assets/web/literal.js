if (!window.chatmem.bare) {
  // What is said comes as Markdown that shows it letter for letter (web/html/literal.py). Where the words themselves are
  // wanted, they are read back: in the field in which a line is edited, in what is copied, and in what is read aloud.
  const bare = window.chatmem.bare = (text) => text.replace(/&#(0\d{6});/g, (_, code) => String.fromCharCode(Number(code)));
  const known = new WeakMap(), { put } = window.chatmem;
  new MutationObserver(() => {
    for (const field of document.querySelectorAll("#chat textarea")) {
      if (known.has(field)) continue;
      known.set(field, true);
      if (bare(field.value) !== field.value) put(field, bare(field.value));
    }
    for (const said of document.querySelectorAll("#chat [data-testid][aria-label*='&#0']")) {
      if (known.get(said) === said.ariaLabel) continue;
      known.set(said, bare(said.ariaLabel));
      said.ariaLabel = bare(said.ariaLabel);
    }
  }).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["aria-label"] });
  const write = navigator.clipboard?.writeText.bind(navigator.clipboard);
  if (write) navigator.clipboard.writeText = (text) => write(bare(text));
  document.addEventListener("copy", (event) => {
    if (!event.target.matches?.("body > textarea")) return; // where the clipboard is closed to pages, Gradio copies from one
    event.clipboardData.setData("text/plain", bare(event.target.value));
    event.preventDefault();
  });
}

// A history is shown over the memory, which may lie on another tab or further down; Escape and Close shut it.
if (!window.chatmem.history) {
  let opener = null;
  window.chatmem.history = (button, tries = 20) => {
    if (tries === 20) {
      opener = window.chatmem.opener(button);
      if (!button.closest("#chat, #pane")) document.querySelector("button[role=tab]")?.click();
    }
    const shown = document.querySelector(`#detail section[data-of="${button.dataset.id}"]`);
    if (!shown && tries) setTimeout(window.chatmem.history, 150, button, tries - 1);
    if (!shown) return;
    shown.scrollIntoView({ block: "start" });
    shown.querySelector("button[data-act=close]").focus({ preventScroll: true });
  };
  window.chatmem.shutHistory = () => {
    if (!document.querySelector("#detail section")?.offsetHeight) return;
    window.chatmem.send({ act: "close" });
    const from = opener; // what lies below moves up first
    const gone = (tries) => {
      if (document.querySelector("#detail section") && tries) setTimeout(gone, 50, tries - 1);
      else if (from) window.chatmem.giveBack(from, false);
    };
    gone(100);
  };
}
// A session that was found by words opens at the line that holds them, and they are marked there.
if (!window.chatmem.seek) {
  // The place of the words in the text that holds them last; a line may stand far down in a long one.
  const spot = (words) => {
    const literal = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const sought = new RegExp(words.trim().split(/\s+/).map(literal).join("\\s+"));
    const walk = document.createTreeWalker(document.querySelector("#chat"), NodeFilter.SHOW_TEXT);
    let last = null;
    while (walk.nextNode()) {
      const found = sought.exec(walk.currentNode.data);
      if (found) last = { node: walk.currentNode, from: found.index, to: found.index + found[0].length };
    }
    return last;
  };
  let run = 0;
  // Tried for a while: the session comes later than the click, and Gradio goes to its end after that.
  window.chatmem.seek = (words, tries = 40, mine = ++run) => {
    const found = mine === run && spot(words);
    if (found) {
      const range = document.createRange(), view = found.node.parentElement.closest(".bubble-wrap");
      range.setStart(found.node, found.from);
      range.setEnd(found.node, found.to);
      const { top } = range.getBoundingClientRect(), { top: edge, height } = view.getBoundingClientRect();
      if (top < edge || top > edge + height - 40) view.scrollTop += top - edge - height / 3;
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      tries = Math.min(tries, 15);
    }
    if (mine === run && tries) setTimeout(window.chatmem.seek, 100, words, tries - 1, mine);
  };
  for (const hand of ["wheel", "touchstart", "keydown", "pointerdown"]) document.addEventListener(hand, () => { run += 1; }, true);
}

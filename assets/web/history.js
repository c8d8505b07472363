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

// The question before something is erased stands beside what was clicked, or over the line that was typed, and in sight.
if (!window.chatmem.asking) {
  let from = null, opener = null, shown = false;
  const GAP = 8;
  const wide = () => document.documentElement.clientWidth; // without the bar at the side that scrolls
  const spot = () => {
    const same = from?.act && document.querySelector(`button[data-act="${from.act}"][data-id="${from.id}"]`);
    const now = same?.getBoundingClientRect();
    if (now?.width) return now;
    return from?.place || document.querySelector("#entry")?.getBoundingClientRect();
  };
  const place = () => {
    const box = document.querySelector("#ask");
    if (!box?.offsetHeight) {
      if (shown) window.chatmem.giveBack(opener);
      shown = false;
      return;
    }
    const at = spot(), width = Math.min(380, wide() - 2 * GAP), room = window.innerHeight - GAP;
    box.style.width = `${width}px`;
    const height = box.offsetHeight, below = at.bottom + GAP;
    const top = below + height <= room ? below : at.top - GAP - height;
    box.style.top = `${Math.max(GAP, Math.min(top, room - height))}px`;
    box.style.left = `${Math.max(GAP, Math.min(at.right - width, wide() - width - GAP))}px`;
    const no = document.querySelector("#no");
    if (shown || !no) return;
    shown = true;
    box.setAttribute("role", "alertdialog");
    box.setAttribute("aria-labelledby", "question");
    setTimeout(() => no.focus({ preventScroll: true }), 0);
  };
  window.chatmem.asking = place;
  document.addEventListener("click", ({ target }) => {
    const button = target.closest?.("button");
    if (target.closest?.("#yes, #keep-lines, #keep-others")) window.chatmem.chooseNone();
    if (!button || button.closest("#ask")) return;
    const { act, id } = button.dataset;
    from = button.id === "send" ? null : { act, id, place: button.getBoundingClientRect() };
    opener = window.chatmem.opener(button.id === "send" ? document.querySelector("#line textarea") : button);
  }, true);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches?.("#line textarea")) {
      from = null;
      opener = window.chatmem.opener(event.target);
    }
    if (event.key !== "Escape" || !shown) return;
    event.stopPropagation(); // it is meant for nothing else
    document.querySelector("#no")?.click();
  }, true);
  new MutationObserver(place).observe(document.body, { childList: true, subtree: true, characterData: true });
  window.addEventListener("resize", place);
  document.addEventListener("scroll", place, true);
}

// A double click on Send, or Enter twice, sends once; its second half isn't meant for Stop, which stands there by then.
if (!window.chatmemOnce) {
  window.chatmemOnce = true;
  const WAIT = 600; // milliseconds
  let sent = -WAIT, text = null, stops = false, since = -WAIT, clicked = false;
  const drop = (event) => { event.preventDefault(); event.stopImmediatePropagation(); };
  // Another line is no second half, however soon it comes.
  const again = ({ timeStamp }) => {
    const now = document.querySelector("#line textarea")?.value ?? "";
    if (timeStamp - sent < WAIT && (!now.trim() || now === text)) return true;
    [sent, text] = [timeStamp, now];
    return false;
  };
  window.addEventListener("click", (event) => {
    const button = event.isTrusted && event.target.closest?.("#send, #stop"); // Escape's own click on Stop is none
    if (!button) return;
    // Who sent by Enter and then clicks on Stop means Stop.
    if (button.id === "stop") return void (clicked && event.timeStamp - Math.max(sent, since) < WAIT && drop(event));
    clicked = true;
    if (again(event)) drop(event);
  }, true);
  window.addEventListener("keydown", (event) => {
    const sends = event.key === "Enter" && !event.shiftKey && !event.isComposing && event.target.matches?.("#line textarea");
    if (!sends) return;
    if (event.repeat || again(event)) drop(event);
    else clicked = false;
  }, true);
  new MutationObserver(() => {
    const now = !!document.querySelector("#stop");
    if (now && !stops) since = performance.now();
    stops = now;
  }).observe(document.body, { childList: true, subtree: true });
}

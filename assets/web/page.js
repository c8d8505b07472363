// Handed to the one hidden component of the page: `element` is that component, `trigger` calls the server.
// Buttons made by the server carry data-act and data-id; data-form lists what is to be typed first.
if (!window.chatmem) {
  const send = (detail) => window.chatmem.trigger("select", detail);
  window.chatmem = { trigger, send };
  // A locked page answers 423 to whatever a window asks: what it shows goes out of sight, and a form comes.
  const ask = window.fetch.bind(window);
  window.fetch = async (...what) => {
    const answer = await ask(...what);
    if (answer.status === 423) location.reload();
    return answer;
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[data-act]");
    if (!button || !button.closest(".cm-html")) return;
    event.preventDefault();
    const { act, id } = button.dataset;
    if (button.dataset.form) window.chatmem.form(button);
    else if (act === "page") {
      send({ act: "view", what: "page", value: id });
      window.chatmem.fromTop();
    }
    else if (button.closest(".cm-chosen")) window.chatmem.withChosen(act);
    else if (act === "close") window.chatmem.shutHistory();
    else send({ act, id });
    if (act === "history") window.chatmem.history(button);
    if (button.dataset.seek) window.chatmem.seek(button.dataset.seek);
  });
  // Another page of the memory is read from its first row.
  window.chatmem.fromTop = () => {
    const pane = document.querySelector("#pane");
    pane.scrollTop = 0;
    if (pane.getBoundingClientRect().top < 0) pane.scrollIntoView();
  };
  // On a phone the sidebar would hide the chat. It may be drawn later than this, or not listen yet: tried until it is shut.
  const shut = (tries, clicked) => {
    const toggle = document.querySelector(".sidebar.open .toggle-button");
    if ((clicked && !toggle) || !tries) return;
    toggle?.click();
    setTimeout(() => shut(tries - 1, clicked || !!toggle), 200);
  };
  const narrow = window.matchMedia("(max-width: 768px)");
  if (narrow.matches) shut(50, false);
  // Nor does it stay over the talk that was chosen in it; the focus goes to what opens it again.
  document.addEventListener("click", ({ target }) => {
    if (!narrow.matches || !target.closest?.("#new, #sessions [data-act=resume]")) return;
    shut(1, false);
    document.querySelector(".sidebar .toggle-button")?.focus({ preventScroll: true });
  });
  narrow.addEventListener("change", () => { if (narrow.matches) document.querySelector(".sidebar.open .toggle-button")?.click(); });
  // Light or dark, kept in this browser; without a name it tells the choice. "system" goes with the machine, also when it changes.
  const night = window.matchMedia("(prefers-color-scheme: dark)");
  window.chatmem.theme = (name) => {
    if (name) localStorage.setItem("chatmem-theme", name);
    const chosen = localStorage.getItem("chatmem-theme") || "system";
    document.body.classList.toggle("dark", chosen === "dark" || (chosen === "system" && night.matches));
    return chosen;
  };
  window.chatmem.theme();
  night.addEventListener("change", () => setTimeout(window.chatmem.theme, 0, ""));
  // Lines typed before: those that the server knew when the page was opened, then those of this window.
  let own = [], at = null;
  const lines = () => [...JSON.parse(document.querySelector("#typed i")?.dataset.lines || "[]"), ...own];
  const note = (field) => {
    at = null;
    const text = field.value.trim();
    if (text && lines().at(-1) !== text) own.push(text);
  };
  // Any answer but a no to what would be erased takes all that was typed along: which of it holds the words, only the server knows.
  const forget = (answer) => {
    const asked = document.querySelector("#question"), erases = /Forget everything|Erase this for good/;
    const unasked = /^\s*\/(forget|reset)\b.*\s--yes\b/i.test(answer);
    if (!unasked && (!asked?.offsetParent || !erases.test(asked.innerText) || /^\W*(no|nope|nah|n|keep|stop)\b/i.test(answer))) return;
    document.querySelector("#typed i")?.remove();
    own = [];
  };
  const put = window.chatmem.put = (field, text) => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    setTimeout(() => field.setSelectionRange(text.length, text.length), 0);
  };
  window.chatmem.sent = () => {
    const field = document.querySelector("#line textarea");
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set.call(field, "");
    field.dispatchEvent(new Event("input", { bubbles: true }));
    // Who says something sees it, and what comes of it: Gradio follows what is at its end, and leaves alone who reads further up.
    const talk = document.querySelector("#chat .bubble-wrap");
    if (talk) talk.scrollTop = talk.scrollHeight;
  };
  document.addEventListener("keydown", (event) => {
    const field = event.target;
    if (!field.matches?.("#line textarea")) return;
    if (event.key === "Enter" && !event.shiftKey) { note(field); forget(field.value); }
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key], known = lines();
    const browsing = at !== null && field.value === (known[at] ?? "");
    if (!step || !(browsing || (!field.value && step < 0))) return;
    event.preventDefault();
    at = Math.max(0, Math.min(known.length, (browsing ? at : known.length) + step));
    put(field, known[at] ?? "");
  }, true);
  document.addEventListener("click", (event) => {
    const field = document.querySelector("#line textarea");
    if (event.target.closest?.("#send")) { note(field); forget(field.value); }
    if (event.target.closest?.("#yes, #keep-others")) forget("yes");
  }, true);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const stop = document.querySelector("#stop");
    if (stop && !event.target.closest?.("#detail")) stop.click();
    else window.chatmem.shutHistory();
  });
} else {
  window.chatmem.trigger = trigger;
}

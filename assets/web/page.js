// Handed to the one hidden component of the page: `element` is that component, `trigger` calls the server.
// Buttons made by the server carry data-act and data-id; data-form lists what is to be typed first.
if (!window.chatmem) {
  window.chatmem = { trigger };
  const send = (detail) => window.chatmem.trigger("select", detail);
  const form = (button) => {
    const box = document.createElement("form");
    box.className = "cm-form";
    for (const [name, label, value] of JSON.parse(button.dataset.form)) {
      const field = document.createElement("label");
      field.append(label);
      const input = document.createElement(name === "fact" ? "textarea" : "input");
      input.name = name;
      input.value = value;
      if (name === "fact") input.rows = 2;
      field.append(input);
      box.append(field);
    }
    const save = document.createElement("button"), cancel = document.createElement("button");
    save.textContent = "Save";
    save.className = "cm-b cm-save";
    cancel.textContent = "Cancel";
    cancel.type = "button";
    cancel.className = "cm-b";
    const close = () => box.remove();
    cancel.addEventListener("click", close);
    box.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") close();
      if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); box.requestSubmit(); }
    });
    box.addEventListener("submit", (event) => {
      event.preventDefault();
      send({ act: button.dataset.act, id: button.dataset.id, ...Object.fromEntries(new FormData(box)) });
      close();
    });
    const row = document.createElement("div");
    row.className = "cm-acts";
    row.append(save, cancel);
    box.append(row);
    // It lies over its row instead of in it, so that nothing typed is lost when the server draws the row anew.
    document.querySelector(".cm-form")?.remove();
    const place = (button.closest(".cm-chip, td, li") || button).getBoundingClientRect();
    const width = Math.min(Math.max(place.width, 280), window.innerWidth - 16);
    document.querySelector(".gradio-container").append(box);
    box.style.width = `${width}px`;
    box.style.left = `${Math.max(8, Math.min(place.left, window.innerWidth - width - 8))}px`;
    box.style.top = `${Math.max(8, Math.min(place.top, window.innerHeight - box.offsetHeight - 8))}px`;
    box.querySelector("input, textarea").focus();
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[data-act]");
    if (!button || !button.closest(".cm-html")) return;
    event.preventDefault();
    if (button.dataset.form) form(button);
    else send({ act: button.dataset.act, id: button.dataset.id });
  });
  // On a phone the sidebar would hide the chat. It may be drawn later than this, or not listen yet: tried until it is shut.
  const shut = (tries, clicked) => {
    const toggle = document.querySelector(".sidebar.open .toggle-button");
    if ((clicked && !toggle) || !tries) return;
    toggle?.click();
    setTimeout(() => shut(tries - 1, clicked || !!toggle), 200);
  };
  if (window.innerWidth < 768) shut(50, false);
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
  const put = (field, text) => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    setTimeout(() => field.setSelectionRange(text.length, text.length), 0);
  };
  document.addEventListener("keydown", (event) => {
    const field = event.target;
    if (!field.matches?.("#line textarea")) return;
    if (event.key === "Enter" && !event.shiftKey) note(field);
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key], known = lines();
    const browsing = at !== null && field.value === (known[at] ?? "");
    if (!step || !(browsing || (!field.value && step < 0))) return;
    event.preventDefault();
    at = Math.max(0, Math.min(known.length, (browsing ? at : known.length) + step));
    put(field, known[at] ?? "");
  }, true);
  document.addEventListener("click", (event) => {
    if (event.target.closest?.("#send")) note(document.querySelector("#line textarea"));
    if (event.target.closest?.("#yes") && document.querySelector("#question")?.innerText.startsWith("Forget everything")) {
      document.querySelector("#typed i")?.remove();
      own = [];
    }
  }, true);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") document.querySelector("#stop")?.click();
  });
} else {
  window.chatmem.trigger = trigger;
}

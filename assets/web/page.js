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
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") document.querySelector("#stop")?.click();
  });
} else {
  window.chatmem.trigger = trigger;
}

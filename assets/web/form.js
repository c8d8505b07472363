// What is typed before an act: a form over its row. It stays open, with all that was typed, until the server did it.
if (!window.chatmem.form) {
  let sent = 0, open = null;
  const field = ([name, label, value]) => {
    const box = document.createElement("label"), input = document.createElement(name === "fact" ? "textarea" : "input");
    input.name = name;
    input.value = value;
    if (name === "fact") input.rows = 2;
    box.append(label, input);
    return box;
  };
  const button = (text, kind, type) => {
    const made = document.createElement("button");
    Object.assign(made, { textContent: text, className: `cm-b ${kind}`, type });
    return made;
  };
  const say = (text) => {
    open.told.textContent = text;
    open.told.hidden = !text;
    window.chatmem.keepInSight(open.box);
  };
  const close = () => {
    const opener = open?.opener;
    open?.box.remove();
    open = null;
    if (opener) window.chatmem.giveBack(opener);
  };
  const submit = (event) => {
    event.preventDefault();
    say("");
    open.number = ++sent;
    const { act, id } = open;
    window.chatmem.send({ act, id, form: sent, ...Object.fromEntries(new FormData(open.box)) });
    setTimeout((form, number) => {
      if (open === form && open.number === number && open.told.hidden) say("No answer yet; Save tries it again.");
    }, 8000, open, sent);
  };
  window.chatmem.answered = ({ form, told, row }) => {
    if (!open || form !== open.number) return;
    if (!told) return close();
    if (row) open.id = String(row);
    say(told);
    const fields = [...open.box.querySelectorAll("input, textarea")];
    (fields.find(({ value }) => value && told.includes(value.slice(0, 60))) || fields[0]).focus();
  };
  // Its place is over its row instead of in it, so that nothing typed is lost when the server draws the row anew.
  window.chatmem.form = (from) => {
    close();
    const box = document.createElement("form"), told = document.createElement("p"), row = document.createElement("div");
    box.className = "cm-form";
    told.className = "cm-told";
    told.setAttribute("role", "alert");
    told.hidden = true;
    const cancel = button("Cancel", "", "button");
    row.className = "cm-acts";
    row.append(button("Save", "cm-save", "submit"), cancel);
    box.append(...JSON.parse(from.dataset.form).map(field), told, row);
    open = { box, told, act: from.dataset.act, id: from.dataset.id, number: 0, opener: window.chatmem.opener(from) };
    cancel.addEventListener("click", close);
    box.addEventListener("submit", submit);
    box.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") close();
      if (event.key === "Enter" && !event.shiftKey && event.target !== cancel) { event.preventDefault(); box.requestSubmit(); }
    });
    const place = (from.closest(".cm-chip, td, li") || from).getBoundingClientRect();
    const wide = document.documentElement.clientWidth, width = Math.min(Math.max(place.width, 280), wide - 16);
    document.querySelector(".gradio-container").append(box);
    box.style.width = `${width}px`;
    box.style.left = `${Math.max(8, Math.min(place.left, wide - width - 8))}px`;
    box.style.top = `${place.top}px`;
    window.chatmem.keepInSight(box);
    box.querySelector("input, textarea").focus();
  };
  window.chatmem.keepInSight = (box) => {
    const top = parseFloat(box.style.top) || 0;
    box.style.top = `${Math.max(8, Math.min(top, window.innerHeight - box.offsetHeight - 8))}px`;
  };
}

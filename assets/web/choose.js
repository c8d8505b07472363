// Memories that are chosen in the list, over all its pages; and its order and filters.
if (!window.chatmem.withChosen) {
  const chosen = new Set(), { send } = window.chatmem;
  const boxes = () => [...document.querySelectorAll("#memory [data-pick]:not([data-pick=all])")];
  const draw = () => {
    const rows = boxes(), all = document.querySelector("#memory [data-pick=all]");
    for (const box of rows) box.checked = chosen.has(box.dataset.pick);
    if (all) {
      all.checked = rows.length > 0 && rows.every((box) => box.checked);
      all.indeterminate = !all.checked && rows.some((box) => box.checked);
    }
    const bar = document.querySelector(".cm-chosen"), told = `${chosen.size} chosen`;
    if (!bar) return;
    bar.hidden = !chosen.size;
    if (bar.firstChild.textContent !== told) bar.firstChild.textContent = told;
  };
  const none = () => { chosen.clear(); draw(); };
  window.chatmem.withChosen = (act) => (act === "choose-none" ? none() : send({ act, ids: [...chosen].join(" ") }));
  window.chatmem.chooseNone = none;
  document.addEventListener("change", ({ target }) => {
    const { pick, view } = target.dataset ?? {};
    if (view) return send({ act: "view", what: view, value: target.value });
    if (!pick) return;
    for (const box of pick === "all" ? boxes() : [target]) chosen[target.checked ? "add" : "delete"](box.dataset.pick);
    draw();
  });
  new MutationObserver(draw).observe(document.body, { childList: true, subtree: true });
}

// What was opened by a button gives the focus back to it when it is shut, also where the server has drawn it anew.
if (!window.chatmem.giveBack) {
  window.chatmem.opener = (button) => {
    const { act, id } = button.dataset;
    return { button, act, id, place: button.closest("#chat, #pane, #side")?.id };
  };
  const found = ({ button, act, id, place }) => {
    if (button.isConnected || !act) return button;
    return (document.getElementById(place) || document).querySelector(`button[data-act="${act}"][data-id="${id}"]`);
  };
  // Tried for a while: what is drawn anew takes the focus away once more. Who has gone on meanwhile is left alone.
  window.chatmem.giveBack = (opener, first = true, tries = 30) => {
    const at = document.activeElement, button = found(opener);
    if (!first && at && at !== document.body && at !== button) return;
    if (at !== button) button?.focus();
    if (tries) setTimeout(window.chatmem.giveBack, 100, opener, false, tries - 1);
  };
}

// The address names the session that is shown (?session=12), so that reload, back, forward and bookmarks bring it.
if (!window.chatmemAddress) {
  let fresh = true;
  const named = () => new URL(location.href).searchParams.get("session") || "";
  const show = ({ session, went }) => {
    if (went !== window.chatmemWent) return; // painted before the browser went elsewhere
    const url = new URL(location.href);
    if (session) url.searchParams.set("session", session);
    else url.searchParams.delete("session");
    // What was asked for and is not there is no place to come back to; nor is a talk in which nothing was said.
    if (session !== named()) history[fresh || !named() ? "replaceState" : "pushState"](null, "", url);
    document.title = session ? `chatmem · session ${session}` : "chatmem";
    fresh = false;
  };
  window.chatmemWent = 0;
  window.chatmemAddress = show;
  window.addEventListener("popstate", () => {
    window.chatmemWent += 1;
    fresh = true;
    window.chatmem.send({ act: "go", session: named(), went: window.chatmemWent });
  });
}
watch("value", () => { if (props.value) window.chatmemAddress(props.value); });

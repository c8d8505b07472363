// A file that the server hands over as {name, data (base64), type} is saved by the browser; none is left on the server.
watch("value", () => {
  const file = props.value;
  if (!file || !file.data) return;
  const bytes = Uint8Array.from(atob(file.data), (c) => c.charCodeAt(0));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type: file.type }));
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
});

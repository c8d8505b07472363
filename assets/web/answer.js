// What the server says to a form that was sent; see form.js.
watch("value", () => { if (props.value) window.chatmem?.answered(props.value); });

"""`chatmem tui`: the controller in a terminal window, drawn with Textual. Nothing here is imported by other rooms."""

"""`chatmem tui`: the controller in a terminal window, drawn with Textual.

Nothing here is imported by other rooms; `app` is the window, `dispatch` hands each event to the part that shows it.
"""

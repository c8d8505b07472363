"""The panels that are laid over the talk: why, timeline, context, help, sessions, models, the SQL console.

Only `tui/open_panels.py` imports them, each when it is opened.
"""

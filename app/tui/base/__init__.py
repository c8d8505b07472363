"""What the window stands on: its setup, its keys, the thread of the controller, and what all panels have in common.

All of it may be imported in `tui`.
"""

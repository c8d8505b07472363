"""The widgets of the window, and in `shared` what all parts of it share.

All of it may be imported in `tui`; panels take `row_list` and `sql_colours`.
"""

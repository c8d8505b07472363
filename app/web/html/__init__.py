"""What the page shows: templates and what fills them in, where every text is escaped; nothing is done in here.

`handlers` and `page` take all of it.
"""

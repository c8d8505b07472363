"""The windows of all who are on the page, and the queue in which they wait for the models.

`windows.House` is all of them and `window.Desk` one; the server, the page and `handlers` take these.
"""

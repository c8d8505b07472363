"""The gate before the page: which requests come in at all, from where, and who sends them.

`gate.Gate` is all of it, as an ASGI app around another; the server takes that.
"""

"""What happens on the page: each event, click and endpoint as a function of a request.

Only `web/page.py` imports from here: `talk`, `tab_layout`, `api`.
"""

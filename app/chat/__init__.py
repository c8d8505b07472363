"""What happens in a chat, from a line to the memories that come of it: talk, storage worker, tidying, models at work.

Front ends take the controller instead; besides, they may take `panels` (what panels show, as values), `roles` and
`models` (the agents) and `state.valid_name`; commands take `tidying`. All in here works on a `state.ChatState`.
"""

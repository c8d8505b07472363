"""The one object through which everything reads and writes: import `store.Store`. Its parts are `users`,
`sessions`, `turns`, `queue`, `facts`, `journal`, `forget`, `vectors` and `search`; `writing` has what whoever
writes rows must share.
"""

"""From a prompt to a reply, for any back end: templates, sampling, budgets, many replies at once, and the scripted
model of the tests. Import `batched_work`, `budget`, `chat_template`, `sampling`, `text_stream`, `thought` and
`scripted.ScriptedLM`.
"""

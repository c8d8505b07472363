"""Sessions ranked by a small model, so that a dear one reads few: `chatmem rank embed | sessions | answer | run`.

Import `rows` for the row that all steps share, `order` for its orders of sessions, `embed`, `rank` and `answer` for the
steps, `prompt` and `parse` for what the ranking model reads and writes (the trainer's too).
"""

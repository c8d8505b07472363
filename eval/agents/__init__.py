"""How well each agent does its own work: storage, retrieval, editor, and the whole chat.

Import the evaluator that carries the agent's name; `*_cli` holds its command, `*_locomo` what only LoCoMo allows.
"""

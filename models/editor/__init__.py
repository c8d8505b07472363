"""The agent that tidies a memory by its tools: import `choose.make_editor` or `agent.EditorAgent`, `join` for what
is consolidated.
"""

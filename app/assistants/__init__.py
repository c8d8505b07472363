"""The memory as tools for other assistants, over the Model Context Protocol.

Other rooms take `mcp_server` (the page serves the same tools); `tools` and `stdio` are its own.
"""

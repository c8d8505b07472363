"""The agent that turns a line into memories: import `agent.StorageAgent`. `reading` asks the model, `checks` holds
its draft against the line, by name.
"""

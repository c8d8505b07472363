"""What the agents are shown and what they may write: import `messages` (the prompts the adapters were trained on),
`grammars`, and `draft.read_draft`, which makes a typed draft of a storage model's reply.
"""

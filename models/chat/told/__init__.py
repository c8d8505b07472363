"""What was told of the very one or thing that a question asks of.

To import: `known.Known`.
"""

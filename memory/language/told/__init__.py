"""What of a kind a text tells of somebody or something: ages, names, trades, colours; and whom a question asks of.

To import: `asked.want`, `about` (`Whom`, `spoken`), `held.told`.
"""

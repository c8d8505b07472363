"""The slash commands, the same in every front end.

Others take `registry` (all of them, and doing one), `command.number`, `files.plan_lines` and, at the end of a chat,
`tidy.tidied_at_bye`.
"""

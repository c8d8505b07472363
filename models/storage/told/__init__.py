"""The line that is read, and what is told in its own words where the model lost or mixed it up.

To import: `scene.Scene`, `fidelity` (what a draft lost or invented), `plain_statements.plain_statements`,
`verbatim_clauses.in_own_words`, `whose.of_theirs`, `whose.with_two`.
"""

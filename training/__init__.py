"""Floor 3: what makes the adapters, the question encoder and the ranker that ship.

`cli` adds the sub-commands of `chatmem train`; `recipe.run` is a run from its arguments, `fit.fit` one from its rows,
and `fit.AgentParts` what both ask of an agent. Rooms, from below: `material` and `policy`, `loop`, `methods`, then one
for each that is trained: `storage`, `retrieval`, `answer`, `editor`, `recall`.
"""

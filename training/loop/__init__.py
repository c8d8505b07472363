"""A run from its first step to its card, whatever its objective: steps, checkpoints, measuring, stopping, telling.

To import: `loop` (`Loop`, `RunConfig`, `TrainingRun`, `Progress`), `stopping`, `processes.ranks`, `held_out.Held`,
`live.follow`, `tracking`, `examples` and `card.write_card`.
"""

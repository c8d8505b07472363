"""The model that ranks sessions (`chatmem rank`): rows to learn from, its trainer, and what its choice is worth.

Import `data` (`chatmem data rank`), `recipe.train` (`chatmem train ranker`) and `reward.SessionReward`; what the model
reads and writes is `eval/ranking`'s, the same as in use.
"""

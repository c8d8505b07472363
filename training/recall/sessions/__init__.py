"""The model that ranks sessions (`chatmem rank`): rows to learn from, and what its choice is worth.

Import `data` (`chatmem data rank`) and `reward.SessionReward`; what it reads and writes is
`eval/ranking`'s, the same as in use.
"""

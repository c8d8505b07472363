"""The model that ranks sessions (`chatmem rank`): what its choice is worth.

Import `reward.SessionReward`; what it reads and writes is `eval/ranking`'s, the same as in use.
"""

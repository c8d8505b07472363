"""Talks written whole in eight manners of talking, a file a manner, in the form of `told_*.txt` beside this room.

`terse.txt` (few words and gossip) is for measuring alone: no agent learns from it. Read by `told.manner_talks`.
"""

"""Scenes of what a line ends among a few known facts, a file for each manner of telling; `scenes` reads them.

To import: `scenes.scenes`, `scenes.unseen_scenes`. `unseen.txt` is for measuring alone: no agent learns from it.
"""

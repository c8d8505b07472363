"""Names that stand in for "Speaker 1" and "Speaker 2", so that an adapter learns to copy the name it reads."""

from __future__ import annotations

import random

_TEXT = """
Ana Ben Carla Dmitri Elena Farid Grace Hiro Ingrid Jamal Katya Liam Maya Noah Olga Priya Quinn Rosa Samir Tara
Uma Viktor Wendy Xavier Yara Zoe Aisha Bruno Chloe Daniel Emma Felix Gabriela Hassan Isla Jonas Kim Laura Marco
Nina Oscar Paula Rafael Sofia Tom Ursula Vera Will Yusuf Zara Alice Bob Charlotte David Eve Frank Georgia Harry
Irene Jack Karen Leo Mia Nathan Olivia Peter Ruth Steve Tina Vincent Amelia Carlos Diana Ethan Fiona Greg Hannah
Ivan Julia Kevin Lucy Miguel Nadia Owen Petra Ravi Sarah Theo Lena Max User
"""
NAMES = _TEXT.split()


def two_names(rng: random.Random, plain: float = 0.35) -> tuple[str, str]:
    """Two different names; with chance `plain` the data's own "Speaker 1" and "Speaker 2"."""
    if rng.random() < plain:
        return "Speaker 1", "Speaker 2"
    one, two = rng.sample(NAMES, 2)
    return one, two

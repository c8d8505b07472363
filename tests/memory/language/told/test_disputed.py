"""What somebody says was noted of them and isn't so."""

from __future__ import annotations

import pytest

from chatmem.memory.language.told.disputed import disputed


@pytest.mark.parametrize(
    ("line", "claim", "right"),
    [
        ("You write that I like fish, is wrong, I hate fish.", "I like fish", "I hate fish"),
        ("You've noted that I like Lena's work, but it was Milo's.", "I like Lena's work", "it was Milo's"),
        ("I never said that I'm married.", "I'm married", ""),
        ("I never said I like fish, I hate it", "I like fish", "I hate it"),
        ("It's not true that we live in Utrecht. We live in Ede", "we live in Utrecht", "We live in Ede"),
        ("you wrote down that my sister is 30, but she's 31", "my sister is 30", "she's 31"),
        ("You noted my boss is Carla. That's wrong, my boss is Henk now.", "my boss is Carla", "my boss is Henk now"),
    ],
)
def test_the_claim_and_what_is_so_instead(line: str, claim: str, right: str) -> None:
    assert disputed(line) == (claim, right)


@pytest.mark.parametrize(
    "line",
    [
        "Do you think I'm mad?", "I never told my mum about it", "you keep saying that", "I never said that",
        "I thought you remembered that I like tea", "My sister never said that I was late", "Did you note that?",
        "I like fish, but my sister hates it", "I haven't told you my sister's name, it's Ida",
        "You noted that I have a dog, but I also have a cat", "You remember that I have a dog, but she died",
    ],
)  # fmt: skip
def test_other_lines_dispute_nothing(line: str) -> None:
    assert disputed(line) is None

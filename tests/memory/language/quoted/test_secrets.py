"""Which words of a line are a secret, and which only sound like one."""

from __future__ import annotations

import pytest

from chatmem.memory.language.quoted.secrets import secrets, tells, without_secrets

SECRET = {
    "My password is correct-horse-battery and my PIN is 8812.": ("correct-horse-battery", "8812"),
    "here's my api key: sk-proj-9aF3kLmQ0pZx81RtVbNw77aa, keep it safe": ("sk-proj-9aF3kLmQ0pZx81RtVbNw77aa",),
    "My visa is 4539 1488 0343 6467, cvv 921": ("4539 1488 0343 6467", "921"),
    "the wifi at home is NguyenNha, password 7caphe9": ("7caphe9",),
    "mein Passwort ist Sonne77": ("Sonne77",),
    "I changed my password to mango": ("mango",),
    "The wifi password changed, it's lobster77 now.": ("lobster77",),
    "My netflix password got reset. The new one is BlueMoon, tell nobody": ("BlueMoon",),
    "my social security number is 078-05-1120": ("078-05-1120",),
    "my passphrase is correct horse battery staple": ("correct horse battery staple",),
    "I use Sommerregen99 to log in to Netflix": ("Sommerregen99",),
    "I unlock my phone with 246810": ("246810",),
    "my login at the bank: sven / Hunter!2Moon": ("Hunter!2Moon",),
    "AWS key AKIAIOSFODNN7EXAMPLE": ("AKIAIOSFODNN7EXAMPLE",),
    "my seed phrase: ladder orbit velvet cactus humble tiger ocean staple rocket crane winter jelly": (
        "ladder orbit velvet cactus humble tiger ocean staple rocket crane winter jelly",
    ),
}
ORDINARY = [
    "my locker number is 4471",
    "I use a password manager, it's Bitwarden.",
    "They made us change our passwords, it's the third time this year.",
    "my bike lock code is 4471",
    "The wifi password is on a note under the globe in my study.",
    "my password is too long to type",
    "my passphrase is too long to remember at all",
    "I unlock my phone with my thumb",
    "my login takes 5 minutes / day",
    "I keep my passwords in KeePass",
    "we knocked every pin down in 12 throws",
    "my phone number is 0151 2233445 and my IBAN is AT61 1904 3002 3457 3201",
    "my order number is 123456789012345",
    "my dentist is called Pin and I owe him 300",
    "see https://example.org/AbCdEf123456789XyZ0987654321aa",
]


@pytest.mark.parametrize("line", SECRET)
def test_a_secret_is_found_and_its_clause_left_out(line: str) -> None:
    assert secrets(line) == SECRET[line]
    assert not secrets(without_secrets(line))
    assert all(tells(f"Ana uses {one}.", SECRET[line]) for one in SECRET[line])


@pytest.mark.parametrize("line", ORDINARY)
def test_what_people_want_to_be_reminded_of_is_none(line: str) -> None:
    assert secrets(line) == ()
    assert without_secrets(line) == line


def test_the_rest_of_the_line_stays() -> None:
    assert without_secrets("My Netflix password is hunter2 and I live in Porto.") == "I live in Porto."


@pytest.mark.parametrize("line", ["No, sorry, swordfish9.", "Actually swordfish9 now", "wait, it's swordfish9"])
def test_a_value_put_right_after_a_secret_is_one(line: str) -> None:
    assert secrets(line, ["My password is swordfish7."]) == ("swordfish9",)
    assert secrets(line, ["My password is swordfish7.", "No, swordfish8."]) == ("swordfish9",)
    assert secrets(line, ["I forgot my password."]) == ("swordfish9",)
    assert without_secrets(line, ("swordfish9",)) == ""
    assert secrets(line, ["My password is swordfish7.", "The boat is called Swordfish."]) == ()


@pytest.mark.parametrize("line", ["No, it's fine.", "No, he's Tom.", "Yes!", "Actually, I moved to Porto."])
def test_what_else_follows_a_secret_is_none(line: str) -> None:
    assert secrets(line, ["My password is swordfish7."]) == ()
    assert secrets("No, Bath.", ["I forgot my password in York."]) == ()

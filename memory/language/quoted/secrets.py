"""Secrets in a line: passwords, PINs, keys, card numbers, seed phrases. A memory that models write and read is no safe.

A secret is what opens an account, a device or a purse: told as such ("my password is ..."), or known by its form (a
card's number, a key). What people want to be reminded of (a locker's number, the code of a bike lock, a door, an
address, a bank account, where a key lies) is an ordinary fact; so are numbers that nobody called anything.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from ..points import letters as re
from ..points.abbreviated import parted
from ..words import any_phrase

_FORMS = re.compile(
    r"\b(?:sk|pk|rk)[-_][\w-]{12,}|\bgh[opsu]_\w{16,}|\bgithub_pat_\w{16,}|\bglpat-[\w-]{16,}|\bhf_\w{16,}|\bAKIA[0-9A-Z]{12,}"
    r"|\bxox[abprs]-[\w-]{10,}|\bAIza[\w-]{30,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"(?s:.*?)(?:-----END [A-Z ]*-----|\Z)|\b[0-9a-fA-F]{40,}\b"
)
_MIXED = re.compile(
    r"(?<![\w/.@:-])(?=[\w+/-]{0,200}[a-z])(?=[\w+/-]{0,200}[A-Z])(?=(?:[\w+/-]{0,60}?\d){3})[A-Za-z0-9+/_-]{24,200}={0,2}(?![\w/.@-])"
)
_CLAUSE = re.compile(r"(?<=[.!?;])\s+|\n+|,?\s+(?:and|but|und|y|et|e)\s+(?=\S)")
_DIGITS = re.compile(r"(?<![\d.,+])\d(?:[ -]?\d){12,18}(?![\d])")
_VALUE = r"(?P<value>\"[^\"\n]{2,80}\"|“[^”\n]{2,80}”|'[^'\n]{2,80}'|`[^`\n]{2,80}`|[^\s\"“,;]{3,80})"
_WAYS_IN = re.compile(
    r"\b(?:use|using|enter|type) (\S*\d\S*) to (?:log|sign) ?(?:in|on)\b"
    r"|\bunlock\w* (?:my|the|our|his|her) (?:phone|laptop|computer|tablet|screen|mac|pc) (?:with|using|by) (\S*\d\S*)"
    r"|\blog-?in\b[^:\n]{0,40}: ?\S+ ?/ ?(\S+)"
    r"|\b(?:social security(?: number| no\.?)?|ssn)\b\D{0,12}(\d{3}[- ]?\d{2}[- ]?\d{4})\b",
    re.IGNORECASE,
)
"""What opens an account or a device and is called nothing: what somebody logs in with; and who has which SSN."""
_PASSPHRASE = re.compile(
    r"(?i)\bpass ?phrase\b[^\n.!?,;:=]{0,30}?(?:\bis|[:=])\s*(?P<value>[a-z]{2,}(?:[ -][a-z]{2,}){3,9})"
)
_SEED_SIZES = (12, 15, 18, 21, 24)


def secrets(text: str, before: Sequence[str] = ()) -> tuple[str, ...]:
    """The secrets that a text holds, as they stand there; empty for none. `before`: its speaker's lines shortly before,
    the nearest last, for "No, sorry, swordfish9." is one after a password."""
    found = [one[0] for pattern in (_FORMS, _MIXED) for one in pattern.finditer(text)]
    found += [one[0] for one in _DIGITS.finditer(text) if _is_card(one[0])]
    for pattern in (_passwords(), _changed(), _keys()):
        found += [
            value for one in pattern.finditer(text) if _is_value(value := one["value"].strip("\"“”'`").rstrip(".!?)"))
        ]
    found += [one["value"] for one in _pins().finditer(text)]
    found += [one["value"].strip() for one in _phrases().finditer(text)]
    found += [value.rstrip(".!?,") for one in _WAYS_IN.finditer(text) for value in one.groups() if value]
    found += [one["value"] for one in _PASSPHRASE.finditer(text) if not {*one["value"].split()} & _function_words()]
    if before and (again := _put_right().fullmatch(text.strip())):
        value = again["value"].strip("\"“”'`").rstrip(".!?)")
        found += [value] if _is_value(value) and _said(before, value) else []
    return tuple(dict.fromkeys([*found, *_seeds(text)]))


def _said(before: Sequence[str], value: str) -> bool:
    """Whether the last line that isn't itself a value put right told a secret, or spoke of a password where the value
    has a digit, as passwords have."""
    last = next((one for one in reversed(before) if not _put_right().fullmatch(one.strip())), "")
    spoken = re.search(rf"(?i)(?<!\w)(?:{_any('passwords')})(?!\w)", last) and re.search(r"\d", value)
    return bool(secrets(last) or spoken)


def without_secrets(text: str, found: tuple[str, ...] = ()) -> str:
    """A text without the clauses that hold a secret; empty where nothing else is said. `found`: those that it holds."""
    found = found or secrets(text)
    if not found:
        return text
    clauses = parted(_CLAUSE, text)
    kept = [clause.strip() for clause in clauses if clause and not tells(clause, found) and not tells(clause, text)]
    return " ".join(clause if clause[-1:] in ".!?" else f"{clause}." for clause in kept if re.search(r"\w{2}", clause))


def tells(fact: str, found: tuple[str, ...] | str) -> bool:
    """Whether a text holds one of these secrets, letter for letter or with other spaces, or a secret of its own."""
    if isinstance(found, str):
        return bool(secrets(fact))
    bare = _bare(fact)
    return any(_bare(secret) in bare for secret in found if _bare(secret)) or bool(secrets(fact))


def _bare(text: str) -> str:
    return re.sub(r"[\s,_-]+", "", text).lower()


def _is_value(value: str) -> bool:
    """Whether a word may be a password: none of those with which one speaks about passwords."""
    return bool(value) and value.lower() not in _words("no_values")


def _is_card(number: str) -> bool:
    """Whether the digits pass the check of card numbers (Luhn 1960) and begin as those of cards do."""
    digits = [int(one) for one in number if one.isdigit()]
    doubled = [sum(divmod(2 * one, 10)) if place % 2 else one for place, one in enumerate(reversed(digits))]
    return 13 <= len(digits) <= 19 and digits[0] in (2, 3, 4, 5, 6) and sum(doubled) % 10 == 0


def _seeds(text: str) -> list[str]:
    """Twelve to 24 words of three to eight small letters with no small words between: a wallet's, whatever is said."""
    found = []
    for one in re.finditer(r"(?<![\w'])(?:[a-z]{3,8}[ ,]\s{0,2}){11,23}[a-z]{3,8}(?![\w'])", text):
        words = re.findall(r"[a-z]+", one[0])
        if len(words) in _SEED_SIZES and not {*words} & _function_words() and len({*words}) >= len(words) - 1:
            found.append(one[0])
    return found


def _function_words() -> frozenset[str]:
    from ..language import english

    return english().stop | english().first_person


@lru_cache(maxsize=1)
def _table() -> dict[str, str]:
    return dict(tomllib.loads(Path(__file__).with_name("secrets.toml").read_text(encoding="utf-8")))


def _words(name: str) -> frozenset[str]:
    return frozenset(_table()[name].split())


def _any(name: str) -> str:
    return any_phrase(" ".join(one.split()) for one in _table()[name].split("|") if one.strip())


@lru_cache(maxsize=1)
def _passwords() -> re.Pattern[str]:
    joint = rf"(?:\s*(?:\b(?:{_any('joints')})(?!\w)|[=:：])\s*)"
    return re.compile(
        rf"(?i)(?<!\w)(?:{_any('passwords')})(?:\s+(?:for|of|to|at|von|für|de|pour|para|on)\s+(?:[\w'’.-]+\s+){{0,4}}?[\w'’.-]+?)?"
        rf"(?:\s+(?:at home|here|now|again))?(?:{joint}{{1,2}}|\s+(?=\S*\d)|(?<=[\u3040-\uffff])\s*){_VALUE}"
    )


@lru_cache(maxsize=1)
def _changed() -> re.Pattern[str]:
    """A password that is told of, and then its value by a pronoun: "The wifi password changed, it's lobster77."."""
    return re.compile(
        rf"(?i)(?<!\w)(?:{_any('passwords')})\b(?!\s+(?:manager|policy|reset|hint))[^\n?]{{0,80}}?[,.;:!–-]\s*"
        rf"(?:(?:and|so|but|now)\s+)*(?:it|that|the new one|new one)\s*(?:'s|’s|is|was|=|:)\s+(?:now\s+)?{_VALUE}"
        r"(?=\s+(?:now|from now|again|instead|since|until|if|for|so|and)\b|\s*[.,;!]|\s*$)"
    )


@lru_cache(maxsize=1)
def _put_right() -> re.Pattern[str]:
    """A line that is nothing but a value put right."""
    return re.compile(
        rf"(?i)(?:(?:{_any('put_right')})\b[\s,.:;!–-]*)+{_VALUE}(?:\s+(?:now|sorry|instead|of course)\b)?[.!]?"
    )


@lru_cache(maxsize=1)
def _keys() -> re.Pattern[str]:
    return re.compile(
        rf"(?i)\b(?:{_any('keys')})\b[^\n.!?]{{0,40}}?(?:\b(?:is|are)\b|[=:])\s*(?P<value>(?=\S*\d)[\w+/=.-]{{6,200}})"
    )


@lru_cache(maxsize=1)
def _pins() -> re.Pattern[str]:
    return re.compile(
        rf"(?i)(?<!\w)(?:{_any('pins')})\b(?:(?!\b(?:and|but|i|which)\b)[^\n.!?,;\d]){{0,30}}?"
        r"(?P<value>\d(?:[ -]?\d){2,9})(?!\d)"
    )


@lru_cache(maxsize=1)
def _phrases() -> re.Pattern[str]:
    return re.compile(
        rf"(?i)\b(?:{_any('phrases')})\b[^\n.!?a-z]{{0,5}}(?:is|are)?[\s:=]*"
        r"(?P<value>(?:[a-z]{3,8}[ ,]+){5,23}[a-z]{3,8})"
    )

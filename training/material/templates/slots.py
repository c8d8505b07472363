"""The values that fill the templates' slots, and the rendering of a template.

In a template `{city}` is a slot. Modifiers stand before it: `{a job}` (with its article), `{cap food}` or `{food+}`
(capitalised), `{old city}` (the value before an update), `{their goal}`/`{your goal}` ("my" inside turned). `{she/he}`
takes its side from the person's gender, `{who}` a name that fits it; `{x=a|b}` is a choice made on the spot and
`{x=}` the same choice again; `{N}` is the user, `{when}` a date phrase, `{on}` that date in an answer.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from .talk import Split
from .when import spoken

HERE = Path(__file__).parent
_SLOT = re.compile(r"\{([^{}]+)\}")
_MODIFIERS = {"a", "a+", "cap", "old", "their", "your"}
_HELD_OUT_FROM = 20
"""Lists at least this long keep an eighth of their values for validation; shorter ones (weekdays) are shared."""


def held_out(text: str, one_in: int = 8) -> bool:
    """Whether this value or wording belongs to validation: a stable hash, so that adding material moves nothing."""
    return zlib.crc32(text.encode()) % one_in == 0


@cache
def slot_lists() -> Mapping[str, tuple[str, ...]]:
    """All slots with their values, ranges written out."""
    lists: dict[str, str] = {}
    name = ""
    for path in sorted(HERE.glob("slots_*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("#") or not line.strip():
                continue
            if line[0].isspace():
                lists[name] += " " + line.strip()
            else:
                name, _, values = line.partition(":")
                lists[name] = values.strip()
    return {name: _values(values) for name, values in lists.items()}


def _values(text: str) -> tuple[str, ...]:
    if match := re.fullmatch(r"(\d+)\.\.(\d+)", text):
        return tuple(str(number) for number in range(int(match[1]), int(match[2]) + 1))
    return tuple(dict.fromkeys(value.strip() for value in text.split(",") if value.strip()))


def draw(name: str, rng: random.Random, split: Split) -> str:
    """A value of the slot `name`, from the part of its list that belongs to `split`."""
    values = slot_lists()[name.partition("#")[0]]
    if len(values) >= _HELD_OUT_FROM and not values[0].isdigit():
        values = tuple(value for value in values if held_out(value) == (split == "valid")) or values
    return _SLOT.sub(lambda match: draw(match[1], rng, split), rng.choice(values))


@dataclass(frozen=True)
class Fill:
    """The values of one fact's slots: drawn when first asked for, then kept. `old` holds those before an update."""

    name: str
    rng: random.Random
    split: Split
    female: bool
    values: dict[str, str] = field(default_factory=dict)
    old: Mapping[str, str] = field(default_factory=dict)
    when: tuple[str, str] | None = None

    def get(self, slot: str) -> str:
        """The value of `slot`; two slots of one kind (`city`, `city#2`) never get the same."""
        if slot not in self.values:
            source = ("girl" if self.female else "boy") if slot == "who" else slot
            value = draw(source, self.rng, self.split)
            for _ in range(20):
                if value not in self.values.values() and value not in (self.name, self.old.get(slot)):
                    break
                value = draw(source, self.rng, self.split)
            self.values[slot] = value
        return self.values[slot]

    def render(self, template: str) -> str:
        """The template with its slots filled."""
        return _SLOT.sub(lambda match: self._fill(match[1]), template)

    def updated(self, slots: set[str], when: tuple[str, str] | None) -> Fill:
        """The same fact with `slots` to be drawn anew, and a new date where one is given."""
        kept = {slot: value for slot, value in self.values.items() if slot not in slots}
        return replace(self, values=kept, old=dict(self.values), when=when or self.when)

    def _fill(self, inside: str) -> str:
        words = inside.split(" ")
        modifiers = []
        while len(words) > 1 and words[0] in _MODIFIERS:
            modifiers.append(words.pop(0))
        core = " ".join(words)
        if core.endswith("+"):
            core, modifiers = core[:-1], ["cap", *modifiers]
        value = self._value(core, "old" in modifiers)
        for modifier in reversed(modifiers):
            value = _modify(modifier, value)
        return value

    def _value(self, core: str, old: bool) -> str:
        if core == "N":
            return self.name
        if core in ("when", "on", "date"):
            phrase, iso = self.when or ("", "2000")
            return phrase if core == "when" else spoken(iso)
        if "=" in core:
            return self._choice(core)
        if "/" in core:
            return core.split("/")[0 if self.female else 1]
        return self.old[core] if old else self.get(core)

    def _choice(self, core: str) -> str:
        key, _, options = core.partition("=")
        key = key or core
        if key not in self.values:
            self.values[key] = self.rng.choice(options.split("|"))
        return self.values[key]


def slots_of(template: str, *, old: bool = False) -> set[str]:
    """The names of the slots in a template, without `{N}`, dates, gender pairs and choices made on the spot."""
    found = set()
    for inside in _SLOT.findall(template):
        words = inside.rstrip("+").split(" ")
        core = words[-1]
        if core not in ("N", "when", "on", "date") and not set("/=") & set(inside) and ("old" in words) == old:
            found.add(core)
    return found


def _modify(modifier: str, value: str) -> str:
    if modifier in ("a", "a+"):
        if value.split(" ")[0] in ("a", "an", "the", "one", "two"):
            return value
        sound = value.lower()
        vowel = sound[0] in "aeiou8" and not sound.startswith(("uni", "eu", "one", "ux", "uk"))
        article = "an" if vowel or sound in ("11", "18") or sound.startswith("x-") else "a"
        return f"{article.capitalize() if modifier == 'a+' else article} {value}"
    if modifier == "cap":
        return value[:1].upper() + value[1:]
    if modifier in ("their", "your"):
        return re.sub(r"\bmy\b", modifier, value)
    return value

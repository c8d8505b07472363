"""An s behind a known name that is typed without its apostrophe: "dans moved out", "kayleighs car"."""

from __future__ import annotations

from collections.abc import Collection

from ..language import Language
from ..points import letters as re
from ..third_person import verbs

_SEVERAL = "".join(rf"(?<!\b{word} )" for word in ("the", "two", "all", "both", "these", "those"))


def with_apostrophes(line: str, people: Collection[str], language: Language) -> str:
    """The line with "dan's moved out" for "dans moved out" and "dan's car" for "dans car", where dan is one of `people`
    (in small letters), no dans is, and "dans" is no word: "mark marks essays" stays."""
    follows = {*str(language.table("texting", "bare").get("thing", "")).split()} | verbs().past
    other = language.words("given", "with_s") | language.lexicon

    def short(found: re.Match[str]) -> str:
        then = found["next"]
        is_verb = then in follows or then.isdigit() or (then.endswith(("ed", "ing")) and len(then) > 4)
        is_known = found["name"] in people and f"{found['name']}s" not in people
        owns = then not in language.stop and found["name"] not in other
        return f"{found['name']}'s" if is_known and (is_verb or owns) else found[0]

    one = rf"{_SEVERAL}(?<![\w'’-])(?P<name>[a-z]{{2,}})s(?= (?P<next>[\w'’]+))"
    return re.sub(one, short, line) if people else line

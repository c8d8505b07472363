"""Names told in talk: "my name is Ana", "I'm Ana", "call me Ana". Rather misses a name than takes a mood for one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..memory.values import Author

NAMES = Author("tool:name")
"""Who writes a told name down as a fact."""

_WORD = r"[^\W\d_][^\W\d_]*(?:['’-][^\W\d_]+)*"
_NAME = rf"({_WORD}(?:[ ]{_WORD}){{0,2}})"
_TOLD = re.compile(rf"\bmy (?:first |full |real )?name(?:['’]s| is)(?: now)? {_NAME}", re.IGNORECASE)
_CALL = re.compile(
    r"(?<!n't )(?<!n’t )(?<!not )(?<!never )"
    r"\b(?:(?:(?:my|all my) (?:friends|family)|people|they|everyone|everybody|most people) calls? me|call me"
    rf"|i(?:['’]m| am) called|i go by) {_NAME}",
    re.IGNORECASE,
)
_HELLO = (
    r"(?:(?:hi|hiya|heya|hello|hallo|hey|yo|howdy|greetings|(?:good )?(?:morning|afternoon|evening|day))"
    r"(?: there| again| everyone| everybody| all| folks| guys)?[,!.]* )*"
)
_AM = re.compile(
    rf"(?:^|[.!?,;] )\s*{_HELLO}(?:i['’]m|i am) {_NAME}"
    r"(?=\s*(?:$|[.!,;]| and | by the way))",
    re.IGNORECASE,
)
_HERE = re.compile(
    rf"(?:^|[.!?] )\s*{_HELLO}(?:(?:it['’]s|this is) )?(?!\w+ly speaking){_NAME} (?:here|speaking)"
    r"(?=\s*(?:$|[.!,;]| and | again))",
    re.IGNORECASE,
)
_NAMED = re.compile(rf"^\s*{_HELLO}(?:the )?name['’]s {_NAME}(?=\s*(?:$|[.!,;]))", re.IGNORECASE)
_JOINT = re.compile(
    r"^(?: (?:here|speaking))?(?: again)?[\s,.;:!]*(?:(?:and|but|by the way|btw)\b[\s,]*)?", re.IGNORECASE
)
_GREETING_WORDS = "hi hello hey there again good morning evening afternoon nice to meet you pleased please everyone"
_GREETING = frozenset(_GREETING_WORDS.split())
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”")

# Capitalised words that follow "I'm" or "call me" without being a name.
_NOT_NAME_WORDS = """
a an the not no so too very just really actually also still always never now here there back home ok okay fine
good great well bad sorry sure glad happy sad tired sick ill busy free ready late early done out in on off up down
hungry thirsty bored angry mad crazy lazy old young new single married divorced pregnant alone lost stuck hot cold
afraid scared nervous anxious excited proud jealous curious confused exhausted sleepy retired unemployed vegan
vegetarian gay straight lesbian bisexual trans queer christian catholic protestant muslim jewish hindu buddhist
atheist agnostic mormon american british english scottish irish welsh french german italian spanish portuguese
dutch belgian swiss austrian polish czech slovak hungarian romanian bulgarian greek turkish russian ukrainian
swedish norwegian danish finnish icelandic canadian mexican brazilian argentinian chilean colombian peruvian
cuban chinese japanese korean vietnamese thai indian pakistani bangladeshi indonesian filipino malaysian
australian egyptian moroccan nigerian kenyan ethiopian ghanaian iranian iraqi israeli lebanese syrian arab
african asian european latino latina hispanic aries taurus gemini virgo libra scorpio sagittarius capricorn
aquarius pisces monday tuesday wednesday thursday friday saturday sunday tomorrow today tonight later soon again
when if whenever anytime maybe what whatever anything something names one your my his her their its this that
nothing everything everyone everybody nobody somebody someone same still winter summer spring autumn fall rain
raining snow snowing sunny windy christmas morning evening night noon midnight we they people hi hello hey yes yeah yep
important irrelevant unimportant secret private mr mrs ms dr sir madam over come look stay right up
"""
_STOP_WORDS = "and but or from with by i im who what how nice in on at of for as to so because though you the"
_NOT_NAMES, _STOP = frozenset(_NOT_NAME_WORDS.split()), frozenset(_STOP_WORDS.split())


# Pattern, whether it is plain, and whether it holds in any case.
_PATTERNS = (
    (_TOLD, True, True),
    (_CALL, True, False),
    (_AM, False, False),
    (_HERE, False, False),
    (_NAMED, False, False),
)


@dataclass(frozen=True, slots=True)
class ToldName:
    """A name that the user told; `plainly` when in words that can hardly mean anything else; `rest` of the line."""

    name: str
    plainly: bool
    rest: str = ""


def told_name(text: str) -> ToldName | None:
    """The name that the speaker gives themself in `text`, or None."""
    spoken = _QUOTED.sub(lambda quoted: " " * len(quoted.group()), text)
    for pattern, plainly, any_case in _PATTERNS:
        for match in pattern.finditer(spoken):
            name = _clean(match.group(1), any_case)
            if name and (plainly or name == match.group(1)):
                return ToldName(name, plainly, _rest(text, match.start(), match.start(1) + len(name)))
    return None


def _rest(text: str, start: int, end: int) -> str:
    """The line without the clause that tells the name; empty when only a greeting is left."""
    before = text[: start + 1] if text[start : start + 1] in ".!?,;" else text[:start]
    rest = f"{before} {_JOINT.sub('', text[end:])}".strip(" ,;")
    return rest if set(re.findall(r"[^\W_]+", rest.lower())) - _GREETING else ""


def _clean(words: str, any_case: bool) -> str | None:
    """The leading words that are a name: capitalised ones, or (`any_case`) one that is not a common word."""
    kept: list[str] = []
    for word in words.split():
        if word.lower().split("'")[0] in _STOP or (kept and not word[0].isupper()):
            break
        kept.append(word)
    if not kept or kept[0].lower() in _NOT_NAMES or any(len(word) > 30 for word in kept):
        return None
    if not kept[0][0].isupper():
        return kept[0].capitalize() if any_case and len(kept[0]) > 1 else None
    if kept[0].isupper() and len(kept[0]) > 3 and not any_case:  # "I'm STARVING"
        return None
    return " ".join(kept)

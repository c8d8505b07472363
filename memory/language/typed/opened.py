"""Short forms of "is", "has" and "have" spelled out where they may be taken for something else: "Dale's my partner".

A small model takes them for whose something is. So "'s" behind a name or a thing is "is" or "has" where no owner's can
stand, as before an article or a preposition, and "I've a cat" is "I have a cat". English.
"""

from __future__ import annotations

import re

from ..about_others import perfect
from ..language import english
from ..third_person import verbs

_WHO = r"(?P<who>\b(?!(?:[Ll]et|[Ii]t|[Tt]hat|[Tt]here|[Hh]ere|[Ww]hat|[Ww]here|[Hh]ow|[Hh]e|[Ss]he|[Oo]ne)\b)[\w-]*\w)"
_SHORT = re.compile(rf"{_WHO}['’]s(?= (?P<next>[\w'’]+)(?P<after>[^\w'’]*(?: ?(?P<then>[\w'’]+))?))")
_HAVE = re.compile(r"\b(?P<who>[Ii]|[Ww]e|[Tt]hey|[Yy]ou)['’]ve(?= (?P<next>[\w'’]+))")
_BEHIND = english().words("apart", "behind_is")
"""What stands behind "is" and never behind whose something is."""
_HAS = english().words("apart", "behind_has")
_BE = frozenset({"is", "are", "was", "were", "has", "have", "had", "does", "did", "will", "can"})


_SPOKEN = {"wanna": "want to", "gonna": "going to", "gotta": "have to", "hafta": "have to", "oughta": "ought to"}
_AS_SPOKEN = re.compile(rf"\b(?:(?P<have>(?:I|we|you|they)['’]ve )(?=gotta))?(?P<word>{'|'.join(_SPOKEN)})\b")


def opened(line: str) -> str:
    """The line with these short forms spelled out."""
    line = _AS_SPOKEN.sub(
        lambda found: f"{(found['have'] or '')[:-4].rstrip()} {_SPOKEN[found['word']]}".lstrip(), line
    )
    if "'" not in line and "’" not in line:
        return line
    return _HAVE.sub(_have, _SHORT.sub(_is, line))


def _is(found: re.Match[str]) -> str:
    word, then = found["next"].lower().replace("’", "'"), (found["then"] or "").lower()
    ends = not found["after"].startswith(" ")
    if found["who"].lower() in english().weekdays or word in ("own",):
        return found[0]
    just_done = word in _LATELY and (then in verbs().past | _DONE or then.endswith("ed")) and then not in _FELT
    if word in _HAS or just_done or (perfect().match(word) and word not in _BEHIND):
        return f"{found['who']} has"
    if word in _BEHIND or (ends and word.endswith("'s")):
        return f"{found['who']} is"
    doing = word.endswith("ing") and len(word) > 4 and then not in _BE and (ends or then in _AFTER_DOING)
    aged = word.isdigit() and (ends or then in ("and", "years", "now", "but", "so", "today", "next", "this"))
    return f"{found['who']} is" if doing or aged else found[0]


_LATELY = frozenset({"just", "finally", "recently"})
_FELT = english().words("apart", "felt")
_AFTER_DOING = english().words("apart", "after_doing")


def _have(found: re.Match[str]) -> str:
    word = found["next"].lower()
    done = (
        word in verbs().past | _HAS | verbs().adverbs | _DONE
        or word.endswith(("ed", "en", "ly"))
        or perfect().match(word)
    )
    return found[0] if done else f"{found['who']} have"


_DONE = english().words("apart", "done")

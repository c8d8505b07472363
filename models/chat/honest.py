"""What a small model invents: an age, a price, a code, a date that stands in nothing it was shown, the car of somebody
of whom nobody told it.

Of a question that wants a number, a reply holds what was told or says that it wasn't, and so does one of a question
about somebody as one asks of one's own people of whom nothing was told. English; a large model that reads instructions
may reckon, and is left alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...memory.language.asked import expects
from ...memory.language.asked.forms import forms_of
from ...memory.language.asked.personal import personal, unwrapped
from ...memory.language.dates import find_dates
from ...memory.language.facts.states import Acquaintance
from ...memory.language.kinship import relations
from ...memory.language.language import english
from ...memory.language.points import letters as re
from ...memory.language.told.kinds import of_the_world
from ...memory.language.words import plain, tokens
from ...memory.search.floor import family_asked_of
from ...memory.values import ASSISTANT, OWN_NAME, Recall, Turn
from ..files.profiles.profile import Profile
from ..lm import Chunk
from ..prompts.messages import excerpt
from .listing import LINE_WORDS
from .second_person import spoken_to, to_second_person
from .telling import spoken_date
from .told.elsewhere import chosen_blindly, elsewhere, offered
from .told.known import Known
from .told.outdated import outdated
from .told.owners import (
    denies_unheard,
    given_back,
    of_another_animal,
    of_another_thing,
    of_others,
    of_the_asker,
    says_nothing,
)
from .told.read_off import covered, misses, own_deed, read_off, refuses
from .told.worldly import UNKNOWN, untold

LONG = 600
"""Characters of a reply beyond which it is no answer out of the memory ("write a poem about my cat"): it isn't held."""
_EXACT = re.compile(rf"\b(?:{english().alternatives('questions', 'exact')})\b", re.IGNORECASE)
"""What only a number answers. How many there are may be told by their names."""
_COUNTS = re.compile(r"\bhow many\b", re.IGNORECASE)
_NAME = re.compile(r"\b[A-Z][^\W\d_]+")
_LEANING = re.compile(r"^\W*(?:and |but |so )?(?:he|she|they|it|his|her|their|its)\b", re.IGNORECASE)


def checked(
    reply: Iterator[Chunk], profile: Profile, recall: Recall, recent: Sequence[Turn] = (), called: str = ""
) -> Iterator[Chunk]:  # fmt: skip
    """The reply of a small model held against what was told, to somebody who is `called` so; a large one is left
    alone."""
    if profile.capable and not profile.small:
        return reply
    told = next((one.fact for one in recall.memories if one.fact.startswith(OWN_NAME)), "")
    return honest(spoken_to(reply, recall.query, told.removeprefix(OWN_NAME).rstrip(".") or called), recall, recent)


def honest(
    reply: Iterator[Chunk], recall: Recall, recent: Sequence[Turn] = (), *, surely: bool = False
) -> Iterator[Chunk]:
    """The reply; in its place that it wasn't told, where it holds a number, a day, a name that nothing shown holds of
    the one asked of, and the told sentence, where the reply refuses or contradicts what one surely answers. Of what is
    no question it comes piece by piece as it is written, of others when it is whole. `surely`: it is a told sentence
    that surely answers, so that it wasn't told can't be read off the question's form, and only whose it is and whether
    it still holds are looked at. Where the model was shown just what surely answers, that is said in its place."""
    if not recall.chosen and (name := nobody(recall, recent)) is not None:
        yield Chunk(_unknown(recall.query, name), "stop")
        return
    known = Known(recall, recent)
    if known.untold and not (surely or recall.chosen):
        yield Chunk(untold(recall.query), "stop")
        return
    kind = None if known.of_the_world else wanted(recall, recent)
    if kind is None and not known.of_their_life and not covered(known) and offered(known) is None:
        yield from nameless(reply, known)
        return
    pieces, text = list[Chunk](), ""
    for piece in reply:
        if piece.thought:
            yield replace(piece, text="", finish=None)
            piece = replace(piece, thought="")
        pieces.append(piece)
        text += piece.text
        if len(text) > LONG:
            yield from itertools.chain(pieces, reply)
            return
    instead = _overtaken(text, known) if surely else _instead(text, known, kind, recent)
    if instead is None:
        yield from pieces
        return
    last = pieces[-1] if pieces else Chunk("")
    yield Chunk(recall.chosen or instead, "stop", last.prompt_tokens, last.cached_tokens, last.completion_tokens)


def nameless(reply: Iterator[Chunk], known: Known) -> Iterator[Chunk]:
    """The reply to a question that needn't be of what was told; one that names a stranger gives way."""
    pieces = [*reply] if known.asks_who else reply
    made_up = isinstance(pieces, list) and known.is_of_a_stranger("".join(one.text for one in pieces))
    yield from [Chunk(UNKNOWN, "stop")] if made_up else pieces


def _overtaken(told: str, known: Known) -> str | None:
    """What is said in the place of a told sentence, where it is somebody else's or holds no longer; None: it stays."""
    said = re.split(r"(?<=[.!?”])\s+", told)
    parts = [one for one in said if not of_another_animal(known, one)]
    if not parts:
        sentence = read_off(known)
        return quoted(known, sentence) if sentence else untold(known.recall.query)
    if of_others(known, told) or of_another_thing(known, told):
        return untold(known.recall.query)
    now = outdated(known, told)
    if now is not None:
        return quoted(known, now)
    return None if len(parts) == len(said) else " ".join(parts)


def _instead(reply: str, known: Known, kind: str | None, recent: Sequence[Turn]) -> str | None:
    """What is said in the place of a reply; None: it stays."""
    recall = known.recall
    refused = refuses(reply)
    checks = (chosen_blindly, of_others, of_another_thing, denies_unheard, Known.is_of_a_stranger)
    if not refused and any(check(known, reply) for check in checks):
        return untold(recall.query)
    if not refused and (of_the_asker(known, reply) or of_another_animal(known, reply)):
        sentence = read_off(known)
        return quoted(known, sentence) if sentence else untold(recall.query)
    if (now := outdated(known, reply)) is not None:
        return quoted(known, now)
    if (back := given_back(known, reply)) is not None:
        return _instead(back, known, kind, recent) or back
    empty = not refused and says_nothing(known, reply)
    if refused or empty or known.contradicts(reply) or misses(known, reply) or elsewhere(known, reply):
        sentence = read_off(known) or (own_deed(known) if empty else None)
        return quoted(known, sentence) if sentence else None if refused else untold(recall.query)
    if known.found or kind is None:
        return None
    told = _told(recall, recent, kind)
    none = kind == "number" and not told and bool(_EXACT.search(recall.query))
    return untold(recall.query) if none or invented(reply, recall.query, told, kind) else None


def quoted(known: Known, sentence: str) -> str:
    """A told sentence as it is said to the asker: a fact is told, a line of theirs quoted."""
    if sentence in known.facts or f"{sentence}." in known.facts:
        items = [
            one for one in known.recall.items if one.memory and one.memory.fact.rstrip(".") == sentence.rstrip(".")
        ]
        lines = [turn.text for one in items for turn in one.turns]
        return to_second_person(sentence, known.recall.memories[0].subject, lines or None)
    return f"You told me: “{excerpt(sentence, LINE_WORDS)}”"


def wanted(recall: Recall, recent: Sequence[Turn] = ()) -> str | None:
    """ "number" or "time", where the question wants one of the asker's own life or people."""
    kind = expects.kind_of(recall.query)
    if kind not in ("number", "time") or recall.general:
        return None
    people = {word.lower() for text in _texts(recall, recent) for word in _NAME.findall(text)} - english().stop
    return kind if personal(recall.query, english(), people) else None


def nobody(recall: Recall, recent: Sequence[Turn] = ()) -> str | None:
    """The name of somebody of whom a question asks as one asks of one's own people, and nothing tells; None: of no such
    one. "Who wrote Hamlet?" and "what does Python print?" ask of the world."""
    core = unwrapped(recall.query, forms_of("en"))
    found = _OF_ONES_OWN.match(core)
    name = next((one for one in found.groups() if one), "") if found else _beside_me(recall, core)
    if not name or name.lower() in english().stop | english().words("others", "no_names") | of_the_world():
        return None
    told = {word for text in _texts(recall, recent) for word in tokens(text)}
    return None if {*tokens(name)} & told else name


def _beside_me(recall: Recall, core: str) -> str:
    """Somebody whom a question about the asker names beside them: "what am I planning for Bram?"; places go by other
    names, too."""
    matter = personal(recall.query, english())
    common = english().stop | english().words("others", "no_names") | english().relations.keys() | expects.of_time()
    named = [one for one in _NAMED.findall(core) if one.lower() not in common] if matter and matter.mine else []
    return named[0] if len(named) == 1 else ""


_NAMED = re.compile(
    r"(?<=\w )(?<!\bin )(?<!\bto )(?<!\bat )(?<!\bfrom )(?<!\bnear )(?<!\bthe )([A-Z][a-z]+)"
    r"(?=$|['’]s\b|[?.!]|[ ,](?![A-Z]))"
)
_DOES = english().alternatives("questions", "doing")
_OF_ONES_OWN = re.compile(
    r"(?:(?i:(?:what|which|where|who|how often|how long|when)(?: (?:kind of |sort of )?[a-z]+)? (?:does|did)) "
    rf"(?P<a>[A-Z][\w-]+) (?:still |also |usually )?(?:(?:{_DOES})\b|do (?:on|for|at|in|when|now|all)\b|do$)"
    r"|(?i:how old (?:is|was)) (?P<b>[A-Z][\w-]+)\W*$|(?i:who(?:['’]s| is| was)) (?P<c>[A-Z][\w-]+)\W*$"
    r"|(?i:(?:what|when|where|who)(?:['’]s| is| was| colou?r is)) (?P<d>[A-Z][\w-]+)['’]s [a-z]+"
    rf"|(?i:does|did) (?P<e>[A-Z][\w-]+) (?:still |also )?(?:{_DOES})\b"
    r"|(?i:(?:who|where|what|whom)(?:['’]s| is| was)) (?P<f>[A-Z][\w-]+) "
    r"(?:(?:married|engaged|related|allergic|afraid|scared|seeing|dating|living|working|staying|training|studying)\b))"
)


def _unknown(question: str, name: str) -> str:
    if re.match(r"(?i:(?:\w+,? )?who(?:['’]s| is| was)) ", question.strip()):
        return f"I don't know anything about {name}: you haven't told me."
    return untold(question)


def invented(reply: str, question: str, told: set[str], kind: str) -> bool:
    """Whether a reply holds a number (of a question for a time: or a month, or a day) that nobody told."""
    if _COUNTS.search(question):
        return False
    said = expects.numbers(reply, ordinals=kind == "time") | (expects.days(reply) if kind == "time" else set())
    return bool(said - told - expects.numbers(question, ordinals=True) - expects.days(question) - {"1"})


def _told(recall: Recall, recent: Sequence[Turn], kind: str) -> set[str]:
    """The numbers and days of what speaks of the one who is asked of."""
    found: set[str] = set()
    texts = _texts(recall, recent)
    for text in filter(_about(recall), texts) if kind == "number" else texts:
        found |= expects.numbers(text, ordinals=kind == "time") | (expects.days(text) if kind == "time" else set())
    for item in recall.items if kind == "time" else ():
        dates = [item.memory.happened_on, item.memory.said_at] if item.memory else []
        meant = [day for turn in item.turns for _, day in find_dates(turn.text, turn.said_at)]
        for date in [*dates, *(turn.said_at for turn in item.turns), *meant]:
            told = spoken_date(date[:10]) if date else ""
            found |= expects.numbers(told, ordinals=True) | expects.days(told)
    return found


class _about:
    """Whether a text speaks of those of whom a question asks by name or as kin; of a question about the asker alone
    any text may."""

    def __init__(self, recall: Recall) -> None:
        asked = personal(recall.query, english(), _people(recall))
        self.kin = family_asked_of(recall.query)
        names = (
            {plain(one) for one in (asked.names if asked else ())}
            - {*english().relations}
            - english().stop
            - expects.generic()
        )
        self.names = names or _called(recall, self.kin)
        roles = Acquaintance.of(memory.fact for memory in recall.memories).roles
        self.kin = self.kin.union(*(roles.get(name, frozenset()) for name in names))

    def __call__(self, text: str) -> bool:
        if not self.names and not self.kin:
            return True
        return bool(
            _LEANING.match(text) or self.names & {*tokens(text)} or self.kin & (relations(text) | {*tokens(text)})
        )


def _people(recall: Recall) -> set[str]:
    return {word.lower() for text in _texts(recall, ()) for word in _NAME.findall(text)} - english().stop


def _called(recall: Recall, kin: frozenset[str]) -> set[str]:
    """The names, in what was found, of those who are the asker's kin of that kind."""
    if not kin:
        return set()
    told = [memory.fact for memory in recall.memories if kin & relations(memory.fact)]
    own = {word for memory in recall.memories for word in tokens(memory.subject)} | {"user"}
    return {word.lower() for fact in told for word in _NAME.findall(fact)} - own - english().stop


def _texts(recall: Recall, recent: Sequence[Turn]) -> list[str]:
    """What was found and what was just said, without the assistant's lines and without questions."""
    turns = [*(turn for item in recall.items for turn in item.turns), *recent]
    told = [turn.text for turn in turns if turn.speaker != ASSISTANT and not turn.text.rstrip().endswith("?")]
    return [*(memory.fact for memory in recall.memories), *told]

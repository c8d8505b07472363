"""Questions of yes and no that the memory itself answers: a small model says yes to whatever it is asked.

Whether something still is so ("do I still have the Vespa?") is read off what a later line ended, and whether the user
likes a thing off the fact that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from ....memory.language.asked.telling import told_part
from ....memory.language.facts.change_words import stands
from ....memory.language.facts.corrections import signals
from ....memory.language.facts.matters import parts
from ....memory.language.facts.states import DISLIKED
from ....memory.language.kinship import pattern, pets, relations
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.quoted.whose import others_words
from ....memory.language.third_person import to_third_person
from ....memory.language.words import alternatives, query_words, sentences, stem, terms, tokens
from ....memory.values import Memory, Recall, Turn, User

if TYPE_CHECKING:
    from ....memory.store.store import Store

_DIED = re.compile(r"(?:died|dead|passed away|passed on)\b(?! (?:laughing|of laughter|tired))")
_ALIVE = re.compile(r"\balive\b|\bstill with us\b", re.IGNORECASE)
NEAR = 12
"""Lines near a name in which its end may be told."""
SESSIONS = 30
"""The newest sessions that are read for one."""
LEAST = 0.5
"""Share of the question's telling words that a fact must hold to be what is asked about."""
_IDLE = frozenset(stem(word) for word in ("still", "anymore", "longer", "now", "currently"))


_NAMES = re.compile(r"(?<=[\w,] )[A-Z][a-z]+")
"""Of whom or what a question asks by name: a fact without these is about somebody else."""
_PARTLY = re.compile(r"\b(?:but|except|though|although|unless|only|if|when)\b")
"""A taste with exceptions is no plain yes or no."""
_WAS = re.compile(r"\S+(?:['’]s [\w -]+?)? (?:had|was|were|used to)\b")


_ONCE = re.compile(
    r"(?P<who>[^,;.]+?) (?:also )?used to (?P<what>(?:(?!,|;|\. | but | and | now | until | because ).)+)"
)
_HABITS = frozenset(stem(word) for word in ("smoke", "vape", "drink", "gamble", "drive"))
"""What may be asked of somebody without of what."""
_OF_ITS_OWN = frozenset({"have", "own", "like", "love", "want", "need", "know", "think", "feel"})
"""Who used to have one may have another; what somebody likes is told elsewhere."""
_LESS = re.compile(r"\b(?:never|no|not|less|more|fewer|than|without|only|hardly)\b|n['’]t\b")
_SMALL = frozenset({"a", "an", "any", "the", "my", "our", "his", "her", "their", "some", "in", "on", "at", "to", "of"})


@lru_cache(maxsize=1)
def _does() -> re.Pattern[str]:
    """Whether somebody does something: "do I keep bees?", "does my brother Tom smoke?"."""
    kin = rf"(?:my|our) (?:{pattern(english())})(?: [A-Z][\w-]+)?"
    return re.compile(
        rf"(?:[Ss]o |[Aa]nd |[Bb]ut )?(?:[Dd]o (?:I|i|we)|[Dd]oes (?P<who>{kin}|[A-Z][\w-]+)) (?P<what>[a-z][^?.!]+)\?*"
    )


class Over(NamedTuple):
    """What was so, and the line that ended it. `fact` None: the line alone tells it."""

    fact: Memory | None
    line: Turn


def over(store: Store, user: User, recall: Recall) -> Over | None:
    """What the question of the recall asks about, where that has ended; None: it may still be so.

    The recall holds earlier states beside those of today (`memory/search/earlier.py`).
    """
    words = {stem(word) for word in query_words(recall.query)} - _IDLE - {*terms(user.subject)}

    def share(fact: Memory) -> float:
        return len(words & {*terms(fact.fact)}) / max(len(words), 1)

    kin, names = relations(recall.query), {one.lower() for one in _NAMES.findall(recall.query)}
    before = [
        fact
        for fact in recall.memories
        if fact.valid_to is not None and kin <= relations(fact.fact) and names <= {*tokens(fact.fact)}
    ]
    asked = max(before, key=share, default=None)
    if asked is None or share(asked) < LEAST:
        told = [fact for fact in recall.memories if fact.valid_to is None and kin <= relations(fact.fact)]
        named = [fact for fact in told if names <= {*tokens(fact.fact)} and share(fact)]
        return _told_end(store, recall.query, named) or _told_dead(store, user, recall, names)
    today = [fact for fact in recall.memories if fact.valid_to is None and not _past(fact)]
    if any(share(fact) >= share(asked) for fact in today):
        return None
    line = _ending(store, user, asked)
    return Over(asked, line) if line and not _of_another(line, names, asked) else None


def once(store: Store, user: User, recall: Recall) -> Over | None:
    """What a plain question asks whether somebody does it, where a fact tells that they used to and none that they do:
    "do I keep bees?" of "User used to keep bees"."""
    asked = _does().fullmatch(recall.query.strip())
    if asked is None:
        return None
    words = [word for word in tokens(asked["what"]) if word not in _SMALL]
    what = {stem(word) for word in words} - _IDLE
    about = what - {stem(word) for word in words[:1]} or what & _HABITS
    if not about or words[0] in _OF_ITS_OWN:
        return None
    holding = [fact for fact in recall.memories if fact.valid_to is None]
    for fact in holding:
        told = _ONCE.match(fact.fact)
        if told is None or _LESS.search(told["what"]) or not _is_of(told["who"], asked["who"] or "", user.subject):
            continue
        besides = any(about & {stem(word) for word in tokens(one.fact)} for one in holding if one is not fact)
        line = next(iter(store.facts.evidence([fact.id]).get(fact.id, ())), None)
        did = {stem(word) for word in tokens(told["what"]) if word not in _SMALL}
        if line is not None and not besides and what == did:  # "with sugar": only its manner is over
            return Over(fact, line)
    return None


def _is_of(who: str, asked: str, subject: str) -> bool:
    """Whether a fact's subject is whom a question names: the user, their brother, or somebody by name."""
    mine = rf"(?:User|{re.escape(subject)})"
    if not asked:
        return re.fullmatch(mine, who) is not None
    kin = re.sub(r"^(?:my|our) ", "", asked)
    if kin == asked:
        return re.fullmatch(rf"(?:{mine}['’]s (?:[a-z-]+ )?)?{re.escape(asked)}", who) is not None
    name = "" if re.search(r" [A-Z]", kin) else r"(?: [A-Z][\w-]*)?"
    return re.fullmatch(rf"{mine}['’]s {re.escape(kin)}{name}", who) is not None


def _told_end(store: Store, question: str, facts: Iterable[Memory]) -> Over | None:
    """What a fact that holds says outright: that the one asked of died, that the thing was sold."""
    low = {*tokens(question)}
    words = "dead" if "alive" in low else "gone" if low & {"have", "own", "got"} else ""
    for fact in facts if words else ():
        line = next(iter(store.facts.evidence([fact.id]).get(fact.id, ())), None)
        if line is not None and stands(words, fact.fact) and not signals(fact.fact).maybe:
            return Over(fact, line)
    return None


def _told_dead(store: Store, user: User, recall: Recall, names: set[str]) -> Over | None:
    """A line of the user's own that says of the one asked of that they died, where no fact was made of it."""
    if not _ALIVE.search(recall.query) or len(names) != 1:
        return None
    line = death_of(store, user, recall, names)
    return Over(None, line) if line else None


def asks_alive(question: str) -> bool:
    """Whether it asks who or what is alive, or still there: "which of our rabbits is still with us?"."""
    return bool(_ALIVE.search(question)) or "still" in tokens(question)


def death_of(store: Store, user: User, recall: Recall, names: Iterable[str]) -> Turn | None:
    """The newest line of the user's own that says of one of these that they died."""
    turns = _own_lines(store, user, recall, names)
    texts = [row.fact for row in recall.memories] + [turn.text for turn in turns]
    for turn in sorted(turns, key=lambda one: -one.id):
        told = sentences("" if others_words(turn) else told_part(turn.text, english()))
        if any(_tells_death(told, name, partial(_is_animal, texts, name)) for name in names):
            return turn
    return None


def _own_lines(store: Store, user: User, recall: Recall, names: Iterable[str]) -> list[Turn]:
    """The user's lines that were recalled, or are found by these names."""
    near = (store.search(user.id, name.capitalize(), limit=NEAR, speaker=user.subject) for name in names)
    found = {turn.id: turn for one in (recall, *near) for item in one.items for turn in item.turns}
    return [turn for turn in found.values() if turn.speaker == user.subject]


def _is_animal(texts: Iterable[str], name: str) -> bool:
    """Whether these call the one of that name an animal: "my cat Tom", "Rex is our dog"; not "Tom has a cat"."""
    called = _called_animal(name)
    return any(called.search(text.replace("’", "'")) for text in texts)


@lru_cache(maxsize=64)
def _called_animal(name: str) -> re.Pattern[str]:
    animal, one, end = rf"(?:{english().alternatives('verbs', 'animals')})", re.escape(name), "(?=[.,;:!]|$)"
    listed = rf"(?:(?-i:[A-Z])\w+(?:, | and |, and ))*{one}(?:(?:, | and |, and )(?-i:[A-Z])\w+)*"
    return re.compile(
        rf"\b{animal}(?:,? (?:is |was )?(?:named|called))? {one}\b"
        rf"|\b{animal}(?: (?:is|are|named|called)|[,:]) {listed}{end}"
        rf"|\b{one}(?:,|'s| is| was) (?:my|our|an?|the|(?-i:[A-Z])\w+'s) (?:(?!of\b)[\w-]+ ){{0,3}}?"
        rf"{animal}(?:{end}| and\b| who\b)",
        re.IGNORECASE,
    )


def _tells_death(told: Sequence[str], name: str, is_animal: Callable[[], bool]) -> bool:
    """Whether one of the sentences of a line says it of the one of that name, or of "him" behind one that begins with
    the name and names nobody else."""
    for place, sentence in enumerate(told):
        if sentence.rstrip().endswith("?") or signals(sentence).maybe:
            continue
        before = told[place - 1] if place else ""
        if _says_dead(sentence, name) or _gently(sentence, re.escape(name), re.escape(name), is_animal):
            return True
        if (
            _gently(sentence, "he|she", "him|her", is_animal)
            and _subject(name).match(before)
            and _named(before) <= {name}
        ):
            return True
    return False


def _named(text: str) -> set[str]:
    """The names in a text, in small letters."""
    return {one.lower() for one in _NAMES.findall(text)} - english().calendar


def _says_dead(sentence: str, name: str) -> bool:
    """Whether a sentence says of the one of that name that they died: "Poor Koos died", not "Koos's aunt died"."""
    after = "|".join(f"{one} " for one in english().listed("verbs", "before_died"))
    subject = re.match(rf"{_subject(name).pattern},? (?:{after})*(?=\w)", sentence, re.IGNORECASE)
    return bool(subject and _DIED.match(sentence[subject.end() :]))


def _subject(name: str) -> re.Pattern[str]:
    """A sentence that begins with that name."""
    return re.compile(rf"{_before()}{re.escape(name)}(?!['’\w])", re.IGNORECASE)


def _gently(sentence: str, who: str, whom: str, is_animal: Callable[[], bool]) -> bool:
    """Whether a sentence says gently of them, and nothing else, that they died, or were buried or the like."""
    plain = sentence.replace("’", "'").strip()
    if _gone(who, whom, "").match(plain):
        return True
    return bool(_gone(who, whom, "animal_").match(plain)) and is_animal()


@lru_cache(maxsize=64)
def _gone(who: str, whom: str, of: str) -> re.Pattern[str]:
    """A sentence that says it of them gently and ends there, but for when and where it was. `of`: of which ones it is
    said so."""
    after = "|".join(f"{one} " for one in english().listed("verbs", "before_died"))
    gone, time = english().alternatives("verbs", f"{of}gently_died"), english().alternatives("verbs", "death_s_time")
    one = rf"(?:{_KIN_BEFORE}(?:{whom})(?!['\w]))"
    laid, vet = (english().alternatives("verbs", f"{kind}laid_to_rest").replace("ONE", one) for kind in (of, "vet_"))
    vet = rf"|(?:(?:the|our|my) )?vet (?:{vet})" if of else ""
    return re.compile(
        rf"(?:{_before()}(?:{who})(?:'s)?,? (?:{after})*(?:{gone})"
        rf"|\W*(?:(?:{english().alternatives('openings', 'death')}|{time})\W+)*"
        rf"(?:(?:we|I)(?:'ve)? (?:(?:have|finally|sadly|just) )*(?:{laid}){vet}))"
        rf"(?:,? (?:{time}))*(?:[\s.!…]*$|,? (?:and )?we (?:buried|cremated|laid) (?:him|her|it)\b)",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _before() -> str:
    """What may stand before a name: "Sadly, our dear old cat"."""
    death = english().alternatives("openings", "death")
    return rf"\W*(?:(?:{death}|{alternatives(pets())}|{pattern(english())})\W+)*"


_KIN_BEFORE = rf"(?:(?:my|our) (?:[a-z]+ ){{0,2}})?(?:(?:poor|dear|old|little|{pattern(english())}) )*"


def not_ended(store: Store, user: User, recall: Recall) -> Memory | None:
    """The newest fact that holds about the one whom a question names ("is Dolly still alive?"), where nothing that was
    told of that name, or of what the one is to the user ("my grandfather", "the dog"), may have to do with an end."""
    names = {one.lower() for one in _NAMES.findall(recall.query)}
    if not _ALIVE.search(recall.query) or len(names) != 1:
        return None
    named = [row for row in recall.memories if names <= {*tokens(row.fact)}]
    rows, closed = [row for row in named if not row.valid_to], [row for row in named if row.valid_to]
    ends = [(row, _ending(store, user, row)) for row in closed]
    if any(line is None or not _of_another(line, names, row) for row, line in ends):
        return None
    if any(_may_end(row.fact, names) or _past(row) for row in rows) or _told_of_end(store, user, recall, names):
        return None
    return max(rows, key=lambda row: row.said_at, default=None)


def _told_of_end(store: Store, user: User, recall: Recall, names: set[str]) -> bool:
    """Whether a line of the user's speaks of them, by name or as what they are, and may have to do with an end; or
    tells one of him or her whom it doesn't name."""
    sessions = store.sessions.all(user.id, limit=SESSIONS)
    found = {turn.id: turn for one in sessions for turn in store.turns.of(one.id) if turn.speaker == user.subject}
    lines = [*({one.id: one for one in _own_lines(store, user, recall, names)} | found).values()]
    texts = [row.fact for row in recall.memories] + [turn.text for turn in lines]
    kinds = {kind for text in texts if names <= {*tokens(text)} for kind in _kinds(text)}
    of_them = [turn for turn in lines if names & {*tokens(turn.text)} or kinds & _kinds(turn.text)]
    if any(_may_end(turn.text, names) for turn in of_them):
        return True
    said = [one for turn in lines for one in sentences(turn.text) if not _named(one)]
    return any(_gently(one, "he|she|it", "him|her|it|them", lambda: True) or _says_dead(one, "he|she") for one in said)


def _kinds(text: str) -> set[str]:
    """Who somebody is to the user, and what animals, that a text speaks of."""
    animals = re.findall(rf"\b(?:{english().alternatives('verbs', 'animals')})\b", text, re.IGNORECASE)
    return relations(text) | {stem(one.lower()) for one in animals} | ({"animal"} if animals else set())


def _may_end(text: str, names: set[str]) -> bool:
    """Whether a text may have to do with an end, or with what leads to one."""
    who = "|".join([*map(re.escape, names), "him", "her", "it", "them"])
    ends = rf"\b(?:{english().alternatives('verbs', 'may_end')}|(?:got|took|hit|caught|claimed) (?:{who}))\b"
    return bool(re.search(ends, text.replace("’", "'"), re.IGNORECASE))


def _of_another(line: Turn, names: set[str], fact: Memory) -> bool:
    """Whether the line tells of another one than the question, whom the fact names beside: of Lola, not of Pepe."""
    said, beside = {*tokens(line.text)}, {one.lower() for one in _NAMES.findall(fact.fact)}
    return bool(names) and not names & said and bool((beside - names) & said)


def _past(fact: Memory) -> bool:
    """Whether a fact that holds says of something that it is no more: "User sold the Vespa", "User had a Vespa"."""
    return signals(fact.fact).ends or bool(_WAS.match(fact.fact))


def _ending(store: Store, user: User, fact: Memory) -> Turn | None:
    """The line that changed or closed the fact."""
    for entry in store.journal.history(fact.id, user_id=user.id):
        if entry.before and entry.before["id"] == fact.id and entry.turn_id and not entry.undone:
            return next(iter(store.turns.by_id(user.id, [entry.turn_id])), None)
    return None


class Taste(NamedTuple):
    """A fact that says whether the user likes what is asked about, and whether that is a yes."""

    fact: Memory
    yes: bool


def taste(question: str, user: User, facts: Iterable[Memory]) -> Taste | None:
    """What the first of the facts on it says; None: none is about that. `question`: "I like mushrooms"."""
    for fact in facts:
        yes = _says(question, fact.fact) if fact.subject == user.subject else None
        if yes is not None:
            return Taste(fact, yes)
    return None


class ToldTaste(NamedTuple):
    """A line that says so, where no fact does."""

    line: Turn
    yes: bool


def told_taste(question: str, user: User, lines: Iterable[Turn]) -> ToldTaste | None:
    """What the newest of the user's own lines on it says: a small model that stores nothing of "I can't stand olives"
    says yes to "do I like olives?"."""
    for line in sorted(lines, key=lambda one: -one.id):
        told = "" if line.speaker != user.subject or others_words(line) else told_part(line.text, english())
        yes = _says(question, to_third_person(told, user.subject)) if told else None
        if yes is not None:
            return ToldTaste(line, yes)
    return None


def _says(question: str, fact: str) -> bool | None:
    """Whether a fact of the user says yes to it; None: it isn't about that, or has exceptions."""
    what = {one for part in parts(f"User {question.split(' ', 1)[-1]}.") for one in part.matters if one.kind == TASTE}
    wanted = {stem for one in what for stem in one.what}
    told = [part for part in parts(fact) if part.owner is None]
    found = [part for part in told if any(one.same(other) for one in part.matters for other in what)]
    if not found or _PARTLY.search(fact) or not wanted <= {*terms(found[0].text)}:
        return None
    return bool(DISLIKED.search(found[0].text.lower())) == bool(DISLIKED.search(question.lower()))


TASTE = "taste"
"""The matter of what one likes, as in the data file."""

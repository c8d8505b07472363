"""The reply to a question about what was told: the sentence that answers it, told back, in place of a small model's.

A model of 135M parameters that is shown twelve facts picks the wrong one for half of the questions; the sentence that
fits best is right far more often, is spelled as it was told, and can be traced. Where it isn't sure that the best one
answers, it says so and shows it as what is nearest. English; what asks for thought, advice or the world's knowledge is
left to the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ....memory.language.asked.personal import asks_advice, of_the_world
from ....memory.language.asked.telling import asks, is_cut_short
from ....memory.language.dates import day_of
from ....memory.language.language import Language, english
from ....memory.language.leaning.questions import leans
from ....memory.language.points import letters as re
from ....memory.language.question import Question
from ....memory.language.quoted.whose import others_words
from ....memory.language.told.about import goes_on, told_sentences
from ....memory.language.words import query_words, terms, tokens
from ....memory.search.evidence import told_texts
from ....memory.search.vectors import Embedder, foreign
from ....memory.values import Memory, Moment, Recall, RecallItem, Turn, User
from ...embedder.punctuation.restored import as_typed
from ...lm import Chunk
from ...prompts.messages import excerpt, one_line
from ..direct import SIGN, Direct
from ..honest import honest, quoted
from ..second_person import told_to
from ..telling import asks_when, date_beside, days_meant, spoken_date, told_before
from ..told.known import Known
from ..told.outdated import Told, put_off
from ..told.read_off import by_form
from ..told.worldly import unsure, untold
from ..told.yes_no import asks_alive, death_of
from . import cross_encoder
from .asked_of import told_of_another
from .asking import are_told, holds_both, of_each, seems_to_ask, simply
from .chooser import Answers, Chooser, Later, load
from .kinds import asks_forbidden, asks_liked, has_to_do, holds, matter_of, only_dislikes, says_no
from .owner import names_in
from .sentences import Sentence, lateness, sentences_of, table
from .since import since
from .whose import others_than_asked, own, thing_of

if TYPE_CHECKING:
    from ....memory.store.store import Store

BESIDES = 0.25
"""Of the best sentence's share: what a second one, of another source, has at least to be told, too."""
LINE_WORDS, TOGETHER = 60, 40
"""Words of a line that are told back, and of two sentences that are told together."""
TELLING = 2
"""Words of a question that say of what it is, whatever "he" in it stands for."""
EARLIER = 2
"""Lines before one that goes on from them."""
ROWS = 200
"""The newest facts that are looked through for one that answers by its form."""
_THINKS = re.compile(rf"\b(?:{english().alternatives('questions', 'of_thought')})\b", re.IGNORECASE)
"""What a sentence that was told seldom answers by itself."""
_MAKES = re.compile(r"\byou\b.*\b(?:suggest|recommend|explain)\b|\b(?:summari[sz]e|write|draft)\b", re.IGNORECASE)
"""What is to be made, which none answers."""
_WHY = re.compile(r"\b(?:why|how come|what for|for what reason)\b", re.IGNORECASE)


NEAREST = "The nearest that I find:"
"""Stands before a sentence of which it isn't sure that it answers."""
SINCE = "Since then you told me:"
"""Stands before a later line that ends what was just told."""


class Reading(NamedTuple):
    """The sentences that answer, best first; whether the first does: surely, perhaps, or not at all; the logit by which
    that is told; all that were read. `doubted`: they are another's than the one asked of, so that it never does
    surely."""

    best: tuple[Sentence, ...]
    answers: Answers
    surety: float
    found: tuple[Sentence, ...] = ()
    doubted: bool = False


def reading_of(store: Store, user: User, recall: Recall, language: Language) -> Reading | None:
    """How the recall's query is answered by what was told; None: it isn't one that a told sentence answers. Raises
    ModelBroken, ModelError."""
    chooser, recall = load(), replace(recall, query=simply(recall.query))
    embedder = store.embedder
    if chooser is None or embedder is None or foreign(embedder) or not _is_for(recall, language, embedder):
        return None
    found = sentences_of(recall, lambda turn: store.turns.before(turn, EARLIER))
    if not found:
        return None
    forbidding = asks_forbidden(recall.query)
    found = [one for one in found if says_no(one.text)] or found if forbidding else found
    if asks_liked(recall.query):
        found = [one for one in found if not only_dislikes(one.text)] or found
    mine, matter = own(store, user, recall.query, found), matter_of(recall.query, names_in([one.text for one in found]))
    if matter is not None:
        mine = [one for one in mine if has_to_do(matter, one.text)]
    reading = _read(chooser, mine or found, recall.query, user.subject, embedder)
    others = [one.text for one in found if one not in mine]
    if others and (not mine or reading.answers == "not" or told_of_another(recall.query, reading.best[0].text, others)):
        reading = _read(chooser, found, recall.query, user.subject, embedder)
        shown = matter is None or has_to_do(matter._replace(name=""), reading.best[0].text)
        reading = reading._replace(answers="perhaps" if shown else "not", doubted=True)
    if reading.answers == "perhaps" and not reading.doubted:
        thing = thing_of(store, user, recall.query, reading.best[0].text)
        if thing is not None and holds(recall.query, thing, reading.best[0].text):
            reading = reading._replace(answers="surely", best=reading.best[:1])
    if forbidding and reading.answers == "surely" and not says_no(reading.best[0].text):
        reading = reading._replace(answers="perhaps")
    return reading._replace(found=tuple(found))


def read_out(
    store: Store, user: User, recall: Recall, language: Language, *, zone: tzinfo | None = None, surely: bool = False
) -> Direct | None:
    """The reply to the recall's query; None: it isn't one that a told sentence answers (`surely`: surely answers).
    Raises ModelBroken, ModelError."""
    reading = reading_of(store, user, recall, language)
    if reading is None:
        return None
    if (both := _of_both(store, user, recall, language, zone, reading)) is not None:
        return both
    about_one = _names_one_of(recall.query, reading.best[0])
    of_me = asks_forbidden(recall.query) and {*tokens(recall.query)} & english().self_words
    otherwise = _seems_otherwise(recall, language) and not about_one and not of_me  # of a model's guess one gets ill
    if reading.answers != "surely" and not surely and (told := _by_form(store, user, recall)):
        return told
    if reading.answers != "surely" and (surely or not _stands_alone(recall.query, language) or otherwise):
        return None
    return replace(_said(store, user, recall, reading, zone), surety=reading.surety)


def _of_both(
    store: Store, user: User, recall: Recall, language: Language, zone: tzinfo | None, reading: Reading
) -> Direct | None:
    """What is told of each of two people of whom a question asks, where no sentence tells of both; None: it asks of no
    two, or of neither it is known."""
    asked = of_each(simply(recall.query))
    if asked is None or any(holds_both(asked, one.text) for one in reading.found):
        return None
    rows = store.facts.all(user.id, limit=ROWS, newest=True, derived=False)
    if not are_told(asked, [*(one.text for one in reading.found), *(row.fact for row in rows)]):
        return None
    said = [read_out(store, user, replace(recall, query=one), language, zone=zone, surely=True) for one in asked]
    if not any(said):
        return None
    texts = [one.text if one else untold(question) for one, question in zip(said, asked, strict=True)]
    items = tuple({id(item): item for one in said if one for item in one.recall.items}.values())
    return Direct("\n".join(texts), replace(recall, items=items), sure=all(said))


def _said(store: Store, user: User, recall: Recall, reading: Reading, zone: tzinfo | None) -> Direct:
    """What is said of a reading."""
    if (now := _put_off(recall.query, reading.best[0], reading.found)) is not None:
        reading = reading._replace(best=(now,))
    said = [_told(_better(one, recall), user, recall.query, store, zone) for one in reading.best]
    if _WHY.search(recall.query):
        said = [_reason(reading.best[0], recall, user, zone) or said[0]]
    if reading.answers == "not":
        return Direct(untold(recall.query), replace(recall, untold=True))
    if reading.answers == "perhaps":
        not_known = untold(recall.query) if reading.doubted else unsure(recall.query)
        return Direct(f"{not_known} {NEAREST} {said[0]}", _made(recall, reading.best[:1]), sure=False)
    chooser = load()
    between = "\n" if any("“" in one for one in said) else " "
    return _as_it_holds(store, user, recall, reading, between.join(said), chooser.later if chooser else None)


def _as_it_holds(
    store: Store, user: User, recall: Recall, reading: Reading, said: str, weights: Later | None
) -> Direct:
    """What was told, or what holds in its place; with what was told since, where that ends it."""
    text = "".join(piece.text for piece in honest(iter([Chunk(said, "stop")]), recall, surely=True))
    if text != said:
        return Direct(text, recall)
    made, later = _made(recall, reading.best), since(store, user, recall, reading.best[0], weights)
    later = later or _death_since(store, user, recall, reading.best[0])
    line = f"“{excerpt(later.text, LINE_WORDS)}”" if later else ""
    if later is None or line in text or any(one.turn and one.turn.id == later.id for one in reading.best):
        return Direct(text, made)
    told = RecallItem(1.0, None, (later,), (SIGN,))
    return Direct(f"{text} {SINCE} {line}", replace(made, items=(*made.items, told)))


def _death_since(store: Store, user: User, recall: Recall, best: Sentence) -> Turn | None:
    """Of a question for what is still there or alive, the line that says of one whom the sentence names that they
    died."""
    names = {word.lower() for word in _NAME.findall(f"  {best.text}")} - {*tokens(user.subject)}
    line = death_of(store, user, recall, names) if names and asks_alive(recall.query) else None
    row = recall.items[best.item].memory
    own = store.facts.evidence([row.id]).get(row.id, ()) if row else recall.items[best.item].turns
    return line if line and all(one.id < line.id for one in own) else None


def _by_form(store: Store, user: User, recall: Recall) -> Direct | None:
    """What surely tells it by its form: of what was found, or of the newest facts."""
    rows = store.facts.all(user.id, limit=ROWS, newest=True, derived=False)
    newest = replace(recall, items=tuple(RecallItem(1.0, row, (), (SIGN,)) for row in rows))
    others = others_than_asked(store, user, recall.query, [row.fact for row in rows])
    for one in (recall, newest):
        known = Known(one)
        if (sentence := by_form(known)) and not others(sentence, ""):
            row = next((item for item in one.items if item.memory and item.memory.fact == sentence), None)
            return Direct(quoted(known, sentence), replace(one, items=(row,)) if row else recall)
    return None


def _put_off(question: str, best: Sentence, found: Sequence[Sentence]) -> Sentence | None:
    """What was told later, if that gives another time for what the question asks of."""
    told = [Told(one.text, _said_at(one)) for one in found]
    now = put_off(question, Told(best.text, _said_at(best)), told)
    return found[told.index(now)] if now else None


def _said_at(one: Sentence) -> str:
    source = one.turn or one.memory
    return (source.said_at if source else "") or ""


def _reason(one: Sentence, recall: Recall, user: User, zone: tzinfo | None) -> str | None:
    """The whole line in which it was told: a reason stands beside what it is of. None: no line is there."""
    turn = one.turn or next((turn for turn in recall.items[one.item].turns if turn.speaker == user.subject), None)
    return _line(turn, turn.text, user, zone) if turn else None


def _better(one: Sentence, recall: Recall) -> Sentence:
    """The fact that came of a line, where it says all that the line's sentence does."""
    fact = recall.items[one.item].memory
    if one.memory is not None or fact is None or not {*_telling(one.text)} <= {*terms(fact.fact)}:
        return one
    return replace(one, text=fact.fact, memory=fact, turn=None)


def _telling(text: str) -> Sequence[str]:
    return terms(" ".join(query_words(text)))


def _read(chooser: Chooser, found: Sequence[Sentence], question: str, asker: str, embedder: Embedder) -> Reading:
    signs = table(question, asker, found, embedder)
    crossing = cross_encoder.load() if chooser.crossed is not None else None

    def logits(places: Sequence[int]) -> np.ndarray:
        assert crossing is not None
        return crossing.logits(asker, question, [cross_encoder.shown_as(asker, found[place]) for place in places])

    shares, surety = chooser.judge(signs, lateness(question, found), logits if crossing else None)
    order = np.argsort(-shares, kind="stable")
    best, second = found[order[0]], [found[one] for one in order[1:2] if shares[one] >= BESIDES * shares[order[0]]]

    said = (best, *(one for one in second if one.item != best.item))
    return Reading(said, chooser.answers(surety, crossed=crossing is not None), surety)


def _is_for(recall: Recall, language: Language, embedder: Embedder) -> bool:
    """Whether it may be a question about what was told."""
    text = recall.query
    if language.code != "en" or recall.general:
        return False
    if not (asks(text, language) or is_cut_short(text, language) or seems_to_ask(text, embedder)):
        return False
    question = Question(text, None, "")
    return not (question.asks_back or question.asks_order or _MAKES.search(question.parts[-1]))


def _seems_otherwise(recall: Recall, language: Language) -> bool:
    """Whether by its form it asks for thought, for advice or of the world. What was told is asked for in such forms,
    too ("what should I not eat?", "what can't the guest in 309 sleep on?"), so what surely answers is read out: of 205
    such questions held back 140 are answered rightly and 24 wrongly, of 172 that did ask for something else 23 are."""
    text = recall.query
    if asks_advice(text, language) or _THINKS.search(Question(text, None, "").parts[-1]):
        return True
    return of_the_world(text, language, told_texts(recall))


def _names_one_of(question: str, best: Sentence) -> bool:
    """Whether the question names somebody of whom the sentence tells: "any idea what would make Nomvula happy?" asks
    for no advice that a small model has, and what is nearest helps. (Of 105 questions held back that do ask for it,
    and of which no sentence is sure, one names such a one.)"""
    named = {word for word in _NAME.findall(question) if word.lower() not in english().stop}
    return bool(named & {*_NAME.findall(f"  {best.text}")})


_NAME = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][a-z]+\b")


def _stands_alone(text: str, language: Language) -> bool:
    """Whether a question has its verb, and leans on nothing said before it or says of what it is: one that doesn't is
    answered only where a sentence surely answers (held back: 116 right, 14 wrong, of 14 about what was never told 6
    answered)."""
    return asks(text, language) and (not leans(text, language) or len(_telling(text)) >= TELLING)


def _made(recall: Recall, best: Sequence[Sentence]) -> Recall:
    """What the reply is made of, the chosen first, for `/why`."""
    used = [recall.items[one.item] for one in best]
    return replace(recall, items=tuple(replace(item, why=(*item.why, SIGN)) for item in used))


def _told(one: Sentence, user: User, question: str, store: Store, zone: tzinfo | None) -> str:
    now = store.now() if asks_when(question) else None
    if one.memory is not None:
        return _fact(store, one.memory, user, zone, now)
    assert one.turn is not None
    text = as_typed(_understood(one), one.turn.text)
    if now is None:
        return _line(one.turn, text, user, zone)
    last = told_before(one.turn, store.turns.before(one.turn, EARLIER), zone)
    return _line(one.turn, text, user, zone, days_meant(text, one.turn.said_at, zone, last=last, now=now))


def _understood(one: Sentence) -> str:
    """The sentence with the one before it in its line, where it goes on from that ("He is 7.")."""
    said = told_sentences(one.around)
    place = said.index(one.text) if one.text in said else 0
    both = f"{said[place - 1]} {one.text}"
    return both if place and goes_on(one.text) and len(both.split()) <= TOGETHER else one.text


def _fact(store: Store, fact: Memory, user: User, zone: tzinfo | None, now: Moment | None) -> str:
    """A fact; where a time is asked (`now`), with its date."""
    told = one_line(told_to(store, fact, user.subject))
    if now and (when := date_beside(fact, now, zone)):
        told = f"{told.rstrip('.')}{when}."
    if fact.valid_to:
        told = f"Until {spoken_date(day_of(fact.valid_to, zone).isoformat())}: {told}"
    return f"{told} (I concluded that.)" if fact.derived else told


def _line(turn: Turn, text: str, user: User, zone: tzinfo | None, meant: Sequence[str] | None = None) -> str:
    """A sentence of a line in the words in which it was said; where a time is asked, with the days that are `meant`."""
    day = spoken_date(day_of(turn.said_at, zone).isoformat())
    own = turn.speaker in (user.subject, "User")
    verb = "quoted" if others_words(turn) else "told me" if own else "said"
    when = f" on {day}" if meant is not None else ""
    said = f"{'You' if own else turn.speaker} {verb}{when}: “{excerpt(text, LINE_WORDS)}”"
    return f"{said} ({'; '.join(meant)})" if meant else said

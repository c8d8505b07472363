"""Replies that are composed from rows, without a model: who the user is, what is known, when and how it was told.

What can be read off the memory isn't left to luck, nor is that it doesn't hold something: a small model refuses "who am
I?" though the name stands first in its prompt. English. The rows that a reply is made of are its recall, for `/why`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import TYPE_CHECKING

from ...memory.language.asked.about_memory import Wanted, wanted
from ...memory.language.asked.selecting import asks_only_when
from ...memory.language.dates import day_of
from ...memory.language.facts.areas import area
from ...memory.language.language import Language, english
from ...memory.language.own_name import agrees, told_name
from ...memory.language.points import letters as re
from ...memory.language.quoted.whose import others_words
from ...memory.language.third_person import verbs
from ...memory.language.typed.texting import typed_out
from ...memory.language.words import query_words, stem, terms, tokens
from ...memory.values import ASSISTANT, OWN_NAME, Memory, Recall, RecallItem, Turn, User
from ..embedder.punctuation.restored import with_marks
from ..prompts.messages import excerpt, one_line
from .listing import LINE_WORDS, overview, quoted, to_you
from .second_person import told_to
from .telling import date_beside, spoken_date
from .told.known import Known
from .told.own_matters import own_matter
from .told.people import asked as asked_for_name
from .told.people import known, with_names
from .told.read_off import read_off
from .told.worldly import untold
from .told.yes_no import not_ended, once, over, taste, told_taste

if TYPE_CHECKING:
    from ...memory.store.store import Store

GREETING = 6
"""First lines in which a name may have been told."""
NEAR = 8
"""The last lines of the talk among which is what was said just now."""
FEW = 3
"""Facts that stand for a name nobody told."""
WHO = ("work", "study", "home", "people")
"""The areas of a life that tell who somebody is."""
READ = 300
"""The newest facts that are looked through for one that answers by its form."""
SIGN = "direct"
"""Why a row is in the recall of such a reply."""
LISTED, MOST = 12, 20
"""Rows that a list shows, and that a SELECT brings at most."""
ALIKE, FAR = 0.5, 0.2
"""Of the best row's cosine to the question: a row below is of something else; and a cosine below which all are."""
_FILTERED = re.compile(r"topic IN|>=|<|LIMIT 1;|NOT LIKE")
_COUNTS = re.compile(r"\b(?:how (?:many|often)|number of|counts?)\b", re.IGNORECASE)
_MEASURES = re.compile(
    rf"\bhow many (?:more |other )?(?:{english().alternatives('questions', 'measures')})\b", re.IGNORECASE
)
"""Of what is measured, not counted: "how many years am I married?" is no number of rows."""
_NAMES = re.compile(r"\b(?:first|last|middle|second) names?\b", re.IGNORECASE)
"""Nothing that was first or last."""
_EVENTS = re.compile(
    rf"\b(?:did|times|have (?:i|we) \w+ed|(?:i|we) (?:\w+ed|{english().alternatives('questions', 'counted')}))\b", re.I
)
"""Of things that happened: what one has ("how many cats do I have?") a single row tells."""
_HAVE_GOT = re.compile(r"\b(?:have|has) (?:i|we|[\w'’-]+) got\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Direct:
    """A reply (no text: a model makes it) with what it is made of, whether that surely answers, and by which logit."""

    text: str
    recall: Recall
    sure: bool = True
    surety: float | None = None


def direct(
    store: Store, user: User, recall: Recall, language: Language, *,
    before: Recall | None = None, zone: tzinfo | None = None,
) -> Direct | None:  # fmt: skip
    """The reply to the recall's query, if it can be read off the memory; None: a model replies.

    `before`: the recall of the reply before this line, of which "how do you know?" asks.
    """
    composer = _Composer(store, user, recall, zone)
    if (asked := wanted(recall.query, language)) is not None:
        return composer.reply(asked, before)
    if language.code == "en" and (told := composer.called() or composer.of_own() or composer.once()) is not None:
        return told
    if not recall.untold:
        return None
    found = composer.read_off() if language.code == "en" else None
    return found or Direct(untold(recall.query), recall)


def listed(store: Store, user: User, recall: Recall, zone: tzinfo | None = None) -> Direct | None:
    """The rows that a SELECT filtered out, counted and listed: a small model neither counts nor lists what it is shown.
    None where it only ranked rows by words, where it brought none, and where a number is asked that a row may tell.
    """
    sql = recall.sql or ""
    rows = [item for item in recall.items if "sql" in item.why]
    if recall.refused or not rows or "about(" in sql or not _FILTERED.search(sql) or _NAMES.search(recall.query):
        return None
    if not asks_only_when(recall.query, store.now()):
        rows = _alike(store, recall.query, rows)
    if not rows:
        return None
    counts = bool(_COUNTS.search(recall.query))
    events = _EVENTS.search(recall.query) and not _HAVE_GOT.search(recall.query)
    if counts and (len(rows) == 1 or not events or _MEASURES.search(recall.query)):
        return None
    rows.sort(key=_day, reverse=" DESC" in sql)
    composer = _Composer(store, user, recall, zone)
    told = [f"- {composer.row(item)}" for item in rows[:LISTED]]
    more = f"\nand {len(rows) - LISTED} more." if len(rows) > LISTED else ""
    number = f"{'At least ' if len(rows) >= MOST else ''}{len(rows)}, as far as I've kept them" if counts else "I find"
    made = composer.made_of([replace(item, why=(*item.why, SIGN)) for item in rows])
    return replace(made, text="\n".join([f"{number}:", *told]) + more)


def picks_one(recall: Recall) -> bool:
    """Whether a SELECT took one row by its place in time: the first, the last."""
    return "LIMIT 1;" in (recall.sql or "")


def somebody(store: Store, user: User, recall: Recall, zone: tzinfo | None = None) -> Direct | None:
    """What is known of somebody of whom it is asked who they are, in place of a small model, which takes the name that
    stands nearest; None: something else is asked, or nothing names them."""
    composer = _Composer(store, user, recall, zone)
    wish = asked_for_name(with_names(recall.query, composer.rows()))
    if wish is None or not wish.name:
        return None
    found = composer.reply(Wanted("about", wish.name), None)
    return found if found is not None and found.recall.items else None


def _alike(store: Store, query: str, rows: Sequence[RecallItem]) -> list[RecallItem]:
    """The rows that are near what is asked: topics are wider than things, and a SELECT may name one too many. None of
    them, where the nearest is far and shares no word with it: then the SELECT was of something else."""
    if store.embedder is None:
        return list(rows)
    texts = [item.memory.fact if item.memory else item.turns[0].text for item in rows]
    vectors = store.embedder.embed([query, *texts])
    near = vectors[1:] @ vectors[0]
    asked = {stem(word) for word in query_words(query)}
    if near.max() < FAR and not any(asked & {*terms(text)} for text in texts):
        return []
    return [item for item, cosine in zip(rows, near, strict=True) if cosine >= ALIKE * near.max()]


def _day(item: RecallItem) -> str:
    return (item.memory.happened_on or item.memory.said_at) if item.memory else item.turns[0].said_at


def _once(row: Memory) -> bool:
    """Whether a fact tells of one day: what was done, by a verb of the past behind the name of who did it."""
    said = tokens(row.fact.removeprefix(row.subject))
    return bool(said) and said[0] in verbs().past - {"was", "were", "had", "used"}


@dataclass(frozen=True, slots=True)
class _Composer:
    store: Store
    user: User
    recall: Recall
    zone: tzinfo | None

    def reply(self, asked: Wanted, before: Recall | None) -> Direct | None:
        if asked.wish == "name":
            return self._name()
        if asked.wish in ("your_words", "my_words"):
            return self._just_said(mine=asked.wish == "my_words")
        if asked.wish == "still":
            return self._still()
        if asked.wish == "taste":
            return self._taste(asked.about)
        if asked.wish == "everything":
            asked = Wanted("about", "me")
        if asked.wish in ("about", "said"):
            return self._about(asked)
        if asked.wish == "when_about":
            found = self.store.search(
                self.user.id, asked.about, limit=1, speaker=self.user.subject, word_budget=100, floor=False
            )
            return self._told_on(replace(found, items=tuple(self._fitting(found, asked.about))))
        return self._told_on(before) if before is not None else None

    def called(self) -> Direct | None:
        """What somebody of the user's is called, or who somebody is."""
        turns = [turn for item in self.recall.items for turn in item.turns]
        own = [one for one in turns if one.speaker == self.user.subject and self._is_evidence(one)]
        rows = self.rows()
        query = with_names(self.recall.query, rows)
        found = known(query, self.user.subject, rows, [one for one in own if not others_words(one)])
        if found is None:
            return None
        besides = [f"- {one}" for one in self._told(found.besides)]
        text = found.text or " ".join(self._told(found.rows))
        return self._made("\n".join([text, *besides]), [*found.rows, *found.besides], found.lines)

    def of_own(self) -> Direct | None:
        """What the asker does for a living, or where they live."""
        found = own_matter(self.recall.query, self.user.subject, self.rows())
        return self._made(" ".join(self._told(found)), found) if found else None

    def _told(self, rows: Sequence[Memory]) -> list[str]:
        return [one_line(told_to(self.store, row, self.user.subject)) for row in rows]

    def read_off(self) -> Direct | None:
        """The fact that surely answers by its form, though nothing that was found is near enough to the question."""
        rows = self.rows()[:READ]
        items = tuple(RecallItem(1.0, row) for row in rows)
        sentence = read_off(Known(replace(self.recall, items=items, untold=False)))
        row = next((row for row in rows if sentence and row.fact.rstrip(".") == sentence.rstrip(".")), None)
        return self._made(told_to(self.store, row, self.user.subject), [row]) if row else None

    def _just_said(self, *, mine: bool) -> Direct | None:
        """The last line of one of the two in the talk that goes on, before this question; None: there is none."""
        newest = self.store.sessions.all(self.user.id, limit=1)
        said = self.store.turns.of(newest[0].id, limit=NEAR) if newest else []
        asked = said[-1].text.strip() if said and said[-1].speaker != ASSISTANT else None
        if asked is not None and self.recall.query.strip() in (asked, typed_out(asked), typed_out(with_marks(asked))):
            said = said[:-1]
        line = next((one for one in reversed(said) if one.text and (one.speaker != ASSISTANT) is mine), None)
        return self._made(f"{'You' if mine else 'I'} said: “{line.text}”", (), [line]) if line else None

    def _name(self) -> Direct:
        rows = [row for row in self.rows() if row.fact.startswith(OWN_NAME)][:1]
        name = self.user.called or (rows[0].fact.removeprefix(OWN_NAME).rstrip(".") if rows else self._noted_name())
        if name:
            about = self._who() if "who" in tokens(self.recall.query) else []
            listed = [f"- {one_line(told_to(self.store, row, self.user.subject))}" for row in about]
            return self._made("\n".join([f"You're {name}.", *listed]), [*rows, *about])
        if half := self._half_told():
            found, line = half
            return self._made(f"You're {found}, I think. {self._quoted(line)}", [], [line])
        nameless = "You haven't told me your name."
        known = self._who() if "who" in tokens(self.recall.query) else []
        listed = [f"- {one_line(told_to(self.store, row, self.user.subject))}" for row in known]
        return self._made("\n".join([f"{nameless} I know of you:", *listed]) if known else nameless, known)

    def _noted_name(self) -> str | None:
        """The name that a fact gives the user, which a model wrote ("User's name is Wendell.")."""
        own = rf"(?:User|{re.escape(self.user.subject)})(?:'s name is| is (?:named|called)| goes by(?: the name)?)"
        told = (re.match(rf"{own} ([A-Z][\w’'-]*\w)", row.fact) for row in self.rows())
        return next((found[1] for found in told if found), None)

    def _who(self) -> list[Memory]:
        """The facts that tell best who the user is, newest first; where none does, others; what somebody once did
        ("caught a pike") where there is nothing else."""
        rows = [row for row in self.rows() if not row.fact.startswith(OWN_NAME)]
        best = [row for row in rows if area(row.topic, row.fact) in WHO]
        lasting = [row for row in rows if row not in best and not _once(row)]
        return (best + lasting or rows)[:FEW]

    def _half_told(self) -> tuple[str, Turn] | None:
        """A name that a line gave by the way ("Hi there, I'm Marta"), which was asked back and not denied: in what was
        found, or among the first lines of all, where people say who they are."""
        first = self.store.sessions.all(self.user.id)[-1:]
        begun = [turn for session in first for turn in self.store.turns.of(session.id)[:GREETING]]
        seen = [*(turn for item in self.recall.items for turn in item.turns), *begun]
        for line in (turn for turn in seen if turn.speaker == self.user.subject):
            told = None if others_words(line) else told_name(line.text, english())
            later = [one for one in self.store.turns.of(line.session_id) if one.id > line.id]
            reply = next((one for one in later if one.speaker == line.speaker), None)
            if told and not (reply and agrees(reply.text) is False):
                return told.name, line
        return None

    def _still(self) -> Direct | None:
        found = over(self.store, self.user, self.recall)
        if found is None:
            row = not_ended(self.store, self.user, self.recall)
            told = next(iter(self.store.facts.evidence([row.id]).get(row.id, ())), None) if row else None
            return self._made(f"You haven't told me otherwise. {self._quoted(told)}", [row]) if row and told else None
        rows, lines = ([found.fact], []) if found.fact else ([], [found.line])
        return self._made(f"Not any more. {self._quoted(found.line)}", rows, lines)

    def once(self) -> Direct | None:
        """What somebody used to do, of whom it is asked whether they do it."""
        found = once(self.store, self.user, self.recall)
        return self._made(f"Not any more. {self._quoted(found.line)}", [found.fact]) if found and found.fact else None

    def _taste(self, question: str) -> Direct | None:
        found = taste(question, self.user, self.rows())
        if found is None:
            told = told_taste(question, self.user, [turn for item in self.recall.items for turn in item.turns])
            return (
                self._made(f"{'Yes' if told.yes else 'No'}. {self._quoted(told.line)}", [], [told.line])
                if told
                else None
            )
        line = next(iter(self.store.facts.evidence([found.fact.id]).get(found.fact.id, ())), None)
        said = self._quoted(line) if line else one_line(found.fact.fact)
        return self._made(f"{'Yes' if found.yes else 'No'}. {said}", [found.fact])

    def rows(self) -> Sequence[Memory]:
        return self.store.facts.all(self.user.id, newest=True, derived=False)

    def row(self, item: RecallItem) -> str:
        """A row as it is listed: the fact with the day of what it tells, or of when it was told, or the line with its
        day."""
        if item.memory:
            told = one_line(told_to(self.store, item.memory, self.user.subject))
            return f"{told}{self._when(item.memory) or self._told_day(item.memory.said_at)}"
        turn = item.turns[0]
        return f"{excerpt(turn.text, LINE_WORDS)}{self._told_day(turn.said_at)}"

    def _told_day(self, said_at: str) -> str:
        return f" (told {spoken_date(day_of(said_at, self.zone).isoformat())})"

    def made_of(self, items: Sequence[RecallItem]) -> Direct:
        """A reply whose recall is these items, and the SELECT that brought them."""
        return Direct("", replace(self.recall, items=tuple(items)))

    def _is_evidence(self, turn: Turn) -> bool:
        from ...memory.search.evidence import telling

        return bool(telling(turn))

    def _about(self, asked: Wanted) -> Direct | None:
        """What is known about somebody or something; of what the asker said about a thing that isn't found, a told
        sentence may tell."""
        said = asked.wish == "said"
        found = overview(self.store, self.user, self.rows(), asked.about, said=said, zone=self.zone)
        if found.text:
            return self._made(found.text, found.rows, found.lines)
        if asked.about == "me":
            return self._made("You haven't told me anything yet that I keep.", ())
        none = f"You haven't told me anything about {to_you(asked.about)}, as far as I can find."
        return None if said else self._made(none, ())

    def _told_on(self, recall: Recall | None) -> Direct:
        """When and in which words it was told: the best that was recalled, with its lines."""
        items = recall.items if recall else ()
        memories = [item.memory for item in items if item.memory and not item.memory.derived][:1]
        lines = self.store.facts.evidence([row.id for row in memories]).get(memories[0].id, ()) if memories else ()
        first = items[0] if items else None
        if first is not None and first.memory is None:
            memories, lines = [], first.turns
        said = [turn for turn in lines if turn.speaker != ASSISTANT and turn.text]
        if said:
            return self._made(self._quoted(said[0]), memories, () if memories else said[:1])
        if memories:
            day = spoken_date(day_of(memories[0].said_at, self.zone).isoformat())
            return self._made(f"It was written down on {day}: {memories[0].fact}", memories)
        return self._made("I can't say: I find nothing of that in what you've told me.", ())

    def _fitting(self, found: Recall, about: str) -> list[RecallItem]:
        """What holds most of the words that are asked about."""
        words = {stem(word) for word in query_words(about)} - {*terms(self.user.subject)}

        def share(item: RecallItem) -> float:
            texts = [turn.text for turn in item.turns] + ([item.memory.fact] if item.memory else [])
            return len(words & {one for text in texts for one in terms(text)}) / max(len(words), 1)

        return sorted((item for item in found.items if share(item) >= 0.5), key=share, reverse=True)

    def _quoted(self, turn: Turn) -> str:
        return quoted(turn, self.zone)

    def _when(self, row: Memory) -> str:
        return date_beside(row, None, self.zone)

    def _made(self, text: str, rows: Sequence[Memory], lines: Sequence[Turn] = ()) -> Direct:
        evidence = self.store.facts.evidence([row.id for row in rows])
        items = [RecallItem(1.0, row, evidence.get(row.id, ()), (SIGN,)) for row in rows]
        items += [RecallItem(1.0, None, (turn,), (SIGN,)) for turn in lines]
        return Direct(text, replace(self.recall, items=tuple(items), sql=None, refused=None))

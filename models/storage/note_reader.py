"""How a model that reads instructions reads a line: one call, in which it writes notes (`prompts/notes.py`).

What is told of a number or a name that nobody said goes, in whatever language, and the guard stands behind it all. What
a model of less than three billion parameters wrote of an English line is held against that line as well: by those of
the embedded model's checks that look for lost clauses and for what was turned round. A reply that can't be read is
asked for once more; then it is a finding, and the line is tried again later.
"""

from __future__ import annotations

from dataclasses import replace

from ...memory.language.dates import find_dates
from ...memory.language.language import english
from ...memory.language.points import letters as re
from ...memory.language.third_person import to_third_person
from ...memory.language.words import plain, terms, tokens
from ..decoding.batched_work import Request, Work
from ..files.profiles.profile import profile_of
from ..lm import LM, Message, Options
from ..prompts.draft import ANY_DAY, Add, Change, Close, Draft, Entry
from ..prompts.messages import Line
from ..prompts.notes import SCHEMA, again, note_grammar, note_messages, read_notes
from .checks import OF_SMALL, Finding, difference, looked_at, unreadable
from .reading import MORE_CLAUSES, Reading, untrue
from .told.fidelity import alike, inventions, tells_details, untold
from .told.plain_statements import plain_statements, plainly
from .told.scene import Scene

MAX_TOKENS = 320
SECOND_TRY = 0.7
"""Temperature of a line's second try, so that it isn't the first one over again."""
OWN_TERMS = 3
"""Telling words of a line from which its facts must share one with it: a "yes" has none of its own."""
STEM = 4
"""Letters by which a name counts as said, whatever its ending: "Noras" for Nora."""
_NAME = re.compile(r"(?<!^)(?<![.!?。！？]\s)\b[^\W\d_a-zß-öø-ÿ][\w'’-]+")
_PLACE = re.compile(r"\b(?:to|in|at|from|near|into|towards|through|via) [A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*")
"""What is no subject of a fact: of "we moved to Dinant" a small model makes "Dinant is moved"."""
_LIST = re.compile(r"\b[A-Z][\w’'-]+(?:, [A-Z][\w’'-]+)*,? and [A-Z][\w’'-]+")
_FIRST = re.compile(r"\b(?:my|me|we|our|us)\b|(?:\b[a-z]\w*[,;:]? |[-–—] )I(?:['’]\w| [a-z])")
_ASIDE = re.compile(r"(?:[,;:]|\s[-–—])\s+(?:and |but |so |though )?I(?:['’]\w+)?\b.*$")
_OF_ITSELF = re.compile(r"(?P<name>[A-Z][\w-]+) (?:\w+ ){1,4}(?P=name)\b(?!['’])")
_OTHERS = re.compile(r"\b(?:him|her|hers|them|they|both|together)\b", re.IGNORECASE)
"""What may stand for those whom a line doesn't name."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


class NoteReader:
    """A capable model with its prompt. `second`: the line was tried before."""

    def __init__(self, lm: LM, max_tokens: int = MAX_TOKENS) -> None:
        self.lm, self.max_tokens = lm, max(max_tokens, MAX_TOKENS)

    def read(self, scene: Scene, *, second: bool = False) -> Work[Reading]:
        """The reading of a line."""
        request = self.request(scene, second=second)
        reply = yield request
        ids = [row.id for row in scene.known]
        draft = read_notes(reply.text, scene.line.speaker, ids, cut=reply.finish == "length")
        if not draft and draft.fault is None and tells_details(scene.line.text) and scene.english:
            reply = yield self.request(scene, second=second, nothing=False)
            draft = read_notes(reply.text, scene.line.speaker, ids, cut=reply.finish == "length")
        findings = _unreadable(draft)
        if draft.fault is not None:
            more = again(reply.text, draft.fault)
            reply = yield request._replace(messages=[*request.messages, *more])
            draft = read_notes(reply.text, scene.line.speaker, ids, cut=reply.finish == "length")
            findings = _unreadable(draft) if draft.fault is not None else [*findings, *_unreadable(draft)]
        if draft.fault is not None:
            return Reading(draft, tuple(findings))
        small = scene.english and profile_of(self.lm).small
        if small:
            draft = draft.told(lambda fact: _told_of(fact, scene.line.speaker))
            draft = draft.mapped(lambda entry: _alone(entry, scene))
        beside = draft.mapped(lambda entry: _of_the_row(entry, scene))
        true = beside.mapped(lambda entry: None if _unsaid(entry, scene) else entry)
        looked = (difference("other_row", draft, beside), difference("unsaid", beside, true))
        findings += [found for found in looked if found]
        if small:
            true, said = yield from self._as_said(true, scene)
            findings += said
        return Reading(true, tuple(findings))

    def _as_said(self, draft: Draft, scene: Scene) -> Work[tuple[Draft, list[Finding]]]:
        """A small model's draft held against the line: clauses of which it told nothing are told in their own words, or
        read by themselves; what turns the line round goes."""
        findings: list[Finding] = []
        plain = plain_statements(scene.line) if not draft else Draft()
        if plain:
            return plain, [Finding("plain", told=plain.entries)]
        whole = draft
        for clause in untold(draft.facts, scene.line.text)[:MORE_CLAUSES] if draft.facts else ():
            alone = scene.unknowing()._replace(line=Line(scene.line.speaker, clause))
            if (told := plainly(clause, scene.line.speaker)) is not None:
                whole = whole.plus([told])
                continue
            reply = yield self.request(alone)
            more = read_notes(reply.text, scene.line.speaker, cut=reply.finish == "length")
            own = {*terms(clause)}
            findings += _unreadable(more)
            if own & {*terms(" ".join(more.facts))} and not inventions(more.facts, clause, alone.around()):
                whole = whole.plus(more.entries)
            elif more:
                findings.append(untrue(more))
        if found := difference("left_out", draft, whole):
            findings.append(found)
        mended, more_found = looked_at(whole, scene, OF_SMALL)
        return mended, [*findings, *more_found]

    def request(self, scene: Scene, *, second: bool = False, nothing: bool = True) -> Request:
        """The prompt and the options: held to a form where the back end can. Not `nothing`: it is to note something."""
        form = profile_of(self.lm).structured
        as_json = form in ("json_schema", "tools")
        messages: list[Message] = note_messages(
            scene.before, scene.line, scene.known, scene.language.code, as_json=as_json
        )
        options = Options(
            max_tokens=self.max_tokens, background=True,
            grammar=_grammar(scene, nothing) if form == "grammar" else None,
            json_schema=SCHEMA if as_json else None,
        )  # fmt: skip
        return Request(messages, replace(options, temperature=SECOND_TRY, seed=1) if second else options)


def _grammar(scene: Scene, nothing: bool) -> str:
    """In English a fact begins with the speaker or with somebody who was named: there nobody's name is turned round."""
    ids = [row.id for row in scene.known]
    if not scene.english:
        return note_grammar(ids, nothing=nothing)
    speaker = scene.line.speaker
    said = dict.fromkeys(_NAME.findall(_PLACE.sub("", f". {scene.line.text}")))
    named = [name for name in said if plain(name) not in english().stop and "'" not in name]
    return note_grammar(ids, [f"{speaker} ", f"{speaker}'s ", *(f"{name} " for name in named)], nothing=nothing)


def _unreadable(draft: Draft) -> list[Finding]:
    """What of a reply is no note, as the journal keeps it: a comment, for it is no SQL."""
    return [one._replace(text="-- " + " ".join(one.text.split())[:400]) for one in unreadable(draft)]


def _of_the_row(entry: Entry, scene: Scene) -> Entry | None:
    """A change or an end of a row of which the line doesn't speak is none: the change is a fact of its own."""
    if isinstance(entry, Add):
        return None if _known_already(entry, scene) else entry
    row = next((row for row in scene.known if row.id == entry.id), None)
    if row is None:
        return None
    mine = {*terms(row.fact)} - {*terms(scene.line.speaker)}
    said = {*terms(scene.line.text)}
    fact = entry.fact if isinstance(entry, Change) else None
    if mine & said and (isinstance(entry, Close) or len(mine & {*terms(fact or "")}) > 0):
        return entry
    return Add(scene.line.speaker, row.topic, fact) if fact and fact != row.fact else None


def _told_of(fact: str, speaker: str) -> str:
    """The fact in the third person throughout: a small model copies the end of a line as it stands ("User moved to
    Breda, I don't know why I said Tilburg")."""
    if not fact.startswith(speaker) or not _FIRST.search(fact) or re.search('["“”«»]', fact):
        return fact
    return to_third_person(_ASIDE.sub(".", fact), speaker)


def _alone(entry: Entry, scene: Scene) -> Entry:
    """The entry; in place of one that says of several what the line says of one, that one's."""
    fact = None if isinstance(entry, Close) else entry.fact
    row = None if isinstance(entry, Add) else next((row.fact for row in scene.known if row.id == entry.id), None)
    one = _of_one(fact, scene, row or "") if fact else None
    return entry if one is None else Add(scene.line.speaker, entry.topic if isinstance(entry, Add) else "people", one)


def _of_one(fact: str, scene: Scene, known: str = "") -> str | None:
    """What the line says of one of several, where a note says it of them all: "Frieda died" -> "the hens Dolly, Frieda
    and Bess died", or of the row that names them: "the hens died". None: it isn't so."""
    if known and not _NAME.search(fact.removeprefix(scene.line.speaker)):
        fact = known
    listed = {name for found in _LIST.finditer(fact) for name in re.findall(r"[A-Z][\w’'-]+", found[0])}
    listed -= {scene.line.speaker, "User"}
    line = scene.line.text
    here = [name for name in listed if re.search(rf"\b{re.escape(name)}\b", line)]
    if len(here) != 1 or len(listed) < 2 or _OTHERS.search(line):
        return None
    said = re.search(rf"(?<!\band )(?<!\bor )\b{re.escape(here[0])}\b(?! and\b| or\b|,)[^,.;!?]*", line)
    return f"{said[0].strip()}." if said and len(said[0].split()) > 1 else None


def _known_already(entry: Add, scene: Scene) -> bool:
    """Whether a new fact only says again what a known row says: rows that are shown tempt to that."""
    told = {*terms(entry.fact)} - {*terms(scene.line.speaker)}
    return any(told <= {*terms(row.fact)} for row in scene.known)


def _unsaid(entry: Entry, scene: Scene) -> bool:
    """Whether a fact has a number or a name that nobody said, or no word of a line that has several: then it was read
    off the lines before it."""
    fact = "" if isinstance(entry, Close) else entry.fact or ""
    line = {*terms(scene.line.text)}
    if fact and len(line) >= OWN_TERMS and not line & {*terms(fact)}:
        return True
    if scene.english and _OF_ITSELF.match(fact):
        return True
    heard = [*scene.heard(), *scene.told()]
    said = plain(" ".join([*heard, alike(" ".join(heard)) if scene.english else ""]))
    counts = scene.english or any(one.isdigit() for one in said)  # elsewhere "zwölf" may be told as 12
    if counts and any(number not in said for number in _NUMBER.findall(fact)):
        return True
    if scene.language.code in ("de", ""):
        return False  # there each noun is written like a name
    words = {word[:STEM] for text in heard for word in tokens(text)}
    return any(plain(name)[:STEM] not in words for found in _NAME.findall(fact) for name in tokens(found)[:1])


def dated(entry: Entry, scene: Scene, alone: bool) -> Entry:
    """A new fact with the words for its date: those that it has, or where it stands `alone`, the line's one date."""
    if not isinstance(entry, Add) or entry.when:
        return entry
    inside = find_dates(entry.fact, ANY_DAY, language=scene.language)
    around = find_dates(scene.line.text, ANY_DAY, language=scene.language) if alone else []
    words = inside[0][0] if inside else around[0][0] if len(around) == 1 else None
    return replace(entry, when=words)

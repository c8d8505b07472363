"""What stands in the place of a fact that gathers its words from all over a line: the clause that says most of them.

Of pairs of a true and a false fact the true one stands more together in its line in .71 to .76, by set (AUC over 2,325
judged facts; docs/log/storage.md).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from ...memory.language.dates import find_dates
from ...memory.language.kinship import relations
from ...memory.language.language import english
from ...memory.language.leaning.named import does
from ...memory.language.points import letters as re
from ...memory.language.quoted.in_quotes import in_quotes
from ...memory.language.words import sentences, stem, terms, tokens
from ..prompts.draft import ANY_DAY, Add, Draft, Entry, date_words
from ..prompts.messages import excerpt
from .doing import MOST_SAID, said_alone, source
from .pieced.borrowed import borrowed, repeated
from .pieced.breaks import breaks
from .pieced.dangling import dangles
from .pieced.persons import of_somebody_else
from .told.fidelity import alike, clauses, details, names
from .told.scattered import pieces, together
from .told.scene import Scene, leans

NEAR, FAR = 0.85, 0.5
"""Share of a fact's words in one stretch of the line from which it is believed, and below which it goes where no clause
can be told in its place."""
IN_THE_MAIN = 0.7
"""From which a fact isn't given up for a clause that lacks a name or a number of its."""
LEAST = 0.33
"""Share of a fact's words that a clause must have to stand in its place."""
SHORT = 7
"""Words below which a line may answer another."""
PIECED = 0.25
"""Breaks for each telling word from which a fact isn't believed: of such rows .25 tell what was said, of all others .61
(492 rows; docs/log/storage.md)."""
ALONE, QUOTED, WORTH, LEAST_SAID = 6, 40, 3, 2
"""Words below which a sentence is quoted with the one beside it, and that are quoted at most; telling words that no
other fact has, for which it is worth it; that a clause has, at least, which stands alone."""
_WHO = re.compile(r"\b(?:he|she|him|her|his|hers|they|them|their)\b", re.IGNORECASE)
_ORDER = re.compile(r"(?:do not|don['’]?t|never|please|let) ", re.IGNORECASE)


def nearness(fact: str, scene: Scene) -> float:
    """How much of a fact stands together in what was said: in the line, and where that leans, or may answer another,
    words of the two before it wherever they stand there."""
    speaker, line = scene.line
    return together(fact, line, speaker, " ".join(_elsewhere(fact, scene)))


def _elsewhere(fact: str, scene: Scene) -> list[str]:
    """From where a fact may have words that the line hasn't."""
    line = scene.line.text
    older = [said for _, said in scene.before[-2:]] if len(line.split()) < SHORT or leans(line) else []
    kin = (one for row in scene.told() if names(row) & names(fact) for one in relations(row))  # "Ana's partner Themba"
    return [*older, *kin]


def nearest(fact: str, scene: Scene, near: float) -> str | None:
    """The clause of the line, told alone, that says most of a fact's words; None: none can be told alone, or what says
    most of them lacks a name or number of a fact that stands together in the main."""
    wanted = {*terms(alike(fact))} - {*terms(scene.line.speaker), "user"}
    whom = {*terms(" ".join(names(fact)))}  # whose it is, is what gets mixed up

    def most(told: Iterator[str]) -> str:
        same = ((wanted & {*terms(alike(one))}, one) for one in told)
        found = [(len(some) - 0.5 * len(some & whom), -len(one), one) for some, one in same]
        share, _, said = max(found, default=(0, 0, ""))
        return said if share and share >= LEAST * (len(wanted) - 0.5 * len(wanted & whom)) else ""

    leaning, parts = bool(_WHO.search(fact)), clauses(scene.line.text)
    said = most(_told((part for one in parts for part in pieces(one)), scene, leaning)) or most(
        _told(parts, scene, leaning)
    )
    if not said:
        return None
    lost = (details(fact) & details(scene.line.text)) - {*tokens(said)}
    return None if lost and near >= IN_THE_MAIN else _as_known(said, fact, scene)


def in_one_piece(draft: Draft, scene: Scene) -> Draft:
    """The draft with the clause that says most of it, else what the speaker said in quotation marks, in the place of a
    new fact that is put together from several places of the line, has a word that the line hasn't, says of one what is
    told of another, or has a word for something that it doesn't name."""
    instead = {one: _clause(one.fact, scene) for one in draft.added if _is_pieced(one.fact, scene)}
    instead |= {one: None for one in draft.added if one not in instead and _needs_more(one.fact, scene)}

    def told_alone(entry: Entry) -> Entry | None:
        said = instead.get(entry) if isinstance(entry, Add) else None
        if said is None or not isinstance(entry, Add):
            return None if entry in instead else entry
        return replace(entry, fact=said, when=entry.when if entry.when and entry.when in said else date_words(said))

    after = draft.mapped(told_alone)
    told = {*terms(" ".join(entry.fact for entry in after.added))}
    return after.plus(_quoted([one for one, said in instead.items() if said is None], scene, told))


def _needs_more(fact: str, scene: Scene) -> bool:
    """Whether a fact has such a word, and the line more than it that may tell what that stands for."""
    if not dangles(fact, scene.line.speaker):
        return False
    said = sentences(scene.line.text)
    return _most(fact, said) > 0 or len({*terms(" ".join(said[:1]))} - {*terms(fact)}) >= LEAST_SAID


def _clause(fact: str, scene: Scene) -> str | None:
    """The clause that says most of a fact, with all its names and numbers; None: there is none that says something."""
    said = nearest(fact, scene, 1.0)
    if said is None or leans(said.split()[0]) or _needs_more(said, scene):
        return None
    return said if len({*terms(said)} - {*terms(scene.line.speaker), "user"}) >= LEAST_SAID else None


def _quoted(lost: Sequence[Add], scene: Scene, told: Collection[str]) -> list[Add]:
    """What the speaker said in quotation marks, in the place of the facts that were made of it, sentences that stand
    beside each other as one. Where the words `told` tell nearly all of it: the clause with the rest, or nothing."""
    said = sentences(scene.line.text) or [scene.line.text]
    places = {one: _places(one.fact, said, scene.line.speaker) for one in lost}
    whole = sorted({at for places_of in places.values() for at in places_of})
    found = list[Add]()
    for _, beside in groupby(whole, lambda at: at - whole.index(at)):
        run = [*beside]
        made = [one for one in lost if places[one].start in run]
        words = re.sub(r"(?<!\.)\.\.(?!\.)", ".", " ".join(said[at] for at in run))
        worth = any(_tells_of_oneself(said[at]) for at in run)
        if worth and len(words.split()) <= QUOTED:
            short = len({*terms(words)} - {*told}) < WORTH
            if not short or any(dangles(one.fact, scene.line.speaker) for one in made):
                found += _new(made[0], words, told, scene, quoted=True)
                continue
        for one in made:
            found += _told_by_itself(one, words, told, scene, worth)
    return found


def _told_by_itself(one: Add, words: str, told: Collection[str], scene: Scene, worth: bool) -> list[Add]:
    """What stands in the place of one fact where the sentences that it was made of aren't quoted as a whole: of long
    ones its clause in quotation marks, else that as it was said. What only names nothing stays as it is."""
    points = dangles(one.fact, scene.line.speaker)
    clause = source(one.fact, scene) if worth and len(words.split()) > QUOTED else None
    if clause and (points or len({*terms(clause)} - {*told}) >= WORTH):
        return _new(one, clause, told, scene, quoted=True)
    said = nearest(one.fact, scene, 0.0) or (one.fact if points else "")
    quoted = worth and dangles(said, scene.line.speaker)
    return _new(one, words if quoted else said, told, scene, quoted=quoted)


def _new(one: Add, words: str, told: Collection[str], scene: Scene, *, quoted: bool) -> list[Add]:
    """The fact with these words for its own, and the one day that stands in them; none where others tell them all."""
    if not {*terms(words)} - {*told}:
        return []
    days = {day for day, _ in find_dates(words, ANY_DAY)}
    fact = in_quotes(scene.line.speaker, excerpt(words, QUOTED)) if quoted else words
    return [replace(one, fact=fact, when=days.pop() if len(days) == 1 else None)]


def _tells_of_oneself(words: str) -> bool:
    """Whether a sentence is worth quoting: it tells of the speaker, somebody of theirs or by name, or has a figure, and
    is said to nobody: not "That's adorable! I can't wait to meet him and congratulations on your raise!"."""
    said = {*tokens(words)}
    own = said & english().self_words or relations(words) or names(words) or re.search(r"\d", words)
    return bool(own) and not said & english().second_person


def _places(fact: str, said: Sequence[str], speaker: str) -> range:
    """Of the sentences of a line the one that has the most words of a fact, with the one before where it leans on
    that or is a short last one, and with the next where it is short."""
    at = _most(fact, said)
    last = at + 1 == len(said) and len(said[at].split()) < ALONE
    first = at - 1 if at and (last or leans(said[at]) or dangles(fact, speaker)) else at
    short = len(" ".join(said[first : at + 1]).split()) < ALONE
    return range(first, min(at + 1 + short, len(said)))


def _most(fact: str, said: Sequence[str]) -> int:
    wanted = {*terms(fact)}
    return max(range(len(said)), key=lambda place: len(wanted & {*terms(said[place])}), default=0)


def _is_pieced(fact: str, scene: Scene) -> bool:
    speaker, line = scene.line
    if borrowed(fact, scene) or repeated(fact, line, speaker) or of_somebody_else(fact, line, speaker):
        return True
    free = {stem(one) for text in _elsewhere(fact, scene) for one in tokens(text)}
    return breaks(fact, line, speaker, free) >= PIECED


def _as_known(said: str, fact: str, scene: Scene) -> str:
    """The clause with what somebody is to the speaker, as the fact and a known row, or the line, call them: "Ana's ex
    Beto"."""
    speaker, line = scene.line
    whom = re.match(rf"{re.escape(speaker)}'s (?P<what>(?:[a-z-]+ ){{1,3}})(?P<name>[A-Z][\w-]*\w)\b", fact)
    if whom is None or not re.match(rf"{whom['name']}\b", said):
        return said
    is_told = any(whom[0] in row for row in scene.told()) or {*tokens(whom["what"])} <= {*tokens(line)}
    return f"{whom[0]}{said[len(whom['name']) :]}" if is_told else said


def _told(parts: Iterable[str], scene: Scene, leaning: bool) -> Iterator[str]:
    """Those of the parts of a line that can stand alone, as facts."""
    for part in parts:
        said = said_alone(part, scene.line.speaker) if does(part) and not _ORDER.match(part) else None
        if said and len(said.split()) <= MOST_SAID and (leaning or not _somebody_else(said)):
            yield said


def _somebody_else(said: str) -> bool:
    """Whether a clause has "her" before anybody whom that can be."""
    found = _WHO.search(said)
    return found is not None and not re.search(
        r"\b[A-Z][\w-]*\w(?!['’]s name)", said[: found.start()].partition(" ")[2]
    )

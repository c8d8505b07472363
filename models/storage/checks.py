"""The checks of a draft, by name: what a small model wrote is held against the line it was written for.

Each is a function from a draft and its scene to a draft; what it took out or put in is the difference. They know
English, so they say nothing of lines in another language. The steps that ask the model again (`faithful`, `left_out`,
`same_matter`) are the reader's (`reading.py`); their names and sentences stand here too.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from ...memory.language.dates import hours
from ...memory.language.facts.corrections import signals
from ...memory.language.facts.states import another
from ...memory.language.third_person import retold
from ...memory.language.words import terms, tokens
from ..prompts.draft import Add, Close, Draft, Entry, date_words, render
from .doing import (
    as_said,
    cut_down,
    done_by_us,
    in_another_order,
    named_alone,
    of_another,
    of_another_thing,
    of_nobody_here,
    of_nothing_said,
    of_older_words,
    of_other_words,
    of_unsaid_kin,
    of_us_twice,
    other_matter,
    other_verb,
    said_alone,
    source,
    without_kin,
)
from .gathered import FAR, NEAR, in_one_piece, nearest, nearness
from .invented_people import disowned, made_up, misnamed, of_the_speaker, renamed, unowned, unsaid, without_strangers
from .told.fidelity import clauses, denied, flipped, misplaced
from .told.own_clause import (
    as_helped,
    in_its_day,
    me_for_her,
    miscounted,
    named_after_another,
    of_another_age,
    of_its_age,
    of_itself,
    points_only,
    without_the_telling,
)
from .told.scene import Scene
from .told.single import singly, without_lesser
from .told.verbatim_clauses import in_own_words
from .told.whose import of_mine, of_their_kin, of_theirs, without_company, without_unsaid

SENTENCES = {
    "readable": "What the model wrote can't be read as rows to add, change or close.",
    "faithful": "Another reading of the line keeps more of what was said, or invents less.",
    "kinship": "Nobody said that they are related like that.",
    "somebody_else": "The line tells it of somebody else by name, not of the speaker.",
    "turned_round": "The line says the opposite: a dislike is told as a liking, or what isn't so as if it were.",
    "misnamed": "It calls something or you by the name of a place, of an owner, or of somebody else.",
    "left_out": "A part of the line that no fact told was read by itself.",
    "plain": "The model kept nothing of a plain statement, so that is told as it was said.",
    "invented_names": "It names somebody of whom nobody spoke.",
    "nothing_said": "Not a telling word of it was said.",
    "own_words": "The clause is told as it was said, since no fact kept its names and numbers.",
    "doer": "The line says that somebody else does or is it, not the speaker.",
    "whose": "It says of one what the line says of somebody or something of theirs.",
    "mine": "The line says `my` or `me`, so it is the speaker, not him or her.",
    "company": "Nobody said that this one is among those of whom the line tells.",
    "own_day": "The line tells that day of something else.",
    "pointing": "It tells of `it` or `that` alone, or of how it was told: nobody would understand that later.",
    "verb": "The line says something else of it, or says that of something else.",
    "other_words": "It tells something in words that nobody said, or that only an older line has.",
    "scattered": "Its words stand far apart in the line, or in another order, so a clause is told as it was said.",
    "pieced": "It joins places of the line, has words of older ones, or names nothing: that is told as it was said.",
    "only_named": "It kept somebody's name, and lost what was said of them.",
    "cut_down": "The clause tells more than was kept of it, so it is told as it was said.",
    "singly": "It tells several matters, each of which may end by itself, so each is a fact of its own.",
    "hour": "The hour that was told is kept in the fact.",
    "same_matter": "It would change a row that has nothing to do with what was said.",
    "not_said": "Only the assistant said it, or it stood in a question; the user neither told nor affirmed it.",
    "quoted": "These are somebody else's words (quoted, pasted or made up), kept as a line and told of nobody.",
    "secret": "It held a password, a key, a PIN or a card's number: that is written nowhere but in the line.",
    "asked_first": "The line holds somebody else's words, and this touches health, money, a name or a password.",
    "overtaken": "It is the new state of a known row, so that row changes.",
    "unsaid": "It tells a name or a number that nobody said.",
    "other_row": "A known row says it already, or the line doesn't speak of the row that it would change.",
    "no_note": "The model saw nothing to keep in it; the line itself is kept and can be found.",
}
"""What each check says, in one sentence that a person can read in the journal."""

Kind = Literal["every", "small", "trained", "capable"]
SERVES: dict[str, Kind] = {
    "readable": "every", "not_said": "every", "quoted": "every", "secret": "every", "asked_first": "every",
    "overtaken": "every", "no_note": "every",
    "kinship": "small", "turned_round": "small", "left_out": "small", "own_words": "small", "plain": "small",
    "doer": "small", "whose": "small", "mine": "small", "company": "small", "own_day": "small", "pointing": "small",
    "verb": "small", "only_named": "small", "hour": "small",
    "faithful": "trained", "somebody_else": "trained", "misnamed": "trained", "invented_names": "trained",
    "nothing_said": "trained", "other_words": "trained", "scattered": "trained", "pieced": "trained",
    "same_matter": "trained", "singly": "trained", "cut_down": "trained", "unsaid": "capable", "other_row": "capable",
}  # fmt: skip
"""Which models a check is for. `every`: what is the user's own, and what may end a fact, is no matter of who writes.
`small`: for the mistakes of any model of less than three billion parameters, which loses clauses and turns round what
was said. `trained`: for those of the smallest with an adapter of ours, which invents people.
`capable`: for those that read instructions. The guard stands behind all of them."""


class Finding(NamedTuple):
    """What a check did: `lost` is what it took out, `told` what it put in. `text`: a reply that couldn't be read."""

    check: str
    lost: tuple[Entry, ...] = ()
    told: tuple[Entry, ...] = ()
    text: str = ""
    reason: str = ""

    @property
    def sentence(self) -> str:
        instead = f"Told instead: {' '.join(map(str, self.told))}" if self.lost and self.told else ""
        return " ".join(filter(None, (SENTENCES[self.check], self.reason, instead)))

    def sql(self) -> str:
        """What was thrown away, as it would have been written."""
        return render(self.lost) if self.lost else self.text


class Check(NamedTuple):
    """A draft in, a draft out. `wrote` is the draft as the model wrote it, before any check."""

    name: str
    look: Callable[[Draft, Scene, Draft], Draft]


def _kinship(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    heard, known = scene.heard(), scene.told()
    speaker, said = scene.line.speaker, [one.text for one in (*scene.before, scene.line)]

    def mended(fact: str) -> str | None:
        return None if _named_after(fact, speaker) else unowned(disowned(fact, heard, known), speaker, said)

    return draft.told(mended)


def _named_after(fact: str, speaker: str) -> bool:
    """Whether it gives somebody of the speaker's the speaker's own name ("Ana's brother is called Ana")."""
    name = re.escape(speaker)
    return bool(re.search(rf"\b{name}'s [\w ]+? (?:is|are) (?:called |named )?{name}\b", fact))


def _somebody_else(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    speaker, line = scene.line
    if misplaced(draft.facts, line, speaker):
        return Draft()
    if (told := another(line)) is None or told[0] == speaker:
        return draft
    name, theirs = told
    asked = bool(scene.before) and scene.before[-1].text.rstrip().endswith("?")
    whole = line.strip() if line.rstrip()[-1:] in ".!" else f"{line.strip()}."

    def mended(fact: str) -> str | None:
        mine = name.lower() not in fact.lower() and fact.startswith((speaker, "User"))
        mine = mine or (not asked and made_up(fact, name, line, speaker))
        return fact if not mine else whole if theirs else None

    return draft.told(mended)


def _turned_round(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    line, speaker = scene.line.text, scene.line.speaker
    if flipped(" ".join(draft.facts), line):
        return Draft()

    def mended(fact: str) -> str | None:
        if not denied(fact, line):
            return fact
        said = (retold(clause, speaker) for clause in clauses(line) if denied(fact, clause))
        return next(filter(None, said), None)

    return draft.told(mended)


def _misnamed(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    said = [scene.line.text, *(text for _, text in scene.before), *scene.told()]
    return draft.told(
        lambda fact: (
            None
            if misnamed(fact, said) or renamed(fact, scene) or named_after_another(fact, scene)
            else of_itself(of_the_speaker(fact, scene.line))
        )
    )


def _invented_names(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    return without_strangers(draft, [*scene.heard(), *scene.told()])


def _nothing_said(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    said = [scene.line.text, *(text for _, text in scene.before), *scene.told()]
    return draft.told(lambda fact: None if unsaid(fact, scene.line.speaker, said) else fact)


def _hour(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    told, facts = hours(scene.line.text), draft.facts
    if len(told) != 1 or len(facts) != 1 or {*tokens(told[0])} - {"at"} <= {*tokens(facts[0])}:
        return draft
    hour = told[0] if re.match(r"(?:at|around|by)\b", told[0], re.IGNORECASE) else f"at {told[0]}"
    return draft.told(lambda fact: f"{fact.rstrip(' .')} {hour}.")


def _doer(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    def mended(fact: str) -> str | None:
        others = any(one(fact, scene) for one in (of_another, of_nobody_here, of_another_age, of_us_twice, done_by_us))
        return as_said(fact, scene) if others else fact

    return _once(draft.told(mended))


def _whose(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    def mended(fact: str) -> str | None:
        theirs = of_their_kin(fact, scene)
        return of_theirs(fact, scene) or fact if theirs is None else theirs or None

    return _once(draft.told(mended))


def _mine(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    return draft.told(lambda fact: me_for_her(of_mine(fact, scene), scene))


def _company(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    return _once(draft.told(lambda fact: of_its_age(without_unsaid(without_company(fact, scene), scene), scene)))


def _own_day(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    return draft.mapped(lambda entry: in_its_day(entry, scene))


def _pointing(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    return draft.told(lambda fact: None if points_only(fact, scene) else without_the_telling(fact, scene))


def _verb(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    made_of = Counter(source(fact, scene) for fact in draft.facts)

    def mended(fact: str) -> str | None:
        if miscounted(fact, scene):
            return None
        fact = as_helped(fact, scene)
        wrong = any(one(fact, scene) for one in (other_verb, of_another_thing, other_matter))
        wrong = wrong or (made_of[source(fact, scene)] == 1 and in_another_order(fact, scene))
        return (as_said(fact, scene) if wrong else None) or fact

    return _once(draft.told(mended))


def _other_words(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    def mended(entry: Entry) -> Entry | None:
        if isinstance(entry, Close) or not entry.fact:
            return entry
        older = isinstance(entry, Add) and (of_older_words(entry.fact, scene) or of_nothing_said(entry.fact, scene))
        if not older and not of_other_words(entry.fact, scene) and not of_unsaid_kin(entry.fact, scene):
            return entry
        said = as_said(entry.fact, scene) or without_kin(entry.fact, scene)
        if said is None:  # what changes a known fact changes it all the same
            return None if isinstance(entry, Add) else entry
        return replace(entry, fact=said)

    return _once(draft.mapped(mended))


def _scattered(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    def mended(entry: Entry) -> Entry | None:
        if not isinstance(entry, Add) or (near := nearness(entry.fact, scene)) >= NEAR:
            return entry
        said = nearest(entry.fact, scene, near)
        if said is None:
            return entry if near >= FAR else None
        return replace(entry, fact=said, when=entry.when if entry.when and entry.when in said else date_words(said))

    return _once(draft.mapped(mended))


def _pieced(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    return without_lesser(_once(in_one_piece(draft, scene)))


def _singly(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    def each(entry: Entry) -> Iterator[Entry]:
        facts = singly(entry.fact, scene.line.speaker) if isinstance(entry, Add) else []
        if not isinstance(entry, Add) or len(facts) < 2:
            yield entry
            return
        when = (entry.when or "").lower()
        dated = next((place for place, fact in enumerate(facts) if when in fact.lower()), 0)
        yield from (
            replace(entry, fact=fact, when=entry.when if place == dated else None) for place, fact in enumerate(facts)
        )

    return _once(without_lesser(replace(draft, entries=tuple(one for entry in draft for one in each(entry)))))


def _only_named(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    def mended(fact: str) -> str:
        said = as_said(fact, scene) if named_alone(fact, scene) else None
        others = {*terms(" ".join(one for one in draft.facts if one != fact))}
        return fact if said is None or {*terms(said)} - {*terms(fact)} <= others else said

    return _once(draft.told(mended))


def _cut_down(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    said = signals(scene.line.text)
    if said.changes or said.ends or said.corrects:
        return draft  # what ends a known fact is told by itself
    made_of = defaultdict[str | None, list[str]](list)
    for fact in draft.facts:
        made_of[source(fact, scene)].append(fact)
    return _once(draft.told(lambda fact: cut_down(fact, scene, made_of[source(fact, scene)]) or fact))


def _once(draft: Draft) -> Draft:
    """The draft with each new fact once."""
    kept: dict[str | Entry, Entry] = {}
    for entry in draft:
        kept.setdefault(entry.fact if isinstance(entry, Add) else entry, entry)
    return replace(draft, entries=tuple(kept.values()))


def _own_words(draft: Draft, scene: Scene, wrote: Draft) -> Draft:
    return in_own_words(draft, scene.line, wrote, said_alone)


KINSHIP = Check("kinship", _kinship)
"""Looks at each reading, before readings are compared."""
FIRST = (
    Check("somebody_else", _somebody_else), Check("turned_round", _turned_round), Check("misnamed", _misnamed),
)  # fmt: skip
"""Look at the reading that was chosen: what is false goes, the line stays to be found."""
LAST = (
    Check("invented_names", _invented_names), Check("nothing_said", _nothing_said), Check("own_words", _own_words),
    Check("whose", _whose), Check("doer", _doer), Check("verb", _verb), Check("other_words", _other_words),
    Check("scattered", _scattered),
    Check("only_named", _only_named), Check("cut_down", _cut_down), Check("mine", _mine), Check("company", _company),
    Check("own_day", _own_day), Check("pointing", _pointing), Check("hour", _hour), Check("singly", _singly),
    Check("pieced", _pieced),
)  # fmt: skip
"""Look at it when clauses that it left out were read by themselves."""
OF_SMALL = tuple(one for one in (KINSHIP, *FIRST, *LAST) if SERVES[one.name] == "small")
"""Those that look at the notes of a small model, too."""


def looked_at(
    draft: Draft, scene: Scene, checks: Sequence[Check], wrote: Draft | None = None
) -> tuple[Draft, list[Finding]]:
    """The draft after the checks, one after the other, and what each did. Of lines that aren't English: as it was."""
    findings: list[Finding] = []
    if not scene.english:
        return draft, findings
    wrote = draft if wrote is None else wrote
    for check in checks:
        after = check.look(draft, scene, wrote)
        if found := difference(check.name, draft, after):
            findings.append(found)
        draft = after
    return draft, findings


def unreadable(draft: Draft) -> list[Finding]:
    """What of a reply is no row: all of it, or the row that the token limit broke."""
    if draft.fault is not None:
        return [Finding("readable", text=draft.text, reason=f"({draft.fault})")]
    cut = "(the reply was longer than it may be, so its last row is broken)"
    return [Finding("readable", text=draft.broken, reason=cut)] if draft.broken else []


def difference(name: str, before: Draft, after: Draft) -> Finding | None:
    """What came out and what came in between two drafts; None: nothing."""
    lost = tuple(entry for entry in before if entry not in after.entries)
    told = tuple(entry for entry in after if entry not in before.entries)
    return Finding(name, lost, told) if lost or told else None

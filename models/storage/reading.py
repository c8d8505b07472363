"""How the storage model reads a line: asked once, and again where its draft isn't true to the line.

A reading is a work (`decoding/batched_work.py`) that asks one thing at a time, so many lines can be read side by side.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ...memory.language.dates import find_dates
from ..decoding.batched_work import Reply, Request, Work
from ..lm import LM, Options
from ..prompts.draft import ANY_DAY, Draft, read_draft
from ..prompts.grammars import SQL_SCHEMA, storage_grammar
from ..prompts.messages import Line, storage_messages
from ..prompts.tuned import Prompt
from .checks import FIRST, KINSHIP, LAST, Finding, difference, looked_at, unreadable
from .invented_people import strangers
from .told.fidelity import faults, inventions, names, tells_details, untold
from .told.plain_statements import jottings, plain_statements, plainly
from .told.scene import Scene
from .told.whose import of_two, with_two

MAX_TOKENS = 224
AGAIN = (0.7, 0.7, 1.0)
"""Temperatures of the further tries where the first draft isn't true to the line (measured in docs/log/storage.md)."""
MORE_CLAUSES = 2
"""Clauses of one line that are read once more by themselves, where the first reading kept no word of them."""

GUIDE = """\
You keep the memory table memory(id, subject, topic, fact, happened_on). Read the line after "Store:" and write
SQL for what its speaker tells about themselves that is worth remembering, or exactly "-- nothing". Facts are one
self-contained third-person sentence that keeps names, numbers and places; topic is a short noun phrase; happened_on
the words for a date as they were said, or NULL. Use only the forms
INSERT INTO memory (subject, topic, fact, happened_on) VALUES ('Ana', 'pets', 'Ana has two cats, Nori and Kit.', NULL);
UPDATE memory SET fact = '...' WHERE id = 3;
DELETE FROM memory WHERE id = 3;
with ids of the rows listed as known. Answer with the SQL alone; where JSON is asked for, with {"sql": "..."}."""


class Reading(NamedTuple):
    """What came of a line: the draft that stands, and what each check did to it."""

    draft: Draft
    findings: tuple[Finding, ...] = ()

    @property
    def of_somebody_else(self) -> bool:
        """Whether what was written was told of somebody else."""
        return any(one.check == "somebody_else" for one in self.findings)


class Reader:
    """The storage model with its prompts and checks. Without an adapter of ours it is asked once, and not checked."""

    def __init__(self, lm: LM, max_tokens: int = MAX_TOKENS, prompt: Prompt | None = None) -> None:
        """`prompt`: what a model without an adapter is told in the guide's place."""
        self.lm, self.max_tokens, self.prompt = lm, max_tokens, prompt or Prompt(GUIDE)

    def read(self, scene: Scene) -> Work[Reading]:
        """The reading of a line; of jottings about somebody nobody has to be asked what they tell."""
        if self.lm.adapter is not None and scene.english and (told := jottings(scene.line)):
            return Reading(told, (Finding("plain", told=told.entries),))
        reply = yield self.request(scene)
        draft = _draft(reply)
        if draft.fault is not None:
            return Reading(draft, tuple(unreadable(draft)))
        findings = unreadable(draft)
        if self.lm.adapter is None or not scene.english:
            return Reading(draft, tuple(findings))
        if draft.facts or (not draft and tells_details(scene.line.text)):
            draft, compared = yield from self._truest(draft, scene)
            findings += compared
        if not draft and (plain := plain_statements(scene.line) or of_two(scene.line, scene)):
            return Reading(plain, (*findings, Finding("plain", told=plain.entries)))
        if not draft.facts:
            return Reading(draft, tuple(findings))
        draft, false = looked_at(draft, scene, FIRST)
        if false:
            two = Draft() if draft else of_two(scene.line, scene)
            left, mended = looked_at(draft, scene, LAST)
            return Reading(left.plus(two.entries), (*findings, *false, *mended, *_plainly(two)))
        whole, added = yield from self._with_left_out(draft, scene)
        draft, mended = looked_at(whole, scene, LAST)
        both = with_two(draft, scene)
        theirs = [found] if (found := difference("doer", draft, both)) else []
        return Reading(both, (*findings, *added, *mended, *theirs))

    def _truest(self, first: Draft, scene: Scene) -> Work[tuple[Draft, list[Finding]]]:
        """The first draft, or of further readings of the line the one with the fewest faults; for nothing, one without
        any. The first of them knows nothing: known rows may be what leads astray.
        """
        request = self.request(scene)
        again = [self.request(scene.unknowing())] if scene.known else []
        again += [_drawn(request, seed, temperature) for seed, temperature in enumerate(AGAIN, 1)]
        start, findings = looked_at(first, scene, (KINSHIP,))
        best, least = start, _faults(start, scene) if first else 1
        for one in again:
            if not least:
                break
            reply = yield one
            other, found = looked_at(_draft(reply), scene, (KINSHIP,))
            if start.touched and not other.touched and _of_before(other, scene):
                continue  # whom only an older line names has no part in what the line changes
            if other.facts and (count := _faults(other, scene)) < least:
                best, least, findings = other, count, found
        if best is not start and (found_better := difference("faithful", first, best)):
            findings = [found_better, *findings]
        return best, findings

    def _with_left_out(self, draft: Draft, scene: Scene) -> Work[tuple[Draft, list[Finding]]]:
        """The draft, and what a reading of each clause alone brings of which it told nothing."""
        whole, findings = draft, list[Finding]()
        for clause in untold(draft.facts, scene.line.text)[:MORE_CLAUSES]:
            part = scene.unknowing()._replace(line=Line(scene.line.speaker, clause))
            read = _draft((yield self.request(part)))
            more, found = looked_at(read, part, (KINSHIP, *FIRST))
            findings += [*unreadable(read), *found]
            if more.facts and not inventions(more.facts, clause, part.around()):
                whole = whole.plus(more.entries)
                continue
            findings += [untrue(more)] if more else []
            if (plain := plainly(clause, scene.line.speaker)) is not None:
                whole = whole.plus([replace(plain, topic=whole.added[-1].topic) if whole.added else plain])
        if found_more := difference("left_out", draft, whole):
            findings.append(found_more)
        return whole, findings

    def request(self, scene: Scene) -> Request:
        """The prompt and the options: the adapter's short prompt, or a guide for models without one."""
        line, known = scene.line, scene.known
        messages = storage_messages(scene.before, line, known)
        if self.lm.adapter is None:
            messages = self.prompt.before(messages)
        dates = list(dict.fromkeys(words for words, _ in find_dates(line.text, ANY_DAY)))
        grammar = storage_grammar(scene.subjects or [line.speaker], [row.id for row in known], dates)
        return Request(messages, Options(max_tokens=self.max_tokens, grammar=grammar, json_schema=SQL_SCHEMA))


def _faults(draft: Draft, scene: Scene) -> int:
    """`fidelity.faults` of the draft, and one more for each stranger.

    Known rows count as heard where the draft may change them, and where they are about somebody named in the line.
    """
    facts, named = draft.facts, names(scene.line.text) - {scene.line.speaker}
    rows = [row for row in scene.known if row.fact not in facts]  # to say one again is not to read the line
    if not draft.touched:
        rows = [row for row in rows if names(row.fact) & named]
    around = scene.around(rows)
    return faults(facts, scene.line.text, around) + len(strangers(" ".join(facts), [scene.line.text, *around]))


def _of_before(draft: Draft, scene: Scene) -> set[str]:
    """Whom the facts name, and of all that was said only lines before."""
    here = names(scene.line.text) | {scene.line.speaker, *(scene.subjects or ())}
    return (names(" ".join(draft.facts)) - here) & {name for _, said in scene.before for name in names(said)}


def _plainly(told: Draft) -> list[Finding]:
    return [Finding("plain", told=told.entries)] if told else []


def untrue(more: Draft) -> Finding:
    """That what a clause alone was read as is thrown away."""
    return Finding("left_out", lost=more.entries, reason="What came of that says what the part doesn't.")


def _draft(reply: Reply) -> Draft:
    return read_draft(reply.text, cut=reply.finish == "length")


def _drawn(request: Request, seed: int, temperature: float) -> Request:
    return request._replace(options=replace(request.options, temperature=temperature, top_p=0.95, seed=seed))

"""The storage agent: reads a line, has its draft checked, and writes it through the guard."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ...memory.language.about_others import Told, about_another, apart, people, with_capitals
from ...memory.language.asked.small_talk import is_small_talk, only_greets
from ...memory.language.detect import language_of
from ...memory.language.facts.put_right import may_answer, put_right, rights
from ...memory.language.language import Language, english
from ...memory.language.later.begins import begins
from ...memory.language.leaning.in_talk import understood
from ...memory.language.leaning.lines import both_of, leans, other_of, own_answer
from ...memory.language.leaning.talked_of import named_in_talk
from ...memory.language.quoted.whose import own_words
from ...memory.language.told.plainer import affirmed, plainer
from ...memory.values import ASSISTANT, Author, Doubt, Memory, Thrown, Turn, User, WriteResult
from ..chat.forgetting.wished import wishes
from ..decoding.batched_work import Work, side_by_side, through
from ..embedder import cross_encoder
from ..files.profiles.profile import profile_of
from ..lm import LM
from ..prompts.draft import Draft
from ..prompts.messages import Known, Line, one_line
from ..prompts.tuned import Prompt
from .changes.admitted import admitted
from .changes.changed_facts import is_mistaken, with_changes
from .changes.confirmed import confirmed
from .changes.ended import ENDED, Ends, JustSaid, in_own_words, just_said
from .changes.in_place import gone_on, homes_asked
from .changes.kept_facts import keeping
from .changes.meant_days import in_meant_days
from .changes.read_ends import with_ends
from .changes.retracted import retracted
from .changes.spared import asked_back, unlike
from .checks import Finding, difference
from .doing import as_said, of_them
from .invented_people import as_own_name
from .note_reader import NoteReader, dated
from .own_evidence import SECRET, OwnPart, as_read, heard, held_back, own_part, puts_right_alone, unquoted, unsaid
from .reading import MAX_TOKENS, Reader, Reading
from .told.fidelity import CAPITAL
from .told.known_as import as_known, without_namesakes
from .told.quotations import turned, unturned
from .told.scene import Scene

if TYPE_CHECKING:
    from ...memory.store.store import Store

KNOWN_ROWS, MOST_LIKE, MOST_ROWS = 4, 12, 1000
"""Rows shown beside a line, looked through for somebody's name, and the newest ones that a new fact may end."""
LEANT_ON, LONGEST_LEANT, QUOTED, TALK = 2, 160, 40, 16
"""Lines that one leans on, and characters of each; words of somebody else's that the journal shows; lines of the talk,
of both, among which is whom a line goes on to tell of."""
FAILED = ("check:readable", "agent:storage")
"""Who refuses what a model wrote where the model is to blame: nobody could read it, or the guard held it back."""


class StorageAgent:
    """Writes through `Store.write`, so that guard, journal and undo stand behind each statement."""

    def __init__(
        self, lm: LM, store: Store, *, max_tokens: int = MAX_TOKENS, language: str | None = None,
        prompt: Prompt | None = None,
    ) -> None:  # fmt: skip
        """`language`: that of all lines, as a code ("en"); None: told by each line. `prompt`: one tuned to the model,
        for one without an adapter; None: the hand-written guide."""
        self.lm, self.store, self.language = lm, store, language
        self.capable = profile_of(lm).capable and prompt is None
        """Whether it writes notes by instructions: then none of the checks for the small adapter runs. A tuned prompt
        tells it to write SQL."""
        self.small = lm.adapter is not None or (self.capable and profile_of(lm).small)
        """Whether a line is put as a small model reads it best: with its names, and with whom it leans on."""
        self.reader = Reader(lm, max_tokens, prompt)
        self.notes = NoteReader(lm, max_tokens)
        self.encoder: Callable[[], cross_encoder.CrossEncoder | None] = partial(cross_encoder.load, ENDED)
        """What reads a line with a fact that it may end; None: it isn't there."""

    def run(self, turns: Sequence[Turn], user: User) -> WriteResult:
        """Stores what the person's lines among `turns` tell; what the assistant says is context, never a source, and a
        question is none.

        Raises ModelError when the model fails; a refused statement is in the result, not raised.
        """
        done = WriteResult(())
        for turn in as_read(turns, self.language, self._earlier, wishes()) if self.small else turns:
            own = own_part(turn, self.language, self._earlier(turn), wishes())
            marked = self._journaled(turn, own, user)
            result = self._store(own.turn, own, user) if own.turn else self._only_right(turn, own, user)
            read = WriteResult(marked.entries, quoted=own.quoted, secret=bool(own.secrets))
            done = done.plus(read).plus(result)
        return done

    def _journaled(self, turn: Turn, own: OwnPart, user: User) -> WriteResult:
        """Notes what of a line was taken for somebody else's words, or is a secret: no model is shown it."""
        findings = [Finding("quoted", text=f"-- {one_line(' ... '.join(own.quoted), QUOTED)}")] if own.quoted else []
        findings += [Finding("secret", text=SECRET)] if own.secrets else []
        if findings:  # of a long line that is read in parts it is noted once
            noted = self.store.journal.entries(user.id, turn_id=turn.id, kind="refused")
            findings = [one for one in findings if one.text not in {entry.sql for entry in noted}]
        return self._written(Draft(), findings, turn, user, [user.subject])

    def propose(
        self, before: Sequence[Line], line: Line, known: Sequence[Known] = (), subjects: Sequence[str] | None = None
    ) -> Draft:
        """The draft for one line. `subjects`: whom it may write about (the speaker alone by default).

        What an adapter of ours wrote is checked against the line, and drawn anew if it isn't true to it.
        """
        return self.read(self.scene(before, line, known, subjects)).draft

    def propose_all(self, scenes: Sequence[Scene], tell: Callable[[int], None] = lambda done: None) -> list[Draft]:
        """`propose` for many lines as if nothing were known; side by side where the model can. `tell` is given the
        number of those that are done."""
        done = itertools.count(1)

        def told(scene: Scene) -> Work[Draft]:
            reading = yield from self._reading(scene.unknowing())
            tell(next(done))
            return reading.draft

        return side_by_side(self.lm, [told(self._told_language(scene)) for scene in scenes])

    def scene(
        self, before: Sequence[Line], line: Line, known: Sequence[Known] = (), subjects: Sequence[str] | None = None
    ) -> Scene:
        """What the model is shown, in the line's language."""
        return Scene(before, line, subjects, known, self._language_of(before, line))

    def beside(self, scene: Scene, asked: str) -> Scene:
        """The scene with what the line asks beside what it tells, as a line before it: "Who sings best? Mine is Ella."
        is a riddle without its first half. Facts of it alone are none (`heard`)."""
        if not asked or not self._checks(scene):
            return scene
        return scene._replace(before=[*scene.before, Line(scene.line.speaker, asked)])

    def read(self, scene: Scene) -> Reading:
        """The reading of a scene, one question to the model after the other."""
        return through(self.lm, self._reading(scene))

    def _reading(self, scene: Scene, *, second: bool = False) -> Work[Reading]:
        return self.notes.read(scene, second=second) if self.capable else self.reader.read(scene)

    def _told_language(self, scene: Scene) -> Scene:
        return scene._replace(language=self._language_of(scene.before, scene.line))

    def _language_of(self, before: Sequence[Line], line: Line) -> Language:
        """That of the line; one that tells nothing ("ok", "Themba is vegan.") has that of the line before."""
        earlier = [said for who, said in before if who == line.speaker][-1:]
        talk = language_of(earlier[0], self.language) if earlier else None
        return language_of(line.text, self.language, before=talk)

    def _store(self, turn: Turn, own: OwnPart, user: User) -> WriteResult:
        turn = self._plain(self._with_both(self._with_capitals(turn, user)))
        turn = self._with_names(turn, user)
        scene, asides, names = self._scene_of(turn, user)
        if self.capable:
            return self._unsilent(self._store_notes(scene, turn, own, user), scene, turn, user)
        if only_greets(turn.text, scene.language, asked=scene.asked):
            return WriteResult(())
        rows, seen = self._rows(scene, user), self.beside(scene, own.asked)
        reading = self._of_the_matter(seen, rows)
        asked = own.asked if seen is not scene else ""
        draft = reading.draft.mapped(partial(as_own_name, line=scene.line)) if scene.english else reading.draft
        draft = as_known(draft, [row.fact for row in rows], scene.line)
        draft, unheard = heard(draft, scene, turn, (row.fact for row in scene.known), asked)
        findings, subjects = [*reading.findings, *unheard], [user.subject]
        if self._checks(scene):
            whole = [] if draft or reading.draft.fault else [scene.line.text]
            for aside in [*whole, *asides]:
                told = about_another(aside, user.subject, names, surely=not reading.of_somebody_else)
                if told is not None:
                    other = self.read(self.scene((), Line(told.name, told.line), self._about(user, told), [told.name]))
                    subjects = [*subjects, told.name]
                    draft, findings = draft.plus(of_them(other.draft, told)), [*findings, *other.findings]
        draft, theirs = unquoted(draft, turn, own)
        result = self._settled(draft, [*findings, *theirs], turn, user, scene, rows, subjects, own)
        return self._unsilent(result, scene, turn, user)

    def _only_right(self, turn: Turn, own: OwnPart, user: User) -> WriteResult:
        """Of a line that tells nothing, a number or day that it puts right: "make that ten weeks" is no request where
        the line right before told of twelve and asked for nothing."""
        before = self._earlier(turn)
        if not own.denied and not puts_right_alone(turn, own, before, self.language):
            return WriteResult(())
        scene = self._scene_of(turn, user)[0]
        rows = self._rows(scene, user)
        turn = replace(turn, text="") if own.denied else turn
        just = self._just_said(turn, rows, scene).rows & {row.id for row in rows if row.said_at == before[-1].said_at}
        if not own.denied and not any(put_right(row.fact, turn.text, user.subject) for row in rows if row.id in just):
            return WriteResult(())
        return self._settled(Draft(), (), turn, user, scene, rows, [user.subject], own)

    def _unsilent(self, result: WriteResult, scene: Scene, turn: Turn, user: User) -> WriteResult:
        """With a note in the journal that nothing was kept of a line, where nothing else tells what became of it."""
        told = result.entries or result.held or result.doubts or result.refused
        if told or is_small_talk(scene.line.text, scene.language, asked=scene.asked):
            return result
        nothing = Finding("no_note", text=f"-- {one_line(turn.text, QUOTED)}")
        return replace(result, entries=self._written(Draft(), [nothing], turn, user, [user.subject]).entries)

    def _store_notes(self, scene: Scene, turn: Turn, own: OwnPart, user: User) -> WriteResult:
        """The same with a model that reads instructions: small talk is told by its words, all else is one call, and of
        each line it is known what became of it. A line at which the model fails is tried once more later."""
        if is_small_talk(scene.line.text, scene.language, asked=scene.asked):
            return WriteResult(())
        second = self._failed_before(turn, user)
        reading = through(self.lm, self.notes.read(scene, second=second))
        draft = reading.draft.mapped(partial(dated, scene=scene, alone=len(reading.draft.entries) == 1))
        draft, unheard = heard(draft, scene, turn, (row.fact for row in scene.known))
        draft, theirs = unquoted(draft, turn, own)
        findings = [*reading.findings, *unheard, *theirs]
        result = self._settled(draft, findings, turn, user, scene, self._rows(scene, user), [user.subject], own)
        failed = reading.draft.fault is not None or result.refused is not None
        return replace(result, again=failed and not second)

    def _failed_before(self, turn: Turn, user: User) -> bool:
        """Whether a model has failed at the line already: its draft couldn't be read, or the guard refused it."""
        noted = self.store.journal.entries
        return any(one.author.actor in FAILED for one in noted(user.id, turn_id=turn.id, kind="refused"))

    def _rows(self, scene: Scene, user: User) -> list[Memory]:
        """What a new fact may end, oldest first; of a line that isn't in English, nothing by our rules."""
        rows = self.store.facts.all(user.id, limit=MOST_ROWS, newest=True, derived=False) if scene.english else []
        return without_namesakes(rows[::-1], scene.line.text)

    def _settled(
        self, draft: Draft, findings: Sequence[Finding], turn: Turn, user: User, scene: Scene, rows: Sequence[Memory],
        subjects: Sequence[str], own: OwnPart,
    ) -> WriteResult:  # fmt: skip
        """Writes the draft with the changes that the line means for the known rows; of a line that nods, asks first."""
        if not scene.english:
            return self._asking(draft, unsaid(findings, own.secrets), turn, user, subjects, scene.language)
        before = self._earlier(turn)
        dated = partial(in_meant_days, turn=turn, scene=scene, rows=rows, zone=self.store.zone, before=before)
        draft = dated(draft)
        just = self._just_said(turn, rows, scene, own.agrees)
        after, doubts = with_changes(draft, rows, turn.text, user.subject, just.rows)
        ruled = after.touched
        after, doubts = self._over(dated(gone_on(after, rows, turn.text)), draft, rows, doubts, turn, user, just)
        after, doubts = retracted(after, doubts, rows, own.denied, user.subject, turn.text)
        after, asked = admitted(after, doubts, rows, f"{own.asked} {turn.text}".strip(), just.rows)
        asked += homes_asked(after, rows, turn.text)
        touched, after = {*ruled, *after.touched}, dated(keeping(after, rows, turn.text, user.subject))
        after, asked = unturned(after, asked, [] if own.denied else rows, Line(user.subject, turn.text), just.rows)
        told = [*unsaid(findings, own.secrets), *filter(None, [difference("overtaken", draft, after)])]
        after, back = asked_back(after, rows, asked) if own.nods else (after, ())
        after = after if own.denied else in_own_words(after, rows, Line(user.subject, turn.text))
        subjects = [*dict.fromkeys([*subjects, *(row.subject for row in rows if row.id in touched)])]
        return replace(self._asking(after, told, turn, user, subjects, scene.language), doubts=(*asked, *back))

    def _just_said(self, turn: Turn, rows: Sequence[Memory], scene: Scene, agrees: bool = False) -> JustSaid:
        """The speaker's last telling line of two; none where the line answers what the assistant asks. `agrees`:
        whether the line begins with a yes."""
        earlier = self._earlier(turn)
        answers = scene.asked and may_answer(turn.text)
        just = JustSaid() if answers else just_said(earlier[-2:], rows, LONGEST_LEANT)
        return just._replace(confirmed=confirmed(self.store, turn, earlier, rows)) if agrees else just

    def _over(
        self, draft: Draft, told: Draft, known: Sequence[Memory], doubts: Sequence[Doubt], turn: Turn, user: User,
        just: JustSaid,
    ) -> tuple[Draft, tuple[Doubt, ...]]:  # fmt: skip
        """The draft with the ends that no rule saw, without those that the reader doesn't believe, and what is to ask.
        `told`: the draft before rules looked at it."""
        encoder = None if not turn.text or (draft.touched and rights(turn.text)) else self.encoder()
        if encoder is None:
            return unlike(draft, known, turn.text), tuple(doubts)
        ends = Ends(encoder, Line(user.subject, turn.text), self._leant_on(turn), just, begins(turn, self.store.zone))
        said = f"{ends.before} {turn.text}".strip()
        near = self.store.search(user.id, said, limit=MOST_LIKE, use_turns=False, speaker=user.subject).memories
        alone = Scene((), ends.line, language=english())
        return with_ends(draft, told, known, near, doubts, ends, lambda fact: as_said(fact, alone))

    def _leant_on(self, turn: Turn) -> str:
        """The speaker's line right before one that is understood with it alone; where that leans, its own one, too."""
        near = self._earlier(turn)[-LEANT_ON:] if leans(turn.text) else []
        near = near if near and leans(near[-1].text) else near[-1:]
        return " ".join(filter(None, (own_words(one.text, one.speaker)[-LONGEST_LEANT:] for one in near)))

    def _asking(
        self, draft: Draft, findings: Sequence[Finding], turn: Turn, user: User, subjects: Sequence[str],
        language: Language,
    ) -> WriteResult:  # fmt: skip
        """Writes what needs no asking."""
        kept, held = held_back(draft, turn, language, subjects)
        asked = [found] if held and (found := difference("asked_first", draft, kept)) else []
        return replace(self._written(kept, [*findings, *asked], turn, user, subjects), held=tuple(held))

    def _scene_of(self, turn: Turn, user: User) -> tuple[Scene, list[str], set[str]]:
        """The line with what is known of its matter, its clauses about others, and the names that are known."""
        earlier = self.store.turns.before(turn, 2)  # others may have been said since
        before = [
            Line(ASSISTANT, t.text) if t.speaker == ASSISTANT else Line(user.subject, said)
            for t in earlier
            if (said := t.text if t.speaker == ASSISTANT or t.storage == "kept" else own_words(t.text, t.speaker))
        ]
        known = [Known(m.id, m.topic, m.fact) for m in self._related(user, turn)]
        scene = self.scene(before, Line(user.subject, turn.text), known, [user.subject])
        if not self.small or not scene.english:
            return scene, [], set()
        names = self._people(user, turn)
        own = [line.text for line in before if line.speaker == user.subject][-1:]
        said = own_answer(turn.text, own[0]) if own else turn.text
        if said != turn.text and (own := self._before_the_question(turn)):
            said = named_in_talk(said, own, user.subject, names)
        if not self._checks(scene):
            return scene._replace(line=Line(user.subject, affirmed(said))), [], set()
        text, asides = apart(said, user.subject, names)
        before += [Line(user.subject, aside) for aside in asides]  # "her" in the rest may be the one told of there
        return scene._replace(before=before, line=Line(user.subject, affirmed(text)), asides=asides), asides, names

    def _plain(self, turn: Turn) -> Turn:
        """The line as a small model reads it best."""
        if not self.small or language_of(turn.text, self.language).code != "en":
            return turn
        return replace(turn, text=plainer(turn.text))

    def _with_both(self, turn: Turn) -> Turn:
        """A line with what "both" and "the other one" stand for, as the speaker's lines before it tell."""
        low = turn.text.lower()
        earlier = [one.text for one in self._earlier(turn)] if "both" in low or "the other" in low else []
        if not earlier or language_of(turn.text, self.language).code != "en":
            return turn
        return replace(turn, text=other_of(both_of(turn.text, earlier[-1]), earlier))

    def _with_names(self, turn: Turn, user: User) -> Turn:
        """The line with who is meant in the place of pronouns, where a small model reads it."""
        if not self.small or language_of(turn.text, self.language).code != "en":
            return turn
        talk = self._own_lines(turn)
        return replace(turn, text=understood(turn.text, talk, user.subject, self._people(user, turn)))

    def _earlier(self, turn: Turn, limit: int = 6) -> list[Turn]:
        """The speaker's lines shortly before."""
        return [t for t in self.store.turns.before(turn, limit) if t.speaker == turn.speaker]

    def _own_lines(self, turn: Turn) -> list[str]:
        """What the speaker said shortly before in their own voice: whom a pasted text names is not whom they mean."""
        told = (t.text if t.storage == "kept" else own_words(t.text, t.speaker) for t in self._earlier(turn, TALK))
        return [plainer(one) for one in told if one]

    def _before_the_question(self, turn: Turn) -> list[str]:
        """The speaker's last telling line before the question that a line answers, if it is near."""
        return [told.text for t in self._earlier(turn)[:-1] if (told := own_part(t, self.language).turn)][-1:]

    def _with_capitals(self, turn: Turn, user: User) -> Turn:
        """A line in small letters or all in capitals with capitals for its names, by which a small model tells them."""
        typed = turn.text[:1].islower() or turn.text in (turn.text.lower(), turn.text.upper())
        if not self.small or not typed or language_of(turn.text.lower(), self.language).code != "en":
            return turn
        return replace(turn, text=with_capitals(turn.text, self._people(user, turn)))

    def _checks(self, scene: Scene) -> bool:
        """Whether rules of ours look at what is written: an adapter's, for a line in English."""
        return self.lm.adapter is not None and scene.english

    def _of_the_matter(self, scene: Scene, rows: Sequence[Memory]) -> Reading:
        """The reading; one that would change a row of another matter is made again as if nothing were known."""
        reading, line = self.read(scene), scene.line
        if not scene.strays(reading.draft) and not is_mistaken(reading.draft, rows, line.text, line.speaker):
            return reading
        again = self.read(scene.unknowing())
        found = difference("same_matter", reading.draft, again.draft)
        return again._replace(findings=(*reading.findings, *([found] if found else []), *again.findings))

    def _written(
        self, draft: Draft, findings: Sequence[Finding], turn: Turn, user: User, subjects: Sequence[str]
    ) -> WriteResult:
        """Writes the draft, and into the journal what checks threw away: nothing is lost in silence."""
        thrown = [Thrown(f"check:{one.check}", one.sql(), one.sentence) for one in findings if one.lost or one.text]
        if not draft and not thrown:
            return WriteResult(())
        return self.store.facts.write(
            user.id, draft.sql(), author=Author("agent:storage", self.lm.name, self.lm.adapter), turn_ids=[turn.id],
            session_id=turn.session_id, subjects=subjects, said_at=turn.said_at, thrown=thrown,
        )  # fmt: skip

    def _people(self, user: User, turn: Turn) -> set[str]:
        """Names of people in what is known of the matter."""
        bare = " ".join(word[:-1] for word in turn.text.split() if word.endswith("s"))  # "lous moved out"
        found = self.store.search(user.id, f"{turn.text} {bare}", limit=MOST_LIKE, use_turns=False).memories
        return people((memory.subject, memory.fact) for memory in found if not memory.derived)

    def _about(self, user: User, told: Told) -> list[Known]:
        """Rows about somebody of whom a line tells by name."""
        found = self.store.search(user.id, f"{told.name} {told.line}", limit=MOST_LIKE, use_turns=False).memories
        about = [m for m in found if not m.derived and told.name in (m.subject, *CAPITAL.findall(m.fact))]
        return [Known(m.id, m.topic, m.fact) for m in sorted(about, key=lambda memory: memory.id)[-KNOWN_ROWS:]]

    def _related(self, user: User, turn: Turn) -> list[Memory]:
        recall = self.store.search(user.id, turn.text, limit=KNOWN_ROWS, use_turns=False, speaker=user.subject)
        found = without_namesakes(turned(recall.memories), turn.text)
        told = [one for one in found if not one.derived and one.subject == user.subject]
        return sorted(told[:KNOWN_ROWS], key=lambda memory: memory.id)

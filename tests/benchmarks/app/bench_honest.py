"""Whether the chat says so when it wasn't told, its answer model in it: `python tests/benchmarks/app/bench_honest.py`.

Questions are asked after a talk as the chat asks them: search with its floor, what can be read off the memory, else the
answer model, whose reply is then checked (`models/chat/honest.py`). Counted is, of questions that were never told, how
many are said to be so; of told ones, how many are refused and how many are answered right (all key words of the answer
stand in the reply); of questions and small talk that ask nothing of the memory, how many are refused.

Sets: `talks`, those written one by one that the answer adapter wasn't trained on, with their never-told questions, and
each of their told questions after the talk without what answers it ("taken out"); `templates`, likewise; `scripts`,
the open scripts of `chatmem eval chat`, asked their own questions and those of three others; `study`, talks that may be
read (the adapter knows their told and never-told questions).

No SELECT is written, so what is counted or listed is asked of search alone. `--replies FILE` keeps what the model
writes by its prompt, so that a check is tried anew without a model; `--against FILE` compares with an earlier `--out`,
question by question. `--gold` takes the right answer in place of the model's reply: how many of these a check spoils
(no answer model is needed). What the reader asks the small model is asked anew; with `--no-reader` none is loaded.
`--show` prints the questions and replies of a kind: for `study` only.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from chatmem.eval.agents.talks.script import Script, load_script, matches, shipped
from chatmem.eval.measures.intervals import Estimate, bootstrap, wilson
from chatmem.eval.measures.locomo_score import says_unknown
from chatmem.memory.language.asked.telling import told_part
from chatmem.memory.language.language import english
from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT, Moment, Recall, User
from chatmem.models.chat.answer import AnswerAgent
from chatmem.models.chat.direct import Direct, direct
from chatmem.models.chat.honest import honest
from chatmem.models.chat.reader.reply import read_out
from chatmem.models.embedder.minilm import load_embedder
from chatmem.models.lm import LM, Chunk, Message
from chatmem.models.registry import for_role, load
from chatmem.training.material.stored import stored_talk
from chatmem.training.material.taken_out import without
from chatmem.training.material.templates.generate import generate
from chatmem.training.material.templates.talk import GoldTalk
from chatmem.training.material.templates.told import manner_talks, told_talks, unseen_talks
from chatmem.training.recall.known_fit import held_talks

KINDS = ("told", "never told", "taken out", "general")
SETS = ("talks", "templates", "scripts", "study", "manners", "unseen")
OTHERS = 3
"""Scripts whose questions another script is asked."""
STUDIED = 3
"""Told questions of each studied talk, and as many taken out."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was answered. `kind`: "told", "never told", "taken out" or "general"; `read_off`: without a
    model; `raw`: what the model wrote."""

    set: str
    talk: str
    kind: str
    question: str
    keys: tuple[str, ...]
    reply: str
    raw: str
    read_off: bool

    @property
    def name(self) -> str:
        return f"{self.set}/{self.kind}/{self.talk}/{self.question}"

    @property
    def refused(self) -> bool:
        return says_unknown(self.reply)

    @property
    def right(self) -> bool:
        return bool(self.keys) and matches(self.keys, self.reply)


class Answers:
    """The chat's replies in one store, with what the model wrote kept by its prompt."""

    def __init__(
        self,
        store: Store,
        kept: Path | None,
        *,
        gold: bool = False,
        model: str = "",
        words: int = 200,
        reader: bool = True,
    ) -> None:
        self.store, self.kept, self.gold, self.words, self.reader = store, kept, gold, words, reader
        self.model = model or for_role("embedded", "answer")
        self.lm = None if kept or gold else self._load()
        self.written: dict[str, str] = {}
        if kept and kept.exists():
            for line in kept.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self.written[row["key"]] = row["reply"]

    def _read(self, user: User, recall: Recall) -> Direct | None:
        if not self.reader:
            return None
        return read_out(self.store, user, recall, english())

    def _load(self) -> LM:
        return load(self.model, threads=1)

    def ask(self, user: User, question: str, now: Moment | None = None, gold: str = "") -> tuple[str, str, bool]:
        """The reply, what the model wrote (or the right answer, `gold`), and whether the reply was read off."""
        now = now or self.store.now()
        recall = self.store.search(
            user.id, question, speaker=user.subject, word_budget=self.words, limit=12, now=now, floor=True
        )
        found = direct(self.store, user, recall, english()) or self._read(user, recall)
        if found is not None:
            return found.text, "", True
        raw = gold if self.gold else self._raw(user, recall, question, now)
        return "".join(piece.text for piece in honest(iter([Chunk(raw, "stop")]), recall)), raw, False

    def _raw(self, user: User, recall: Recall, question: str, now: Moment) -> str:
        agent = AnswerAgent(self.lm or _Counting(), words=self.words)
        messages = agent.prompt(user, recall, (), question, now)
        key = _key(messages)
        if key not in self.written:
            if self.lm is None:
                self.lm = self._load()
            agent = AnswerAgent(self.lm, words=self.words)
            said = "".join(piece.text for piece in agent.reply(user, recall, (), question, now))
            self.written[key] = said.strip()
            if self.kept:
                with self.kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"key": key, "question": question, "reply": said.strip()}) + "\n")
        return self.written[key]


class _Counting:
    """Stands for the model where only its prompt is needed: short talks are never cut."""

    name, adapter, context_tokens = "embedded", "answer", 8192

    @property
    def profile(self) -> object:
        from chatmem.models.files.profiles.profile import SHIPPED

        return SHIPPED

    def count_tokens(self, text: str) -> int:
        return len(text) // 3


def _key(messages: Sequence[Message]) -> str:
    return hashlib.sha256(json.dumps([[one.role, one.content] for one in messages]).encode()).hexdigest()[:20]


def of_talks(
    answers: Answers, talks: Sequence[GoldTalk], name: str, kinds: Sequence[str], some: int = 0
) -> Iterator[Asked]:
    """The talks' questions of these kinds. `some`: so many told ones of each, and others taken out; 0: all."""
    for number, talk in enumerate(talks):
        label, now, rng = f"{name}-{number}", talk.lines[-1].said_at, random.Random(f"{name}-{number}")
        user = stored_talk(answers.store, label, talk, rng)
        told = [one for one in talk.questions if one.needs is not None]
        chosen = rng.sample(told, min(len(told), some * 2)) if some else told
        for one in talk.questions:
            if one.needs is None or not some or one in chosen[:some]:
                kind = "never told" if one.needs is None else "told"
                if kind in kinds:
                    reply = answers.ask(user, one.text, now, one.answer)
                    yield Asked(name, label, kind, one.text, one.key_words, *reply)
        for place, one in enumerate(chosen[some:] if "taken out" in kinds else ()):
            other = stored_talk(
                answers.store, f"{label}-{place}", without(talk, one), random.Random(f"{label}-{place}")
            )
            yield Asked(name, label, "taken out", one.text, one.key_words, *answers.ask(other, one.text, now))
        lines = [line.text for line in talk.lines if line.speaker != ASSISTANT and not line.facts and not line.question]
        lines = lines if "general" in kinds else []
        for text in [one for one in lines if "?" in one and not told_part(one, english())]:
            yield Asked(name, label, "general", text, (), *answers.ask(user, text, now))


def of_scripts(answers: Answers) -> Iterator[Asked]:
    """The open scripts' own questions, and those of others."""
    scripts = [load_script(path) for name in ("first", "open") for path in shipped(name)]
    users = [_told(answers.store, number, script) for number, script in enumerate(scripts)]
    for number, (script, user) in enumerate(zip(scripts, users, strict=True)):
        for ask in script.asks:
            yield Asked("scripts", script.name, "told", ask.question, ask.keys, *answers.ask(user, ask.question))
        common = {ask.question.lower() for ask in script.asks}
        others = [scripts[(number + step) % len(scripts)] for step in range(1, OTHERS + 1)]
        for ask in [one for other in others for one in other.asks if one.question.lower() not in common]:
            yield Asked("scripts", script.name, "never told", ask.question, (), *answers.ask(user, ask.question))


def _told(store: Store, number: int, script: Script) -> User:
    user = store.users.call(store.users.get(f"script-{number}").id, script.name.split(": ")[-1])
    session = store.sessions.start(user.id)
    for line in script.lines:
        store.turns.add(session.id, user.subject, line)
    store.vectors.embed_pending(user.id, limit=1_000)
    return user


def asked(answers: Answers, name: str, kinds: Sequence[str]) -> Iterator[Asked]:
    """The questions of a set."""
    if name == "scripts":
        return of_scripts(answers)
    if name == "templates":
        return of_talks(answers, list(generate(seed=78, n=40, split="valid")), name, kinds)
    of_set = {"talks": told_talks, "manners": manner_talks}.get(name)
    if of_set is not None:
        return of_talks(answers, of_set("valid"), name, kinds)
    if name == "unseen":
        return of_talks(answers, unseen_talks(), name, kinds)
    return of_talks(answers, held_talks()[0], name, kinds, STUDIED)


def table(rows: Sequence[Asked]) -> dict[str, Estimate]:
    """What is counted of each set and kind."""
    found: dict[str, Estimate] = {}
    for name in dict.fromkeys((one.set, one.kind) for one in rows):
        some = [one for one in rows if (one.set, one.kind) == name]
        found[f"{name[0]}: {name[1]}, refused"] = wilson(sum(one.refused for one in some), len(some))
        if name[1] == "told":
            found[f"{name[0]}: told, right"] = wilson(sum(one.right for one in some), len(some))
    return found


def paired(rows: Sequence[Asked], before: Sequence[Asked]) -> dict[str, Estimate]:
    """Now minus before, of the same questions."""
    then, found = {one.name: one for one in before}, dict[str, Estimate]()
    for name in dict.fromkeys((one.set, one.kind) for one in rows):
        some = [(one, then[one.name]) for one in rows if (one.set, one.kind) == name and one.name in then]
        title = f"{name[0]}: {name[1]}"
        found[f"{title}, refused, now - before"] = bootstrap([float(a.refused) - b.refused for a, b in some])
        if name[1] == "told":
            found[f"{title}, right, now - before"] = bootstrap([float(a.right) - b.right for a, b in some])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=["talks", "templates", "scripts"])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--replies", type=Path, metavar="FILE", help="what the model wrote, kept by its prompt")
    parser.add_argument("--model", default="", metavar="SPEC", help="the answer model (default: the one that ships)")
    parser.add_argument("--words", type=int, default=200, help="words of memory shown (default: %(default)s)")
    parser.add_argument("--no-reader", action="store_true", help="the model replies wherever nothing is read off")
    parser.add_argument("--out", type=Path, metavar="FILE", help="each question with its reply, as JSON lines")
    parser.add_argument("--against", type=Path, metavar="FILE", help="an earlier --out")
    parser.add_argument("--gold", action="store_true", help="the right answers in place of the model's (--kinds told)")
    parser.add_argument("--show", metavar="KIND", help="print the questions and replies of a kind of `study`")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "m.db", embedder=load_embedder()) as store:
        answers = Answers(
            store, args.replies, gold=args.gold, model=args.model, words=args.words, reader=not args.no_reader
        )
        rows = [one for name in args.sets for one in asked(answers, name, args.kinds)]
    if args.out:
        args.out.write_text("".join(json.dumps(asdict(one)) + "\n" for one in rows), encoding="utf-8")
    told = table(rows)
    if args.against:
        lines = args.against.read_text(encoding="utf-8").splitlines()
        told |= paired(rows, [Asked(**{**row, "keys": tuple(row["keys"])}) for row in map(json.loads, lines)])
    for name, one in told.items():
        print(f"{name:50} {one}")
    for one in [row for row in rows if row.set == "study" and row.kind == args.show]:
        mark = "no" if one.refused else "ok" if one.right else "--"
        print(f"{mark} {one.talk} {one.question} -> {one.reply}" + (f" ({one.raw})" if one.raw != one.reply else ""))


if __name__ == "__main__":
    main()

"""`chatmem ask`: one answer from what is remembered. Nothing of it is kept unless --keep is given."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...memory.errors import ModelError, WrongUsage
from ..context import Context, put, put_json, say
from ..line.command import FLAGS, add_settings

if TYPE_CHECKING:
    from ...memory.values import Recall
    from ...models.lm import Chunk
    from ..shown.events import Event

EXAMPLE = 'chatmem ask "What is my cat called?"'


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("question", nargs="*", help="what to ask; - or none: read it from stdin")
    parser.add_argument(
        "--keep", action="store_true", help="keep question and answer as a session, and remember what you told in it"
    )
    parser.add_argument("--why", action="store_true", help="tell on stderr what the answer was built on")
    parser.add_argument("--json", action="store_true", help="the answer with its sources, as JSON")
    add_settings(parser, [name for name in FLAGS if name != "color"])
    parser.set_defaults(act=_ask)


@dataclass(slots=True)
class Answer:
    """One answer, as far as it has come. `cut`: it met the limit of a reply's length. `session`: where it is kept."""

    text: str = ""
    recall: Recall | None = None
    model: str = ""
    cut: bool = False
    session: int | None = None
    written: list[Any] = field(default_factory=list)

    def take(self, happening: Iterable[Event | Chunk]) -> None:
        """What happens while an answer is made. Raises ModelError for an answer that failed."""
        from ..shown import events as e

        for each in happening:
            if isinstance(each, e.Recalled):
                self.recall = each.recall
            elif isinstance(each, e.ReplyStarted):
                self.model = each.model
            elif isinstance(each, e.SessionStarted):
                self.session = each.session.id
            elif isinstance(each, e.ReplyFinished):
                self.cut = each.truncated
            elif isinstance(each, e.MemoryWritten):
                self.written += each.entries
            elif isinstance(each, e.Failed):
                raise ModelError(each.text)
            elif isinstance(each, (e.Notice, e.MemoryDelayed, e.MemoryRefused)):
                _tell(each)
            elif not isinstance(each, e.Event) or isinstance(each, e.ReplyChunk):
                self.text += each.text
                self.cut = self.cut or getattr(each, "finish", None) == "length"


def _ask(args: argparse.Namespace, context: Context) -> int:
    from ..line.thinking import Thinking

    question = _question(args.question)
    most = context.settings.line_chars
    if len(question) > most:
        half = f"{most // 2:,}"
        told = f"its first {half} and its last {half}, and nothing between them"
        say(f"That question has {len(question):,} characters; a model reads only {told}.")
    watched = sys.stderr is not None and sys.stderr.isatty()
    with Thinking(sys.stderr) if watched else nullcontext():
        answer = _kept(question, context) if args.keep else _answered(question, context)
    text = answer.text.strip()
    if not text:
        raise ModelError("The model had nothing to say; ask in other words.")
    if args.json:
        put_json(_as_json(question, text, answer, args.keep))
    else:
        put(text)
    if args.why:
        _explain(answer)
    return 0


def _question(words: list[str]) -> str:
    """What is asked, from the command line or from stdin. Raises InputError."""
    from ..config.safe_text import typed

    text = " ".join(words)
    if words in ([], ["-"]):
        if sys.stdin is None or (not words and sys.stdin.isatty()):
            raise WrongUsage(f"Write what to ask, as in `{EXAMPLE}`, or pipe it in.")
        text = sys.stdin.read()
    text = typed(text).strip()
    if not text:
        raise WrongUsage(f"There is no question; write it, as in `{EXAMPLE}`.")
    return text


def _answered(question: str, context: Context) -> Answer:
    """The answer to a question that nobody keeps: the memory is only read."""
    from ...memory.values import Turn
    from ..chat import talk
    from ..chat.models import AgentLoader
    from ..chat.state import ChatState

    answer = Answer()
    with context.open_store(writes=False, search=True) as store:
        user = context.require_user(store)
        loader = AgentLoader(context.settings, lambda: store)
        loader.check()
        state = ChatState(lambda: store, loader, context.settings, lambda event: None)
        try:
            turn = Turn(0, 0, 0, user.subject, question, store.now())
            answer.take(talk.answered(state, loader.get(), turn))
        finally:
            loader.close()
    return answer


def _kept(question: str, context: Context) -> Answer:
    """The answer in a session of its own, as in a chat; what the question tells is remembered before this returns."""
    from ..chat import talk
    from ..chat.models import AgentLoader
    from ..config.logs import log_to
    from ..controller import Controller

    log_to(context.paths)
    loader = AgentLoader(context.settings, lambda: controller.store)
    loader.check()
    controller = Controller(lambda: context.open_store(search=True), loader, context.settings)
    answer, background = Answer(), list[Any]()
    controller.subscribe(background.append)
    try:
        answer.take(talk.talk(controller.state, question))
        controller.wait()
        answer.take(background)
        controller.end_session()
    finally:
        controller.close()
    return answer


def _as_json(question: str, text: str, answer: Answer, kept: bool) -> dict[str, Any]:
    recall = answer.recall
    told: dict[str, Any] = {
        "question": question, "answer": text, "cut": answer.cut, "model": answer.model,
        "sources": recall.items if recall else (), "sql": recall.sql if recall else None,
    }  # fmt: skip
    return told | ({"session": answer.session, "written": answer.written} if kept else {})


def _explain(answer: Answer) -> None:
    from ..shown.render import explained

    if answer.recall is not None:
        for line, _ in explained(answer.recall, {}):
            say(line)


def _tell(event: Event) -> None:
    from ..shown.render import lines

    for line, _ in lines(event):
        say(line)

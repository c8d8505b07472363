"""Questions after talks, asked as the chat asks them: what it replies, and how sure its reader was."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ....memory.language.detect import language_of
from ....memory.language.typed.texting import typed_out
from ...measures.locomo_score import says_unknown
from ...runs.models import forgetting, load
from ...runs.records import Records
from .talks import AskedTalk, TalkSet

if TYPE_CHECKING:
    from ....memory.store.store import Store
    from ....memory.values import Moment, User
    from ....models.lm import LM

Said = Literal["known", "unsure", "not known"]
SAID: tuple[Said, ...] = ("known", "unsure", "not known")


def ask_all(
    model: str, sets: Sequence[TalkSet], records: Records, *,
    threads: int | None = None, tell: Callable[[int], None] = lambda done: None,
) -> list[dict[str, Any]]:  # fmt: skip
    """A row for each question of the sets, those that the record holds among them. Raises ModelError; what is done is
    kept."""
    from ....memory.store.store import Store
    from ....models.embedder.minilm import load_embedder
    from ....models.registry import for_role

    wanted = [(one, talk) for one in sets for talk in one.talks]
    keys = [f"{one.name} {talk.key(ask)}" for one, talk in wanted for ask in talk.asks]
    done, asked = records.done, {*keys}
    if not asked <= done:
        with (
            closing(load(for_role(model, "answer"), threads)) as answering,
            closing(load(for_role(model, "retrieval"), threads)) as looking,
        ):
            vectors = load_embedder()
            for one, talk in wanted:
                if all(f"{one.name} {talk.key(ask)}" in done for ask in talk.asks):
                    continue
                with (
                    tempfile.TemporaryDirectory(prefix="chatmem-eval-") as folder,
                    Store.open(Path(folder) / "talk.db", embedder=vectors) as store,
                ):
                    asker = Asker(store, answering, looking)
                    _after(asker, one, talk, records, lambda: tell(len(asked & records.done)))
    rows = {str(row["key"]): row for row in records.rows}
    return [rows[key] for key in keys]


def _after(asker: Asker, of: TalkSet, talk: AskedTalk, records: Records, tell: Callable[[], None]) -> None:
    """The questions after one talk that have no row yet."""
    user = talk.tell(asker.store, talk.name)
    for ask in talk.asks:
        key = f"{of.name} {talk.key(ask)}"
        if key not in records.done:
            row = {"key": key, "set": of.name, "talk": talk.name, "kind": ask.kind, "question": ask.text}
            records.add(row | {"keys": ask.keys} | asker.ask(user, ask.text, talk.now))
            tell()


@dataclass(frozen=True, slots=True)
class Asker:
    """The chat's agents over a store, in the order of `chatmem chat` (`app/chat/talk.py`), after a new start."""

    store: Store
    answering: LM
    looking: LM

    def ask(self, user: User, question: str, now: Moment) -> dict[str, Any]:
        """The reply; who gave it (`by`); how sure the reader was (`surety`, a logit; None: it didn't read); whether it
        doubts at any surety, for what it read is another's; what is `said` of the memory. Raises ModelError."""
        from ....models.chat.reader.instead import instead
        from ....models.chat.reader.reply import reading_of
        from ....models.chat.retrieval import RetrievalAgent
        from ....models.files.profiles.profile import profile_of

        profile = profile_of(self.answering)
        language = language_of(question, thorough=False)
        text = typed_out(question) if not profile.capable and language.code == "en" else question
        forgetting(self.looking)()
        retrieval = RetrievalAgent(self.looking, self.store, words=profile.memory_words, floor=True)
        recall = retrieval.recall(user, text, now=now, asker=user.subject)
        found = instead(
            self.store, user, recall, language, zone=self.store.zone, capable=profile.capable,
            reads=profile.chooses,
        )  # fmt: skip
        read = found is None or found.surety is not None
        reading = reading_of(self.store, user, recall, language) if read and profile.chooses != "itself" else None
        shown = found.recall if found else recall
        reply = (found.text if found else "") or self._written(user, shown, text, now)
        by = "model" if found is None else "reader" if found.surety is not None else "rules"
        if recall.untold or recall.general:
            by = "floor"
        return {
            "reply": reply, "by": by, "said": said(reply), "surety": reading.surety if reading else None,
            "doubted": bool(reading and reading.doubted),
        }  # fmt: skip

    def _written(self, user: User, recall: Any, text: str, now: Moment) -> str:
        """What the model replies, as far as the chat lets it stand."""
        from ....models.chat.answer import AnswerAgent
        from ....models.chat.honest import checked

        agent = AnswerAgent(self.answering, zone=self.store.zone)
        forgetting(self.answering)()
        reply = agent.reply(user, recall, (), text, now)
        if language_of(text, thorough=False).code == "en":
            reply = checked(reply, agent.profile, recall, (), user.subject)
        return "".join(piece.text for piece in reply).strip()


def said(reply: str) -> Said:
    """What a reply says of the memory: that it was told, perhaps, or not."""
    from ....models.chat.reader.reply import NEAREST

    if not says_unknown(reply):
        return "known"
    return "unsure" if NEAREST in reply else "not known"

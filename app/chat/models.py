"""The models at work: loaded by a thread while the first line is being typed, switched while the chat runs."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from ..config.settings import Settings
from ..config.zone import Here
from .roles import Agents

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ...memory.values import Moment, Recall, Turn, User, WriteResult
    from ...models.chat.hops.loop import Happened
    from ...models.files.profiles.profile import Profile
    from ...models.lm import LM, Chunk, Message
    from ...models.prompts.tuned import Prompt

ROLES = ("answer", "storage", "retrieval")
LEFT = ("storage", "retrieval")
"""The roles that are left to the embedded model with its adapters where the chat's own model is small."""


class AgentLoader:
    """An `AgentsSource` over the registry of models. `open_store` is called when storage or retrieval first work."""

    def __init__(self, settings: Settings, open_store: Callable[[], Store]) -> None:
        self._settings, self._open_store = settings, open_store
        self._specs = {role: spec_of(settings, role) for role in ROLES}
        self._lms: dict[str, LM] = {}
        self._agents: Agents | None = None
        self._lock = threading.Lock()
        self._closed = False
        self._own = {role for role in LEFT if getattr(settings, f"{role}_model")}

    def check(self) -> None:
        """Raises SettingsError for a spec that names no model, and NotFound or InputError for prompts that can't be
        read, before anything is loaded."""
        from ...models.files.spec import parse
        from ...models.prompts.tuned import read_prompts

        read_prompts(self._settings.prompts)
        for spec in self._specs.values():
            parse(spec)
        changes_of(self._settings)

    def begin(self) -> None:
        """Loads in the background; whatever goes wrong is told by `get`."""
        threading.Thread(target=self._try, name="chatmem-load", daemon=True).start()

    def get(self) -> Agents:
        with self._lock:
            if self._agents is None:
                for role in ROLES:
                    if role not in self._lms:
                        self._lms[role] = _load(self._specs[role], self._settings, role)
                self._agents = self._make()
            return self._agents

    def switch(self, role: str, spec: str) -> None:
        """Loads the model before the old one is let go, so that a wrong name changes nothing. Raises ModelError."""
        roles = ROLES if role == "all" else (role,)
        specs = {each: spec_of(replace(self._settings, model=spec), each) if role == "all" else spec for each in roles}
        loaded = {each: _load(specs[each], self._settings, each) for each in roles}
        with self._lock:
            for each in roles:
                if each in self._lms:
                    self._lms[each].close()
            self._lms |= loaded
            self._specs |= specs
            self._own = (self._own | {role}) & {*LEFT} if role != "all" else set()
            self._agents = None

    def cancel(self) -> None:
        lm = self._lms.get("answer")
        stop = getattr(lm, "cancel", None)
        if stop is not None:
            stop()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for lm in self._lms.values():
                lm.close()
            self._lms.clear()
            self._agents = None

    def _try(self) -> None:
        try:
            self.get()
        except Exception:  # noqa: BLE001 - the edge of this thread; `get` raises it again, to the one who asks
            return

    def _make(self) -> Agents:
        from ...models.prompts.tuned import read_prompts

        specs = tuple((role, self._specs[role]) for role in ROLES)
        told = read_prompts(self._settings.prompts)
        for role in ROLES:
            for warning in told.misfits(role, self._lms[role]):
                logging.getLogger(__name__).warning(warning)
        prompt = {role: told.of(role, self._lms[role]) for role in ROLES}
        profile = profile_for(self._lms["answer"], self._settings)
        return Agents(
            _LazyStorage(
                self._lms["storage"],
                self._open_store,
                self._settings.language,
                prompt["storage"],
                self._trained("storage"),
            ),
            _LazyRetrieval(
                self._lms["retrieval"],
                self._open_store,
                profile.memory_words,
                self._settings.language,
                prompt["retrieval"],
                self._trained("retrieval"),
            ),
            _LazyAnswer(self._lms["answer"], self._settings, profile, prompt["answer"]),
            specs,
            self._lms["answer"].count_tokens,
            hops=_LazyHops(self._lms["answer"], self._open_store, self._settings) if self._settings.hops else None,
            profile=profile,
            reads=profile.chooses,
        )

    def _trained(self, role: str) -> Callable[[], LM] | None:
        """Gives the embedded model with its adapter for a role, which does it for a small one in English; None: the
        settings name the model of that role."""
        return None if role in self._own else partial(self._load_trained, role)

    def _load_trained(self, role: str) -> LM:
        name = f"trained {role}"
        with self._lock:  # the storing thread asks, while another may close or switch
            if name not in self._lms:
                self._lms[name] = _load(f"embedded+{role}", self._settings, role)
            return self._lms[name]


def spec_of(settings: Settings, role: str) -> str:
    """The model of a role: its own setting, or `model`; with the role's adapter when that is the embedded one."""
    from ...models import registry

    return registry.for_role(str(getattr(settings, f"{role}_model")) or settings.model, role)


def changes_of(settings: Settings) -> dict[str, Any]:
    """What the settings change of the profile of models that aren't the embedded one. Raises SettingsError."""
    from ...models.files.profiles.profile import read_changes

    changes = read_changes(settings.profile)
    return changes | ({"window": settings.window} if settings.window >= 256 else {})


def profile_for(lm: LM, settings: Settings) -> Profile:
    """The profile by which a model replies: its own, with what the settings say of replies."""
    from ...models.files.profiles.profile import SHIPPED, profile_of

    profile, words, turns = profile_of(lm), settings.recall_words, settings.recent_turns
    told: dict[str, Any] = {"memory_words": words, "talk_turns": turns, "reply_tokens": settings.reply_tokens,
                            "temperature": settings.temperature, "top_p": settings.top_p}  # fmt: skip
    told = {name: value for name, value in told.items() if value >= (1 if name == "reply_tokens" else 0)}
    if settings.line_chars != SHIPPED.line_chars:
        told["line_chars"] = settings.line_chars
    most = max(lm.context_tokens // 2, 1)
    return replace(profile, **(told | {"reply_tokens": min(told.get("reply_tokens", profile.reply_tokens), most)}))


def options_of(spec: str, settings: Settings, role: str) -> dict[str, Any]:
    """What a back end is told besides the spec. Raises SettingsError."""
    from ...models.files.spec import parse

    kind, changes = parse(spec).kind, changes_of(settings)
    if kind == "openai":
        from ...models.backends.endpoint.address import read_headers

        key = str(getattr(settings, f"{role}_key_env", ""))
        headers = read_headers(settings.endpoint_headers)
        return {"changes": changes, "deadline": float(settings.endpoint_seconds), "key_env": key, "headers": headers}
    threads = {"threads": settings.threads} if settings.threads > 0 and kind in ("embedded", "gguf") else {}
    return {"changes": changes, **threads}


def _load(spec: str, settings: Settings, role: str) -> LM:
    from ...models import registry

    return registry.load(spec, **options_of(spec, settings, role))


class _LazyStorage:
    def __init__(
        self, lm: LM, open_store: Callable[[], Store], language: str, prompt: Prompt | None,
        trained: Callable[[], LM] | None,
    ) -> None:  # fmt: skip
        self._lm, self._open_store, self._language, self._prompt = lm, open_store, language, prompt
        self._trained = trained

    @cached_property
    def _agent(self) -> Any:
        from ...models.storage.by_language import storage_agent

        return storage_agent(
            self._lm, self._open_store(), trained=self._trained, language=self._language, prompt=self._prompt
        )

    def run(self, turns: Sequence[Turn], user: User) -> WriteResult:
        result: WriteResult = self._agent.run(turns, user)
        return result


class _LazyRetrieval:
    def __init__(
        self, lm: LM, open_store: Callable[[], Store], words: int, language: str, prompt: Prompt | None,
        trained: Callable[[], LM] | None,
    ) -> None:  # fmt: skip
        self._lm, self._open_store, self._words, self._language = lm, open_store, words, language
        self._prompt, self._trained = prompt, trained

    @cached_property
    def _agent(self) -> Any:
        from ...models.chat.retrieval import RetrievalAgent
        from ...models.storage.by_language import left_to_trained

        left = self._trained is not None and left_to_trained(self._lm, self._prompt)
        return RetrievalAgent(
            self._trained() if self._trained and left else self._lm, self._open_store(), words=self._words, floor=True,
            language=self._language, prompt=None if left else self._prompt, wholes=self._lm,
        )  # fmt: skip

    def recall(
        self, user: User, query: str, *, now: Moment, asker: str, before: Sequence[Turn] = ()
    ) -> Recall:  # fmt: skip
        recall: Recall = self._agent.recall(user, query, now=now, asker=asker, before=before)
        return recall


class _LazyHops:
    def __init__(self, lm: LM, open_store: Callable[[], Store], settings: Settings) -> None:
        self._lm, self._open_store, self._settings = lm, open_store, settings

    def run(
        self, user: User, question: str, *, now: Moment, first: Recall | None = None, begun: int = 0
    ) -> Iterator[Happened]:
        from ...models.chat.hops.loop import Hopper

        hopper = Hopper(self._lm, self._open_store(), budget=self._settings.token_budget)
        return hopper.run(user, question, now=now, first=first, begun=begun)


class _LazyAnswer:
    def __init__(self, lm: LM, settings: Settings, profile: Profile, prompt: Prompt | None) -> None:
        self._lm, self._settings, self._profile, self._prompt = lm, settings, profile, prompt

    @cached_property
    def _agent(self) -> Any:
        from ...models.chat.answer import AnswerAgent

        return AnswerAgent(
            self._lm, budget=self._settings.token_budget, zone=Here(), profile=self._profile,
            persona=self._settings.persona, prompt=self._prompt,
        )  # fmt: skip

    def reply(
        self, user: User, recall: Recall, recent_turns: Sequence[Turn], text: str, now: Moment, *, attempt: int = 0
    ) -> Iterator[Chunk]:
        return iter(self._agent.reply(user, recall, recent_turns, text, now, attempt=attempt))

    def prompt(
        self, user: User, recall: Recall, recent_turns: Sequence[Turn], text: str, now: Moment
    ) -> Sequence[Message]:
        messages: Sequence[Message] = self._agent.prompt(user, recall, recent_turns, text, now)
        return messages

"""The looks that `chatmem doctor` takes. Each finds something out and says what to do when it is not well."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ...memory.errors import ChatmemError, ModelError
from ..chat.models import ROLES, options_of, spec_of
from ..config.settings import strange_variables
from ..context import Context
from ..shown.hints import counted, lines

if TYPE_CHECKING:
    from ...memory.database.key import Key

EXTRAS = {"torch": "hf", "transformers": "hf", "peft": "hf", "bitsandbytes": "hf", "mcp": "mcp", "gradio": "web",
          "sqlcipher3": "encrypt", "keyring": "encrypt"}  # fmt: skip
"""Packages that only some specs need, and the extra that brings them."""
LEAST_FREE = 200e6


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`bad` keeps the chat from working, `note` is worth knowing."""

    what: str
    state: Literal["ok", "note", "bad"]
    found: str
    advice: str = ""


def checkup(context: Context) -> list[Diagnosis]:
    """Everything, in the order in which it matters."""
    looks: tuple[Callable[[Context], Iterator[Diagnosis]], ...] = (
        _python, _packages, _settings, _folders, _database, _models, _embedder, _adapters, _endpoint, _terminal
    )  # fmt: skip
    findings: list[Diagnosis] = []
    for look in looks:
        findings += list(_looked(look, context, {one.found for one in findings if one.what == "database"}))
    return findings


def _looked(
    look: Callable[[Context], Iterator[Diagnosis]], context: Context, told: Collection[str]
) -> Iterator[Diagnosis]:  # fmt: skip
    """What a look finds. One that fails itself is a finding too, and the others go on; what the look at
    the database `told` is told there alone, though the encoder can't be tried without one."""
    try:
        yield from look(context)
    except ChatmemError as error:
        if str(error) in told:
            return
        yield Diagnosis(look.__name__.strip("_"), "bad", str(error), "see the sentence beside this")
    except OSError as error:
        found = f"{error.filename or 'a file'} can't be read ({error.strerror or type(error).__name__})"
        yield Diagnosis(look.__name__.strip("_"), "bad", found, "check the path and its permissions")


def _python(context: Context) -> Iterator[Diagnosis]:
    good = (3, 11) <= sys.version_info[:2] <= (3, 13)
    advice = "" if good else "use Python 3.11, 3.12 or 3.13"
    yield Diagnosis("Python", "ok" if good else "note", platform.python_version(), advice)


def _packages(context: Context) -> Iterator[Diagnosis]:
    for module, name in (("llama_cpp", "llama-cpp-python"), ("prompt_toolkit", "prompt_toolkit"), ("rich", "rich")):
        try:
            yield Diagnosis(name, "ok", version(name)) if find_spec(module) else _missing(name)
        except PackageNotFoundError:
            yield _missing(name)
    absent = sorted({f"chatmem[{extra}]" for module, extra in EXTRAS.items() if find_spec(module) is None})
    if absent:
        yield Diagnosis(
            "optional parts", "note", "not installed: " + ", ".join(absent),
            "only hf: models, training, chatmem mcp and chatmem web need them",
        )  # fmt: skip


def _missing(name: str) -> Diagnosis:
    advice = (
        "pip install llama-cpp-python (needs a C++ compiler and some minutes)"
        if name.startswith("llama")
        else f"pip install {name}"
    )
    return Diagnosis(name, "bad", "not installed", advice)


def _settings(context: Context) -> Iterator[Diagnosis]:
    file = context.config_file
    for fault in context.faults:
        yield Diagnosis(
            "settings", "bad", fault, "mend it; until then only doctor and paths work, by the other settings"
        )
    if not context.faults:
        found = str(file) if file.is_file() else f"all defaults (no {file})"
        yield Diagnosis("settings", "ok", found, "chatmem doctor --settings lists them")
    for name, near in strange_variables(os.environ).items():
        yield Diagnosis(name, "note", "no such setting", near)


def _folders(context: Context) -> Iterator[Diagnosis]:
    for what, folder in (("data folder", context.database_file.parent), ("state folder", context.paths.state)):
        place = next((path for path in (folder, *folder.parents) if path.exists()), Path("/"))
        if not place.is_dir():
            yield Diagnosis(what, "bad", f"{place} is no folder", "choose another place with --db or CHATMEM_HOME")
        elif not os.access(place, os.W_OK):
            yield Diagnosis(
                what, "bad", f"{place} can't be written", "make it writable, or choose another place with --db"
            )
        elif shutil.disk_usage(place).free < LEAST_FREE:
            yield Diagnosis(what, "bad", f"the disk of {place} is nearly full", "free some space")
        else:
            yield Diagnosis(what, "ok", str(folder))


def _database(context: Context) -> Iterator[Diagnosis]:
    if not context.database_file.exists():
        yield _not_there(context)
        return
    try:
        with context.open_store(writes=False) as store:
            problems, key = store.check(), store.db.key
            users = {one.name: one for one in store.users.all()}
            user = users.get(context.settings.user)
            count = store.facts.count(user.id) if user else 0
            waiting = len(store.queue.pending(user.id)) if user else 0
        problems = [*problems, *_damaged_rows(context.database_file, key)]
    except ChatmemError as error:
        yield Diagnosis("database", "bad", str(error), "see the sentence beside this; your data is left as it is")
        return
    for problem in problems:
        yield Diagnosis(
            "database", "bad", problem, "chatmem doctor --repair saves what can be read; or restore a backup"
        )
    if not problems:
        verb = "waits" if waiting == 1 else "wait"
        waits = f", {lines(waiting)} {verb} to be remembered" if waiting else ""
        told = f"{counted(count, 'memory', 'memories')} of {context.settings.user}"
        yield Diagnosis("database", "ok", f"{context.database_file}: {told}{waits}")
    if users and user is None:
        found = f"nobody is {context.settings.user!r} here; known: {', '.join(sorted(users))}"
        yield Diagnosis("user", "note", found, "check the name; a chat begins a memory of their own")


def _not_there(context: Context) -> Diagnosis:
    """No database yet. In a folder that isn't there either, a named one may be mistyped."""
    file = context.database_file
    if context.settings.db and not file.parent.exists():
        found = f"there is no {file}, nor its folder; the first chat would make both"
        return Diagnosis("database", "note", found, "check the name, if there should be one")
    return Diagnosis("database", "ok", f"{file} will be made by the first chat")


def _damaged_rows(path: Path, key: Key | None) -> list[str]:
    from ...memory.repair import rescue

    return [f"damaged: {count:,} of the {rescue.NAMES[table]}" for table, count in rescue.examine(path, key).items()]


def _models(context: Context) -> Iterator[Diagnosis]:
    from ...models.files import model_files, spec

    for role in ROLES:
        name = spec_of(context.settings, role)
        try:
            parsed = spec.parse(name)
            if parsed.kind == "embedded":
                model_files.embedded_path()
            elif parsed.kind == "gguf" and not any(
                p.is_file() for p in (Path(parsed.name).expanduser(), model_files.models_folder() / parsed.name)
            ):
                yield Diagnosis(
                    f"{role} model", "bad", f"{name}: no such file", "chatmem models list shows what there is"
                )
                continue
            if parsed.adapter:
                model_files.find_adapter(parsed.adapter)
            _told(name, role, context)
            yield Diagnosis(f"{role} model", "ok", name, f"chatmem models check {name} measures it")
        except ChatmemError as error:
            yield Diagnosis(f"{role} model", "bad", name, str(error))


def _told(name: str, role: str, context: Context) -> None:
    """What the settings tell a role's back end, read as the chat reads it. Raises SettingsError, EndpointError."""
    from ...models.backends.endpoint.address import address
    from ...models.files import spec

    told, parsed = options_of(name, context.settings, role), spec.parse(name)
    if parsed.kind == "openai":
        address(url=parsed.url, key_env=told["key_env"], headers=told["headers"])


def _embedder(context: Context) -> Iterator[Diagnosis]:
    if context.settings.embedder == "embedded":
        yield from _embedded()
    if context.settings.embedder == "embedded" and not context.database_file.exists():
        return
    yield from _vectors(context)


def _vectors(context: Context) -> Iterator[Diagnosis]:
    """The encoder of the settings, tried, and what has no vector of it."""
    from ...models.embedder.choose import ready

    spec, advice = context.settings.embedder, "until then search goes by words; or set `embedder` to another"
    if not context.database_file.exists():
        context.embedder()
        yield Diagnosis("embedder", "ok", f"{spec}, not tried: there is no database yet")
        return
    with context.open_store(search=True, read_only=True) as store:
        try:
            name = ready(lambda: store.embedder.name if store.embedder else "")
            left = store.reembedding.waiting()
        except ModelError as error:
            yield Diagnosis("embedder", "bad", str(error), advice)
            return
        others = sum(count for one, count, _ in store.vectors.kept() if one != name)
    if spec != "embedded":
        yield Diagnosis("embedder", "ok", name, "what is stored was ranked and measured with `embedded`")
    kept = f"; {others} of other encoders are kept" if others else ""
    if left:
        yield Diagnosis(
            "vectors", "note", f"{left} memories and passages have none of this encoder{kept}",
            "they are found by words; chats make them, or chatmem memory reembed",
        )  # fmt: skip
    else:
        yield Diagnosis("vectors", "ok", f"all of {name}{kept}")


def _embedded() -> Iterator[Diagnosis]:
    from ...models.embedder.minilm import DEFAULT_FILE, QUESTIONS_FILE, files_of

    for file in (DEFAULT_FILE, QUESTIONS_FILE):
        try:
            files_of(file)
        except ChatmemError as error:
            yield Diagnosis("embedder", "bad", str(error), "reinstall chatmem: without it nothing is searched")
            return
    yield Diagnosis("embedder", "ok", f"{DEFAULT_FILE.stem}, {QUESTIONS_FILE.stem}")
    yield from _marks()


def _marks() -> Iterator[Diagnosis]:
    """Only what is wrong: without them a line is read as it was typed, and nothing else says so."""
    from ...models.embedder.punctuation import restored

    advice = "reinstall chatmem: until then dictated lines are read as they were typed"
    try:
        restorer = restored.load()
        if restorer is None:
            yield Diagnosis("marks of dictated lines", "note", f"{restored.NAME}.gguf is missing", advice)
        else:
            restorer.logits(["hello"])
    except ModelError as error:
        yield Diagnosis("marks of dictated lines", "bad", str(error), advice)


def _adapters(context: Context) -> Iterator[Diagnosis]:
    from ...models import registry

    names = [info.name for info in registry.adapters()]
    missing = [role for role in ROLES if role not in names]
    if missing and context.settings.model == "embedded":
        yield Diagnosis(
            "adapters", "note", f"none for {', '.join(missing)}", "untrained, the embedded model remembers poorly"
        )
    else:
        yield Diagnosis("adapters", "ok", ", ".join(names) or "none needed")


def _endpoint(context: Context) -> Iterator[Diagnosis]:
    from ...models.files.spec import parse

    roles = [role for role in ROLES if spec_of(context.settings, role).startswith("openai:")]
    bare = [role for role in roles if parse(spec_of(context.settings, role)).url is None]
    keys = [getattr(context.settings, f"{role}_key_env", "") for role in bare]
    if not roles:
        return
    if all(key and os.environ.get(key) for key in keys):
        yield Diagnosis("endpoint", "ok", "each role has its own address or key")
    elif os.environ.get("OPENAI_API_KEY"):
        yield Diagnosis("endpoint", "ok", os.environ.get("OPENAI_BASE_URL", "api.openai.com"))
    else:
        yield Diagnosis("endpoint", "bad", "OPENAI_API_KEY is not set", "set it; any word will do for a local server")


def _terminal(context: Context) -> Iterator[Diagnosis]:
    from ..line.input import at_terminal

    kind = "a terminal" if at_terminal() else "no terminal: plain lines in, plain lines out"
    yield Diagnosis("terminal", "ok", kind + (", colours off (NO_COLOR)" if os.environ.get("NO_COLOR") else ""))

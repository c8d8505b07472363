"""What `chatmem adapters` does: puts adapters to work, merges, exports and measures them."""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from ...memory.errors import InputError, SettingsError, WrongUsage
from ..chat.models import ROLES
from ..config.edit import put_setting
from ..config.settings import config_place
from ..context import Context

if TYPE_CHECKING:
    from ...models.adapters.merge import Merged
    from ...models.files.model_files import AdapterInfo

TRAINED = (*ROLES, "editor")
"""Roles that an adapter may be put to work for."""
EVALUATORS = {"storage": "storage", "retrieval": "retrieval", "answer": "msc", "editor": "editor"}


def wrong_use() -> NoReturn:
    """Raises SettingsError: either a name or --default."""
    raise SettingsError("Name an adapter, as in `chatmem adapters use my-storage`, or write --default to go back.")


def use(context: Context, name: str | None, role: str | None) -> list[str]:
    """Sets the role's model in the config file (name None: back to what ships); sentences for the person.

    The adapter is loaded once before anything is written. Raises ModelError, SettingsError, InputError.
    """
    place = config_place(context.paths, os.environ, context.flags.get("config"))
    if name is None:
        roles = [role] if role else [each for each in TRAINED if _adapted(context, each)]
        for each in roles:
            put_setting(place, f"{each}_model", None)
        return [f"The {each} agent works with what ships again." for each in roles] or ["That is so already."]
    from ...models import registry

    info = registry.find_adapter(name)
    role, spec, trained = role or role_of(info), spec_for(info, name), _trained_for(info)
    registry.load(spec).close()
    put_setting(place, f"{role}_model", spec)
    told = [f"The {role} agent works with {info.name} from the next start on; back: chatmem adapters use --default"]
    if trained in (*TRAINED, "ranker") and trained != role:
        told.append(f"But it was trained as the {trained} agent, and may do badly as the {role} agent.")
    over = f"CHATMEM_{role.upper()}_MODEL"
    return [*told, f"But {over} is set, and it counts more."] if over in os.environ else told


def _trained_for(info: AdapterInfo) -> str:
    from ...models.adapters.facts import facts_of

    return str(facts_of(info).made.get("agent") or info.name)


def role_of(info: AdapterInfo) -> str:
    """What the adapter was trained for: its note says so, or its name. Raises InputError."""
    told = _trained_for(info)
    if told == "ranker":
        raise InputError(
            f"{info.name} ranks sessions; name it to `chatmem rank sessions --model embedded+{info.name}`."
        )
    if told not in TRAINED:
        roles = f"{', '.join(TRAINED[:-1])} or {TRAINED[-1]}"
        raise InputError(f"{info.name} doesn't tell what it was trained for; say --role {roles}.")
    return told


def spec_for(info: AdapterInfo, name: str) -> str:
    """The adapter on the base that it was trained on."""
    from ...models.adapters.facts import facts_of
    from ...models.files.model_files import EMBEDDED_NAME

    base = facts_of(info).base
    place = str(Path(name).expanduser().resolve()) if Path(name).expanduser().exists() else info.name
    return f"hf:{base}+{place}" if base not in (None, EMBEDDED_NAME) else f"embedded+{place}"


def _adapted(context: Context, role: str) -> bool:
    from ...models.files.spec import parse

    own = str(getattr(context.settings, f"{role}_model"))
    return bool(own) and parse(own).adapter is not None


def numbers(text: str) -> list[float]:
    """The weights of `--weights`. Raises InputError."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise WrongUsage(f"--weights {text!r}: give numbers with commas between them, such as 1,1,2.") from None


def merge(context: Context, names: Sequence[str], new: str, weights: Sequence[float], rank: int | None) -> Merged:
    """Writes the average of the adapters as an own adapter `new`, in both forms, with a card."""
    from ...models import registry
    from ...models.adapters import merge as lora_merge
    from ...models.adapters import to_gguf, to_peft

    _needs_files()
    if len(names) < 2 or (rank is not None and rank < 1):
        raise WrongUsage("Name two adapters or more to average, and a --rank of at least 1.")
    folder = own_folder(context, new)
    lora_merge.shares_of(len(names), weights)
    infos = [registry.find_adapter(name) for name in names]
    merged = lora_merge.merge([to_peft.peft_folder(info) for info in infos], folder / "peft", weights, rank)
    to_gguf.write(merged.folder, folder / "adapter.gguf")
    counted = ", ".join(
        f"{name} ({weight:g})" for name, weight in zip(names, weights or [1.0] * len(names), strict=True)
    )
    card = f"# {new}\n\nThe average of {counted}, made by `chatmem adapters merge`: rank {merged.rank}, which holds "
    card += f"{100 * merged.kept:.2f}% of the averaged update. See their cards for data and licences.\n"
    (folder / "README.md").write_text(card, encoding="utf-8")
    return merged


def own_folder(context: Context, name: str) -> Path:
    """The folder of an own adapter that is not there yet. Raises InputError, for the name of one that ships too: an own
    adapter hides it, and would be at work at once."""
    from ...models.files.model_files import ASSETS

    folder = context.paths.adapters / name
    if not name or Path(name).name != name or name.startswith(".") or "+" in name or ":" in name:
        raise WrongUsage(f"{name!r} can't be an adapter's name; take letters, digits and hyphens.")
    if (ASSETS / "adapters" / name).exists():
        raise InputError(f"An adapter {name} ships with chatmem, and yours would hide it; take another name.")
    if folder.exists():
        raise InputError(f"There is an adapter {name} already, in {folder}; take another name or remove it.")
    return folder


def personal_folder(context: Context, name: str) -> Path:
    """Where a personal adapter goes; one from an earlier run over the journal is replaced. Raises InputError."""
    from ...models.adapters.facts import facts_of
    from ...models.files.model_files import find_adapter

    folder = context.paths.adapters / name
    if folder.exists() and facts_of(find_adapter(str(folder))).made.get("from") == "journal":
        return folder
    return own_folder(context, name)


def export(name: str, folder: Path, form: str) -> list[Path]:
    """Writes the adapter's PEFT files (`folder`/peft) and its llama.cpp file, whichever of them it has itself."""
    from ...models import registry
    from ...models.adapters import to_gguf, to_peft
    from ...models.adapters.facts import card

    info, written = registry.find_adapter(name), []
    _must_be_free(folder, form, card(info))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if form != "gguf":
            if info.peft is None:
                _needs_files()
                assert info.path is not None
                to_peft.read(info.path, folder / "peft")
            else:
                (folder / "peft").mkdir(exist_ok=True)
                for file in ("adapter_config.json", "adapter_model.safetensors"):
                    shutil.copy(info.peft / file, folder / "peft")
            written.append(folder / "peft")
        if form != "peft":
            if info.path is None:
                _needs_files()
                assert info.peft is not None
                to_gguf.write(info.peft, folder / "adapter.gguf")
            else:
                shutil.copy(info.path, folder / "adapter.gguf")
            written.append(folder / "adapter.gguf")
        if text := card(info):
            (folder / "README.md").write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder} can't be written ({error.strerror}); give another place.") from error
    return written


def _must_be_free(folder: Path, form: str, text: str) -> None:
    """Raises InputError where files would be written over; the card of the other form may be there."""
    there = [folder / name for name, other in (("peft", "gguf"), ("adapter.gguf", "peft")) if form != other]
    there = [place for place in there if place.exists()]
    told = folder / "README.md"
    if text and told.exists() and not (told.is_file() and told.read_bytes() == text.encode("utf-8")):
        there.append(told)
    if there:
        raise InputError(f"{there[0]} is there already, and is left as it is; name another folder.")


def _needs_files() -> None:
    """Raises SettingsError without the libraries that read and write weights."""
    missing = [name for name in ("safetensors", "gguf") if find_spec(name) is None]
    if missing:
        raise SettingsError(f"This needs {' and '.join(missing)}; run `pip install 'chatmem[hf]'`.")


def evaluate(args: argparse.Namespace, context: Context) -> int:
    """Measures the adapter, the one that ships for its role, and the untrained base, in one table."""
    from ...models import registry

    info = registry.find_adapter(args.name)
    role = args.role or role_of(info)
    specs = list(dict.fromkeys((f"embedded+{role}", spec_for(info, args.name), "embedded")))
    if args.data is None and role != "editor":  # whose spoiled memories ship
        return _on_corrections(args, context, info, specs)
    asked = evaluation(args, role, specs)
    return int(asked.run(asked))


def evaluation(args: argparse.Namespace, role: str, specs: Sequence[str]) -> argparse.Namespace:
    """What is asked of the role's evaluator to measure these models in one table; its `run` is who does it.

    What is left open here is as the evaluator has it when nobody says.
    """
    from ...eval import cli

    evaluators = argparse.ArgumentParser(prog="chatmem eval").add_subparsers()
    cli.register(evaluators)
    chosen = argparse.Namespace(num=args.num, json=args.json, out=args.out, threads=args.threads)
    if role != "editor":  # its memories are spoiled by a seed that they carry
        chosen.seed = args.seed
    if role == "answer":
        chosen.systems, chosen.models = "search", ",".join(specs)
    elif role == "editor":
        chosen.model, chosen.compare = specs[0], ",".join(specs[1:])
    else:
        chosen.model, chosen.adapter, chosen.compare = specs[0], "none", list(specs[1:])
    return evaluators.choices[EVALUATORS[role]].parse_args([f"--data={args.data}"] if args.data else [], chosen)


def _on_corrections(args: argparse.Namespace, context: Context, info: AdapterInfo, specs: Sequence[str]) -> int:
    """On the corrections that the adapter held back; for one that has learned from none, on all of the journal."""
    from ...eval.agents import corrections
    from ...eval.report import tables
    from ...eval.runs.progress import make_progress
    from ...eval.runs.records import must_be_new
    from ...models.adapters.facts import facts_of
    from ...models.embedder.lazy import LazyEmbedder
    from ...training.storage.personal import open_and_find

    must_be_new(args.out)
    with context.open_store(writes=False, there=True) as store:
        person = context.require_user(store).name
    made = facts_of(info).made
    found = open_and_find(context.database, person, LazyEmbedder(), context.secret()).cases
    cases = [case for case in found if case.key in made["held"]] if "held" in made else found
    if not cases:
        raise InputError(
            "There are no corrections to measure it on; edit, undo or /remember what is wrong, or give --data FILE."
        )
    done = {
        spec: corrections.predict(spec, cases, threads=args.threads, tell=make_progress(spec, len(cases)))
        for spec in specs
    }
    columns = {spec: corrections.measures(cases, said) for spec, said in done.items()}
    for spec in specs[1:]:
        columns[f"{spec} minus {specs[0]}"] = corrections.differences(cases, done[specs[0]], done[spec])
    if args.out:
        rows = [{"key": case.key, "wanted": case.wanted, **{spec: done[spec][i] for spec in specs}}
                for i, case in enumerate(cases)]  # fmt: skip
        tables.write_records(args.out, rows)
    tables.put("corrections", f"{info.name} on {len(cases)} corrections of {person}", columns, args.json)
    return 0


def stale(context: Context, info: AdapterInfo) -> int:
    """How many of the lines that a personal adapter learned from were forgotten since."""
    from ...models.adapters.facts import facts_of

    learned = [int(key.split()[-1]) for key in facts_of(info).made.get("learned", ())]
    if not learned or not context.database_file.exists():
        return 0
    with context.open_store(writes=False) as store:
        living = {
            turn.id
            for user in store.users.all()
            for session in store.sessions.all(user.id)
            for turn in store.turns.of(session.id)
            if turn.storage != "forgotten"
        }
    return len(set(learned) - living)

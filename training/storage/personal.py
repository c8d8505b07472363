"""`chatmem train storage --from-journal`: a personal adapter, from what its user put right in the memory.

It goes on from an adapter (the one that ships) with the user's corrections, each as it was seen and once more as the
first line of a session. What was right stays right: on lines that needed no correction and on rows of the templates it
is held to that adapter (`methods/corrected.py`). A topic that the user always renames in the same way is renamed in
those rows, too; rows with a topic that was put right in different ways, or taken back, are left out: they'd hold the
mistake. A fifth of the corrections is held back for `chatmem adapters eval`. The rows hold the user's own words: they
are on the disk during the run only, and the adapter's note keeps numbers of lines, no text.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...eval.agents.corrections import CorrectionCase, told
from ...memory.errors import InputError, NotFound, SettingsError
from ...memory.guard.tokens import quote
from ...models.adapters.facts import NOTE
from ...models.prompts.messages import storage_messages
from ..material.files import out_folder
from ..material.split import at_most
from ..material.templates.examples import topic_examples
from ..policy.rows import Rows, training_row
from ..recipe import run
from .corrections import Found, find, topic_edits
from .msc_rows import Topics
from .recipe import PARTS, changes
from .template_rows import template_rows

if TYPE_CHECKING:
    from ...memory.database.key import Secret
    from ...memory.store.store import Store
    from ...memory.values import User

LEAST = 10
"""Corrections that a personal adapter takes: fewer say more about single lines than about a habit."""
HELD = 0.2
"""Share of the corrections that is held back."""
REPLAY = 4
"""Rows of the templates, to be kept as they are, for each row of a correction."""
STEPS, BATCH, LR = 40, 768, 5e-2
"""Steps and learning rate (plain gradient steps) unless told, and most tokens of a step: about once 50 corrections."""
ALWAYS = 3
"""How often a topic must have been renamed, always to the same one, to be renamed in the other rows; or taken back."""


def train(args: argparse.Namespace) -> int:
    """Finds the corrections, trains, puts the adapter among the person's own. Raises InputError."""
    folder = prepared(args)
    found = open_and_find(args.database, args.person, args.embedder, args.secret)
    tell(found)
    learn, held = split(found.cases, args.seed)
    if len(found.cases) < LEAST:
        raise InputError(
            f"The journal holds {len(found.cases)} corrections to learn from, and a personal adapter takes {LEAST}: "
            "edit, undo or /remember where the memory is wrong, and train again."
        )
    code = run(args, lambda args, _scratch: rows(learn, held, found.fine, args), PARTS)
    note = {
        "agent": "storage", "from": "journal", "start": args.start, "user": args.person, "kinds": counted(found.cases),
        "learned": [case.key for case in learn], "held": [case.key for case in held],
    }  # fmt: skip
    for name in ("train.jsonl", "valid.jsonl"):
        (folder / name).unlink(missing_ok=True)
    install(folder / "adapter", args.install, note, args)
    return code


def prepared(args: argparse.Namespace) -> Path:
    """The run's folder, and its arguments as a personal run needs them: no lines of the user's go into a model card."""
    if args.method != "sft":
        raise SettingsError(f"--from-journal trains by sft, not by {args.method}; leave --method out.")
    args.start, args.lr, args.eval_every = args.start or "storage", args.lr or LR, 0
    args.batch_tokens, args.save_every = min(args.batch_tokens, BATCH), min(args.save_every, 15)
    return out_folder(args)


def open_and_find(database: str, person: str, embedder: Any, secret: Secret | None = None) -> Found:
    """The corrections of a person in a database, which is only read; `secret` opens an encrypted one. Raises NotFound,
    StoreError."""
    from ...memory.store.store import Store

    with Store.open(database, read_only=True, embedder=embedder, secret=secret) as store:
        return find(store, user_of(store, person), Topics(embedder, topic_examples()))


def user_of(store: Store, person: str) -> User:
    """The user by name. Raises NotFound."""
    for user in store.users.all():
        if user.name == person:
            return user
    raise NotFound(f"There is no user {person!r} in this database; name one with --user.")


def tell(found: Found) -> None:
    """What was found and what was left out, on stderr; no text of the user's."""
    kinds = ", ".join(f"{count} {kind}" for kind, count in counted(found.cases).items()) or "none"
    print(f"corrections: {len(found.cases)} ({kinds})", file=sys.stderr)
    for why, count in found.left_out.items():
        print(f"left out: {count}, since {why}", file=sys.stderr)


def counted(cases: Sequence[CorrectionCase]) -> dict[str, int]:
    """How many cases there are of each kind."""
    kinds = sorted({kind for case in cases for kind in case.kinds})
    return {kind: sum(kind in case.kinds for case in cases) for kind in kinds}


def split(cases: Sequence[CorrectionCase], seed: int) -> tuple[list[CorrectionCase], list[CorrectionCase]]:
    """(to learn from, held back), drawn by line."""
    order = list(cases)
    random.Random(f"corrections {seed}").shuffle(order)
    held = max(1, round(len(order) * HELD)) if order else 0
    return sorted(order[held:], key=lambda case: case.key), sorted(order[:held], key=lambda case: case.key)


def rows(
    learn: Sequence[CorrectionCase], held: Sequence[CorrectionCase], fine: Sequence[CorrectionCase],
    args: argparse.Namespace,
) -> tuple[Rows, Rows]:  # fmt: skip
    """(train, valid): rows of the corrections, and others, of the user and the templates, to be kept as they are."""
    mine = [one for case in learn for one in (case_row(case), case_row(case, alone=True))]
    renamed, dropped = topics_of(learn)
    talks = [*template_rows(args.seed, args.talks), *filter(changes, template_rows(args.seed + 2, args.talks))]
    others = [case_row(case) for case in fine] + at_most(talks, REPLAY * len(mine), args.seed)
    kept = [new for one in others if (new := retold(one, renamed, dropped)) is not None]
    print(f"rows: {len(mine)} of corrections, {len(kept)} to be kept as they are", file=sys.stderr)
    told_else = at_most(list(template_rows(args.seed + 1, 20, "valid")), 60, args.seed)
    valid = [retold(one, renamed, dropped) for one in told_else]
    return mine + kept, [*(case_row(case) for case in held), *(one for one in valid if one)]


def topics_of(cases: Sequence[CorrectionCase]) -> tuple[dict[str, str], set[str]]:
    """(old topics with new ones, topics whose rows would teach the mistake: renamed in two ways, or taken back)."""
    edits = topic_edits(cases)
    renamed = {old: new[0] for old, new in edits.items() if len(new) >= ALWAYS and len(set(new)) == 1 and new[0]}
    dropped = {old for old, new in edits.items() if any(new) or len(new) >= ALWAYS}
    return renamed, dropped - set(renamed)


def case_row(case: CorrectionCase, *, alone: bool = False) -> dict[str, Any]:
    """The case as a training row; `alone` without the lines before it and without rows that its SQL doesn't need."""
    needed = {int(number) for number in re.findall(r"WHERE id = (\d+);", case.wanted)}
    known = [one for one in case.known if one.id in needed] if alone else case.known
    messages = storage_messages(() if alone else case.before, case.line, known)
    return training_row(messages, case.wanted) | {"was": case.written}


def retold(one: dict[str, Any], renamed: Mapping[str, str], dropped: set[str]) -> dict[str, Any] | None:
    """A row with the user's topics; None when it has one of `dropped`."""
    was = sql = str(one["completion"])
    if {each.topic for each in told(sql)} & dropped:
        return None
    for old, new in renamed.items():
        sql = _renamed(sql, old, new)
    messages = [[role, _known(text, renamed)] for role, text in one["messages"]]
    return {"messages": messages, "completion": sql, "was": was}


def _renamed(sql: str, old: str, new: str) -> str:
    """New rows under the topic `old` as rows under `new`."""
    pattern = rf"(\('(?:[^']|'')*', ){re.escape(quote(old))},"
    return re.sub(pattern, lambda match: f"{match[1]}{quote(new)},", sql)


def _known(text: str, renamed: Mapping[str, str]) -> str:
    return re.sub(r"(?m)^(\d+) \| ([^|\n]*) \| ", lambda m: f"{m[1]} | {renamed.get(m[2], m[2])} | ", text)


def install(source: Path, target: Path, note: Mapping[str, Any], args: argparse.Namespace) -> None:
    """The adapter with its card and note, where chatmem looks for a person's own; one of an earlier run is replaced."""
    (source / NOTE).write_text(json.dumps(note, indent=2), encoding="utf-8")
    kinds = ", ".join(f"{count} {kind}" for kind, count in note["kinds"].items())
    card = f"""# {target.name}

A personal storage adapter, trained from {note["start"]} on {len(note["learned"])} corrections of one person ({kinds}; \
{len(note["held"])} more are held back), each in two forms; on all else it is held to {note["start"]}.

- Command: `chatmem train storage --from-journal`, seed {args.seed}, {args.steps} steps of at most \
{args.batch_tokens} tokens.
- Measure it on the corrections held back: `chatmem adapters eval {target.name}`.
- It has learned from what one person said. Share it only if those lines may be known; when a line is forgotten later,
  train it again.
"""
    (source / "README.md").write_text(card, encoding="utf-8")
    beside = target.with_name(target.name + ".new")
    try:
        shutil.rmtree(beside, ignore_errors=True)
        shutil.copytree(source, beside)
        shutil.rmtree(target, ignore_errors=True)
        beside.rename(target)
    except OSError as error:
        raise InputError(f"{target} can't be written ({error.strerror}); the adapter is in {source}.") from error
    print(f"own adapter: {target.name}; put it to work with `chatmem adapters use {target.name}`", file=sys.stderr)

"""What each rule of the chat is worth: chat scripts with all rules, and with one of them left out at a time, pairwise.

    python tests/benchmarks/eval/study_rules.py OUT --scripts DIR_OR_FILE ... [--rules kinship,own_words]

Every run is `chatmem eval chat`'s own (two processes, a fresh home), but the program is this file as `--child`, which
takes one rule out before it starts. Replies of the model are kept by their prompt in OUT, so a run without a rule only
computes what the rule changed. The model's draws are seeded, so a kept reply is the one that it would give again.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import os
import pickle
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

ALL = "none"


def _checks(*left_out: str) -> Callable[[], None]:
    def act() -> None:
        from chatmem.models.storage import checks, reading

        reading.FIRST = tuple(one for one in checks.FIRST if one.name not in left_out)
        reading.LAST = tuple(one for one in checks.LAST if one.name not in left_out)
        if checks.KINSHIP.name in left_out:
            reading.KINSHIP = checks.Check("kinship", lambda draft, scene, wrote: draft)

    return act


def _strangers() -> None:
    from chatmem.models.storage import reading

    _checks("invented_names")()
    reading.strangers = lambda fact, said: set()


def _others() -> None:
    from chatmem.models.storage import agent

    _checks("somebody_else")()
    agent.apart = lambda line, *given, **named: (line, [])
    agent.about_another = lambda *given, **named: None


def _faithful() -> None:
    from chatmem.models.storage import reading

    def first(self: Any, draft: Any, scene: Any) -> Any:
        return reading.looked_at(draft, scene, (reading.KINSHIP,))
        yield  # it asks nothing, but is a work like the others

    reading.Reader._truest = first


def _left_out() -> None:
    from chatmem.models.storage import reading

    reading.MORE_CLAUSES = 0


def _relations() -> None:
    from chatmem.models.storage.told import fidelity

    fidelity.plainly_related = lambda text, *given: text


def _overtaken() -> None:
    from chatmem.models.storage import agent
    from chatmem.models.storage.changes.changed_facts import Settled

    agent.with_changes = lambda draft, *given: Settled(draft)


def _spared() -> None:
    from chatmem.models.storage.changes import read_ends

    read_ends.spared = lambda draft, *given: draft


def _ended() -> None:
    from chatmem.models.storage.changes import read_ends

    read_ends.ended = lambda *given: []


def _since() -> None:
    from chatmem.models.chat.reader import reply

    reply.since = lambda *given: None


def _same_matter() -> None:
    from chatmem.models.storage import agent

    agent.is_mistaken = lambda *given: False


def _not_said() -> None:
    from chatmem.models.storage import agent

    agent.heard = lambda draft, *given: (draft, [])


def _stale() -> None:
    from chatmem.memory.search import search
    from chatmem.memory.store import searching

    search.stale = searching.stale = lambda *given: set()


def _echo() -> None:
    from chatmem.memory.search import search
    from chatmem.models.chat import retrieval

    search._echo = lambda *given: 1.0
    retrieval._echoes = lambda *given: False


def _names() -> None:
    from chatmem.app.chat import talk, worker

    talk.told_name = worker.told_name = lambda *given, **named: None


def _honest() -> None:
    from chatmem.app.chat import talk

    talk.checked = lambda reply, *given: reply


RULES: dict[str, Callable[[], None]] = {
    ALL: lambda: None, "strangers": _strangers, "kinship": _checks("kinship"), "relations": _relations,
    "own_words": _checks("own_words"), "left_out": _left_out, "turned_round": _checks("turned_round"),
    "faithful": _faithful, "others": _others, "overtaken": _overtaken, "same_matter": _same_matter,
    "not_said": _not_said, "stale": _stale, "echo": _echo, "names": _names, "honest": _honest, "spared": _spared,
    "ended": _ended, "since": _since,
    **{name: _checks(name) for name in (
        "misnamed", "nothing_said", "whose", "doer", "verb", "other_words", "only_named", "cut_down", "mine", "company",
        "own_day", "pointing", "hour",
    )},
}  # fmt: skip
"""How each rule is left out. What a reply claims to have saved (`promises`) changes no answer and isn't among them."""


class Kept:
    """An LM whose replies are kept by what was asked."""

    def __init__(self, lm: Any, path: Path) -> None:
        self._lm, self._path, self._lock = lm, path, threading.Lock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lm, name)

    def generate(self, messages: Any, options: Any) -> Iterator[Any]:
        asked = [[one.role, one.content] for one in messages], dataclasses.asdict(options)
        key = hashlib.sha256(repr((self._lm.name, self._lm.adapter, asked)).encode()).hexdigest()
        with self._lock, sqlite3.connect(self._path, timeout=60) as db:
            db.execute("CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, chunks BLOB)")
            row = db.execute("SELECT chunks FROM kept WHERE key = ?", (key,)).fetchone()
        if row:
            yield from pickle.loads(row[0])
            return
        chunks = []
        for chunk in self._lm.generate(messages, options):
            chunks.append(chunk)
            yield chunk
        with self._lock, sqlite3.connect(self._path, timeout=60) as db:
            db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (key, pickle.dumps(chunks)))


def child(words: list[str]) -> int:
    """`chatmem WORDS` without the rule that STUDY_RULE names."""
    from chatmem.app import cli
    from chatmem.models import registry

    load = registry.load
    registry.load = lambda spec, **kw: Kept(load(spec, **kw), Path(os.environ["STUDY_KEPT"]))
    RULES[os.environ["STUDY_RULE"]]()
    return cli.main(words)


def measure(out: Path, rule: str, script: Path) -> dict[str, Any]:
    """One script without a rule: what was answered, found and right, question by question, how many facts were kept,
    and how many faults the memory has by the script's own checks."""
    from chatmem.eval.agents import chat
    from chatmem.eval.agents.talks import program
    from chatmem.eval.agents.talks.script import load_script

    program.TIMEOUT = 7200.0  # the machine may have other work

    done = out / f"{rule}-{script.stem}.json"
    if done.is_file():
        return dict(json.loads(done.read_text()))
    os.environ.update(STUDY_RULE=rule, STUDY_KEPT=str(out / "kept.db"))
    ran = chat.run_script(load_script(script), (sys.executable, str(Path(__file__).resolve()), "--child"))
    told = {
        "answered": [one.answered for one in ran.asked], "found": [one.found for one in ran.asked],
        "facts": len(ran.memories), "faults": len(ran.faults),
        "right": [one.answered and not one.faults for one in ran.asked],
    }  # fmt: skip
    done.write_text(json.dumps(told))
    return told


def main() -> int:
    if sys.argv[1:2] == ["--child"]:
        return child(sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--scripts", nargs="+", default=["open"])
    parser.add_argument("--rules", default=",".join(RULES))
    args = parser.parse_args()
    from chatmem.eval.agents.talks.script import chosen_scripts
    from chatmem.eval.measures.intervals import bootstrap

    args.out.mkdir(parents=True, exist_ok=True)
    scripts = chosen_scripts(args.scripts)
    runs = {}
    for rule in dict.fromkeys([ALL, *args.rules.split(",")]):
        runs[rule] = [measure(args.out, rule, script) for script in scripts]
        right, base = ([float(one) for run in runs[name] for one in run["right"]] for name in (rule, ALL))
        found = sum(one for run in runs[rule] for one in run["found"])
        gain = bootstrap([with_rule - without for with_rule, without in zip(base, right, strict=True)])
        facts = sum(run["facts"] for run in runs[rule])
        faults = sum(run["faults"] for run in runs[rule])
        print(f"without {rule:14} right {sum(right):.0f} of {len(right)}, findable {found}, {facts} facts, "
              f"{faults} faults of memory; the rule is worth {gain}", flush=True)  # fmt: skip
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Whether the chat knows what it doesn't know: `python tests/benchmarks/memory/bench_not_knowing.py`.

No language model takes part: counted is what recall says. Of questions that were never told, for how many nothing is
shown as memory, and how many are said to be untold ("You haven't told me ..."); of questions that were told, for how
many the same happens, wrongly; of small talk and general questions, how many are refused. Talks: the last two fifths of
those written one by one (not learned from), talks of the templates that weren't learned from, and the open scripts of
`chatmem eval chat`, another kind: their lines alone, asked their own questions (told) and those of three other scripts
(never told). `--json` prints the table as JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from chatmem.eval.agents.talks.script import load_script, shipped
from chatmem.eval.measures.intervals import Estimate, wilson
from chatmem.memory.language.asked.telling import told_part
from chatmem.memory.language.language import english
from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT, Recall, User
from chatmem.models.embedder.minilm import load_embedder
from chatmem.training.material.stored import stored_talk
from chatmem.training.material.templates.generate import generate
from chatmem.training.material.templates.talk import GoldTalk
from chatmem.training.recall.known_fit import held_talks

OTHERS = 3
"""Scripts whose questions another script is asked."""


def asked(store: Store, user: User, question: str, now: str | None = None) -> Recall:
    """What the chat recalls for a question."""
    return store.search(user.id, question, speaker=user.subject, word_budget=200, limit=12, now=now, floor=True)


def of_talks(store: Store, talks: Sequence[GoldTalk], name: str) -> tuple[list[Recall], list[Recall], list[Recall]]:
    """The recalls of questions that were told, of those that weren't, and of the talk's own questions."""
    rng, told, untold, small = random.Random(7), list[Recall](), list[Recall](), list[Recall]()
    for number, talk in enumerate(talks):
        user, now = stored_talk(store, f"{name}-{number}", talk, rng), talk.lines[-1].said_at
        for question in talk.questions:
            (untold if question.needs is None else told).append(asked(store, user, question.text, now))
        lines = [line for line in talk.lines if line.speaker != ASSISTANT and not line.facts and not line.question]
        small += [asked(store, user, line.text, now) for line in lines if not told_part(line.text, english())]
    return told, untold, small


def of_scripts(store: Store) -> tuple[list[Recall], list[Recall]]:
    """The same of the scripts, told and never told."""
    scripts = [load_script(path) for name in ("first", "open") for path in shipped(name)]
    users = []
    for number, script in enumerate(scripts):
        user = store.users.call(store.users.get(f"script-{number}").id, script.name.split(": ")[-1])
        session = store.sessions.start(user.id)
        for line in script.lines:
            store.turns.add(session.id, user.subject, line)
        store.vectors.embed_pending(user.id, limit=1_000)
        users.append(user)
    told, untold = list[Recall](), list[Recall]()
    for number, user in enumerate(users):
        told += [asked(store, user, one.question) for one in scripts[number].asks]
        for step in range(1, OTHERS + 1):
            other = scripts[(number + step) % len(scripts)]
            common = {ask.question.lower() for ask in scripts[number].asks}
            untold += [asked(store, user, one.question) for one in other.asks if one.question.lower() not in common]
    return told, untold


def share(recalls: Iterable[Recall], *, said: bool) -> Estimate:
    """How many find nothing; `said`: how many are said to be untold."""
    found = [recall.untold if said else not recall.items for recall in recalls]
    return wilson(sum(found), len(found))


def measured() -> dict[str, Estimate]:
    """The table."""
    table: dict[str, Estimate] = {}
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "m.db", embedder=load_embedder()) as store:
        small: list[Recall] = []
        sets = {"talks": held_talks()[1], "templates": list(generate(seed=78, n=40, split="valid"))}
        pairs = {}
        for name, talks in sets.items():
            told, untold, chatter = of_talks(store, talks, name)
            pairs[name] = told, untold
            small += chatter if name == "talks" else []
        pairs["scripts"] = of_scripts(store)
        for name, (told, untold) in pairs.items():
            table[f"{name}: never told, nothing shown"] = share(untold, said=False)
            table[f"{name}: never told, said so"] = share(untold, said=True)
            table[f"{name}: told, nothing shown"] = share(told, said=False)
            table[f"{name}: told, said to be untold"] = share(told, said=True)
        table["talks: small talk and general questions, said to be untold"] = share(small, said=True)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="the table as JSON")
    args = parser.parse_args()
    table = measured()
    if args.json:
        print(json.dumps({name: [one.value, one.low, one.high, one.n] for name, one in table.items()}, indent=1))
        return
    for name, one in table.items():
        print(f"{name:62} {one}")


if __name__ == "__main__":
    main()

"""A chat over an encrypted memory, as a process of its own: it tells its lines, does all that writes files, and waits.

What it prints: `done` when all is told and still open. It ends when it is killed.
"""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from chatmem.app.chat.tidying import copied
from chatmem.app.config.logs import log_to
from chatmem.app.context import Context
from chatmem.app.controller import Controller
from chatmem.app.tui.widgets.input_history import Typed
from chatmem.memory.repair.copies import backup
from tests.app.script import Script


def main(words: list[str], out: Path) -> None:
    context = Context.of({"encrypt": True})
    log_to(context.paths)
    logging.getLogger("chatmem").setLevel(logging.DEBUG)
    logging.getLogger("sqlalchemy").setLevel(logging.DEBUG)
    controller = Controller(context.open_store, Script(lambda: controller.store), context.settings)
    typed = Typed(context.typed_file("me"))
    for word in words:
        line = f"fact: My locker opens with {word}."
        typed.add(line)
        list(controller.submit(line))
    assert controller.wait(60)
    store, user = controller.store, controller.user
    assert store.facts.count(user.id) == len(words)
    for line in (f"/export {out / 'all.json'}", f"/export {out / 'all.csv'}", f"/export {out / 'all.db'}",
                 f"/save {out / 'talk.md'}", f"/sql SELECT fact FROM memory WHERE fact LIKE '%{words[3]}%'",
                 f"what opens {words[4]}?"):  # fmt: skip
        list(controller.submit(line))
    report = store.forget.memories(user.id, [store.facts.all(user.id)[7].id], with_evidence_text=True)
    assert report.bytes_checked and report.searched[0] == "rows"
    backup(store, out / "backup.db")
    with copied(store) as copy:
        assert copy.facts.count(user.id) == len(words) - 1
        print("copied", flush=True)
    try:
        raise KeyError(words[0])
    except KeyError:
        logging.getLogger("chatmem.app").exception("something failed")
    list(controller.submit(f"fact: My other locker opens with {words[1]}."))
    assert controller.wait(60)
    print("done", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(os.environ["SCENE_WORDS"].split(), Path(sys.argv[1]))

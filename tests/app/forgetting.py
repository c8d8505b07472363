"""Things told in a chat, and the ways to have them forgotten: what the tests and the benchmark of forgetting share.

The agents are scripted: they store the facts that belong to a line, and their replies repeat what was said.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from unittest.mock import patch

from prompt_toolkit.history import FileHistory

from chatmem.app import cli
from chatmem.app.assistants import tools
from chatmem.app.context import Context
from chatmem.app.controller import Controller
from chatmem.app.shown import events as e
from chatmem.app.web.handlers.clicks import act
from chatmem.app.web.windows.queue import Seated, Seats
from chatmem.app.web.windows.window import Desk
from chatmem.memory.errors import EndpointError
from chatmem.memory.store.store import Store
from chatmem.memory.values import Recall, Turn, User, WriteResult
from chatmem.models.api import Memory
from chatmem.models.lm import Chunk
from tests.app.script import AGENT, Script


@dataclass(frozen=True)
class Told:
    """A line with the facts that the storage agent makes of it. `words`: what must stand in no file afterwards; `wish`:
    the plain words in which it is forgotten; `question`: what brings a reply that repeats it."""

    line: str
    facts: tuple[str, ...]
    words: tuple[str, ...]
    wish: str
    question: str
    reply: str


KINDS: tuple[tuple[str, tuple[str, ...], str, str, str], ...] = (
    ("my {a} number is {n} and my aunt {p} keeps the spare key",
     ("User's {a} number is {n}.", "User's aunt {p} keeps the spare key of the {a}."),
     "please forget my {a} number", "what is my {a} number?", "Your {a} number is {n}, and {p} has the key."),
    ("I hate {a}, it reminds me of {p}", ("User hates {a}.",), "forget that I hate {a}", "do I like {a}?",
     "You told me that {a} reminds you of {p}."),
    ("{p} and I went to {a} on the 4th, room {n}", ("User went to {a} with {p}.", "User had room {n} in {a}."),
     "forget everything about {a}", "where was I with {p}?", "You were in {a}, in room {n}, with {p}."),
    ("the doctor says that my {a} is at {n}", ("User's {a} is at {n}.",),
     "You can forget about my {a}", "how is my {a}?",
     "It was at {n}, wasn't it? {a} needs care."),
    ("my {a} is called {p} and was chipped as {n}", ("User's {a} is called {p}.", "{p} was chipped as {n}."),
     "Could you please forget everything about {p}?", "what is my {a} called?", "{p}! Chip {n}, as you said."),
)  # fmt: skip
RARE = (
    "locker safe mailbox bicycle garage boat", "flying karaoke opera oysters escalators dentistry",
    "Tromso Ljubljana Oaxaca Valletta Kanazawa Windhoek",
    "ferritin cholesterol glucose triglyceride hematocrit platelets",
    "iguana cockatoo ferret tarantula chinchilla hedgehog",
)  # fmt: skip
"""The thing that each kind is about, six times."""
PEOPLE = """Rosalind Ottoline Perpetua Zebulon Isolde Fenwick Marigold Thaddeus Araminta Leopoldine Casimir Evangeline
Ferdinanda Hyacinth Ignatius Jocasta Kestrel Lysander Melisande Nicodemus Octavian Philippa Quentina Radegund Seraphine
Tiberius Ursuline Valentina Wilhelmina Xanthippe"""  # fmt: skip


def told(rounds: int = 2) -> list[Told]:
    """Thirty matters a round at most; no telling word stands in two of them."""
    groups = [group.split() for group in RARE]
    people, found = PEOPLE.split(), list[Told]()
    for place in range(6 * rounds):
        for kind, (line, facts, wish, question, reply) in enumerate(KINDS):
            number = 447_100 + 137 * (len(found) + 1)
            a, p = groups[kind][place % 6], people[len(found) % 30]
            if place >= 6:  # words that nobody knows, and that stand in no other
                a, p = a[::-1].lower(), p[::-1].capitalize()
            fill = partial(_filled, a, p, number)
            words = tuple(word for word, used in ((a, "{a}"), (p, "{p}"), (str(number), "{n}")) if used in line)
            found.append(Told(fill(line), tuple(map(fill, facts)), words, fill(wish), fill(question), fill(reply)))
    return found


def _filled(a: str, p: str, n: int, text: str) -> str:
    return text.format(a=a, p=p, n=n)


@dataclass
class Echo(Script):
    """Stores the facts that belong to a line, and says what belongs to a line or a question."""

    book: dict[str, Told] = field(default_factory=dict)

    def run(self, turns: Sequence[Turn], user: User) -> WriteResult:
        if self.storage_fails:
            raise EndpointError(self.storage_fails)
        matter = self.book.get(turns[0].text)
        if matter is None or turns[0].text != matter.line:
            return WriteResult(())
        rows = ", ".join(f"('User', 'talk', '{fact.replace(chr(39), chr(39) * 2)}')" for fact in matter.facts)
        sql = f"INSERT INTO memory (subject, topic, fact) VALUES {rows};"
        return self.open_store().facts.write(user.id, sql, author=AGENT, turn_ids=[turn.id for turn in turns])

    def reply(
        self, user: User, recall: Recall, recent: Sequence[Turn], text: str, now: str, *, attempt: int = 0
    ) -> Iterator[Chunk]:
        self.asked.append((text, recall, tuple(recent)))
        yield Chunk(self.book[text].reply if text in self.book else "I see.")
        yield Chunk("", "stop", 10, 0, 3)


@dataclass
class Home:
    """A person's chatmem: folders, an open database, a chat, and the file of the lines they type."""

    context: Context
    store: Store
    script: Echo
    chat: Controller
    desk: Desk

    @property
    def folder(self) -> Path:
        return self.context.paths.data.parent

    @property
    def user(self) -> User:
        return self.chat.user

    @property
    def history(self) -> Path:
        return self.context.history_file(self.user.name)

    def say(self, line: str) -> list[e.Event]:
        """A line as it is typed at the prompt: it is in the history before the chat sees it."""
        self.history.parent.mkdir(parents=True, exist_ok=True)
        FileHistory(str(self.history)).store_string(line)
        events = list(self.chat.submit(line))
        assert self.chat.wait(20)
        return events

    def tell(self, matter: Told) -> None:
        """The line is said; in a later session it is asked for, and repeated."""
        self.script.book |= {matter.line: matter, matter.question: matter}
        for line in (matter.line, "/new", matter.question, "/new"):
            self.say(line)

    def facts_of(self, matter: Told) -> list[int]:
        return [row.id for row in self.store.facts.all(self.user.id) if row.fact in matter.facts]

    def grep(self, word: str) -> list[str]:
        """`grep -rci WORD`: the files under the home that hold it in any case."""
        return [
            path.relative_to(self.folder).as_posix()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and word.lower().encode() in path.read_bytes().lower()
        ]


@contextmanager
def home(folder: Path, *, search: bool = False) -> Iterator[Home]:
    """Everything below one folder. `search`: with vectors of the embedded embedder."""
    with patch.dict("os.environ", {"CHATMEM_HOME": str(folder)}):
        context = Context.of({})
        store = context.open_store(search=search)
        script = Echo(lambda: store)
        chat = Controller(lambda: store, script, context.settings, shares_store=True)
        desk = Desk(chat, Seated(script, Seats(1), "me"))
        try:
            yield Home(context, store, script, chat, desk)
        finally:
            chat.close()
            store.close()


# The ways to have something forgotten; each returns what the person is told at the end.


def by_slash(home: Home, matter: Told) -> str:
    return _confirmed(home, "/forget " + " ".join(map(str, home.facts_of(matter)[:1])))


def by_plain_words(home: Home, matter: Told) -> str:
    return _confirmed(home, matter.wish)


def _confirmed(home: Home, line: str) -> str:
    (asked,) = [event for event in home.say(line) if isinstance(event, e.Asked)]
    (done,) = [event for event in home.chat.submit(asked.command) if isinstance(event, e.Forgotten)]
    return told_by(done)


def by_command_line(home: Home, matter: Told) -> str:
    err = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(err):
        assert cli.main(["memory", "forget", str(home.facts_of(matter)[0]), "--yes"]) == 0, err.getvalue()
    return err.getvalue()


def by_api(home: Home, matter: Told) -> str:
    from chatmem.app.shown.forgetting import sentence

    memory = Memory.over(home.store, home.user)
    return sentence(memory.forget(memory.to_forget(home.facts_of(matter)[0])))


def by_mcp(home: Home, matter: Told) -> str:
    memory, ids = Memory.over(home.store, home.user), home.facts_of(matter)[:1]
    tool = tools.tools()["forget"]
    shown = tools.call(tool, memory, {"ids": ids})
    assert not shown["forgotten"] and home.facts_of(matter)
    return str(tools.call(tool, memory, {"ids": ids, "confirm": True, "plan": shown["plan"]})["said"])


def by_page(home: Home, matter: Told) -> str:
    act(home.desk, {"act": "forget", "id": str(home.facts_of(matter)[0])})
    assert home.desk.asked is not None
    home.desk.answer(True)
    home.desk.finish(60)
    return home.desk.said[-1].text


WAYS: tuple[Callable[[Home, Told], str], ...] = (
    by_slash, by_plain_words, by_command_line, by_api, by_mcp, by_page,
)  # fmt: skip


def told_by(event: e.Forgotten) -> str:
    from chatmem.app.shown.render import lines

    return "\n".join(text for text, _ in lines(event))

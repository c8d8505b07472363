"""What tells a matter: the words and numbers by which it would be known again, and how near another text comes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from ..language.detect import frequent_words
from ..language.language import english
from ..language.words import content, details, is_unspaced, plain, sentences, spaced, stem, tokens
from .parting import holders

SHORTEST_NUMBER = 3
"""Digits and letters of a number from which it tells something by itself: "2" stands everywhere."""
SHORTEST_PARTED = 4
"""Digits of a number that is known again however its groups are parted: "4, 7" stands everywhere."""
REPEATS = 4, 5
"""Of what a fact tells, the part that is in a reply which repeats it."""
SHORTEST_WORD = 4
"""Letters of a word that is no name, from which it may be rare."""
SHORTEST_ALONE = 2
"""The same of a word that is all that a fact tells: "User is gay"."""
_WORD = re.compile(r"[^\W_]+")
_OF_YOU = re.compile(r"\byou(?:['’]re| are| were| have been|['’]ve been)(?P<told>(?: [\w-]+){1,4})")
"""What is said of the person, in small letters."""
_JOINED = re.compile(r"(?<![^\W_])[^\W_]+(?:[-.:/@+,][^\W_]+)+")
_PARTED = re.compile(r"(?<![^\W_])\d+(?:[-., /]\d+)+(?![^\W_])")
"""A number that is written in groups: 44 71, 44-71, 4,471. One sign between them: "44, 71" are two numbers."""
_SIGNS = re.compile(r"[-., /]")
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_OTHER = re.compile(rf"\d+[.,]\d\d?|{_DAY}([-./]){_DAY}\1(?:\d\d|\d{{4}})|\d{{4}}([-./]){_DAY}\2{_DAY}")
"""What only looks like it: prices and dates."""
_VERBS = ("adverbs", "modals", "past", "finite", "third", "base", "either", "objects")
_YEAR = re.compile(r"(?:19|20)\d\ds?(?![^\W_])")


_LITERAL = re.compile(r"'(?:[^']|'')*'")
_RESERVED = """insert into memory subject topic fact happened on said at values update set where id delete null from
select and or in is not limit order by as of undo redo called import forgotten"""
_SQL = frozenset(_RESERVED.split())


@dataclass(frozen=True)
class Words:
    """Words of some texts, each in lower case without accents, with the ways in which it was written there.

    `strong`: numbers, names and rare words; one of them tells the matter. `weak`: the other words that carry meaning.
    """

    strong: Mapping[str, frozenset[str]] = field(default_factory=dict)
    weak: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def all(self) -> Mapping[str, frozenset[str]]:
        return {**self.strong, **self.weak}

    def without(self, words: Iterable[str]) -> Words:
        gone = set(words)
        return Words(*({word: said for word, said in each.items() if word not in gone}
                       for each in (self.strong, self.weak)))  # fmt: skip


def numbers_of(texts: Iterable[str]) -> frozenset[str]:
    """The numbers in texts that hardly stand for anything else: long ones, and no years."""
    words = {word for text in texts for word in all_words(text) if len(word) > SHORTEST_NUMBER and _digits(word)}
    return frozenset(word for word in words - _small() if not _YEAR.match(word))


def words_of(texts: Iterable[str], but: Iterable[str] = (), shortest: int = SHORTEST_WORD) -> Words:
    """The words of texts that tell something, but for those of `but` (the user's own name). `shortest`: letters from
    which a word may be rare."""
    strong: dict[str, set[str]] = {}
    weak: dict[str, set[str]] = {}
    left_out = {word for text in but for word in all_words(text)}
    for text in texts:
        names = {plain(name) for name in details(text)}
        for word, said in _said(text):
            if word in left_out or word in _small() or (len(word) < 2 and not is_unspaced(word)):
                continue
            (strong if _is_strong(word, names, shortest) else weak).setdefault(word, set()).add(said)
    return Words(
        {word: frozenset(said | weak.get(word, set())) for word, said in strong.items()},
        {word: frozenset(said) for word, said in weak.items() if word not in strong},
    )


def all_words(text: str) -> set[str]:
    """Every word and number of a text, as `Words` names them."""
    return {word for word, _ in _said(text)}


def apart(text: str) -> set[str]:
    """The same but for the numbers that are only a piece of a longer one: no 500 stands in "38,500"."""
    groups = [one for pattern in (_PARTED, _JOINED) for one in pattern.findall(text)]
    pieces = {plain(piece) for one in groups for piece in _WORD.findall(one) if piece.isdecimal()}
    return all_words(text) - (pieces - {plain(one) for one in _WORD.findall(_JOINED.sub(" ", _PARTED.sub(" ", text)))})


def in_groups(number: str, texts: Iterable[str]) -> bool:
    """Whether these texts all hold a number in groups only: "pages 44-71" is no reason for 4471 to stay."""
    return all(number in all_words(text) and all(number != word for word, _ in _written(text)) for text in texts)


def told_in(sql: str) -> set[str]:
    """The words of a statement, but for those that SQL itself is made of where they stand outside of a text."""
    return all_words(" ".join(_LITERAL.findall(sql))) | (all_words(_LITERAL.sub(" ", sql)) - _SQL)


def _said(text: str) -> list[tuple[str, str]]:
    """The words, each with how it is written; what is joined of them where it has a digit or is an address: 12-34-56;
    and numbers that are written in groups, as their digits alone."""
    parted = ((_SIGNS.sub("", one), one) for one in _PARTED.findall(text) if not _OTHER.fullmatch(one))
    numbers = [pair for pair in parted if len(pair[0]) >= SHORTEST_PARTED]
    return [*_written(text), *((digits, said) for digits, one in numbers for said in (digits, one))]


def _written(text: str) -> list[tuple[str, str]]:
    joined = [one for one in _JOINED.findall(text) if _digits(one) or "@" in one]
    return [(plain(one), one) for one in (*_WORD.findall(spaced(text)), *joined)]


def _is_strong(word: str, names: set[str], shortest: int) -> bool:
    if _digits(word):
        return len(word) >= SHORTEST_NUMBER
    if word in common() or (word not in names and stem(word) in _common_stems()):
        return False
    return word in names or len(word) >= shortest or "@" in word or (len(word) > 1 and is_unspaced(word))


def _digits(word: str) -> bool:
    return not word.isalpha() and any(letter.isdigit() for letter in word)


@lru_cache(maxsize=1)
def _small() -> frozenset[str]:
    """What stands in most lines of the languages that can be told apart by it."""
    return english().stop | english().negations


@lru_cache(maxsize=1)
def common() -> frozenset[str]:
    """Words that tell no matter by themselves: English ones, and the frequent words of other languages."""
    language = english()
    lists = [language.words("forget", "common"), language.words("words", "evidence"), language.filler]
    lists += [language.words("verbs", name) for name in _VERBS]
    lists += [frozenset(language.numbers), frozenset(language.relations), frozenset(language.months)]
    lists += [frozenset(language.weekdays), frozenset(plain(" ".join(frequent_words().values())).split()), _small()]
    return frozenset().union(*lists)


@lru_cache(maxsize=1)
def _common_stems() -> frozenset[str]:
    """Other forms of what all talk is made of tell no more: "nobody knows" is no sign of "what do you know?". Of other
    frequent words they do: "drinking" is more than "drink"."""
    lists = (english().words("words", "evidence"), english().words("questions", "plain"), _small())
    return frozenset(map(stem, frozenset().union(*lists)))


@dataclass(frozen=True)
class Matter:
    """What is forgotten, as other texts are held against it: the content of each of its facts, and its numbers."""

    facts: tuple[frozenset[str], ...] = ()
    numbers: frozenset[str] = frozenset()
    alone: frozenset[str] = frozenset()
    """Stems of rare words each of which is all that a fact about the person holds: "User is pregnant"."""
    who: frozenset[str] = frozenset()
    """Stems of the names and roles of those whom the facts are about: alone they tell no matter of theirs."""

    @classmethod
    def of(
        cls, facts: Iterable[tuple[str, str]], lines: Iterable[str] = (), own_names: Collection[str] = ()
    ) -> Matter:  # fmt: skip
        """`facts`: each after its subject; `lines`: what was said of it, beside them."""
        told = list(facts)
        contents = tuple(dict.fromkeys(content(fact, subject) for subject, fact in told))
        numbers = numbers_of([*(fact for _, fact in told), *lines])
        short = (fact for subject, fact in told if subject in own_names and len(content(fact, subject)) == 1)
        alone = frozenset(stem(word) for word in words_of(short, own_names, SHORTEST_ALONE).strong)
        who = holders([fact for _, fact in told], {word for name in own_names for word in tokens(name)})
        return cls(contents, numbers, alone, who)

    def in_line(self, text: str) -> bool:
        """Whether a line repeats it: at least half of what a fact holds, and two words of it; or the one word of a
        fact, where the person speaks of themself."""
        said = content(text)
        if said & self.alone and english().words("forget", "mine") & {*tokens(text.replace("’", "'"))}:
            return True
        return any(len(said & fact) >= self.least(fact) and said & self.told_in(fact) for fact in self.facts)

    def told_in(self, fact: frozenset[str]) -> frozenset[str]:
        """What a fact tells beside whom it is about; all of it where that is nothing."""
        return fact - self.who or fact

    def in_reply(self, text: str) -> bool:
        """Whether a reply repeats it, whatever stays by right: nearly all that a fact tells, and two words of it; or
        the one word of a fact, where it speaks of the person: "You are gay"."""
        said = content(text)
        if any(said & self.alone & content(found["told"]) for found in _OF_YOU.finditer(plain(text))):
            return True
        return any(
            len(said & fact) >= 2 and REPEATS[1] * len(said & told) >= REPEATS[0] * len(told)
            for fact in self.facts
            if (told := self.told_in(fact))
        )

    def differs(self, fact: str) -> bool:
        """Whether a fact that says nearly the same tells another date or number: 15 January, not 15 December."""
        mine, theirs = _figured(frozenset().union(*self.facts)), _figured(content(fact))
        return bool(mine and theirs and theirs - mine)

    def ties(self, fact: str, subject: str) -> bool:
        """Whether another fact shares a word with it that tells what it is about: no name or role of somebody whose
        matter it is, no verb, month or small number."""
        mine = frozenset[str]().union(*(self.told_in(one) for one in self.facts)) - self.who
        said = content(fact, subject) & mine
        return bool(said - _everyday())

    @staticmethod
    def least(fact: Collection[str]) -> int:
        """How many words of a fact a line must hold to repeat it."""
        return max(2, -(-len(fact) // 2))

    def in_fact(self, fact: str, subject: str) -> bool:
        """Whether another fact of the same subject says the same: two thirds of either are in the other, or it has the
        number (in groups: with another word of it)."""
        said = content(fact, subject)
        alike = any(
            len(said & one) >= 2 and 3 * len(said & one) >= 2 * max(len(said), len(one)) for one in self.facts
        )  # fmt: skip
        grouped = self.has_number(fact) and not all(said.isdisjoint(one) for one in self.facts)
        return alike or grouped or self.has_number(fact, written_so=True)

    def has_number(self, text: str, *, written_so: bool = False) -> bool:
        """Whether a text holds one of its numbers, years aside, however its groups are parted; `written_so`: as one
        word, since "pages 44-71" may mean no number."""
        return any(word in self.numbers for word, _ in (_written(text) if written_so else _said(text)))


@lru_cache(maxsize=1)
def _everyday() -> frozenset[str]:
    """Stems that facts of all matters have: verbs, months, days of the week, small numbers, and "new" or "job"."""
    language = english()
    words = {word for name in _VERBS if name != "either" for word in language.words("verbs", name)}  # "boat" is in it
    words |= {*language.months, *language.weekdays, *map(str, range(100))} | language.words("forget", "everyday")
    return frozenset(map(stem, words))


def _figured(stems: Collection[str]) -> set[str]:
    """The numbers and months among stems."""
    months = {stem(word) for word in english().months}
    return {word for word in stems if _digits(word) or word in months}


def telling_stems(text: str) -> frozenset[str]:
    """The stems of a text that not all talk is made of, as thanks are."""
    return content(text) - _common_stems()


def _rare(words: Collection[str]) -> set[str]:
    """The stems of those that all talk isn't made of: "meet" is no sign of who "meets" somewhere."""
    return {stem(word) for word in words if word not in common()}


def count_of(text: str, stems: Iterable[str]) -> int:
    """How many of these stems a text has; a number word counts as its figures."""
    words = all_words(text)
    figures = {str(number) for word in words if (number := english().numbers.get(word)) is not None}
    return len(({stem(word) for word in words} | figures).intersection(stems))


@dataclass(frozen=True)
class Signs:
    """By what a session's name or a typed line is known to hold a matter: its words, and the stems of those of which no
    other form stands in what stays."""

    words: Words = field(default_factory=Words)
    strong: frozenset[str] = frozenset()
    weak: frozenset[str] = frozenset()

    @classmethod
    def of(cls, words: Words, kept: Collection[str] = ()) -> Signs:
        """`kept`: stems that stand in what stays."""
        strong, weak = (frozenset(stem(word) for word in each).difference(kept) for each in (words.strong, words.weak))
        return cls(words, strong, weak - strong)

    def telling(self, text: str) -> bool:
        """Whether a text holds a telling word, in whatever form."""
        held = all_words(text)
        return not (self.words.strong.keys().isdisjoint(held) and self.strong.isdisjoint(_rare(held)))

    def in_title(self, text: str) -> bool:
        """Whether a session's name echoes it, as a reply would: by a telling word, or two lesser ones."""
        return self.telling(text) or len({stem(word) for word in all_words(text)} & self.weak) > 1

    def in_typed(self, text: str) -> bool:
        """Whether a typed line holds one of the words, or a telling one in another form."""
        return not self.words.all.keys().isdisjoint(all_words(text)) or self.telling(text)


class Sentences:
    """The sentences that go, as replies and questions are held against them."""

    def __init__(
        self, lines: Iterable[str], facts: Iterable[str], telling: Collection[str], who: Collection[str]
    ) -> None:
        """`telling`: stems that stand in nothing that stays; `who`: as in `Matter`."""
        self.quoted: dict[str, list[tuple[str, bool]]] = {}
        """By the longest stem of each, and whether it is long enough to be known without the marks of a quote."""
        self._parts: dict[str, list[frozenset[str]]] = {}
        said = {one for text in lines for one in sentences(text)}
        for one in said.union(facts):
            if held := content(one):
                plainly = _spaced(one).strip(" .!?…")
                self.quoted.setdefault(max(held, key=len), []).append((plainly, len(held) > 2))
                for word in held.intersection(telling).difference(who, _common_stems()) if one in said else ():
                    self._parts.setdefault(word, []).append(held)

    def in_reply(self, text: str) -> bool:
        """Whether a reply quotes one of them, or holds nearly all that it tells."""
        held, low = content(text), _spaced(text)
        quoted = (one for word in held for one in self.quoted.get(word, ()))
        return any(_quotes(low, one, marked=not known) for one, known in quoted) or any(
            REPEATS[1] * len(held & one) >= REPEATS[0] * len(one) for one in self._near(held)
        )

    def in_question(self, text: str) -> bool:
        """Whether a question holds half of one of them, as of a fact."""
        held = content(text)
        return any(len(held & one) >= Matter.least(one) for one in self._near(held))

    def _near(self, held: Iterable[str]) -> Iterator[frozenset[str]]:
        return (one for word in held for one in self._parts.get(word, ()) if len(one) > 1)


def _quotes(text: str, said: str, *, marked: bool) -> bool:
    """Whether a text holds a sentence as a whole; `marked`: between the marks of a quote, for it is short."""
    begin, end = ("“", r"[.!?…]*”") if marked else (r"(?<!\w)", r"(?!\w)")
    return re.search(f"{begin}{re.escape(said)}{end}", text) is not None


def _spaced(text: str) -> str:
    return " ".join(plain(text).replace("’", "'").split())


@dataclass(frozen=True)
class Echo:
    """By what words a reply or a question is known to repeat what goes."""

    strong: frozenset[str]
    weak: frozenset[str]
    every: frozenset[str]
    """Stems that tell it, lesser ones, and all: by one of these the reply to a line that goes."""
    whole: frozenset[str]
    """The telling words as they were said: "transgender" in the reply to who is trans."""

    @classmethod
    def of(cls, words: Words, every: Words, alone: Collection[str]) -> Echo:
        """`words`: those that stand in nothing that stays; `every`: also the others; `alone`: as in `Matter`."""
        strong, weak, held = (frozenset(map(stem, some)) for some in (words.strong, words.weak, every.all))
        whole = frozenset(word for word in every.strong if len(word) >= SHORTEST_WORD)
        return cls(strong | (weak.intersection(alone)), weak, held, whole)

    def in_turn(self, text: str, *, answers: bool) -> bool:
        """By a telling word, or two lesser ones; `answers`: a reply to a line that goes, by any of its words."""
        said = all_words(text)
        stems = {*map(stem, said)}
        if _rare(said) & self.strong or len(stems & (self.strong | self.weak)) > 1:
            return True
        return answers and bool(stems & self.every or any(word.startswith(tuple(self.whole)) for word in said))

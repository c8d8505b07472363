"""What a recall tells of whom a question asks: how old they are, what they are called, what they do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

from ....memory.language.asked import expects
from ....memory.language.asked.forms import forms_of
from ....memory.language.asked.personal import personal, unwrapped
from ....memory.language.asked.telling import told_part
from ....memory.language.facts.states import Acquaintance
from ....memory.language.kinship import relations
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.told.about import LEANING, LEANT, Whom, spoken, told_sentences
from ....memory.language.told.asked import Want, subject, want
from ....memory.language.told.held import told
from ....memory.language.told.kinds import above, below, of_the_world
from ....memory.language.words import plain, stem, terms, tokens
from ....memory.search.floor import family
from ....memory.values import ASSISTANT, Recall, Turn

_NAME = re.compile(r"\b[A-Z][^\W\d_]+")
_PEOPLE = {"boy": "boy", "boys": "boy", "girl": "girl", "girls": "girl", "baby": "baby", "kids": "child"}
"""Who isn't told by a word for a relation."""
_TWINS = frozenset({"twin", "twins", "son", "daughter", "child", "boys", "girls"})
_OF_THE_WORLD = re.compile(rf"\b(?:{english().alternatives('others', 'famous')})\b", re.IGNORECASE)
"""What is said of those whom everybody may know."""
_WHO_IS = re.compile(
    r"who(?:['’]s| is| are) the\b|what(?:['’]s| is| are) the (?:(?:name|names|surname)\b|.* called$)", re.IGNORECASE
)
_MOST = re.compile(r"\b(?:[a-z]+est|most|best|right|world)\b", re.IGNORECASE)
"""Of whom there is one in the world, whoever asks."""
_INSIDE = re.compile(r"(?<=[a-z,] )[A-Z][^\W\d_]+")
APART = 3
"""Lines between two of the asker's, at most, that still go on from each other."""


class Known:
    """What a recall and the lines just said tell of what a question asks; `wanted` None: of no such kind."""

    def __init__(self, recall: Recall, recent: Sequence[Turn] = ()) -> None:
        self.recall = recall
        turns = [turn for item in recall.items for turn in item.turns]
        self.facts = [memory.fact for memory in recall.memories]
        self.texts = [*self.facts, *passages(turns), *(LEANT + one for one in passages(recent))]
        self.asker = next((memory.subject for memory in recall.memories), "user").lower()
        self.wanted = want(recall.query)

    @cached_property
    def people(self) -> set[str]:
        """Names that stand in what was told, in small letters."""
        return {word.lower() for text in self.texts for word in _NAME.findall(text)} - english().stop

    @cached_property
    def whom(self) -> Whom:
        """Of whom or what is asked."""
        return self._whom(self.wanted) if self.wanted else Whom()

    def about(self, who: str) -> list[str]:
        """The sentences that speak of somebody as a question names them: "my sister", "Leo", "I"."""
        meant = subject("home", who)
        return [one for text in self.texts for one in spoken(self._whom(meant), text)] if meant else []

    def lines_about(self, who: str) -> list[str]:
        """The facts and whole lines of which a sentence speaks of them, and lines that go on from what isn't here."""
        spoken_of, found = {*self.about(who)}, list[str]()
        for text in self.texts:
            for place, line in enumerate(text.strip(LEANT).split("\n")):
                said = told_sentences(line)
                leans = not place and bool(said) and bool(LEANING.match(said[0]))
                found += [line] if leans or spoken_of & {*said} else []
        return found

    def names_of(self, who: str) -> frozenset[str]:
        """The words that somebody, as a question names them, is called by."""
        meant = subject("home", who)
        whom = self._whom(meant) if meant else Whom()
        return whom.names | whom.kin | {*tokens(who)}

    @property
    def core(self) -> str:
        """The question without what it is wrapped in."""
        return unwrapped(self.recall.query, forms_of("en")).strip(" ?!.")

    def _whom(self, asked: Want) -> Whom:
        if asked.me:
            return Whom(me=self.asker)
        owner = frozenset(asked.owner.split()[-1:])
        head = re.sub(r"^(?:ex|step|late|former)-", "", asked.head)
        kin = _TWINS if head == "twins" else family(_main(head))
        whose = Whom(kin=kin, owner=owner, mine=asked.mine, asker=self.asker)
        if kin and not (asked.kind != "name" and self._is_named(head)):
            names = frozenset() if asked.kind == "name" else frozenset(self._names_of(whose))
            return replace(whose, names=names)
        things = {stem(head), *below(head), *(above(head) if asked.kind == "name" else ())}
        if not any(things & {*terms(text)} for text in self.texts):
            things |= {stem(word) for word in asked.before} - english().stop
        names = frozenset({plain(head)}) if asked.kind != "name" else frozenset()
        roles = Acquaintance.of(self.facts).roles.get(head, frozenset()) if names else frozenset()
        return replace(whose, names=names, kin=frozenset(), things=frozenset(things), roles=roles)

    def _is_named(self, word: str) -> bool:
        return any(word in (one.lower() for one in _NAME.findall(text)[1:]) for text in self.texts)

    def _names_of(self, whose: Whom) -> set[str]:
        wanted = Want("name", "", mine=whose.mine)
        return set(told(wanted, whose, self.texts))

    @cached_property
    def of_their_life(self) -> bool:
        """Whether the line asks of the asker's own life or people, or of what they told."""
        if self.recall.general:
            return False
        return self.own or personal(self.recall.query, english(), self.people) is not None

    @cached_property
    def untold(self) -> bool:
        """Whether it asks something of the asker, or of theirs, of which nothing that was found tells any."""
        asked = self.wanted
        own_work = asked is not None and asked.me and asked.kind == "job"  # "I tune pianos" tells it by no known form
        return asked is not None and self.own and not self.found and not own_work

    @cached_property
    def own(self) -> bool:
        """Whether it is about the asker's own life or people, or about something that was told: none of the world's."""
        asked = self.wanted
        if asked is None or self.recall.general:
            return False
        if asked.me or (asked.mine and (asked.kind != "name" or self._of_kin_or_pets)):
            return True
        if asked.kind == "name" and self._of_kin_or_pets and self._ends_with_the(asked.head):
            return True  # "what are the names of the horses?": there are none that everybody knows
        said = [one for text in self.texts for one in told_sentences(text) if self._names(one)]
        if {asked.head, asked.owner} & of_the_world():
            said = [one for one in said if relations(one)]
        return bool(said) and not all(_OF_THE_WORLD.search(one) and not relations(one) for one in said)

    @property
    def _of_kin_or_pets(self) -> bool:
        """Whether it asks of people or animals, whose word is told with their name; a book is told without "book"."""
        assert self.wanted is not None
        return bool(self.whom.kin) or stem(self.wanted.head.removesuffix("s")) in below("animal")

    def _ends_with_the(self, head: str) -> bool:
        ends = rf"\bthe (?P<which>[\w-]+ )?{re.escape(head)}(?:['’]s? names?| called| named)?$"
        found = re.search(ends, self.core, re.IGNORECASE)
        return found is not None and not _MOST.match(found["which"] or "")

    def _names(self, sentence: str) -> bool:
        return self.whom.in_(sentence) or bool(self.whom.owner & {*tokens(sentence)})

    @property
    def of_the_world(self) -> bool:
        """Whether it asks of somebody whom everybody may know, and who was told of as such at most."""
        return not self.own and bool({*tokens(self.recall.query)} & of_the_world())

    @cached_property
    def found(self) -> dict[str, str]:
        """What is told of it, each with the sentence that tells it."""
        return told(self.wanted, self.whom, self.texts) if self.wanted else {}

    @property
    def asks_who(self) -> bool:
        """Whether it asks who somebody is and names nobody: "who is the mayor of the town?". None that everybody knows
        is meant so."""
        found = _WHO_IS.match(self.core)
        local = found is not None and not {*tokens(self.core)}.isdisjoint(_near())
        return local and not self.recall.general and not _NAME.search(self.core[1:]) and not _MOST.search(self.core)

    def is_of_a_stranger(self, reply: str) -> bool:
        """Whether a reply to such a question names somebody of whom nothing shown tells."""
        if not self.asks_who:
            return False
        named = {word.lower() for word in _INSIDE.findall(reply)} - english().stop
        return bool(named) and not named & {word for text in self.texts for word in tokens(text)}

    def contradicts(self, reply: str) -> bool:
        """Whether a reply gives another age or name than those told, or of a trade or a home nothing that was told."""
        if not self.found or not self.own or self.wanted is None:
            return False
        if self.wanted.kind == "name":
            return not {*self.found} & {one.removesuffix("'s") for one in re.findall(r"[\w'-]+", reply.lower())}
        if self.wanted.kind == "age":
            ages = {one for one in self.found if one.isdigit()}
            return bool(ages) and {*self.found} == ages and not expects.numbers(reply, ordinals=True) & ages
        if self.wanted.kind not in ("job", "home", "workplace") or (self.wanted.me and self.wanted.kind != "job"):
            return False
        asked = {*terms(self.recall.query), *self.whom.names, *map(stem, self.whom.names)}
        return not any(({*terms(reply)} - asked) & {*terms(one)} for one in self.found.values())


def _main(head: str) -> str:
    """The main word for who somebody is: "mums" -> mother; empty for a thing."""
    known = english().relations
    return known.get(head) or known.get(head.rstrip("s")) or _PEOPLE.get(head, "")


def passages(turns: Sequence[Turn]) -> list[str]:
    """What the people's own lines tell, without what they ask; those that follow each other in one text, for "she" goes
    on from the line before."""
    own = {turn.id: turn for turn in turns if turn.speaker != ASSISTANT}
    found: list[list[Turn]] = []
    for turn in sorted(own.values(), key=lambda one: one.id):
        last = found[-1][-1] if found else None
        if last and last.session_id == turn.session_id and turn.id - last.id <= APART:
            found[-1].append(turn)
        else:
            found.append([turn])
    told = ([told_part(turn.text, english()) for turn in some] for some in found)
    return ["\n".join(one for one in some if one) for some in told if any(some)]


@lru_cache(maxsize=1)
def _near() -> frozenset[str]:
    """Words for those whom one has to do with where one lives, works or learns."""
    lists = (english().words("others", name) for name in ("workers", "anybody", "around"))
    return frozenset(english().relations).union(*lists)

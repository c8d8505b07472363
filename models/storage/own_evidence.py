"""Evidence is what the user said: a question isn't, nor is what only the assistant said, whatever model writes.

A line that only asks never reaches the storage model, of others it reads the telling part (an adapter of ours sees what
they ask as a line before, of which nothing is stored): what somebody else said or
wrote is taken out (`memory/language/quoted/`), and so are clauses with a secret. A fact whose names, numbers or words
stand in the assistant's reply (or in an earlier question, or in what was taken out) and in nothing that the user told
goes, unless the line affirms that reply: "yes, he did". What remains of a line with somebody else's words is asked
about where it touches health, money, a name or a password.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ...memory.forget.orders.ordered import without_orders
from ...memory.language.asked.telling import affirms, told_part
from ...memory.language.detect import language_of
from ...memory.language.facts.areas import area
from ...memory.language.facts.put_right import counts_right, rights
from ...memory.language.language import Language, english
from ...memory.language.leaning.jotted import jotted
from ...memory.language.leaning.talked_of import named_in_talk
from ...memory.language.own_name import agrees_first
from ...memory.language.quoted.secrets import secrets, tells, without_secrets
from ...memory.language.quoted.speech import labelled
from ...memory.language.quoted.touching import touches
from ...memory.language.quoted.vocabulary import vocabulary
from ...memory.language.quoted.whose import whose
from ...memory.language.told.disputed import disputed
from ...memory.language.words import sentences, terms, tokens
from ...memory.values import ASSISTANT, Held, Turn
from ..chat.forgetting.wished import Wishes
from ..embedder.punctuation.restored import as_told
from ..prompts.draft import Add, Close, Draft, Entry, date_words, render
from ..prompts.messages import Line
from .checks import Finding, difference
from .told.fidelity import CAPITAL, alike, details, names
from .told.plain_statements import jottings
from .told.quotations import as_typed
from .told.scene import Scene


class OwnPart(NamedTuple):
    """A line without what isn't its speaker's own. `turn`: with what it tells (None: nothing), and with what was taken
    out of it; `secrets`: those that it holds; `asked`: what it asks beside what it tells; `nods`: whether it tells
    only in the form of a question ("did I tell you that I'm divorced?"); `denied`: what it says was noted and isn't
    so; `agrees`: whether it begins with a yes, and puts nothing right."""

    turn: Turn | None
    quoted: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    asked: str = ""
    nods: bool = False
    denied: str = ""
    agrees: bool = False


def own_part(
    turn: Turn, language: str | None = None, before: Sequence[Turn] = (), wishes: Wishes | None = None
) -> OwnPart:
    """What a person's line tells of its speaker's own. `language`: as of `language_of`; `before`: the speaker's lines
    shortly before, the nearest last; `wishes`: what sees a wish to forget where no rule does. Raises ModelError."""
    if turn.speaker == ASSISTANT:
        return OwnPart(None)
    own, quoted = whose(turn.text, turn.speaker) if turn.quoted is None else (turn.text, turn.quoted)
    own = _of_themselves(own) if quoted else own
    found = secrets(own, [one.text for one in before])
    own = without_secrets(own, found) if found else own
    own = _without_wishes(own, language_of(own, language), before, wishes) if own.strip() else own
    told = told_part(own, language_of(own, language)) if own.strip() else ""
    asked = " ".join(one for one in sentences(own) if one not in told) if told else ""
    if asked and _is_question(first := sentences(own)[0]) and not _SAID.search(first):
        told = _ANSWER.sub("", told)  # "Can you smell it? No. Pity." puts nothing right
    nods = bool(told) and told != own and _is_question(own)
    told, denied = _without_denied(told, turn.speaker)
    agrees = agrees_first(turn.text) is not None and not rights(turn.text)
    return OwnPart(
        replace(turn, text=told, quoted=quoted) if told else None, quoted, found, asked, nods, denied, agrees
    )


def as_read(
    turns: Iterable[Turn], language: str | None, earlier: Callable[[Turn], Sequence[Turn]], wishes: Wishes | None
) -> Iterator[Turn]:
    """The lines with marks where they were dictated without any. One that wishes something forgotten stays as it was
    typed: a mark between the wish and its matter would leave the matter to be told."""
    for turn in turns:
        told, before = as_told(turn), earlier(turn)
        wished = told is not turn and _without_wishes(turn.text, language_of(turn.text, language), before, wishes)
        yield told if wished == turn.text else turn


def _without_wishes(own: str, language: Language, before: Sequence[Turn], wishes: Wishes | None) -> str:
    """A line without what it wishes forgotten."""
    left = without_orders(own, language)
    return wishes.without(left, language, before[-1].text if before else "") if wishes is not None else left


def _without_denied(told: str, speaker: str) -> tuple[str, str]:
    """What a line tells beside what it says is noted and isn't so, and that: "you wrote that my sister is 30, but she's
    31" tells that she is 31. What is understood with that alone ("it was Milo's") is told of nothing."""
    found = disputed(told)
    if found is None:
        return told, ""
    right = named_in_talk(found.right, [found.claim], speaker)
    return "" if _POINTS.match(right) else right, found.claim


_POINTS = re.compile(r"(?:(?:it|that|this|he|she|they)\b|(?:it|that|he|she)['’]s\b)", re.IGNORECASE)


_ANSWER = re.compile(r"^(?:no|nope|nah|yes|yep|yeah)\b[.,!]+\s+(?=\S)", re.IGNORECASE)
_SAID = re.compile(r"\b(?:say|said|tell|told|write|wrote|put)\b", re.IGNORECASE)
"""In a question about one's own words, to which "No, 460." is what puts them right."""


def _is_question(text: str) -> bool:
    return all(one.rstrip(" \"'”»)").endswith(("?", "？", "؟")) for one in sentences(text))


def _of_themselves(own: str) -> str:
    """Of a line with somebody else's words the sentences in the first person: of what only leads to a quotation ("fyi,
    this came in today", "the guy on the bus yelled at me") a small model makes facts that nobody told."""
    return "\n".join(one for one in sentences(own) if vocabulary().speaks(one, of_me=False))


def telling_turn(turn: Turn) -> Turn | None:
    """The turn with what it tells; None: it is the assistant's, only asks, or is in somebody else's words."""
    return own_part(turn).turn


def puts_right_alone(turn: Turn, own: OwnPart, before: Sequence[Turn], language: str | None = None) -> bool:
    """Whether a line that tells nothing says a number or a day that was wrong in the line right before: that told
    something and asked for nothing, else "make it 6" may be of the poem that was asked for, and "6?" asks."""
    if own.quoted or own.secrets or "?" in turn.text or not before or not counts_right(turn.text):
        return False
    last = own_part(before[-1], language)
    return last.turn is not None and not last.asked


def heard(
    draft: Draft, scene: Scene, turn: Turn, facts: Iterable[str], asked: str = ""
) -> tuple[Draft, list[Finding]]:  # fmt: skip
    """The draft without what only the assistant said, and the finding. `facts`: what was known before; `asked`: what
    the line asks beside what it tells, if the model was shown it."""
    own = [turn.text, scene.line.text, scene.line.speaker, "user", *(scene.subjects or ()), *facts]
    if asked and _LEANS.search(turn.text) and (who := next(iter(_named(asked)), None)):
        own.append(who)  # "Ben is nice, isn't he? I met him in Ghent": whom the question names is meant, and no more
    others = [asked] if asked else []
    for speaker, said in scene.before:
        if speaker == ASSISTANT:
            (own if said == scene.before[-1].text and affirms(turn.text, scene.language) else others).append(said)
        elif told := told_part(whose(said, speaker).own, scene.language):
            own.append(told)
            others += [said] if told != said else []
        else:
            others.append(said)
    after = draft.told(lambda fact: None if others and _only_theirs(fact, own, others) else fact)
    found = difference("not_said", draft, after)
    return after, [found] if found else []


_LEANS = re.compile(rf"\b(?:{english().alternatives('words', 'somebody')})\b", re.IGNORECASE)


def _named(asked: str) -> list[str]:
    """The names in a question, in order."""
    return [word for word in CAPITAL.findall(asked) if word.lower() not in english().stop]


def unquoted(draft: Draft, turn: Turn, own: OwnPart) -> tuple[Draft, list[Finding]]:
    """The draft without what stands in somebody else's words alone or gives away a secret, and the findings."""
    findings: list[Finding] = []
    draft = as_typed(draft, turn.text, own.turn.text) if own.turn is not None else draft
    mine, who = [turn.text, turn.speaker, "user"], _labels(turn.text)

    def theirs(fact: str) -> bool:
        return (bool(own.quoted) and _only_theirs(fact, mine, list(own.quoted))) or not _of_label(fact, who)

    after = draft.told(lambda fact: None if theirs(fact) else fact)
    if draft and not after and not own.quoted and _is_note(turn.text):
        after = jottings(Line(turn.speaker, turn.text)) or _in_its_words(turn)
    if found := difference("quoted", draft, after):
        findings.append(found)
    kept = after.told(lambda fact: None if tells(fact, own.secrets) else fact)
    if kept.entries != after.entries:
        findings.append(Finding("secret", text=SECRET))
    return kept, findings


def unsaid(findings: Iterable[Finding], secrets: tuple[str, ...]) -> list[Finding]:
    """The findings with nothing in them that would write a secret into the journal: what a check threw away, too."""
    if not secrets:
        return [*findings]
    hidden = Finding("secret", text=SECRET)
    return [hidden if tells(f"{one.sql()} {one.sentence}", secrets) else one for one in findings]


SECRET = "-- a secret"
"""Stands in the journal for a statement that would have held one."""


def _is_note(text: str) -> bool:
    """Whether a line behind a name is a note, and nothing that is said to somebody: one of which no fact can be made
    is kept in its own words."""
    spoken = english().second_person & {*tokens(text)}
    return not spoken and len(text.split()) <= LONGEST_NOTE and not re.search(r"[!?\n“”\"]", text)


LONGEST_NOTE = 30
"""Words."""


def _in_its_words(turn: Turn) -> Draft:
    said = turn.text.strip(" .")
    return Draft((Add(turn.speaker, area("", said), f"{said}.", date_words(said)),))


def _labels(text: str) -> str:
    """Whom a note names before its colons."""
    return " ".join(one.who for one in jotted(text)) or labelled(text)


def _of_label(fact: str, who: str) -> bool:
    """Whether a fact from a note such as "Mia: vegetarian" tells it of Mia, or of whoever that word stands for."""
    return not who or bool({*tokens(fact)} & {*tokens(who), *english().relations, "friend"})


def held_back(draft: Draft, turn: Turn, language: Language, subjects: Iterable[str]) -> tuple[Draft, list[Held]]:
    """The draft without what is asked about first, and that: of a line with somebody else's words, what touches."""
    if not turn.quoted:
        return draft, []
    asked = [entry for entry in draft if isinstance(entry, Close) or _touching(entry, language)]
    held = [Held(tuple(Draft((one,)).facts), render([one]), tuple(subjects)) for one in asked]
    return replace(draft, entries=tuple(one for one in draft if one not in asked)), held


def _touching(entry: Entry, language: Language) -> bool:
    return not isinstance(entry, Close) and touches(str(entry.fact or ""), entry.topic or "", language)


def _only_theirs(fact: str, own: list[str], others: list[str]) -> bool:
    """Whether a name or a number of the fact, or all of its words that anybody said, stand in `others` alone."""
    told, heard_there = _words(own), _words(others)
    telling = {word for detail in names(fact) | details(alike(fact)) for word in tokens(detail)}
    if (telling & heard_there) - told:
        return True
    content = {*terms(alike(fact))}
    return bool(content & _stems(others)) and not content & _stems(own[:1])


def _words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in (*tokens(text), *tokens(alike(text)))}


def _stems(texts: Iterable[str]) -> set[str]:
    return {stem for text in texts for stem in terms(alike(text))}

"""Whether the facts that a model wrote for a line are true to that line: checked by words, without a model.

Two mistakes of a small model can be seen from the words alone: it loses a name or a number that was said, or it puts in
something that nobody said. Each counts as one fault; a liking told as its opposite counts as two. A third, told by
`denied`: what a line denies is affirmed ("can't do gluten" told as "eats gluten").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from ....memory.language.about_others import about_another
from ....memory.language.kinship import plainly_related
from ....memory.language.language import english
from ....memory.language.leaning.named import does
from ....memory.language.points import letters as re
from ....memory.language.points.abbreviated import parted
from ....memory.language.words import alternatives, sentences, stem, terms, tokens

_LIKES = re.compile(r"\b(?:likes?|loves?|enjoys?|adores?|favou?rite|prefers?|fan of)\b", re.IGNORECASE)
_DISLIKES = re.compile(
    r"\b(?:hates?|dislikes?|detests?|loathes?|not a fan|(?:can't|cannot|can not|couldn't) stand|"
    r"(?:don't|doesn't|do not|does not|never) (?:\w+ )?(?:like|love|enjoy|care for))\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[.!;]+\s+|(?<=\?)\s+|,\s+(?=(?:and |but |so |also )?(?:i|my|we|our)\b)|\s+(?:and|but) (?=(?:i|my|we|our)\b)"
    r"|,\s+(?=(?:so|but) (?:\w+ ){1,3}(?:i|my|we|our)\b)"
    r"|,\s+(?=(?:(?-i:[A-Z])[\w-]*|my [a-z-]+(?: (?-i:[A-Z])[\w-]*)?) and i\b)",
    re.I,
)
_WITH_ME = re.compile(r"(?:(?:[Ss]o|[Aa]nd|[Bb]ut|[Nn]ow) )?(?:(?:my|our|My|Our) [a-z-]+(?: [A-Z][\w-]*)?|[A-Z][\w-]*)")
"""Half of a subject: "my husband Alphonse" of "my husband Alphonse and I keep an inn"."""
_WITH = re.compile(r"\b(?:together )?with (?=(?:my|our)\b)", re.IGNORECASE)
CAPITAL = re.compile(r"\b[A-Z][a-z]+\b")
"""A word with a capital, which may be a name."""
_SELF = frozenset({"i", "im", "ive", "my", "we", "our", "mine"})
_FLIPPED = 2
_PLAIN = "called named lives works likes wants goes"
"""What a fact may say of its own: words in which lines are told anew without anything added."""
_OWNED = english().words("doing", "owned")
"""Where one of these stands, a fact may say "owns"."""
_DETAIL = re.compile(r"[^\W\d_][\w'’-]*|\d+(?:[.,:]\d+)*")


def faults(facts: Sequence[str], line: str, around: Sequence[str]) -> int:
    """How many names or numbers of `line` the facts lose, plus what they invent.

    Clauses that they don't tell at all (`untold`) lose nothing: those are read by themselves.
    """
    heard, told = line, {*tokens(_digits(" ".join(facts)))}
    for clause in untold(facts, line):
        heard = heard.replace(clause, "")
    lost = sum(not {*tokens(word)} <= told for word in details(_digits(heard)))
    return lost + inventions(facts, line, around)


def inventions(facts: Sequence[str], line: str, around: Sequence[str]) -> int:
    """How many words of the facts stand nowhere, and two for a liking turned round.

    `around`: whatever else the facts may take words from (the line before, known facts, the speakers' names).
    """
    text = alike(" ".join(facts))
    said = {*terms(alike(line))}.union(*(terms(alike(other)) for other in around))
    plain = _PLAIN + " owns" * bool(_OWNED & {*re.findall(r"[a-z]+", line.lower())})
    new = {*terms(text)} - said - {*terms(plain)}
    return len(new) + (_FLIPPED if flipped(text, line) else 0)


def details(text: str) -> set[str]:
    """Names (words with a capital inside a sentence), weekdays and numbers of a text: what a fact must not lose."""
    found, none = set(), english().stop | english().words("others", "oaths")
    days = {*english().weekdays, *(f"{day}s" for day in english().weekdays)}
    for sentence in sentences(text):
        for place, word in enumerate(_DETAIL.findall(sentence)):
            low = re.sub(r"['’]\w{1,2}$", "", word).lower()
            named = place and word[0].isupper() and low not in none and len(low) > 1
            if word[0].isdigit() or named or (word[0].isupper() and low in days):
                found.add(low)
    return found


def names(text: str) -> set[str]:
    """The words with a capital that may be names."""
    return {word for word in CAPITAL.findall(text) if word.lower() not in english().stop}


_ORDINAL = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b")


def _digits(text: str) -> str:
    """Number words as digits, so that "three" is "3" and "the 11th" and "eleventh" the 11; "one" stays, for it is a
    pronoun too, and so do "first" and "second"."""
    text = _ORDINAL.sub(r"\1", text)
    text = _ordinal().sub(lambda found: str(english().ordinals[re.sub(r"[\s-]+", " ", found[0].lower())]), text)
    return _number().sub(lambda found: str(english().unit_numbers[found[0].lower()]), text)


@lru_cache(maxsize=1)
def _ordinal() -> re.Pattern[str]:
    words = sorted((word for word, number in english().ordinals.items() if number > 2), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(word.replace(' ', '[ -]') for word in words)})\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _number() -> re.Pattern[str]:
    counted = alternatives(english().unit_numbers.keys() - {"a", "an", "one", "couple"})
    return re.compile(rf"\b(?:{counted})\b", re.IGNORECASE)


def alike(text: str) -> str:
    """The text with one way to write a number, one word for a relation, and one for being called something."""
    return re.sub(r"\bnamed\b", "called", plainly_related(_digits(text)))


def flipped(fact: str, line: str) -> bool:
    """Whether a dislike is told as a liking, or the other way round."""
    likes, dislikes = bool(_LIKES.search(_DISLIKES.sub(" ", line))), bool(_DISLIKES.search(line))
    if likes == dislikes:
        return False
    told_likes, told_dislikes = bool(_LIKES.search(_DISLIKES.sub(" ", fact))), bool(_DISLIKES.search(fact))
    return (dislikes and told_likes and not told_dislikes) or (likes and told_dislikes and not told_likes)


def misplaced(facts: Sequence[str], line: str, speaker: str) -> bool:
    """Whether a line that tells of somebody else by name ("Mia moved to Porto") came out as the speaker's own fact."""
    if {*tokens(line)} & _SELF:
        return False
    told = {*tokens(" ".join(facts))}
    other = about_another(line, speaker, surely=False, anybody=True)
    if other is not None and other.name.lower() not in told:
        said = {*terms(other.line)}
        if any(2 * len({*terms(fact)} & said) >= len({*terms(fact)} - {*terms(speaker)}) for fact in facts):
            return True
    lost = [name for name in details(line) if not name[0].isdigit() and not {*tokens(name)} <= told]
    return bool(lost) and any(fact.startswith((f"{speaker} ", "User ")) for fact in facts)


def untold(facts: Sequence[str], line: str) -> list[str]:
    """The clauses in which the speaker tells of themself and of whose words at most a third came into the facts."""
    return unheard(facts, line) if len(clauses(line)) > 1 else []


def unheard(facts: Sequence[str], line: str) -> list[str]:
    """The same, where the line may be of one clause."""
    told = {*terms(" ".join(facts))}
    return [clause for clause in clauses(line) if _tells(clause) and _missing({*terms(clause)}, told)]


def lossy(facts: Sequence[str], line: str) -> list[str]:
    """The clauses in which the speaker tells of themself, or of somebody by name, with a name or a number that no fact
    keeps: "Mia is 15" of "we have two children, Mia is 15"."""
    told = {*tokens(_digits(" ".join(facts)))}
    lost = [words for word in details(_digits(line)) if not (words := {*tokens(word)}) <= told]
    return [
        clause
        for clause in clauses(line)
        if (_tells(clause) or _tells_of_one(clause)) and any(words <= {*tokens(_digits(clause))} for words in lost)
    ]


def companions(facts: Sequence[str], line: str) -> list[str]:
    """The clauses in which the speaker tells what they do with somebody of theirs, and no fact says a word of what:
    "I restore a boat with my uncle" -> "Ana has an uncle"."""
    told = {*terms(alike(" ".join(facts)))}
    found = [(clause, _WITH.split(clause)) for clause in clauses(line) if _tells(clause)]
    done = [(clause, {*terms(alike(parts[0]))}) for clause, parts in found if len(parts) > 1]
    return [clause for clause, words in done if len(words) > 1 and not words & told]


def tells_details(line: str) -> bool:
    """Whether the speaker tells of themself with a name or a number: such a line is hardly ever small talk."""
    return _tells(line) and bool(details(line))


def clauses(line: str) -> list[str]:
    """The clauses of a line, each with its own subject."""
    found: list[str] = []
    for clause in (one.strip() for one in parted(_CLAUSE, line) if one and one.strip()):
        if found and _WITH_ME.fullmatch(found[-1]) and f"{found[-1]} and {clause}" in line:
            found[-1] = f"{found[-1]} and {clause}"
        else:
            found.append(clause)
    return found


def _tells(clause: str) -> bool:
    words = tokens(clause)
    return not clause.endswith("?") and (bool({*words} & _SELF) or words[:1] == ["been"])


def _tells_of_one(clause: str) -> bool:
    """Whether a clause begins with somebody by name, and says what they do."""
    found = _BY_NAME.match(clause)
    if found is None or clause.endswith("?"):
        return False
    known = english()
    idle = known.stop | known.weekdays.keys() | known.months.keys() | known.words("others", "oaths")
    return found["name"].lower() not in idle and does(clause)


_BY_NAME = re.compile(
    rf"(?:(?:{english().alternatives('others', 'before_pronoun')})\b,? )*(?P<name>(?-i:[A-Z])[\w-]*\w)(?=['’ ,])", re.I
)


def _missing(words: set[str], told: set[str]) -> bool:
    return bool(words) and 3 * len(words & told) <= len(words)


_IS_NOT = re.compile(
    r"(?:\b(?:i|i['’]?m|am|is|are|was|were|['’]s|['’]re|he['’]?s|she['’]?s) not|\b(?:is|are|was|were)n['’]?t)\b"
    rf"(?! (?:{english().alternatives('doing', 'not_wholly')})\b)",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:(?:do|does|did|have|has|could|would)n['’]?t|(?:are|is|was|were)n['’]?t(?= \w+ing\b)|"
    r"(?:can|won)['’]?t|cannot|never|no longer|"
    r"(?:can|do|does|did|have|has|could) not)\b", re.IGNORECASE,
)  # fmt: skip
_AND_NOT = re.compile(r"(?:,| and| but) not ((?:[\w’'-]+ ){0,4}[\w’'-]+)(?=[,.;!?]|$)", re.IGNORECASE)
_ENDS = re.compile(
    r"[,.;:!?()]|\b(?:but|and|because|since|so|when|if|until|unless|as|than|though|although|while|that|which|who|without)\b",
    re.IGNORECASE,
)
"""Where what is denied ends."""
_UNSAID = re.compile(rf"\b(?:\w+n['’]t|{english().alternatives('doing', 'denying')})\b", re.IGNORECASE)
"""A fact that says no itself."""
_LIGHT = english().words("doing", "light")
_ALIKE = tuple(frozenset(verbs.split()) for verbs in english().table("doing", "alike").values())
"""Verbs that say the same of one thing."""
_BASE = {"has": "have", "does": "do", "is": "be", "are": "be", "was": "be", "goes": "go", "got": "get"}


def denied(fact: str, line: str) -> bool:
    """Whether the line says of the very thing, by the same verb or one like it, that it isn't so."""
    if _UNSAID.search(fact):
        return False
    words = re.findall(r"[\w’'-]+", fact.rstrip(" ."))
    verbs = [(word, {*terms(" ".join(words[at + 1 :]))}) for at, word in enumerate(words) if at and word.islower()]
    if any(_is_denied(fact, verb, line) for verb in verbs):
        return True
    told = {*terms(fact)}
    if any(what and what <= told for what in ({*terms(one)} for one in _AND_NOT.findall(line))):
        return True  # "she is 48 and not 49 till August"
    said = list(_denials(line))
    return any(_same(verb, one) and things and things <= denies for one, things in verbs for verb, denies in said)


def _is_denied(fact: str, verb: tuple[str, set[str]], line: str) -> bool:
    """Whether a fact says of whom the line speaks that they are what the line says they are not."""
    if _BASE.get(verb[0]) != "be" or not verb[1]:
        return False
    who = {*tokens(fact.partition(f" {verb[0]} ")[0])}
    for found in _IS_NOT.finditer(line):
        clause = _ENDS.split(line[: found.start()])[-1] + found[0]
        mine = bool({*tokens(clause)} & _SELF - {"my", "our", "mine"}) and len(who) == 1
        if verb[1] <= {*terms(_ENDS.split(line[found.end() :])[0])} and (mine or who & {*tokens(clause)}):
            return True
    return False


def _denials(line: str) -> Iterator[tuple[str, set[str]]]:
    """The verb and the words of each thing that a line denies."""
    for found in _NOT.finditer(line):
        scope = _ENDS.split(line[found.end() :])[0].split()
        words = [word for word in scope if word.lower() not in _LIGHT]
        if words:
            yield words[0].lower(), {*terms(" ".join(words[1:]))}


def _same(denied: str, told: str) -> bool:
    one, other = (stem(_BASE.get(verb, verb)) for verb in (denied, told))
    return one == other or any({one, other} <= {stem(word) for word in group} for group in _ALIKE)

"""Which lines wish something to be forgotten, what they name, and which are talk."""

from __future__ import annotations

import pytest

from chatmem.memory.forget.asking import Wish, points_back, wish_for, wish_of
from chatmem.memory.language.language import by_code

WISHES = """forget that I hate flying=matter I hate flying|please forget my locker number=matter my locker number
forget everything about Tom=about Tom|you can forget about the trip=matter the trip|Forget Tom.=about Tom
Could you please forget what I told you about my divorce?=matter my divorce|stop remembering my salary=matter my salary
forget all you know about my aunt Rosa=about my aunt Rosa|erase my address from your memory=matter my address
Please forget that my locker number is 4471.=matter my locker number is 4471|can you forget that I smoke=matter I smoke
I want you to forget my phone number, please=matter my phone number|hey, forget the thing about my boss=matter my boss
Forget everything I told you about Lisbon!=about Lisbon|Hi! Please forget my birthday. Thanks!=matter my birthday
please just forget Rosa's number now=matter Rosa's number|delete what I said about Porto from memory=matter Porto
Forget what I just said=last|Forget I said that=last|forget my last message, please=last|forget me=whole
forget everything=whole|Please forget everything you know about me.=whole
Forget I’m allergic to nuts=matter I'm allergic to nuts|could we forget my gout?=matter my gout
any chance you could unsave my address=matter my address|that thing about Rolf, please forget it=matter Rolf
can we delete what I told you about the pills?=matter the pills"""
TALK = """don't forget to call my mum|I'll never forget that day|forget it
forget it, I'll ask her myself|forget that, I found it|forget it - it doesn't matter
I forgot my keys|forget about it|Forget that!
you can forget that|never mind, forget it|Please don't forget that I hate flying|I always forget my keys
I can't forget Tom|how could I forget my own birthday?|let's not forget about the trip|unforgettable trip
My mum said "forget about Tom" yesterday|forget-me-nots are my favourite|Forget me not flowers bloom in May
I want to forget my ex|don't you forget about me|did you forget my birthday?|You forget everything!|forget to call him
Forget Paris is a great film|can you forget things?|remember my locker number|he told me to forget about her
I'd rather forget about yesterday|Please forget them|Do not forget my locker number|Never forget your roots
forgetting names is my talent|delete the file|What if you forget my name?|I will forget my head one day|forget"""

MORE = """remove everything about Tom=about Tom|erase what I told you about Rolf=matter Rolf
forget where I live=matter I live
wipe the lithium thing from your memory=matter the lithium thing|forget who Ruth is=about Ruth
please don't remember my gym pin=matter my gym pin|forget what my salary is=matter my salary
forget how old I am=matter I old|I don't want you to remember my weight=matter my weight|clear your memory=whole
forget when my birthday is=matter my birthday|forget what my sister is called=matter my sister
delete my last message=last
forget which school I went to=matter school I went to|please don't store where I live=matter I live
take my age out of your memory=matter my age|erase from your memory that I smoke=matter I smoke
would you mind forgetting my number?=matter my number|forget how I met Tom=matter I met Tom
forget the note about my divorce=matter my divorce|delete everything you know about me=whole
scrub my address from your records=matter my address|forget whether I smoke=matter I smoke"""
IF_HELD = """erase my salary=matter my salary|please delete my salary=matter my salary
remove Tom's birthday=matter Tom's birthday
get rid of the note about my divorce=matter my divorce|remove any mention of Tom=matter Tom|erase Rolf=about Rolf
delete the fact that I smoke=matter I smoke|delete all traces of my ex=matter my ex|wipe my address=matter my address
purge the memory of my operation=matter my operation|don't remember my salary=matter my salary
could you remove my address?=matter my address|remove the entry where I said that I smoke=matter I smoke"""
RETRACTED = """could you lose the bit about lithium?=matter lithium|kindly disregard what I said about Tom=matter Tom
my salary should be deleted=matter my salary
take back what I said about Tom=matter Tom
ignore what I told you about Rolf=matter Rolf|I'd like my salary deleted=matter my salary
drop what you know about Tom=matter Tom|kill the note on my rent=matter my rent
toss everything about my old flat=about my old flat|please bin what I told you about Rolf=matter Rolf
pretend you don't know where I live=matter I live|Tom's birthday must be forgotten=matter Tom's birthday"""
NOT_RETRACTED = """kill the lights|toss me the keys|let's bin the old sofa|zap the soup for two minutes|toss the salad
leave out the nuts please|ignore my boss|take back the shoes|lose weight|drop it|drop the ball|lose my keys
the past should be forgotten
I want a beer|I want my coffee out|I'd like the garden wiped|disregard the noise|pretend you're a pirate|Ignore the typo
I need my tooth removed|scratch my back|my tooth has to be removed|I want to be forgotten|mistakes can be erased
pretend I never said anything|take back control|My appendix was removed"""
NOT_MORE = """I deleted the app|remind me to delete the app|delete the file|remove the lid before cooking
never remember names
delete my name from the list|we should forget our differences|let us not forget the milk
remove my number from his phone|erase the whiteboard|forget what people say
I don't remember my pin|never forget where you come from|forget how it works|get rid of the couch|remove the stain
how do I delete my account?|did you delete my salary?|wipe the table|don't delete my salary|do not remove Tom
I want to remove my tattoo|forget what I mean|can you remove stains from wool?|should I delete my account
I removed everything about Tom from my phone|Tom deleted my number|My boss wants to forget where I live
Forget what he said|forget whether it rains|Deleting my salary was a mistake|Clear skies today
remove milk from my shopping list|Don't keep me waiting|forget where we were|I can't forget Lisbon
don't forget to buy milk|don't forget where I live|I forgot where I live|I keep forgetting my salary"""
BACK = """forget it|Forget that!|never mind, forget it|please delete that|erase this, please|don't remember that
scratch that
don't keep that|remove it from your memory|you can forget that|Please forget them|forget about it"""
NOT_BACK = """forget it, I said I'd rather walk|don't forget it|I'll never forget that|he deleted it|that is it
delete the file
forget that I hate flying|I can't forget it|let's not forget that|remember that|did you delete that?|forget"""

HURRIED = """forget about my hydraulics mark, its embarassing=my hydraulics mark
forget the hydraulics mark please=the hydraulics mark
pls 4get the hydraulics mark=the hydraulics mark|i want u to forget the hydraulics mark=the hydraulics mark
can u forget my mark pls its embarrassing=my mark|can you forget the hydraulics mark?=the hydraulics mark
erase what I said about hydraulics=hydraulics|forget that i owe my mum money, paid it all=i owe my mum money
remove what I said about my mum because she'd kill me=my mum|forget my old number - i changed it=my old number
could u pls forget where i live cos im moving=i live|forget that i smoke and never mention it again=i smoke
FORGET MY HYDRAULICS MARK PLEASE=my hydraulics mark|id like you to forget my debts=my debts
forget my mum's birthday (it was wrong)=my mum's birthday
forget that Tom, my brother, is gay=Tom, my brother, is gay|forget that in 2019, I was ill=in 2019, I was ill
forget that I have a cat, Nori=I have a cat, Nori|Forget my aunt, who is ill=my aunt, who is ill
forget that I live in Graz, Austria=I live in Graz, Austria"""
HURRIED_IF_HELD = """delete the 15 december thing, geotech is 15 jan=the 15 december thing
get rid of the hydraulics stuff=the hydraulics stuff|remove the 2019 trip=the 2019 trip"""
NOT_HURRIED = """dont forget to call mum|I forget names easily|i forgot my keys|i cant forget my ex|did u forget my name
forget it, let's talk of something else|forget it lets talk about something else|dont forget i have an exam
you forget things, dont you|delete the file, it is corrupt|remove the stain, it is old|forget him, he's an idiot"""


def rows(text: str) -> list[str]:
    return [row for line in text.split("\n") for row in line.split("|")]


@pytest.mark.parametrize("row", rows(WISHES))
def test_a_wish_names_what_is_to_go(row: str) -> None:
    line, _, wanted = row.partition("=")
    kind, _, words = wanted.partition(" ")
    assert wish_of(line) == Wish(kind, words)  # type: ignore[arg-type]


@pytest.mark.parametrize("line", rows(TALK))
def test_talk_of_forgetting_is_no_wish(line: str) -> None:
    assert wish_of(line) is None


def test_a_wish_beside_other_talk_says_so() -> None:
    assert wish_of("I changed my mind. Forget that I like tea.") == Wish("matter", "I like tea", alone=False)
    assert wish_of("Forget that I like tea. " + "And so on. " * 300) is None


def test_a_language_without_words_for_it_wishes_nothing() -> None:
    assert wish_of("forget everything about Tom", by_code("de")) is None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("omg no that's dumb, forget the door code pls", "the door code"),
        ("That is her business and not mine: could you forget what I told you about Rut?", "Rut"),
        ("He said, forget the money", None),
        ("My boss told me: forget the raise", None),
        ("oh well, forget it", None),
        ("I'm old, I forget names", None),
        ("she thought, forget the dress", None),
    ],
)
def test_what_leads_to_a_wish_is_no_part_of_it(line: str, words: str | None) -> None:
    wish = wish_of(line)
    assert (wish and wish.words) == words


@pytest.mark.parametrize("row", rows(MORE))
def test_a_wish_in_other_words_names_it_too(row: str) -> None:
    line, _, wanted = row.partition("=")
    kind, _, words = wanted.partition(" ")
    assert wish_of(line) == Wish(kind, words)  # type: ignore[arg-type]


@pytest.mark.parametrize("row", rows(IF_HELD) + rows(RETRACTED))
def test_what_may_be_talk_is_a_wish_only_where_the_memory_holds_it(row: str) -> None:
    line, _, wanted = row.partition("=")
    kind, _, words = wanted.partition(" ")
    assert wish_of(line) == Wish(kind, words, sure=False)  # type: ignore[arg-type]


@pytest.mark.parametrize("line", rows(NOT_MORE) + rows(NOT_RETRACTED))
def test_talk_of_deleting_and_remembering_is_no_wish(line: str) -> None:
    assert wish_of(line) is None


def test_what_is_not_to_be_remembered_may_be_told_in_the_wish_itself() -> None:
    assert wish_of("don't save this: my pin is 7733") == Wish("matter", "my pin is 7733", told=True)
    assert wish_of("please don't save the file") == Wish("matter", "the file", sure=False)


@pytest.mark.parametrize("line", rows(BACK))
def test_a_line_that_only_says_that_points_back(line: str) -> None:
    assert points_back(line) and wish_of(line) is None


@pytest.mark.parametrize("line", rows(NOT_BACK))
def test_a_line_that_says_more_does_not(line: str) -> None:
    assert not points_back(line)


def test_words_that_are_given_as_a_matter_are_read_as_after_the_verb() -> None:
    assert wish_for("where I live") == Wish("matter", "I live")
    assert wish_for("everything about Tom") == Wish("about", "Tom")
    assert wish_for("it") == Wish("matter", "it")


@pytest.mark.parametrize("row", rows(HURRIED))
def test_a_reason_is_no_part_of_what_is_to_go_and_haste_is_understood(row: str) -> None:
    line, _, words = row.partition("=")
    assert wish_of(line) == Wish("matter", words)


@pytest.mark.parametrize("row", rows(HURRIED_IF_HELD))
def test_a_thing_or_a_date_is_named_where_the_memory_holds_it(row: str) -> None:
    line, _, words = row.partition("=")
    assert wish_of(line) == Wish("matter", words, sure=False)


@pytest.mark.parametrize("line", rows(NOT_HURRIED))
def test_hurried_talk_of_forgetting_is_no_wish(line: str) -> None:
    assert wish_of(line) is None


UNTOLD = """I no longer want you to know about my pregnancy=matter my pregnancy
I'd rather you didn't know about my knee=matter my knee
let's pretend I never mentioned my brother's money=matter my brother's money
pretend I never told you about Rolf=matter Rolf|act as if I never mentioned Rolf=about Rolf
I told you about Kaia. Please delete that.=matter Kaia|I told you about my debts, please forget that=matter my debts
forget everything I said today=today|Please forget what I told you today.=today
forget all that I said in this conversation=talk"""
UNTOLD_IF_HELD = """I take that back about Kaia=matter Kaia|Never mention Kaia again=about Kaia
please stop mentioning my divorce=matter my divorce"""
DEEDS = """Forget what Kaia did=Kaia|forget everything Kaia told me=Kaia|forget what my boss said to me=my boss
Forget all that Kaia Lund has told me=Kaia Lund"""
CONFIDED = """that was private, drop it|I shouldn't have told you that, forget it|Forget it, that was private.
Sorry, that was a secret. Please drop it.|I take that back, delete it|never mention it again
That's private - scrap that"""
ONLY_TALK = """don't let me forget the milk|I forget names all the time|forget it, we'll take the train
he took that back|I shouldn't have told my sister that|let's drop it, how is your day?|I shouldn't have told you that
that was private|he said that was private, drop it|my brother said I shouldn't have told you, forget it
I can't drop it|drop it off at noon|take that back to the shop|I take it back to the library tomorrow
he never mentioned it again|don't mention it|I never mention my age|she told me to drop it|let's drop the subject
that was private property, drop the fence idea|what did Kaia do?|tell me what Kaia did|I know what Kaia did
forget what he did|forget what people did|I told you about my trip. Forget it, we're not going.
everything I said today was nonsense|I forgot everything I said today|did you forget everything I said today?
I said too much at dinner|pretend to be a pirate|let's pretend it's summer|except for Tom we all forget things
I wish you didn't know so little|nobody wants you to know less|my secret is out, drop by later
stop talking|never talk about Fight Club in public|I told you about Kaia. Do you remember that?"""


@pytest.mark.parametrize("row", rows(UNTOLD))
def test_what_was_told_can_be_untold_in_many_words(row: str) -> None:
    line, _, wanted = row.partition("=")
    kind, _, words = wanted.partition(" ")
    assert wish_of(line) == Wish(kind, words)  # type: ignore[arg-type]


@pytest.mark.parametrize("row", rows(UNTOLD_IF_HELD))
def test_what_may_be_a_manner_of_speaking_is_a_wish_where_the_memory_holds_it(row: str) -> None:
    line, _, wanted = row.partition("=")
    kind, _, words = wanted.partition(" ")
    wish = wish_of(line)
    assert wish is not None and (wish.kind, wish.words) == (kind, words)


@pytest.mark.parametrize("row", rows(DEEDS))
def test_what_somebody_did_is_some_of_what_names_them(row: str) -> None:
    line, _, name = row.partition("=")
    assert wish_of(line) == Wish("about", name, sure=False, loose=True)


@pytest.mark.parametrize("line", rows(CONFIDED))
def test_a_line_that_regrets_what_was_told_points_back(line: str) -> None:
    assert points_back(line) and wish_of(line) is None


@pytest.mark.parametrize("line", rows(ONLY_TALK))
def test_talk_of_telling_and_dropping_is_no_wish(line: str) -> None:
    assert wish_of(line) is None and not points_back(line)


RATHER_NOT = """I would rather you did not keep my weight, if you please.=my weight
I'd prefer you not to remember my weight=my weight|please do not hold on to my address=my address
I'd rather you didn't hold on to my home address=my home address
I would prefer it if you did not know about my knee=my knee"""
NOT_RATHER = """I would rather you did not keep me waiting|I would rather you did not keep talking
I would rather he did not keep my weight a secret|I would rather you did not|I do not hold on to my books
I would rather you did not keep the dog on the sofa|please do not hold on to the railing
You should not hold on to my hand so long|I'd rather you didn't hold on to my arm|Please do not hold on to my coat
I'd rather you didn't record our calls, I told my boss|I'd rather you didn't store my bike in the hall
You could not hold on to my birthday|You did not hold on to my address
I would rather you did not keep my brother waiting|I would rather you did not keep my dinner warm"""


@pytest.mark.parametrize("row", rows(RATHER_NOT))
def test_who_is_polite_would_rather_not_have_it_kept(row: str) -> None:
    line, _, words = row.partition("=")
    assert wish_of(line) == Wish("matter", words)


@pytest.mark.parametrize("line", rows(NOT_RATHER))
def test_what_one_would_rather_not_have_done_is_talk(line: str) -> None:
    assert wish_of(line) is None and not points_back(line)


def test_who_would_rather_not_have_that_kept_points_back() -> None:
    assert points_back("I would rather you did not keep that.")


LEAVES = """this business with the mafia has to leave your memory=the mafia
that thing with Emil and Passau should go from your memory, please=Emil and Passau
My knee must vanish from your notes.=My knee
what I said about Leo must go from your memory=Leo
the thing I said about Leo should go from your memory=the thing I said about Leo"""
STAYS_THERE = """it should go from your memory|the song has to go out of my head|You should go down memory lane
the mafia has to leave town|my memory should leave me in peace|The stress must go from your mind
The bread should go out of your head|I doubt that Tom should go from your memory
Which facts should be deleted from your memory|My neighbour said the mafia must leave your memory"""


@pytest.mark.parametrize("row", rows(LEAVES))
def test_what_has_to_leave_the_memory_is_wished_forgotten(row: str) -> None:
    line, _, words = row.partition("=")
    assert wish_of(line) == Wish("matter", words)


@pytest.mark.parametrize("line", rows(STAYS_THERE))
def test_what_has_to_leave_something_else_is_talk(line: str) -> None:
    assert wish_of(line) is None


LOST = """can you lose the dentist thing, they cancelled it=the dentist thing
please drop the guinea pig story=the guinea pig story|scrap the Porto thing - we stay=the Porto thing"""
NOT_LOST = """drop the guinea pig stuff off at Ana's|bin the bike things in the hall|I need to lose the belly thing
lose the game|drop the piano|scrap the car|can you drop the kids stuff|Please bin the garden stuff.
Can we scrap the Paris thing? The kids hate it|can we lose the Sunday roast thing?|could we ditch the diet thing
can you chuck the gym stuff, I'm done with it|please drop my mum's things|Could you drop my sister's bits?
please bin my mum's note|let's scrap the Porto thing - we stay|we could just ditch the diet thing"""


@pytest.mark.parametrize("row", rows(LOST))
def test_what_is_called_a_thing_may_be_lost_where_it_is_known(row: str) -> None:
    line, _, words = row.partition("=")
    assert wish_of(line) == Wish("matter", words, sure=False)


def test_it_may_be_lost_though_the_sentence_before_is_of_us() -> None:
    line = "We rang them. Can you lose the Porto thing?"
    assert wish_of(line) == Wish("matter", "the Porto thing", alone=False, sure=False)


@pytest.mark.parametrize("line", rows(NOT_LOST))
def test_what_is_dropped_in_the_world_is_talk(line: str) -> None:
    assert wish_of(line) is None

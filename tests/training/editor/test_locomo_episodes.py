"""LoCoMo's conversations as the editor's episodes: the mechanics, over scripted answers and talks of our own."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.cli import main
from chatmem.eval.agents.tidied.episodes import Ask, talks
from chatmem.eval.agents.tidied.rag import Answered, Rag, scored
from chatmem.memory.errors import InputError, NotFound
from chatmem.memory.store.store import Store
from chatmem.memory.values import User
from chatmem.models.chat.answer import AnswerAgent
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.files.profiles.profile import SHIPPED
from chatmem.models.lm import Message, Options
from chatmem.training.editor import locomo_episodes
from chatmem.training.editor.env import environment, episodes
from chatmem.training.editor.reward import Snapshot
from chatmem.training.editor.talks.decision_grpo import DecisionGrpo
from chatmem.training.editor.talks.rollout import Made, Rollout, Sampler, credits, looks, play
from chatmem.training.editor.talks.task import LocomoTask, Standing
from tests.extras import needed
from tests.memory.tidy.test_tools import WordsEmbedder

needed("datasets", "parquet is an extra")


LINES = [
    "I adopted a grey cat called Nori",
    "My cat Nori sleeps on the red sofa",
    "I bake rye bread",
    "I sail on Lake Orta",
]
FACTS = ["Ana adopted a grey cat called Nori.", "Ana's cat Nori sleeps on the red sofa.", "Ben bakes rye bread.",
         "Cleo sails on Lake Orta."]  # fmt: skip
QUESTIONS = [("What is Ana's cat called?", "Nori"), ("Where does Nori sleep?", "red sofa"),
             ("Which bread does Ben bake?", "rye"), ("On which lake does Cleo sail?", "Orta")]  # fmt: skip
Task = Callable[..., LocomoTask]


def conversation(name: str) -> dict[str, Any]:
    said = [{"speaker": "Ana", "dia_id": f"D1:{at}", "text": text} for at, text in enumerate(LINES, 1)]
    asked = [{"question": question, "answer": answer, "evidence": [f"D1:{at}"], "category": 4}
             for at, (question, answer) in enumerate(QUESTIONS, 1)]  # fmt: skip
    never = {"question": "What is Ana's dog called?", "adversarial_answer": "Nori", "evidence": [], "category": 5}
    noted: dict[str, list[list[str]]] = {}
    for at, fact in enumerate(FACTS, 1):
        noted.setdefault(fact.split("'")[0].split()[0], []).append([fact, f"D1:{at}"])
    return {
        "sample_id": name,
        "conversation": {
            "speaker_a": "Ana", "speaker_b": "Ben", "session_1": said,
            "session_1_date_time": "1:56 pm on 8 May, 2023",
        },
        "qa": [*asked, never], "observation": {"session_1_observation": noted},
    }  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("locomo")
    (folder / "locomo.json").write_text(json.dumps([conversation(f"t{number}") for number in range(4)]))
    locomo_episodes.write(folder / "locomo.json", folder / "out", 0.7, 0, ["t3"])
    return folder / "out"


def reads_notes(messages: Sequence[Message], _: Options) -> str:
    """Answers with the last word of the first note that it is shown, so a reply says which row was best."""
    notes = [line for line in messages[-1].content.split("\n") if line.startswith("- ")]
    return notes[0].rstrip(".").split()[-1] if notes else "nothing"


@pytest.fixture
def task(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Task]:
    monkeypatch.setattr("chatmem.models.embedder.minilm.load_embedder", Closing)
    opened: list[LocomoTask] = []

    def make(ask: str = "hidden", count: int = 4, script: Any = reads_notes) -> LocomoTask:
        rag = Rag(ScriptedLM([script]), None, tmp_path / "answers.jsonl")
        opened.append(LocomoTask(tmp_path, made, rag, ask, count))  # type: ignore[arg-type]
        return opened[-1]

    yield make
    for one in opened:
        one.close()


class Closing(WordsEmbedder):
    def close(self) -> None:
        """Nothing is held open."""


def always(word: str) -> Callable[[Sequence[Message], Sequence[str]], list[float]]:
    """A policy that is sure of a word wherever it may be said, and else keeps."""
    return lambda _, texts: [float(text == (word if word in texts else texts[0])) for text in texts]


def test_category_five_is_no_episode_and_every_conversation_keeps_its_own(made: Path) -> None:
    found = talks(made, "train")
    assert sorted(found) == ["t0", "t1", "t2"]
    assert [ask.gold for ask in found["t0"].asks] == ["Nori", "red sofa", "rye", "Orta"]
    assert [row["fact"] for row in found["t0"].memories] == FACTS
    assert found["t0"].now.startswith("2023-05-08")
    assert list(talks(made, "test")) == ["t3"]
    with pytest.raises(NotFound):
        talks(made / "nowhere", "train")


def test_a_rollout_edits_a_copy_and_the_starting_memory_stays_as_it_is_byte_for_byte(
    task: Task, tmp_path: Path
) -> None:
    over = task()
    over.before(0)
    place = next((tmp_path / "starting").glob("*.db"))
    digest = hashlib.sha256(place.read_bytes()).hexdigest()
    rows = [memory.fact for memory in over.base(0)[0].facts.all(over.base(0)[1].id)]
    joined = play(over, 0, looks(over, 0, 10, "a"), Sampler(always("join"), random.Random(1)))
    kept = play(over, 0, looks(over, 0, 10, "a"), Sampler(always("nothing"), random.Random(1)))
    assert joined.after.snapshot.rows == 3, "the two rows about the cat are one in the copy"
    assert kept.after.snapshot.rows == 4, "and the next rollout begins where the first one did"
    assert rows == FACTS == [memory.fact for memory in over.base(0)[0].facts.all(over.base(0)[1].id)]
    assert hashlib.sha256(place.read_bytes()).hexdigest() == digest
    assert len(list((tmp_path / "starting").glob("*.db"))) == 1, "one starting memory a conversation"
    assert over.base(0)[0] is over.base(1)[0], "which its episodes share"


def test_an_answer_is_scored_as_by_hand() -> None:
    assert scored("the red sofa", "red sofa", 0.0) == 1.0, "articles aside it is exact"
    # 2 of 3 words said, 2 of 2 wanted: F1 .8
    assert scored("red sofa upstairs", "red sofa", 1.0) == pytest.approx(0.6 * 0.8 + 0.4)
    assert scored("red", "red sofa", 0.0) == pytest.approx(0.6 * 2 / 3)
    assert scored("blue", "red sofa", 0.0) == 0.0


def test_the_reward_is_worked_by_hand(task: Task) -> None:
    """R = (P_new - P_old) * clip(size * density * change, .1, 1.5), M = max(100, starting rows)."""
    worth = task().worth
    # 200 rows are M themselves. 150 left: size 1, density 1 (longer rows earn nothing), change 1 - .5 * 50 / 200.
    terms = worth(Snapshot(200, 10.0, 0.5), Snapshot(150, 14.0, 0.6))
    assert terms["reward"] == pytest.approx(0.1 * 0.875 + 0.2 * 0.5 * 50 / 200)
    # a loss is divided by the efficiency, and nothing is paid for rows
    terms = worth(Snapshot(200, 10.0, 0.5), Snapshot(150, 10.0, 0.4))
    assert terms["reward"] == pytest.approx(-0.1 / 0.875)
    # 250 rows of 200: size 1 - 50 / 200, change .875; 50 rows more cost .025
    terms = worth(Snapshot(200, 10.0, 0.5), Snapshot(250, 10.0, 0.6))
    assert terms["reward"] == pytest.approx(0.1 * 0.75 * 0.875 - 0.2 * 0.5 * 50 / 200)
    # below 100 rows M is 100: 60 rows of 50 are none too many
    assert worth(Snapshot(50, 10.0, 0.5), Snapshot(60, 10.0, 0.5))["size"] == 1.0


def test_an_answer_is_given_once_for_a_question_and_its_rows(task: Task, tmp_path: Path) -> None:
    over = task()
    over.before(0)
    asked = over.rag.fresh
    assert asked == 4
    over.standing(over.base(0)[0], over.base(0)[1], 0)
    assert over.rag.fresh == asked, "the same rows are not asked again"
    play(over, 0, looks(over, 0, 10, "a"), Sampler(always("nothing"), None))
    assert over.rag.fresh == asked, "nor a copy that holds them"
    play(over, 0, looks(over, 0, 10, "a"), Sampler(always("join"), None))
    assert over.rag.fresh > asked, "joined rows are others"
    kept = (tmp_path / "answers.jsonl").read_text()
    (tmp_path / "answers.jsonl").write_text(kept + '{"key": "cut o')
    again = task(script=lambda *_: pytest.fail("what was answered before a kill is asked again"))
    assert again.before(0) == over.before(0)
    assert (tmp_path / "answers.jsonl").read_text() == kept, "the line that was cut off is dropped"


def test_hidden_shows_no_question_and_target_is_rewarded_by_the_one_that_it_shows(task: Task) -> None:
    hidden, target = task("hidden", 3), task("target")
    assert hidden.shown(1) == ""
    assert len(hidden.episode_asks(1)) == 3
    assert hidden.episode_asks(1) == hidden.episode_asks(1)
    assert [ask.question for ask in target.episode_asks(1)] == [QUESTIONS[1][0]] == [target.shown(1)]
    seen: list[str] = []

    def policy(messages: Sequence[Message], texts: Sequence[str]) -> list[float]:
        seen.append(messages[-1].content)
        return [1.0, *(0.0 for _ in texts[1:])]

    play(target, 1, looks(target, 1, 10, "a"), Sampler(policy, None, target.shown(1)))
    assert seen
    assert all(f"Asked: {QUESTIONS[1][0]}" in text for text in seen)
    seen.clear()
    play(hidden, 1, looks(hidden, 1, 10, "a"), Sampler(policy, None, hidden.shown(1)))
    assert seen
    assert not any("Asked:" in text for text in seen)


def test_an_episode_stops_once_the_answers_are_right(task: Task) -> None:
    """P >= .95 before the first decision: there is nothing to be done."""
    right = dict(QUESTIONS)

    def knows(messages: Sequence[Message], _: Options) -> str:
        return next(answer for question, answer in right.items() if question in messages[-1].content)

    over = task(script=knows)
    done = play(over, 0, looks(over, 0, 10, "a"), Sampler(always("join"), None))
    assert (done.made, done.terms["stopped early"], done.after.snapshot.rows) == ([], 1.0, 4)
    assert done.terms["reward"] == 0.0


def test_it_asks_no_further_than_it_takes_to_know_that_p_is_too_low(task: Task) -> None:
    over = task(script=lambda *_: "wrong")
    store, user, _ = over.base(0)
    assert not over.enough(store, user, 0)
    assert over.rag.fresh == 1
    assert not over.enough(store, user, 0)
    assert over.rag.fresh == 1, "what is remembered says it"


def test_a_decision_is_credited_with_the_questions_that_hang_on_its_rows() -> None:
    """Two rollouts, two questions: the first recalls row 1, the second row 2. One joins rows 1 and 3, and the first
    question is answered better; both leave row 2 alone."""
    before = Standing(Snapshot(10, 5.0, 0.5), (Answered(0.5, "", (1,)), Answered(0.5, "", (2,))))

    def rollout(scores: tuple[float, float], chosen: int, saved: int) -> Rollout:
        made = [Made("join?", ("apart", "join"), chosen, (1, 3), frozenset({1, 3}), saved),
                Made("both?", ("both", "same"), 0, (2, 4), frozenset({2, 4}))]  # fmt: skip
        answers = tuple(Answered(score, "", (place,)) for place, score in enumerate(scores, 1))
        new = Standing(Snapshot(10 - saved, 5.0, sum(scores) / 2), answers)
        terms = {"reward": sum(scores) / 2 - 0.5, "efficiency": 0.8}
        return Rollout(made, new, terms, (frozenset({1}), frozenset({2})))

    group = [rollout((0.9, 0.3), 1, 1), rollout((0.5, 0.5), 0, 0)]
    # joined: (.9 - .5) / 2 * .8 + .2 * .5 * 1 / 10 = .17, the other rollout 0: less the mean .085 each.
    # row 2: a loss of .2 / 2, divided by .8, is -.125; less the mean.
    first, second = credits(before, group)
    assert first == pytest.approx([0.085, -0.0625])
    assert second == pytest.approx([-0.085, 0.0625])
    whole = credits(before, group, whole=True)
    assert whole[0] == pytest.approx([0.05, 0.05])
    assert whole[1] == pytest.approx([-0.05, -0.05])


def test_what_was_merged_is_traced_to_the_rows_that_it_came_of(task: Task) -> None:
    over = task()
    ids = over.base(0)[2]
    done = play(over, 0, looks(over, 0, 10, "a"), Sampler(always("join"), None))
    [joined] = [made for made in done.made if made.saved]
    assert (joined.saved, joined.roots) == (1, frozenset(ids[:2]))
    place = [ask.gold for ask in over.episode_asks(0)].index("Nori")
    assert done.recalled[place] >= frozenset(ids[:2]), "what recalls the joined row recalls both"
    assert frozenset().union(*done.recalled) <= frozenset(ids)


def test_rows_of_other_episodes_are_told_apart(task: Task) -> None:
    with pytest.raises(InputError, match="no episode 99"):
        task().talk(99)


def test_a_judge_s_word_counts_four_tenths(made: Path) -> None:
    judge = ScriptedLM(['{"reason": "x", "verdict": "right"}'])
    rag = Rag(ScriptedLM(["the settee"]), judge)
    with Store.open(made.parent / "judged.db", embedder=WordsEmbedder()) as store:
        user: User = store.users.get("t0")
        assert rag.answer(store, user, Ask("Where does Nori sleep?", "red sofa"), "2023-05-08T13:56:00Z").score == 0.4
    rag.close()


@pytest.fixture
def brief(tiny_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model of two layers never ends a reply by itself; eight tokens of it say as much as a hundred."""
    profile = replace(SHIPPED, reply_tokens=8)
    monkeypatch.setattr("chatmem.eval.agents.tidied.rag.AnswerAgent", lambda lm: AnswerAgent(lm, profile=profile))


TINY = ["--method", "grpo", "--episodes", "--samples", "4", "--groups", "1", "--asks", "2", "--looks", "4",
        "--rank", "2", "--lr", "1e-3", "--temperature", "2"]  # fmt: skip


def command(made: Path, out: Path, steps: int, *more: str) -> list[str]:
    return ["train", "editor", "--locomo-episodes", str(made), "--out", str(out), "--steps", str(steps), *TINY, *more]


def trained(made: Path, out: Path, steps: int, *more: str) -> list[dict[str, Any]]:
    assert main(command(made, out, steps, *more)) == 0
    return [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]


@pytest.mark.usefixtures("brief")
def test_a_run_that_was_killed_goes_on_as_one_that_was_not(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """The same episodes, rollouts and decisions in the same order; the answers given before the kill are read."""
    whole = trained(made, tmp_path / "whole", 3, "--save-every", "1", "--eval-every", "0")
    note = DecisionGrpo._note

    def killed(self: DecisionGrpo, number: int, played: Sequence[Rollout]) -> None:
        note(self, number, played)
        if self.step == 1:
            raise SystemExit(137)  # in the second step, its rollouts played and their answers kept

    with monkeypatch.context() as patch:
        patch.setattr(DecisionGrpo, "_note", killed)
        assert main(command(made, tmp_path / "cut", 3, "--save-every", "1", "--eval-every", "0")) == 137
    later = trained(made, tmp_path / "cut", 3, "--save-every", "1", "--eval-every", "0", "--resume")
    assert [at["step"] for at in later] == [1, 2, 3]
    ends = [json.loads(line) for line in (tmp_path / "whole" / "trajectories.jsonl").read_text().splitlines()]
    again = [json.loads(line) for line in (tmp_path / "cut" / "trajectories.jsonl").read_text().splitlines()]
    assert len(ends) == 12
    assert again == ends
    assert [at["loss"] for at in later] == pytest.approx([at["loss"] for at in whole])
    assert (tmp_path / "cut" / "adapter" / "adapter.gguf").is_file()


@pytest.mark.usefixtures("brief")
def test_dapo_draws_anew_what_does_not_differ_and_plays_what_is_held_back(made: Path, tmp_path: Path) -> None:
    """The shown question's reward, credited to the whole episode; a conversation is held back to be played."""
    more = ["--method", "dapo", "--ask", "target", "--credit", "episode", "--resample", "1", "--eval-every", "1"]
    [step] = trained(made, tmp_path / "run", 1, *more)
    assert {"reward", "rows left", "stopped early", "calls"} <= step["measures"].keys() & step["terms"].keys()
    rows = {name: [json.loads(line)["talk"] for line in (tmp_path / "run" / f"{name}.jsonl").read_text().splitlines()]
            for name in ("train", "valid")}  # fmt: skip
    assert len(set(rows["train"])) == 2
    assert len(set(rows["valid"])) == 1
    assert not set(rows["train"]) & set(rows["valid"])
    told = [json.loads(line) for line in (tmp_path / "run" / "trajectories.jsonl").read_text().splitlines()]
    groups = [told[at : at + 4] for at in range(0, len(told), 4)]
    assert len(groups) in (1, 2)
    assert all(len({one["episode"] for one in group}) == 1 for group in groups)
    if len(groups) == 2:
        assert len({one["terms"]["reward"] for one in groups[0]}) == 1
        assert groups[0][0]["episode"] != groups[1][0]["episode"]


@pytest.mark.usefixtures("tiny_home")
def test_the_command_measures_answers_before_and_after(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    run = ["eval", "editor", "--episodes", str(made), "--compare", "joins", "--json", "--asks", "3", "--threads", "1"]
    assert main([*run, "--kept", str(tmp_path), "--out", str(tmp_path / "out.jsonl")]) == 0
    told = json.loads(capsys.readouterr().out)["models"]
    assert told["joins"]["rows left"]["value"] == 0.75, "two of four rows tell of one matter"
    assert told["joins"]["difference"]["n"] == 3
    assert "answers better than after joins" in told["embedded+editor"]
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [line["acts"] for line in lines if line["model"] == "joins" and "acts" in line] == [{"join": 1}]
    assert sum("before" in line for line in lines) == 6


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--method", "grpo", "--episodes", "--evaluator", "rag"], "go together"),
        (["--method", "grpo", "--locomo-episodes", "x"], "goes with --episodes"),
        (["--method", "grpo", "--locomo-episodes", "x", "--episodes", "--samples", "3"], "4 at least"),
        (["--method", "grpo", "--episodes", "--acts", "decisions"], "goes with --locomo-episodes"),
        (["--method", "sft", "--locomo-episodes", "x", "--episodes"], "can't be trained by sft"),
    ],
)
def test_options_that_do_not_fit_are_told(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "editor", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_model_that_calls_the_tools_itself_plays_the_same_episodes(task: Task, tmp_path: Path) -> None:
    """The environments of `--acts tools`: a copy each, the same reward, no call once the answers are right."""
    over = task("target")
    rows = episodes(over)
    assert [row["memory"] for row in rows] == list(over.numbers())
    assert f"The memory is to answer: {QUESTIONS[1][0]}" in rows[1]["prompt"][-1]["content"]
    one, other = (environment(over)() for _ in range(2))
    for each in (one, other):
        each.reset(memory=2)
    ids = over.base(2)[2]
    told = json.loads(one.merge_memory(memory_ids=ids[:2], strategy="concatenate"))  # type: ignore[attr-defined]
    assert "error" not in told
    before, after = over.before(2).snapshot, over.played
    assert other.get_reward() == 0.0, "it has a copy of its own, in which nothing was done"
    assert one.get_reward() == pytest.approx(after[-1]["reward"])
    assert after[-1]["rows"] == before.rows - 1
    knows = task("target", script=lambda *_: QUESTIONS[3][1])
    knows.rag.kept = None
    knows.rag._told.clear()
    done = environment(knows)()
    done.reset(memory=3)
    assert "answers what it is asked" in done.delete_memory(memory_id=ids[0])  # type: ignore[attr-defined]
    assert done.get_reward() == 0.0

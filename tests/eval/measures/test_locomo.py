"""The official LoCoMo score on cases worked by hand, records that survive a kill, and a whole small run."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from chatmem.app.cli import main
from chatmem.eval.measures.locomo_score import says_unknown, score
from chatmem.eval.report.compare import differences
from chatmem.eval.runs.records import Records
from chatmem.memory.errors import InputError
from tests.eval.talks import LOCOMO, write_json

# category | prediction | gold | score
CASES = """
4 | a red bike | the red bike | 1
4 | red bike | blue bike | 1/2
4 | bike | red bike | 2/3
4 | red bike in town | red bike | 2/3
4 | | red bike | 0
4 | running | run | 1
4 | She runs daily | run | 1/2
4 | Boston, Massachusetts | boston massachusetts | 1
4 | Boston. | boston | 1
4 | An apple and a pear | apple pear | 1
4 | the | a | 0
4 | 1,000 dollars | 1000 dollars | 1
4 | bike bike | bike | 2/3
4 | bike bike | bike bike | 1
4 | Ana's cat | Anas cat | 1
4 | cats | cat | 1
4 | not mentioned | Boston | 0
4 | red-haired | redhaired | 1
4 | red haired | red-haired | 0
4 | YES | yes | 1
4 | two dogs one cat | two cats one dog | 1
2 | 7 May 2023 | 7 May 2023 | 1
2 | May 2023 | 7 May 2023 | 4/5
2 | 8 May 2023 | 7 May 2023 | 2/3
2 | 7 May, 2023 | 7 May 2023 | 1
2 | in 2022 | 2022 | 2/3
2 | The week before 9 June 2023 | The week before 9 June 2023 | 1
2 | last year | 2022 | 0
2 | 2022-05-07 | 7 May 2022 | 0
2 | June | June 2023 | 2/3
3 | Yes | Yes; she likes animals | 1
3 | Likely no | Likely no; because of work | 1
3 | No | Likely no; because of work | 2/3
3 | She likes animals | Yes; she likes animals | 0
3 | liberal | Liberal | 1
3 | yes | yes;no;maybe | 1
3 | Yes; really | Yes | 2/3
3 | | Yes | 0
3 | Thoughtful, kind | Thoughtful, kind; a quote | 1
1 | pottery, camping | pottery, camping | 1
1 | camping, pottery | pottery, camping | 1
1 | pottery | pottery, camping | 1/2
1 | pottery and camping | pottery, camping | 2/3
1 | pottery, swimming | pottery, camping | 1/2
1 | pottery, camping, swimming | pottery, camping | 1
1 | | pottery, camping | 0
1 | red bike, blue car | red bike, car | 5/6
1 | Rome | Rome | 1
1 | Rome, Paris | Paris | 1
1 | the beach | beach, mountains, forest | 1/3
1 | beach mountains forest | beach, mountains, forest | 1/2
1 | pottery ,  camping | pottery,camping | 1
1 | pottery, | pottery | 1
1 | camp | camping | 1
1 | two cats, one dog | two dogs, one cat | 1/2
5 | Not mentioned in the conversation | | 1
5 | No information available | | 1
5 | no information available. | | 1
5 | It was Rome | | 0
5 | I don't know | | 0
5 | That is NOT MENTIONED | | 1
5 | She mentioned it | | 0
5 | | | 0
"""
WORKED = [[part.strip() for part in line.split("|")] for line in CASES.strip().splitlines()]


@pytest.mark.parametrize(("category", "prediction", "gold", "wanted"), WORKED)
def test_the_official_score(category: str, prediction: str, gold: str, wanted: str) -> None:
    assert score(prediction, gold, int(category)) == pytest.approx(float(Fraction(wanted)))


def test_there_are_enough_cases_and_no_sixth_category() -> None:
    assert len(WORKED) >= 60
    with pytest.raises(ValueError, match="category 6"):
        score("x", "y", 6)


def test_what_counts_as_not_knowing() -> None:
    unknown = "I don't know that yet|You haven't told me|That wasn't mentioned.|I'm not sure|No idea, sorry"
    assert [text for text in unknown.split("|") if not says_unknown(text)] == []
    assert [text for text in ("Rome", "She told me in May", "I know: Rome") if says_unknown(text)] == []


def test_a_torn_record_is_made_again_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    with Records(path, {"seed": 1}) as records:
        records.add({"key": "a", "x": 1})
        records.add({"key": "b", "x": 2})
    whole = path.read_bytes()
    for cut in range(whole.index(b"\n") + 1, len(whole) + 1):
        path.write_bytes(whole[:cut])
        with Records(path, {"seed": 1}) as records:
            for key, x in (("a", 1), ("b", 2)):
                if key not in records.done:
                    records.add({"key": key, "x": x})
        assert path.read_bytes() == whole
    with pytest.raises(InputError, match="other settings"):
        Records(path, {"seed": 2})


def test_the_difference_is_taken_in_pairs() -> None:
    def row(*ranked: str) -> dict[str, object]:
        return {
            "eval": "locomo", "ranked": ranked, "evidence": ["x"], "answer": "a cat", "gold": "cat", "category": 4,
            "held": 1.0, "prompt_tokens": 9,
        }  # fmt: skip

    first = [row("x"), row("a", "x")] * 20
    second = [row("a", "x"), row("a", "b", "c", "x")] * 20
    table = differences(first, second)
    assert table["A"]["MRR"].value == 0.75
    assert table["B - A"]["MRR"].value == -0.375
    # Each pair differs by -1/2 or -1/4, so the paired interval is narrower than either run's own.
    assert table["B - A"]["MRR"].high - table["B - A"]["MRR"].low < table["A"]["MRR"].high - table["A"]["MRR"].low
    assert table["B - A"]["official score"].value == 0


def test_retrieval_alone_and_the_same_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path / "home"))
    data, out = write_json(tmp_path / "locomo.json", LOCOMO), tmp_path / "records.jsonl"
    words = ["eval", "locomo", "--data", str(data), "--out", str(out), "--json", "--retrieval-only", "--facts", "none"]
    assert main([*words, "--categories", "4,5"]) == 0
    table = json.loads(capsys.readouterr().out)["models"]
    assert set(table) == {"bm25", "vectors", "rrf", "sessions", "search", "hops"}
    assert all(column["recall@1, mean"]["value"] == 1 and column["MRR"]["n"] == 2 for column in table.values())
    before = out.read_bytes()
    assert main([*words, "--categories", "4,5"]) == 0
    assert out.read_bytes() == before
    capsys.readouterr()
    assert main(["eval", "compare", str(out), str(out), "--json", "--systems", "bm25"]) == 0
    difference = json.loads(capsys.readouterr().out)["models"]["B - A"]
    assert (difference["MRR"]["value"], difference["MRR"]["n"]) == (0.0, 2)
    assert main([*words, "--categories", "7"]) == 2
    assert "1 to 5" in capsys.readouterr().err

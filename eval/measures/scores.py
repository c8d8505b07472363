"""From the rows of a record to its table: one column a system (and model), measures with 95% intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import locomo_table, msc_table, sessions
from .answers import chosen
from .intervals import Estimate, bootstrap, wilson
from .locomo_score import CATEGORIES, says_unknown, score
from .ranking import recall_at
from .text import all_words, token_f1

Row = Mapping[str, Any]
Table = dict[str, Estimate]


def columns(rows: Sequence[Row]) -> dict[str, Table]:
    """The table of a record; systems and models in the order in which they come."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((str(row["system"]), str(row.get("model", ""))), []).append(row)
    several = len({model for _, model in groups}) > 1
    return {f"{system}, {model}" if several else system: _column(group) for (system, model), group in groups.items()}


def _column(rows: Sequence[Row]) -> Table:
    table = _ANSWERS[str(rows[0]["eval"])](rows) | _cost(rows)
    return table | _ranking(rows)


def _msc(rows: Sequence[Row]) -> Table:
    return msc_table.measures(rows)


def _locomo(rows: Sequence[Row]) -> Table:
    table: Table = {}
    answered = [row for row in rows if "answer" in row]
    for title, meant in (("1 to 4", (1, 2, 3, 4)), *((f"{n} {name}", (n,)) for n, name in CATEGORIES.items())):
        some = [row for row in answered if row["category"] in meant]
        if some:
            table[f"official score, {title}"] = bootstrap([official(row) for row in some])
            if any("gold_audited" in row for row in answered) and 5 not in meant:
                table[f"the same, audited gold, {title}"] = bootstrap([official(row, audited=True) for row in some])
            table[f"says it doesn't know, {title}"] = _share([says_unknown(str(row["answer"])) for row in some])
    return table | _words([row for row in answered if row["category"] != 5]) | _held(rows)


def _words(rows: Sequence[Row]) -> Table:
    """Exact match, F1, BLEU-1 and ROUGE-L of the answers."""
    return sessions.answered([(str(row["answer"]), str(row["gold"])) for row in rows]) if rows else {}


def official(row: Row, *, audited: bool = False) -> float:
    """LoCoMo's score of a row's answer against its gold, or against the gold as the audit corrected it."""
    gold = row.get("gold_audited", row["gold"]) if audited else row["gold"]
    return score(str(row["answer"]), str(gold), int(row["category"]))


def _longmemeval(rows: Sequence[Row]) -> Table:
    table: Table = {}
    answered = [row for row in rows if "answer" in row]
    asked = [row for row in answered if not row["abstain"]]
    kinds = list(dict.fromkeys(str(row["category"]) for row in asked))
    for kind in ("all", *kinds) if asked else ():
        some = [row for row in asked if kind in ("all", row["category"])]
        table[f"answer, all words: {kind}"] = _share([all_words(r["gold"], r["answer"]) for r in some])
        table[f"answer, token F1: {kind}"] = bootstrap([token_f1(r["answer"], r["gold"]) for r in some])
    unknown = [says_unknown(str(row["answer"])) for row in answered if row["abstain"]]
    if unknown:
        table["says it doesn't know, where that is right"] = _share(unknown)
        table["says it doesn't know, where it is wrong"] = _share([says_unknown(str(r["answer"])) for r in asked])
    return table | _words(asked) | _held(rows)


def _personamem(rows: Sequence[Row]) -> Table:
    table: Table = {}
    answered = [row for row in rows if "answer" in row]
    right = [chosen(str(row["answer"]), len(row["options"])) == row["gold"] for row in answered]
    for kind in ("all", *dict.fromkeys(str(row["category"]) for row in answered)) if answered else ():
        some = [hit for hit, row in zip(right, answered, strict=True) if kind in ("all", row["category"])]
        table[f"accuracy: {kind}"] = _share(some)
    return table


def _held(rows: Sequence[Row]) -> Table:
    some = [row for row in rows if not row["abstain"]]
    return {"context holds all words of the gold": _share([row["held"] == 1 for row in some])} if some else {}


def _share(hits: Sequence[bool]) -> Estimate:
    return wilson(sum(hits), len(hits))


_ANSWERS = {
    "msc": _msc,
    "locomo": _locomo,
    "longmemeval": _longmemeval,
    "beam": _longmemeval,
    "personamem": _personamem,
}


def _cost(rows: Sequence[Row]) -> Table:
    answered = [row for row in rows if "answer" in row]
    if not answered:
        return {}
    table = {"tokens of a prompt": bootstrap([float(row["prompt_tokens"]) for row in answered])}
    for share in (50, 95):
        table[f"seconds an answer, p{share}"] = percentile([row["seconds"]["answer"] for row in answered], share)
    cut = sum("lines_cut" in row for row in answered)
    return table | ({"conversation cut to the window": wilson(cut, len(answered))} if cut else {})


def percentile(values: Sequence[float], share: int) -> Estimate:
    """A percentile (nearest rank) without an interval."""
    ordered = sorted(values)
    value = ordered[min(len(ordered) - 1, len(ordered) * share // 100)]
    return Estimate(value, value, value, len(ordered))


def _ranking(rows: Sequence[Row]) -> Table:
    """Recall and its kin over the questions whose evidence the data tells; once a question, whatever the models."""
    once = {row["case"]: row for row in rows if "ranked" in row and row["evidence"] and not row["abstain"]}
    if not once:
        return {}
    table = locomo_table.measures(by_question(list(once.values())), str(rows[0]["system"]))
    if any("evidence_audited" in row for row in once.values()):
        shares = [recall_at(row["ranked"], row.get("evidence_audited", row["evidence"]), 10) for row in once.values()]
        table["recall@10, mean, audited evidence"] = bootstrap(shares)
    return table


def by_question(rows: Sequence[Row]) -> list[Row]:
    """Rows as questions, with what every system ranked side by side: {"ranked": {system: ids}, "seconds": ...}."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        one = found.setdefault(
            str(row["case"]),
            {"key": row["case"], **{name: row[name] for name in ("category", "question", "gold", "evidence")}}
            | {"ranked": {}, "sessions": {}, "seconds": {}},
        )
        if "ranked" in row:
            one["ranked"][row["system"]] = row["ranked"]
            if row.get("ranked_sessions"):
                one["sessions"][row["system"]] = row["ranked_sessions"]
            one["seconds"][row["system"]] = row["seconds"]["recall"]
    return list(found.values())

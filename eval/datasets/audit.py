"""Known errors in LoCoMo's gold answers and evidence (dial481/locomo-audit), set beside the original, never over it.

The file is a list of {"sample_id", "qa_index", "error_type", "correct_answer", "correct_evidence"}.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...memory.errors import InputError, NotFound
from .cases import Case

_REMARK = re.compile(r"\s*\((?:answer is correct|from D\d|D\d)[^()]*\)")
"""Auditors' notes inside a corrected answer."""
CITATION = "WRONG_CITATION"
"""Here the answer is right and only its evidence is corrected."""


def load_audit(path: Path) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """The entries by case key "SAMPLE/INDEX", and a sentence for each bad one. Raises NotFound or InputError."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}; give the path of the audit.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} is no audit ({error}); give the list of errors as JSON.") from error
    if not isinstance(data, list):
        raise InputError(f"{path} holds no list of errors; give the audit of LoCoMo's answers.")
    good, bad = {}, []
    for number, entry in enumerate(data, 1):
        try:
            key = f"{entry['sample_id']}/{int(entry['qa_index'])}"
            good[key] = {
                "type": str(entry["error_type"]),
                "answer": str(entry["correct_answer"]),
                "evidence": [str(one) for one in entry["correct_evidence"]],
            }
        except (KeyError, TypeError, ValueError) as error:
            bad.append(f"{path.name}, entry {number}: not in the audit's form ({error!r})")
    return good, bad


def corrected(cases: Sequence[Case], entries: dict[str, dict[str, Any]]) -> list[Case]:
    """The cases with corrected gold and evidence beside their own, where the audit names them."""
    return [_corrected(case, entries[case.key]) if case.key in entries else case for case in cases]


def _corrected(case: Case, entry: dict[str, Any]) -> Case:
    known = {turn.id for turn in case.talk.said}
    evidence = tuple(dict.fromkeys(one for one in entry["evidence"] if one in known))
    answer = case.gold if entry["type"] == CITATION else _REMARK.sub("", entry["answer"]).strip()
    return replace(case, audited=answer, audited_evidence=evidence or case.evidence)

"""What an encoder wants to be put before a question and before a passage.

From the model's own `config_sentence_transformers.json` where there is one, else by its name: the families below are
told apart as their model cards do. A setting overrules both.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from ...memory.errors import ModelBroken

NONE = "none"
"""What a setting says for: nothing, whatever the model is."""
PROMPTS = "config_sentence_transformers.json"
_SEARCHED = "Represent this sentence for searching relevant passages: "
_INSTRUCTED = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
FAMILIES: tuple[tuple[str, str, str], ...] = (
    (r"e5-.*instruct|e5-mistral", _INSTRUCTED, ""),
    (r"(^|[/_-])e5[-_]", "query: ", "passage: "),
    (r"nomic-embed", "search_query: ", "search_document: "),
    (r"qwen3-embedding", _INSTRUCTED, ""),
    (r"embedding-?gemma", "task: search result | query: ", "title: none | text: "),
    (r"arctic-embed.*v2", "query: ", ""),
    (r"bge-(small|base|large)-en|mxbai-embed|arctic-embed", _SEARCHED, ""),
    (r"bge-(small|base|large)-zh", "为这个句子生成表示以用于检索相关文章：", ""),
)
"""Pattern of the name in small letters; before a question; before a passage. Others want none: MiniLM, bge-m3, gte."""


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What stands before a question and before a passage; as a setting: empty for what the model wants."""

    query: str = ""
    passage: str = ""


def prefixes_of(name: str, told: Prefixes, folder: Path | None = None) -> Prefixes:
    """What a model of this name wants, `told` by the person first, then by its folder. Raises ModelBroken."""
    own = _own(folder) or _known(name)
    return Prefixes(_chosen(told.query, own.query), _chosen(told.passage, own.passage))


def _chosen(told: str, own: str) -> str:
    return "" if told == NONE else told or own


def _known(name: str) -> Prefixes:
    low = name.lower()
    return next((Prefixes(query, passage) for like, query, passage in FAMILIES if re.search(like, low)), Prefixes())


def _own(folder: Path | None) -> Prefixes | None:
    path = folder / PROMPTS if folder else None
    if path is None or not path.is_file():
        return None
    try:
        prompts = json.loads(path.read_text(encoding="utf-8")).get("prompts") or {}
        found = [next((prompts[key] for key in keys if prompts.get(key)), "")
                 for keys in (("query", "search_query"), ("document", "passage", "search_document"))]  # fmt: skip
    except (OSError, ValueError, AttributeError) as error:
        raise ModelBroken(f"{path} can't be read ({error}): mend or remove it.") from error
    return Prefixes(str(found[0]), str(found[1])) if any(found) else None

"""Sessions as systems: what `chatmem rank` would put into the context, for one question of any data set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..measures.ranking import unique
from ..ranking.answer import CONTEXT, about, dated, filled
from ..ranking.order import order
from ..ranking.sources import PART, haystack_of, row_of
from .systems import SystemContext

if TYPE_CHECKING:
    from ..datasets.cases import Case
    from ..ranking.embed import Embedded
    from ..ranking.rank import Ranked
    from ..ranking.rows import Row
    from ..ranking.sources import Names


def sessions_given(embed: Embedded, rank: Ranked | None, case: Case) -> SystemContext:
    """The best sessions that fit into 8,192 tokens, in order of time: by the learned lines or, with a ranking model, by
    both. Raises ModelError."""
    stack = haystack_of(case.talk, PART)
    row = row_of(case, PART, {id(case.talk): stack})
    row = row.told(embed(row))
    if rank is not None:
        row = row.told(rank(row))
    places = order(row, "fused" if rank is not None else "lines") or []
    texts = filled(row, places, CONTEXT, about)
    weights = {place: number for number, place in enumerate(one for one in places if one in texts)}
    lines = [(weights[place], line) for place in sorted(texts) for line in dated(row, place, texts[place])]
    names = [row.haystack.ids[place].split("~")[0] for place in places]
    return SystemContext(
        tuple(line for _, line in lines), tuple(_turns(row, stack[1], places)), in_time=True,
        sessions=tuple(unique(names)), weights=tuple(weight for weight, _ in lines),
    )  # fmt: skip


def _turns(row: Row, names: Names, places: list[int]) -> list[str]:
    """Ids of turns: those of the best session first, in each the nearest first."""
    spans = row.found["session_passages"]
    return unique(names[place][span[0]] for place in places for span in spans[place])

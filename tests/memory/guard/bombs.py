"""Short texts that cost a parser or a database long, and the world in which they would."""

from __future__ import annotations

from chatmem.memory.store.store import Store
from chatmem.memory.values import HUMAN

ROW = "INSERT INTO memory (subject, fact) VALUES "
__all__ = ["HEAVY", "HUMAN", "READS", "ROW", "RUNS", "WRITES", "heavy", "nested", "select"]

HEAVY = 100
"""Lines of the world's user, of 190,000 characters each."""


def nested(opening: str, depth: int, core: str = "1", closing: str = ")") -> str:
    return opening * depth + core + closing * depth


def select(expression: str) -> str:
    return f"SELECT {expression} FROM memory"


READS: dict[str, str] = {
    "30 joins": "SELECT * FROM memory " + "JOIN memory " * 30,
    "joins by comma": "SELECT * FROM " + ", ".join(["memory"] * 60),
    "left joins": "SELECT * FROM memory " + "LEFT JOIN memory m " * 40,
    "lateral": "SELECT * FROM memory " + "CROSS JOIN LATERAL (SELECT 1) " * 20,
    "struct": select(nested("STRUCT(", 12)),
    "date": select(nested("DATE(", 12, "said_at")),
    "date six deep": select(nested("date(", 6, "said_at")),
    "array": select(nested("ARRAY<", 12, "INT", ">")),
    "map": select(nested("MAP(", 11)),
    "decimal": select(nested("DECIMAL(", 12)),
    "cast": select(nested("CAST(", 6, "id", " AS TEXT)")),
    "parentheses": select(nested("(", 12, "id")),
    "parentheses in a row": select(", ".join([nested("(", 12, "id")] * 14)),
    "table in parentheses": "SELECT * FROM " + nested("(", 12, "memory"),
    "selects in FROM": nested("SELECT * FROM (", 12, "SELECT * FROM memory"),
    "selects in IN": "SELECT id FROM memory WHERE id IN " + nested("(SELECT id FROM memory WHERE id IN ", 11, "(1)"),
    "case": select("CASE WHEN id THEN " * 30 + "1" + " END" * 30),
    "not": select("NOT " * 300 + "id"),
    "minus": select("- " * 300 + "id"),
    "interval": select("INTERVAL " * 100 + "1"),
    "between": select("id BETWEEN " * 40 + "1" + " AND 2" * 40),
    "is not": select("id " + "IS NOT " * 120 + "NULL"),
    "likes": select("fact LIKE '%a%' OR " * 75 + "id"),
    "sums": select("id + " * 190 + "id"),
    "concatenation": select("max(length(" + "||".join(["fact"] * 150) + "))"),
    "with": "WITH " + ", ".join(f"a{n} AS (SELECT 1)" for n in range(40)) + " SELECT * FROM memory",
    "windows": select(", ".join(["sum(id) OVER (PARTITION BY id)"] * 20)),
    "unions": " UNION ".join(["SELECT id FROM memory"] * 50),
    "order": "SELECT id FROM memory ORDER BY " + ", ".join(["date(said_at)"] * 50),
    "words": "SELECT " + "a b c d e f " * 60,
    "commas": "SELECT " + "," * 390,
}
"""What costs at the parser, or would."""
RUNS: dict[str, str] = {
    "instr": "SELECT count(*) FROM lines WHERE instr(text, substr(text, 1, length(text) / 2) || 'b') > 0",
    "instr of joined texts": "SELECT count(*) FROM lines WHERE instr("
    + "||".join(["text"] * 6) + ", " + "||".join(["text"] * 3) + " || 'b') > 0",
    "like": f"SELECT count(*) FROM lines WHERE text LIKE '%{'a' * 190}b%'",
    "like with gaps": f"SELECT count(*) FROM lines WHERE text LIKE '%{'%'.join(['a' * 20 + 'b'] * 7)}%'",
    "like any": f"SELECT count(*) FROM lines WHERE text LIKE '%a{'_' * 150}b%c'",
    "many likes": "SELECT count(*) FROM lines WHERE " + " OR ".join([f"text LIKE '%{'a' * 90}b%'"] * 30),
    "like of joined texts": f"SELECT count(*) FROM lines WHERE {'||'.join(['text'] * 9)} LIKE '%{'a' * 190}b%'",
    "select for each row": "SELECT count(*) FROM lines a WHERE (SELECT count(*) FROM lines b WHERE b.text LIKE '%aab%'"
    " AND a.id <> b.id) > 0",
    "three of them": "SELECT count(*) FROM lines a WHERE (SELECT count(*) FROM lines b WHERE (SELECT count(*)"
    " FROM lines c WHERE c.id <> b.id AND lower(c.text) <> b.text) <> a.id) > 0",
    "grows": "SELECT group_concat(upper(text), lower(text)) FROM lines",
    "format": f"SELECT count(strftime('{'%Y' * 1500}', said_at)) FROM lines",
    "sorts": "SELECT id FROM lines ORDER BY text || 'a', upper(text), lower(text) LIMIT 3",
    "unites": "SELECT text FROM lines UNION SELECT text || 'b' FROM lines UNION SELECT text || 'c' FROM lines"
    " ORDER BY 1",
    "about": f"SELECT id FROM lines ORDER BY about('{'aaa bbb ' * 400}') + about('{'a' * 500}') DESC",
}  # fmt: skip
"""What costs when it runs."""
WRITES: dict[str, str] = {
    "functions": ROW + "(" + nested("DATE(", 11) + ", 'x')",
    "joins": "DELETE FROM memory " + "JOIN memory " * 40 + "WHERE id = 1",
    "joins in an update": "UPDATE memory SET fact = 'x' FROM memory " + "JOIN memory " * 40 + "WHERE id = 1",
    "select": ROW[:-7] + "SELECT * FROM memory " + "JOIN memory " * 40,
    "rows": ROW + ", ".join(["('Ana', 'x y')"] * 190),
    "statements": ";".join(f"DELETE FROM memory WHERE id = {n}" for n in range(149)),
    "parentheses": ROW + nested("(", 12, "'Ana', 'x'"),
    "not": "DELETE FROM memory WHERE " + "NOT " * 300 + "id = 1",
    "and": "DELETE FROM memory WHERE id = 1" + " AND topic = 'x'" * 290,
    "in": f"DELETE FROM memory WHERE id IN ({', '.join(map(str, range(580)))})",
    "dates": ROW.replace("fact)", "fact, happened_on)")
    + ", ".join(f"('Ana', 'x {n}', 'last week last month last year {n}')" for n in range(20)),
    "a long text": ROW + f"('Ana', '{'x ' * 19_000}')",
}


def heavy(store: Store) -> int:
    """A user whose lines are as long as an older version stored them."""
    user = store.users.get("heavy")
    session = store.sessions.start(user.id)
    with store.db.write() as db:
        db.exec_driver_sql(
            f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {HEAVY}) "
            "INSERT INTO turns (session_id, user_id, speaker, text, said_at) SELECT ?, ?, 'Ana', "
            "replace(hex(zeroblob(95000)), '0', 'a') || i, '2026-05-08T10:00:00Z' FROM n",
            (session.id, user.id),
        )
        db.exec_driver_sql(
            "INSERT INTO memories (user_id, subject, fact, said_at, valid_from, created_by) SELECT user_id, 'Ana', "
            "substr(text, -2000), said_at, said_at, 'human' FROM turns WHERE user_id = ?", (user.id,),
        )  # fmt: skip
    return user.id

"""`chatmem sql`: every column arrives, under the name that the person gave it."""

from __future__ import annotations

from tests.app.shell import Shell


def test_columns_of_one_name_all_arrive_in_json(shell: Shell) -> None:
    shell("memory", "add", "Ana sails.", "--subject", "Ana")
    (row,) = shell.json("sql", "SELECT id, fact, id, subject AS fact, id FROM memory")
    assert row == {"id": 1, "fact": "Ana sails.", "id:1": 1, "fact:1": "Ana", "id:2": 1}


def test_a_column_of_about_is_headed_as_it_was_written(shell: Shell) -> None:
    shell("memory", "add", "Ana's boat is red.", "--subject", "Ana")
    (row,) = shell.json("sql", "SELECT about('ana''s boat'), fact FROM memory")
    assert list(row) == ["about('ana''s boat')", "fact"]
    (row,) = shell.json("sql", "SELECT about('boat') AS fits, 'about(7, \"memory\".id)' FROM memory")
    assert list(row) == ["fits", "'about(7, \"memory\".id)'"]
    heading = shell("sql", "SELECT about('a') + about('b') FROM memory").stdout.splitlines()[0]
    assert heading == "(about('a') + about('b'))"


def test_a_column_of_about_on_lines_is_too(told: Shell) -> None:
    assert list(told.json("sql", "SELECT about('cats') FROM lines LIMIT 1")[0]) == ["about('cats')"]


def test_a_refused_with_says_how_it_is_written_here(shell: Shell) -> None:
    shell("memory", "add", "Ana sails.", "--subject", "Ana")
    told = shell.fails("sql", "WITH own AS (SELECT id FROM memory) SELECT fact FROM memory")
    assert "not WITH" in told and "WHERE id IN (SELECT ...)" in told
    assert shell.json("sql", "SELECT fact FROM memory WHERE id IN (SELECT id FROM memory)") == [{"fact": "Ana sails."}]


def test_a_write_shows_what_it_wrote(shell: Shell) -> None:
    values = "INSERT INTO memory (subject, topic, fact, happened_on) VALUES ('Ana', 'boats', 'Ana sails.', NULL)"
    for sql, shown in (
        (values, "+ Ana sails.  #1"),
        ("UPDATE memory SET fact = 'Ana rows.' WHERE id = 1", "~ Ana sails. -> Ana rows.  #2"),
        ("DELETE FROM memory WHERE id = 2", "- Ana rows.  #2"),
    ):
        done = shell("sql", "--write", sql)
        assert (done.returncode, done.stdout) == (0, f"{shown}\n"), done.stderr
        assert done.stderr.startswith("1 row written")
    assert [one["kind"] for one in shell.json("sql", "--write", values.replace("sails", "swims"))] == ["insert"]

"""Tables as people make them: what can't be read for sure is refused, with the line."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from chatmem.memory.errors import InputError
from chatmem.memory.transfer.csv_file import read
from chatmem.memory.transfer.json_file import Record


def records(folder: Path, text: str) -> list[Record]:
    path = folder / "facts.csv"
    path.write_text(text, encoding="utf-8", newline="")
    return list(read(path, lambda _: None))


def facts(folder: Path, text: str) -> list[str]:
    return [str(one.data["fact"]) for one in records(folder, text)]


@pytest.mark.parametrize("rest", ["Ben,Ben rows.\n", 'Ben,"Ben rows."\n'], ids=["to the end", "to the next quote"])
def test_a_quote_that_is_not_closed_is_refused_with_its_line(tmp_path: Path, rest: str) -> None:
    with pytest.raises(InputError, match="line 3 a quotation mark that is not closed"):
        records(tmp_path, f'subject,fact\nAna,Ana sails.\nAna,"Ana rows.\n{rest}')


def test_quotes_that_are_right_are_read(tmp_path: Path) -> None:
    told = 'subject,fact\nAna,"Ana said ""no"", twice,\nand left"\nBen,Ben is 6" tall\n'
    assert facts(tmp_path, told) == ['Ana said "no", twice,\nand left', 'Ben is 6" tall']


def test_two_headings_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="two columns named fact"):
        records(tmp_path, "subject,fact,Fact\nAna,Ana sails.,Ana rows.\n")


def test_headings_that_are_not_read_may_be_twice(tmp_path: Path) -> None:
    assert facts(tmp_path, "subject,fact,note,note,,\nAna,Ana sails.,a,b,,\n") == ["Ana sails."]


@pytest.mark.parametrize("first", ["sep=;\r\n", "\ufeffsep=;\n", '"sep=;"\n', "SEP=;\n"])
def test_the_first_line_of_excel_is_understood(tmp_path: Path, first: str) -> None:
    text = f'{first}"subject";"fact"\nAna;Ana sails, and rows.\n;none\n'
    good, bad = records(tmp_path, text)
    assert good.data["fact"] == "Ana sails, and rows."
    assert (bad.place, bad.problem) == ("line 4", "has no subject")


@pytest.mark.parametrize("heading", ['"subject","fact"', '"subject";"fact"', '"subject"\t"fact"'])
def test_quoted_headings_are_read_with_any_separator(tmp_path: Path, heading: str) -> None:
    assert facts(tmp_path, f"{heading}\nAna{heading[9]}Ana sails.\n") == ["Ana sails."]


@pytest.mark.parametrize("limit", [131_072, 1 << 24])
def test_a_cell_that_is_too_long_is_told_as_that(tmp_path: Path, limit: int, request: pytest.FixtureRequest) -> None:
    usual = csv.field_size_limit(limit)  # whatever else the process reads
    request.addfinalizer(lambda: csv.field_size_limit(usual))
    with pytest.raises(InputError, match="line 2 a cell of more than 131,072 characters"):
        records(tmp_path, f"subject,fact\nAna,{'x' * 200_000}\n")

# SPDX-License-Identifier: Apache-2.0
"""The file that keeps what a sweep computed."""

import json
import sqlite3
from pathlib import Path

import pytest
from numatch.errors import NumatchError
from numatch.sweeps.store import Store


def keep(store: Store, key: str, simulation: str = '{"runs": []}') -> None:
    store.keep(key, "{}", "ring", "simics-4x2", "lapt", 1, simulation)


def test_what_is_kept_is_there_when_the_file_is_opened_again(tmp_path: Path) -> None:
    with Store(tmp_path / "s.sqlite") as store:
        keep(store, "a")
        store.keep_trace("of ring", "content")
    with Store(tmp_path / "s.sqlite") as store:
        assert store.simulations(["a", "b"]) == {"a": '{"runs": []}'}
        assert store.trace("of ring") == "content"
        assert store.trace("of mg") is None


def test_what_was_kept_outlives_a_writer_that_never_closes(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.sqlite")
    keep(store, "a")
    with Store(tmp_path / "s.sqlite") as other:
        assert list(other.simulations(["a"])) == ["a"]
    store.close()


def test_a_row_that_is_no_json_counts_as_missing(tmp_path: Path) -> None:
    with Store(tmp_path / "s.sqlite") as store:
        keep(store, "a", simulation="{cut")
        keep(store, "b", simulation=json.dumps([]))
        assert store.simulations(["a", "b"]) == {}


def test_a_store_that_another_program_holds_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "s.sqlite"
    with Store(file, patience=0) as store:
        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(
            NumatchError, match=r"s\.sqlite: is locked by another program; let that"
        ):
            keep(store, "a")
        with pytest.raises(NumatchError, match="is locked by another program"):
            Store(file, patience=0)
        other.execute("COMMIT")
        other.close()
        keep(store, "a")
        assert list(store.simulations(["a"])) == ["a"]


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "s.sqlite"
    file.write_text("time,energy\n" * 100)
    with pytest.raises(NumatchError, match=r"s\.sqlite: is damaged or no store of numatch sweep"):
        Store(file)
    assert file.read_text() == "time,energy\n" * 100


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "s.sqlite"
    other = sqlite3.connect(file)
    other.execute("CREATE TABLE songs (name TEXT)")
    other.close()
    with pytest.raises(NumatchError, match=r"s\.sqlite: is a database of something else"):
        Store(file)


def test_a_store_of_a_later_format_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "s.sqlite"
    Store(file).close()
    database = sqlite3.connect(file)
    database.execute("PRAGMA user_version = 2")
    database.close()
    with pytest.raises(NumatchError, match="has version 2 of the format, this numatch knows 1"):
        Store(file)


def test_a_damaged_store_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "s.sqlite"
    with Store(file) as store:
        for key in range(200):
            keep(store, str(key), simulation=json.dumps({"runs": "x" * 400}))
    content = bytearray(file.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 8192] = b"\xa5" * 8192
    file.write_bytes(content)
    with pytest.raises(NumatchError, match="is damaged or no store of numatch sweep"):
        Store(file)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(NumatchError, match="name a file that can be written"):
        Store(tmp_path / "none" / "s.sqlite")

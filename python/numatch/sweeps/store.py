# SPDX-License-Identifier: Apache-2.0
"""The file that keeps what was computed: SQLite, one row per cell, written by one process."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

from .errors import NumatchError, failure

APPLICATION = 0x4E4D5357  # in the file's header: it is ours
VERSION = 1
_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE cells (
  key TEXT PRIMARY KEY,        -- SHA-256 of the description
  description TEXT NOT NULL,   -- JSON: contents of numatch, trace and machine; the run's options
  program TEXT NOT NULL,       -- its name in the sweep that computed it
  machine TEXT NOT NULL,
  mechanism TEXT NOT NULL,
  seed INTEGER NOT NULL,
  simulation TEXT NOT NULL     -- what numatch simulate --json printed
) WITHOUT ROWID;
CREATE TABLE traces (
  description TEXT PRIMARY KEY,  -- JSON: content of the program, arguments, environment
  content TEXT NOT NULL          -- SHA-256 of the trace that was recorded
) WITHOUT ROWID;
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
COMMIT;
"""


class Store:
    """Each row is there whole or not at all, whatever ends the process or the machine."""

    def __init__(self, file: Path, patience: float = 60.0) -> None:
        """Makes the file where it is missing. `patience`: seconds to wait for another writer."""
        self.file = file
        try:
            self._database = sqlite3.connect(file, timeout=patience, isolation_level=None)
        except sqlite3.Error as problem:
            raise failure(str(file), str(problem), "name a file that can be written") from None
        try:
            self._open()
        except sqlite3.Error as problem:
            self._database.close()
            raise self._wrong(problem) from None
        except NumatchError:
            self._database.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._database.close()

    def simulations(self, keys: Iterable[str]) -> dict[str, str]:
        """What is there of these cells."""
        found: dict[str, str] = {}
        for key in keys:
            row = self._one("SELECT simulation FROM cells WHERE key = ?", key)
            if row is not None and _is_object(row):
                found[key] = row
        return found

    def keep(
        self,
        key: str,
        description: str,
        program: str,
        machine: str,
        mechanism: str,
        seed: int,
        simulation: str,
    ) -> None:
        """On the disk when it returns."""
        try:
            self._database.execute(
                "INSERT OR REPLACE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?)",
                (key, description, program, machine, mechanism, seed, simulation),
            )
        except sqlite3.Error as problem:
            raise self._wrong(problem) from None

    def trace(self, description: str) -> str | None:
        """The hash of the trace that was recorded under this description."""
        return self._one("SELECT content FROM traces WHERE description = ?", description)

    def keep_trace(self, description: str, content: str) -> None:
        try:
            self._database.execute(
                "INSERT OR REPLACE INTO traces VALUES (?, ?)", (description, content)
            )
        except sqlite3.Error as problem:
            raise self._wrong(problem) from None

    def _open(self) -> None:
        def number(name: str) -> int:
            return int(self._database.execute(f"PRAGMA {name}").fetchone()[0])

        if number("application_id") == 0 and number("schema_version") == 0:
            try:
                self._database.executescript(_SCHEMA)
            except sqlite3.OperationalError as problem:
                # Another process may have made it meanwhile.
                if "already exists" not in str(problem):
                    raise
                self._database.rollback()
        if number("application_id") != APPLICATION:
            raise failure(str(self.file), "is a database of something else", "name another --store")
        if number("user_version") != VERSION:
            raise failure(
                str(self.file),
                f"has version {number('user_version')} of the format, this numatch knows {VERSION}",
                "name another --store",
            )
        state = self._database.execute("PRAGMA quick_check(1)").fetchone()[0]
        if state != "ok":
            raise self._damaged(str(state))

    def _one(self, question: str, key: str) -> str | None:
        try:
            row = self._database.execute(question, (key,)).fetchone()
        except sqlite3.Error as problem:
            raise self._wrong(problem) from None
        return None if row is None else str(row[0])

    def _damaged(self, how: str) -> NumatchError:
        return failure(
            str(self.file),
            f"is damaged or no store of numatch sweep ({' '.join(how.split())})",
            "name another --store, or remove it and compute again",
        )

    def _wrong(self, problem: sqlite3.Error) -> NumatchError:
        if problem.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return failure(
                str(self.file), "is locked by another program", "let that one end, and call again"
            )
        if problem.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return self._damaged(str(problem))
        return failure(str(self.file), str(problem), "is there space, and may it be written?")


def _is_object(text: str) -> bool:
    """What is damaged is computed again."""
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False

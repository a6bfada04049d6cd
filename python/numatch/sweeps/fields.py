# SPDX-License-Identifier: Apache-2.0
"""Reading the keys of one table of a sweep's description, each with its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from .errors import NumatchError, failure
from .suggest import suggest

Scalar = str | int | float | bool
T = TypeVar("T")


def word_of(value: Scalar) -> str:
    """A value as numatch's options take it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


class Fields:
    """One table. Every error names the file, the table and the key."""

    def __init__(self, source: str, table: Mapping[str, Any], name: str, known: tuple[str, ...]):
        self._where = f"{source}: [{name}]" if name else source
        self._table = table
        for key in table:
            if key not in known:
                raise failure(self._where, f"unknown key '{key}'", suggest(key, known))

    def wrong(self, key: str, kind: str) -> NumatchError:
        return failure(self._where, f"'{key}' must be {kind}")

    def missing(self, key: str) -> NumatchError:
        return failure(self._where, f"'{key}' is missing")

    def text(self, key: str, otherwise: str | None = None) -> str:
        value = self._table.get(key, otherwise)
        if value is None:
            raise self.missing(key)
        if not isinstance(value, str) or (otherwise is None and not value):
            raise self.wrong(key, "a text")
        return value

    def whole(self, key: str, otherwise: int, least: int = 0) -> int:
        value = self._table.get(key, otherwise)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise self.wrong(key, f"a whole number from {least}")
        return value

    def texts(self, key: str, otherwise: tuple[str, ...] = ()) -> tuple[str, ...]:
        value = self._table.get(key, list(otherwise))
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            raise self.wrong(key, "a list of texts")
        return each_once(tuple(value), f"{self._where}: '{key}'")

    def wholes(self, key: str, otherwise: tuple[int, ...]) -> tuple[int, ...]:
        value = self._table.get(key, list(otherwise))
        if not isinstance(value, list) or not all(
            isinstance(one, int) and not isinstance(one, bool) and one >= 0 for one in value
        ):
            raise self.wrong(key, "a list of whole numbers")
        return each_once(tuple(value), f"{self._where}: '{key}'")

    def table(self, key: str) -> Mapping[str, Any]:
        value = self._table.get(key, {})
        if not isinstance(value, Mapping):
            raise self.wrong(key, f"a table, [{key}]")
        return value

    def tables(self, key: str) -> list[Mapping[str, Any]]:
        value = self._table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, Mapping) for one in value):
            raise self.wrong(key, f"tables, [[{key}]]")
        return value

    def words(self, key: str) -> tuple[str, ...]:
        """A value, or a list of them, as words for numatch's options."""
        value = self._table[key]
        values = value if isinstance(value, list) else [value]
        if not values or not all(isinstance(one, Scalar) for one in values):
            raise self.wrong(key, "a value or a list of values")
        return each_once(tuple(word_of(one) for one in values), f"{self._where}: '{key}'")

    def axes(self) -> dict[str, tuple[str, ...]]:
        """All keys of the table with their values."""
        return {key: self.words(key) for key in self._table}


def each_once(values: tuple[T, ...], where: str) -> tuple[T, ...]:
    for place, value in enumerate(values):
        if value in values[:place]:
            raise failure(where, f"'{value}' is there twice", "name each once")
    return values

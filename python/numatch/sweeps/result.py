# SPDX-License-Identifier: Apache-2.0
"""What a sweep found, for tables, files and notebooks. Everything is simulated."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import errors
from .clusters import need
from .plan import QUANTITIES, Cell, Sweep

if TYPE_CHECKING:
    import pandas

Value = str | int | float | None


@dataclass(frozen=True)
class Row:
    """A cell and its run: what numatch simulate --json says of it, None where it failed."""

    cell: Cell
    key: str
    run: dict[str, Any] | None
    failure: str = ""

    def quantity(self, name: str) -> float | None:
        """time: ms; traffic: bytes x hops; misses: of the last level, per 1000 instructions;
        energy: mJ."""
        if self.run is None:
            return None
        if name == "time":
            return float(self.run["time"]["milliseconds"])
        if name == "traffic":
            return float(self.run["traffic"]["total_bytes"])
        if name == "energy":
            return float(self.run["energy"]["total_mj"])
        misses = {key: value for key, value in self.run["misses"].items() if key.endswith("_mpki")}
        return float(misses[max(misses)]) if misses else None


@dataclass(frozen=True)
class SweepResult:
    """The rows of all cells, in the order of the sweep whoever computed them and when."""

    sweep: Sweep
    version: str
    rows: tuple[Row, ...]
    computed: int  # simulated by this call
    stored: int  # taken from the store

    @property
    def failed(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.failure)

    def change(self, row: Row, quantity: str) -> float | None:
        """In percent, against the baseline of the same program, machine, settings and seed."""
        base = self._baselines.get(row.cell.beside())
        ours, theirs = row.quantity(quantity), base and base.quantity(quantity)
        if ours is None or not theirs:
            return None
        return (ours / theirs - 1) * 100

    def is_baseline(self, row: Row) -> bool:
        return self._baselines.get(row.cell.beside()) is row

    def records(self) -> list[dict[str, Value]]:
        """One dictionary per cell, all with the same keys: what the cell is, its key in the store,
        why it failed, changes against the baseline in percent, and every number of the run."""
        found = [self._record(row) for row in self.rows]
        names = list(dict.fromkeys(name for record in found for name in record))
        return [{name: record.get(name) for name in names} for record in found]

    def frame(self) -> pandas.DataFrame:
        """records() as a pandas data frame."""
        frame: pandas.DataFrame = need("pandas", "pandas").DataFrame(self.records())
        return frame

    def csv(self) -> str:
        records = self.records()
        out = io.StringIO()
        writer = csv.DictWriter(out, records[0].keys() if records else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
        return out.getvalue()

    def parquet(self, file: str | Path) -> None:
        """Needs pyarrow."""
        arrow = need("pyarrow", "pyarrow")
        need("pyarrow.parquet", "pyarrow").write_table(
            arrow.Table.from_pylist(self.records()), str(file)
        )

    def json(self) -> str:
        cells = [
            {
                "key": row.key,
                "program": row.cell.program,
                "machine": row.cell.machine,
                "settings": dict(row.cell.settings),
                "options": dict(row.cell.options),
                "seed": row.cell.seed,
                "mechanism": row.cell.mechanism,
                "parameters": dict(row.cell.parameters),
                "baseline": self.is_baseline(row),
                "change_percent": {name: self.change(row, name) for name in QUANTITIES},
                "failure": row.failure or None,
                "run": row.run,
            }
            for row in self.rows
        ]
        return (
            json.dumps(
                {
                    "format": "numatch-sweep",
                    "version": 1,
                    "evidence": "simulated",
                    "numatch": self.version,
                    "summary": self.sweep.summary,
                    "baseline": self.sweep.baseline,
                    "cells": cells,
                },
                indent=2,
                ensure_ascii=False,
            )
            + "\n"
        )

    def table(self) -> str:
        """As numatch sweep prints it."""
        from .table import text_of

        return text_of(self)

    def figure(self, x: str = "", y: str = "") -> Any:
        """A matplotlib figure of changes against the baseline: a line per mechanism over `x`."""
        from .figure import draw

        return draw(self, x or self.sweep.figure_x, y or self.sweep.figure_y)

    def _record(self, row: Row) -> dict[str, Value]:
        cell = row.cell
        record: dict[str, Value] = {"program": cell.program, "machine": cell.machine}
        record.update(cell.settings)
        record.update(cell.options)
        record["seed"] = cell.seed
        record["mechanism"] = cell.mechanism
        for mechanism, axes in self.sweep.parameters.items():
            own = dict(cell.parameters) if mechanism == cell.mechanism else {}
            record.update({f"{mechanism}:{name}": own.get(name) for name in axes})
        record["key"] = row.key
        record["failure"] = row.failure or None
        record.update({f"{name}_change_percent": self.change(row, name) for name in QUANTITIES})
        for part, values in (row.run or {}).items():
            if isinstance(values, dict) and part != "parameters":
                record.update({f"{part}.{name}": value for name, value in values.items()})
            elif part == "hertz":
                record[part] = values
        return record

    @cached_property
    def _baselines(self) -> dict[Any, Row]:
        found: dict[Any, Row] = {}
        for row in self.rows:  # it comes first: the first combination of its own parameters
            if row.cell.mechanism == self.sweep.baseline:
                found.setdefault(row.cell.beside(), row)
        return found


def row_of(cell: Cell, key: str, simulation: str | None, failure: str) -> Row:
    if simulation is None:
        return Row(cell, key, None, failure or "was not computed")
    try:
        run: dict[str, Any] = json.loads(simulation)["runs"][0]
    except (ValueError, KeyError, IndexError, TypeError):
        raise errors.failure("the store", f"cell {key} is damaged", "remove the store") from None
    return Row(cell, key, run)

# SPDX-License-Identifier: Apache-2.0
"""The papers' tables, computed again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from numatch.recording import run_command

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import numpy.typing as npt


class Reproduction:
    """Tables of papers with the published figures beside ours; made by `reproduce`.

    Parameters
    ----------
    data
        What `numatch reproduce --json` prints.
    notes
        What the command said about the run.
    complete
        Whether every program and run succeeded; `notes` say which did not.
    """

    def __init__(self, data: dict[str, Any], notes: Sequence[str] = (), *, complete: bool = True):
        self.data = data
        self.notes = list(notes)
        self.complete = complete

    @property
    def tables(self) -> pd.DataFrame:
        """All tables, one row per cell, simulated.

        ``paper``, ``quantity``, ``change`` (whether it is told against the baseline), ``program``,
        ``mean`` (whether the row is a mean over the programs), ``run`` (a mechanism, or a half of
        it), ``percent``.
        """
        rows = [
            (
                *(paper["name"], table["quantity"], table["change"]),
                *(row["program"], row["mean"], run, percent),
            )
            for paper in self.data["papers"]
            for table in paper["tables"]
            for row in table["rows"]
            for run, percent in row["percent"].items()
        ]
        columns = ["paper", "quantity", "change", "program", "mean", "run", "percent"]
        return pd.DataFrame(rows, columns=columns)

    def table(self, paper: str, quantity: str) -> pd.DataFrame:
        """One table as the paper prints it, in percent: a row per program, a column per run."""
        cells = self.tables
        chosen = cells[(cells["paper"] == paper) & (cells["quantity"] == quantity)]
        wide = chosen.pivot_table(
            index="program", columns="run", values="percent", sort=False, dropna=False
        )
        return wide.reindex(
            index=pd.unique(chosen["program"]),
            columns=pd.Index(pd.unique(chosen["run"]), name="run"),
        )

    @property
    def figures(self) -> pd.DataFrame:
        """The published figures with ours beside them.

        ``paper``, ``mechanism``, ``quantity``, ``over`` ("mean", "best" or a program),
        ``published_percent``, ``simulated_percent``, ``program`` (whose figure ours is, where it is
        the best one's), ``where`` (in the paper).
        """
        rows = [
            {"paper": paper["name"], **figure}
            for paper in self.data["papers"]
            for figure in paper["figures"]
        ]
        return pd.DataFrame(rows)

    @property
    def sweeps(self) -> pd.DataFrame:
        """What the papers' sweeps give, one row per value, simulated.

        ``paper``, ``title``, ``key`` (what is swept), ``point`` (its value), ``quantity``, ``unit``
        ("percent" or "number"), ``program``, ``run``, ``value``.
        """
        rows = [
            (
                *(paper["name"], sweep["title"], sweep["key"], point),
                *(table["quantity"], table["unit"], line["program"], line["run"], value),
            )
            for paper in self.data["papers"]
            for sweep in paper["sweeps"]
            for table in sweep["tables"]
            for line in table["lines"]
            for point, value in zip(sweep["points"], line["values"], strict=True)
        ]
        columns = ["paper", "title", "key", "point", "quantity", "unit", "program", "run", "value"]
        return pd.DataFrame(rows, columns=columns)

    def sharing(self, paper: str) -> dict[tuple[str, str], npt.NDArray[np.float64]]:
        """Sharing matrices of both directions, (threads, threads), by (program, detector)."""
        return {
            (matrix["program"], matrix["detector"]): np.array(
                matrix["between_threads"], dtype=float
            )
            for one in self.data["papers"]
            if one["name"] == paper
            for matrix in one["sharing"]
        }


def reproduce(
    paper: str = "all",
    *,
    suite: str = "builtin",
    size: str = "S",
    programs: Sequence[str] = (),
    sources: str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
    seed: int = 1,
    jobs: int | None = None,
) -> Reproduction:
    """Compute the papers' tables again, for the programs of a suite on the papers' machines.

    It runs the command `numatch`, because programs are started. What was recorded and simulated is
    kept, so that a second call computes only what is new and an interrupted one goes on.

    Parameters
    ----------
    paper
        A paper of the suite, or "all".
    suite
        A suite's name or its file.
    size
        The class of the programs: "S", "W", ...
    programs
        Only these; all unless said.
    sources
        Directory in which suites such as "npb" and "parsec" look for their programs.
    store
        Folder of recorded programs and results; ~/.cache/numatch/reproduce unless said.
    seed
        Of all random choices.
    jobs
        Threads of this machine that simulate; all unless said.
    """
    words = ["reproduce", paper, "--suite", suite, "--class", size, "--seed", str(seed), "--json"]
    if programs:
        words += ["--programs", ",".join(programs)]
    if sources is not None:
        words += ["--sources", str(sources)]
    if store is not None:
        words += ["--store", str(store)]
    if jobs is not None:
        words += ["--jobs", str(jobs)]
    code, printed, notes = run_command(words)
    return Reproduction(json.loads(printed), notes, complete=code == 0)

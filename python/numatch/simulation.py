# SPDX-License-Identifier: Apache-2.0
"""Simulation: a trace on a simulated NUMA machine under mechanisms."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

import pandas as pd

from numatch import _core
from numatch.errors import NumatchError
from numatch.machine import Machine
from numatch.traces import Trace, open_trace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

FIELDS = {
    "--mechanism": "mechanisms",
    "--param": "parameters",
    "--set": "settings",
    "--phase": "phase",
    "--time-scale": "time_scale",
    "--only": "only",
    "--threads": "threads",
    "--pages": "pages",
    "--baseline": "baseline",
}
"""Options of `numatch simulate` and the parameters of `simulate` that say the same."""


class Simulation:
    """What a simulation gave, every number of it simulated; made by `simulate`.

    Parameters
    ----------
    data
        What `numatch simulate --json` prints.
    timeline
        What `numatch simulate --timeline FILE.json` writes; None where there is none.
    """

    def __init__(self, data: dict[str, Any], timeline: dict[str, Any] | None = None) -> None:
        self.data = data
        self._timeline = timeline

    @property
    def runs(self) -> pd.DataFrame:
        """One row per run, by its name; the baseline is the first.

        Columns are ``group.quantity`` as in docs/simulate.md, with units in their names:
        ``time.milliseconds``, ``time.cycles``, ``misses.l2_mpki`` (misses per 1000 instructions),
        ``memory.remote_share`` (0..1), ``traffic.total_bytes`` (bytes times hops),
        ``energy.total_mj`` (mJ), ...
        """
        return _frame(self.data["runs"])

    @property
    def change(self) -> pd.DataFrame:
        """How runs differ from the baseline, -0.1 being 10 % less; columns as of `runs`."""
        rows = [
            {"name": run["name"], **run["change"]} for run in self.data["runs"] if "change" in run
        ]
        return _frame(rows)

    @property
    def parameters(self) -> dict[str, dict[str, str]]:
        """Every parameter of each run's mechanism."""
        return {run["name"]: run["parameters"] for run in self.data["runs"]}

    @property
    def timeline(self) -> pd.DataFrame:
        """How each run went over time, one row per piece; empty unless a timeline was asked for.

        ``run``, ``begin_cycle``, ``end_cycle``, ``begin_ms``, ``end_ms``, and of the piece
        ``instructions``, ``memory_accesses``, ``remote_accesses``, ``traffic_bytes`` (bytes times
        hops), ``pages_moved``, ``threads_moved``.
        """
        return self._pieces("timeline")

    @property
    def decisions(self) -> pd.DataFrame:
        """What was decided: ``run``, ``cycle``, ``ms``, ``threads_moved``, ``pages_asked``."""
        return self._pieces("decisions")

    def _pieces(self, key: str) -> pd.DataFrame:
        runs = self._timeline["runs"] if self._timeline else []
        return pd.DataFrame([{"run": run["name"], **piece} for run in runs for piece in run[key]])

    @property
    def notes(self) -> list[str]:
        """What a reader of the numbers should know."""
        return list(self.data["notes"])

    def __repr__(self) -> str:
        names = ", ".join(run["name"] for run in self.data["runs"])
        return (
            f"<numatch.Simulation of {self.data['program']!r} on {self.data['machine']}: {names}>"
        )


def simulate(
    trace: Trace | str | os.PathLike[str],
    machine: str | Machine = "simics-4x2",
    mechanisms: Sequence[str] = (),
    *,
    baseline: str = "os",
    only: str | None = None,
    parameters: Mapping[str, object] | None = None,
    settings: Mapping[str, object] | None = None,
    threads: str | None = None,
    pages: str | None = None,
    seed: int = 1,
    phase: int = 20_000,
    time_scale: float = 1.0,
    region_of_interest: bool = False,
    timeline: int = 0,
    jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Simulation:
    """Run a trace on a simulated machine, first under the baseline, then under each mechanism.

    The same trace, parameters and seed give the same numbers, whatever ``jobs`` says.

    Parameters
    ----------
    trace
        An open trace or its file.
    machine
        A described machine, an hwloc synthetic string or XML file.
    mechanisms
        Names of `mechanisms()`.
    baseline
        What the others are compared with: "os" (placement at the start, then nothing) or a
        mechanism.
    only
        Half of each mechanism: "threads" or "pages".
    parameters
        Of mechanisms, by ``name`` (all that have it) or ``mechanism:name``.
    settings
        Other values of the machine, by the keys of its description: {"link.inter.latency": "70
        cycles"}.
    threads, pages
        Where they start: linux, compact, scatter, random; first-touch, interleave, random. The
        machine's own way unless said.
    seed
        Of all random choices.
    phase
        Cycles that threads run apart before what they share is brought in order; 1 is exact and
        slow.
    time_scale
        The mechanisms' intervals are so many times shorter than stated.
    region_of_interest
        Only what lies between its marks, where the program has any.
    timeline
        Cycles of a piece of the timeline; 0: no timeline.
    jobs
        Threads of this machine that simulate; all unless said.
    progress
        Called now and then with the accesses simulated and those of all runs together.
    """
    request = _core.SimulateRequest()
    request.machine = machine.spec if isinstance(machine, Machine) else machine
    request.mechanisms = [mechanisms] if isinstance(mechanisms, str) else list(mechanisms)
    request.baseline = baseline
    request.only = only or ""
    request.parameters = _pairs(parameters)
    request.settings = _pairs(settings)
    request.threads = threads or ""
    request.pages = pages or ""
    request.seed = seed
    request.phase_cycles = phase
    request.time_scale = time_scale
    request.region_of_interest = region_of_interest
    request.timeline_cycles = timeline
    workers = jobs if jobs is not None else os.cpu_count() or 1
    if workers < 1:
        raise NumatchError(f"is {workers}", "jobs", "give a number from 1")
    opened = open_trace(trace)
    try:
        runs, over_time = _core.simulate(opened.reader, request, workers, progress)
    except NumatchError as problem:
        raise _in_words_of_python(problem) from None
    return Simulation(json.loads(runs), json.loads(over_time))


def _pairs(values: Mapping[str, object] | None) -> list[str]:
    words = {True: "yes", False: "no"}
    return [
        f"{key}={words[value] if isinstance(value, bool) else value}"
        for key, value in (values or {}).items()
    ]


def _in_words_of_python(problem: NumatchError) -> NumatchError:
    """The same complaint, about parameters instead of options."""

    def said(text: str) -> str:
        return re.sub(r"--[a-z-]+", lambda option: FIELDS.get(option[0], option[0]), text)

    return NumatchError(said(problem.what), said(problem.where), said(problem.hint))


def _frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """One row per run with a column ``group.quantity`` for every number."""
    flat = [
        {
            f"{group}.{quantity}": value
            for group, values in row.items()
            if isinstance(values, dict) and group not in {"parameters", "change"}
            for quantity, value in values.items()
        }
        for row in rows
    ]
    names = pd.Index([row["name"] for row in rows], name="run", dtype=str)
    return pd.DataFrame(flat, index=names)

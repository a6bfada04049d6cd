# SPDX-License-Identifier: Apache-2.0
"""From a sweep's cells to what has to be computed and under which key it is kept."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .contents import ask, complaint, hash_of, hash_of_file, hash_of_machine, surroundings
from .errors import failure
from .plan import OPERATING_SYSTEM, Cell, Sweep, Words
from .worker import Call

FORMAT = 1  # of the descriptions: a change of what they mean computes everything again


@dataclass(frozen=True)
class Job:
    """A cell with all that is needed to compute and to keep it."""

    cell: Cell
    call: Call
    description: str
    size: int  # bytes of the trace: how long it takes beside others


class Workshop:
    """The numatch that computes, and what it says of the machines of a sweep."""

    def __init__(self, sweep: Sweep, numatch: Path) -> None:
        self.sweep = sweep
        self.numatch = numatch.resolve()
        self.content = hash_of_file(self.numatch)
        self.folders = os.environ.get("NUMATCH_MACHINES", "")
        self.version = ask(self.numatch, ["--version"], self.folders).strip()
        self._machines = {
            machine: (where, hash_of_machine(self.numatch, where, self.folders))
            for machine in sweep.machines
            for where in [self._place(machine)]
        }

    def check(self) -> None:
        """Each word of the sweep is one that numatch knows, before anything is computed."""
        for words in _probes(self.sweep):
            for where, _ in self._machines.values():
                done = subprocess.run(
                    [str(self.numatch), "simulate", "none", "--check", "--machine", where, *words],
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    check=False,
                    env=surroundings(self.folders),
                )
                if done.returncode != 0:
                    raise failure(self.sweep.source, complaint(done.stderr))

    def job(self, cell: Cell, trace: Path, memory: int) -> Job:
        where, machine = self._machines[cell.machine]
        content = hash_of_file(trace)
        description: dict[str, Any] = {
            "format": FORMAT,
            "numatch": self.content,
            "version": self.version,
            "trace": content,
            "machine": machine,
            "settings": dict(cell.settings),
            "options": dict(cell.options),
            "seed": cell.seed,
            "mechanism": cell.mechanism,
            "parameters": dict(cell.parameters),
        }
        call = Call(
            key=hash_of(description),
            numatch=str(self.numatch),
            numatch_hash=self.content,
            trace=str(trace),
            trace_hash=content,
            machine=where,
            machine_hash=machine,
            machine_folders=self.folders,
            words=("--json", "--jobs", "1", *words_of(cell)),
            memory=memory,
        )
        return Job(cell, call, json.dumps(description, sort_keys=True), trace.stat().st_size)

    def _place(self, machine: str) -> str:
        """A description that is named by a path lies below the sweep's folder."""
        return str(self.sweep.folder / machine) if "/" in machine else machine


def words_of(cell: Cell) -> list[str]:
    """The options of numatch simulate that make this run and no other: the mechanism is the
    baseline, because a baseline needs nothing to be compared with."""
    words = ["--seed", str(cell.seed), "--baseline", cell.mechanism]
    for key, value in cell.parameters:
        words += ["--param", f"{key}={value}"]
    for key, value in cell.settings:
        words += ["--set", f"{key}={value}"]
    return words + _option_words(cell.options)


def _option_words(options: Words) -> list[str]:
    words: list[str] = []
    for key, value in options:
        if key == "roi":
            words += ["--roi"] if value == "yes" else []
        else:
            words += [f"--{key}", value]
    return words


def _probes(sweep: Sweep) -> Iterator[list[str]]:
    """Each mechanism, and each value once, rather than each combination."""
    mechanisms = {sweep.baseline: None, **dict.fromkeys(sweep.mechanisms)}
    for mechanism in mechanisms:
        named = ["--baseline", mechanism]
        axes = sweep.parameters.get(mechanism, {})
        if mechanism == OPERATING_SYSTEM or not axes:
            yield named + [f"--param={k}={v[0]}" for k, v in axes.items()]
        for key, values in axes.items():
            for value in values:
                yield [*named, "--param", f"{key}={value}"]
    for key, values in sweep.settings.items():
        for value in values:
            yield ["--set", f"{key}={value}"]
    for key, values in sweep.options.items():
        for value in values:
            yield _option_words(((key, value),))

# SPDX-License-Identifier: Apache-2.0
"""A sweep from its description to its result."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .clusters import LEAST_MEMORY, address, child_memory, local, memory_of, slurm
from .engine import Computed, Report, compute
from .errors import NumatchError, failure
from .plan import Cell, Sweep, bytes_of, read_file, read_table
from .recording import record, recorded
from .result import SweepResult, row_of
from .store import Store
from .work import Job, Workshop

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True)
class Request:
    """How a sweep is computed; what is computed is in its description."""

    store: Path
    numatch: Path
    workers: int = 0  # as the description says
    memory: str = ""  # as the description says
    retries: int | None = None  # as the description says
    cluster: str | Client = ""
    slurm: bool = False


@dataclass(frozen=True)
class Prepared:
    """What a sweep needs, before anything is computed."""

    jobs: dict[str, Job]  # each key once, those of the store among them
    keys: tuple[tuple[Cell, str], ...]  # of every cell, "" where its program failed
    found: dict[str, str]  # what the store has
    lost: dict[str, str]  # programs that could not be recorded, with the reason

    @property
    def missing(self) -> dict[str, Job]:
        return {key: job for key, job in self.jobs.items() if key not in self.found}


def description_of(what: str | Path | Mapping[str, Any] | Sweep) -> Sweep:
    if isinstance(what, Sweep):
        return what
    if isinstance(what, Mapping):
        return read_table(what, "sweep", Path.cwd())
    return read_file(Path(what))


def with_request(sweep: Sweep, request: Request) -> Sweep:
    """What the caller says goes before what the description says."""
    return dataclasses.replace(
        sweep,
        workers=request.workers or sweep.workers or len(os.sched_getaffinity(0)),
        memory=bytes_of(request.memory, "memory") if request.memory else sweep.memory,
        retries=sweep.retries if request.retries is None else request.retries,
    )


def run_sweep(sweep: Sweep, request: Request, report: Report) -> SweepResult:
    """Errors, as NumatchError: what is wrong with the description, the store or the cluster. A cell
    that fails is a row of the result."""
    sweep = with_request(sweep, request)
    workshop = Workshop(sweep, request.numatch)
    workshop.check()
    with Store(request.store) as store:
        memory = memory_for(sweep, request)
        prepared = prepare(sweep, workshop, store, memory)
        missing = prepared.missing
        computed = Computed()
        if missing:
            with cluster_for(sweep, request, memory, len(missing)) as client:
                computed = compute(missing, client, store, report)
    simulations = prepared.found | computed.simulations
    rows = tuple(
        row_of(
            cell,
            key,
            simulations.get(key),
            computed.failures.get(key) or prepared.lost.get(cell.program, ""),
        )
        for cell, key in prepared.keys
    )
    return SweepResult(
        sweep, workshop.version, rows, len(computed.simulations), len(prepared.found)
    )


def prepare(
    sweep: Sweep, workshop: Workshop, store: Store, memory: int, records: bool = True
) -> Prepared:
    """Records what has to be recorded, and asks the store for the rest."""
    traces, lost = traces_of(sweep, workshop, store, records)
    jobs: dict[str, Job] = {}
    keys: list[tuple[Cell, str]] = []
    for cell in sweep.cells():
        if cell.program not in traces:
            keys.append((cell, ""))
            continue
        job = workshop.job(cell, traces[cell.program], child_memory(memory))
        jobs.setdefault(job.call.key, job)
        keys.append((cell, job.call.key))
    return Prepared(jobs, tuple(keys), store.simulations(jobs), lost)


def traces_of(
    sweep: Sweep, workshop: Workshop, store: Store, records: bool
) -> tuple[dict[str, Path], dict[str, str]]:
    """By program: where its trace is, or why there is none."""
    traces: dict[str, Path] = {}
    lost: dict[str, str] = {}
    for program in sweep.programs:
        if program.trace is not None:
            if not program.trace.is_file():
                raise failure(str(program.trace), "there is no such trace", "record it first")
            traces[program.name] = program.trace.resolve()
            continue
        try:
            known = recorded(program, sweep.folder, store)
            if known is not None:
                traces[program.name] = known
            elif records:
                traces[program.name] = record(program, sweep.folder, store, workshop.numatch)
            else:
                lost[program.name] = "has to be recorded first"
        except NumatchError as problem:
            lost[program.name] = f"could not be recorded: {problem}"
    return traces, lost


def memory_for(sweep: Sweep, request: Request) -> int:
    """Bytes of each worker; 0, where nobody said it, leaves those of a strange cluster alone."""
    if request.cluster:
        return max(sweep.memory, LEAST_MEMORY) if sweep.memory else 0
    if request.slurm:
        return memory_of(sweep.memory or 4 * LEAST_MEMORY, 1)
    return memory_of(sweep.memory, sweep.workers)


def cluster_for(
    sweep: Sweep, request: Request, memory: int, cells: int
) -> contextlib.AbstractContextManager[Client]:
    if request.cluster and request.slurm:
        raise failure("--slurm", "does not go with --cluster", "leave one of them out")
    if isinstance(request.cluster, str):
        if request.cluster:
            return address(request.cluster)
        if request.slurm:
            return slurm(sweep.slurm, memory, sweep.retries)
        return local(min(sweep.workers, cells), memory, sweep.retries)
    return contextlib.nullcontext(request.cluster)

# SPDX-License-Identifier: Apache-2.0
"""Cells out to workers, what comes back into the store: the one writer is here."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import worker
from .clusters import need
from .errors import failure
from .store import Store
from .work import Job

if TYPE_CHECKING:
    from distributed import Client

# Cells that the scheduler knows at a time: enough for its workers, few for its memory.
WINDOW = 1024


@dataclass(frozen=True)
class Progress:
    """How far a sweep is."""

    done: int  # cells, failed ones among them
    total: int  # that have to be computed
    share: float  # of the work, by the sizes of the traces


@dataclass
class Computed:
    """By key of the cell."""

    simulations: dict[str, str] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


Report = Callable[[Progress], None]


def compute(jobs: Mapping[str, Job], client: Client, store: Store, report: Report) -> Computed:
    """Each cell is in the store before the next one is looked at, so that whatever ends this
    process loses what runs and nothing else."""
    computed = Computed()
    whole = sum(job.size for job in jobs.values()) or 1
    finished = 0
    report(Progress(0, len(jobs), 0.0))
    for key, outcome in _outcomes(jobs, client):
        job = jobs[key]
        if outcome.failure:
            computed.failures[key] = outcome.failure
        else:
            cell = job.cell
            store.keep(
                key,
                job.description,
                cell.program,
                cell.machine,
                cell.mechanism,
                cell.seed,
                outcome.simulation,
            )
            computed.simulations[key] = outcome.simulation
        finished += job.size
        done = len(computed.simulations) + len(computed.failures)
        report(Progress(done, len(jobs), finished / whole))
    return computed


def _outcomes(jobs: Mapping[str, Job], client: Client) -> Iterator[tuple[str, worker.Outcome]]:
    distributed = need("distributed", "dask[distributed]")
    waiting = iter(jobs.items())

    def submit(count: int) -> list[Any]:
        return [
            client.submit(worker.run, job.call, key=f"numatch-{key}", pure=False)
            for key, job in itertools.islice(waiting, count)
        ]

    running = distributed.as_completed(submit(WINDOW))
    try:
        for future in running:
            yield _outcome(future, distributed)
            for another in submit(1):
                running.add(another)
    except BaseException:
        _stop(client, running)
        raise


def _outcome(future: Any, distributed: Any) -> tuple[str, worker.Outcome]:
    key = str(future.key).removeprefix("numatch-")
    try:
        return key, future.result()
    except distributed.scheduler.KilledWorker:
        why = "its worker ended each time it ran; is there memory enough for it?"
        return key, worker.Outcome(key, failure=why)
    except (CancelledError, distributed.client.FutureCancelledError):
        raise failure("the cluster", "went away", "what was computed is kept: call again") from None
    except Exception as problem:  # whatever a worker of another Python environment raises
        return key, worker.Outcome(key, failure=f"{type(problem).__name__}: {problem}")


def _stop(client: Any, running: Any) -> None:
    """Workers wait for what runs, so that is ended; a cluster that stays is left idle."""
    try:
        client.cancel(list(running.futures), force=True)
        client.run(worker.end_children, on_error="ignore")
    except Exception:  # the cluster may be gone: then there is nothing to stop
        return

# SPDX-License-Identifier: Apache-2.0
"""Where cells are computed: processes of this computer, a Dask cluster, or jobs of Slurm."""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import signal
from collections.abc import Iterator
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any

from .errors import failure
from .plan import Slurm

if TYPE_CHECKING:
    from distributed import Client

# Of a worker's memory, what the worker itself may use; the rest is for the numatch that it starts.
OWN_MEMORY = 512 * 2**20
LEAST_MEMORY = 2 * OWN_MEMORY
# Its page about metrics is there in any case: on a port that is free.
_NO_DASHBOARD: dict[str, Any] = {
    "dashboard_address": "127.0.0.1:0",
    "scheduler_kwargs": {"dashboard": False},
}


def need(module: str, what: str) -> Any:
    """A package that only sweeps need."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        name = (missing.name or module).partition(".")[0]
        raise failure(
            "sweep", f"the Python package '{name}' is missing", f"install it: pip install '{what}'"
        ) from None


def memory_of(wanted: int, workers: int) -> int:
    """Bytes of each worker on this computer: as asked, or a fair share of what there is."""
    if wanted == 0:
        wanted = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // workers
        return max(wanted, LEAST_MEMORY)
    if wanted < LEAST_MEMORY:
        raise failure(
            "memory", f"a worker needs {LEAST_MEMORY // 2**20} MiB at least", "give it more"
        )
    return wanted


def child_memory(memory: int) -> int:
    """What a cell may use of a worker's memory; 0 stays no bound."""
    return memory - OWN_MEMORY if memory else 0


@contextlib.contextmanager
def _without_control_c() -> Iterator[None]:
    """Keep the ^C of a terminal from what is started here.

    Threads and processes inherit what is blocked. Who started them hears of it and ends them in
    order.
    """
    resource_tracker.ensure_running()  # the first time, it takes the block away
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def local(workers: int, memory: int, retries: int) -> Iterator[Client]:
    """Processes of this computer, which nobody else can reach."""
    settings = {
        "distributed.scheduler.allowed-failures": retries,
        "distributed.comm.timeouts.connect": "60s",
    }
    with contextlib.ExitStack() as opened:
        with _without_control_c():
            # The import starts the thread that starts the workers.
            dask = need("dask", "dask[distributed]")
            distributed = need("distributed", "dask[distributed]")
            opened.enter_context(dask.config.set(settings))
            cluster = opened.enter_context(
                distributed.LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    memory_limit=OWN_MEMORY if memory else 0,
                    silence_logs=logging.CRITICAL,
                    **_NO_DASHBOARD,
                )
            )
        yield opened.enter_context(distributed.Client(cluster))


@contextlib.contextmanager
def address(place: str) -> Iterator[Client]:
    """A cluster that is there. Its scheduler says how often a cell of a dead worker runs again."""
    distributed = need("distributed", "dask[distributed]")
    try:
        client = distributed.Client(place, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as problem:
        raise failure(
            "--cluster",
            f"no Dask scheduler answers at {place}",
            "name it as dask scheduler prints it, tcp://HOST:PORT",
        ) from problem
    with client:
        yield client


def slurm_cluster(options: Slurm, memory: int) -> Any:
    """The cluster whose jobs Slurm starts: one worker per job, one core each."""
    jobqueue = need("dask_jobqueue", "dask-jobqueue")
    words: dict[str, Any] = {
        "cores": 1,
        "processes": 1,
        "memory": f"{memory // 2**20} MiB",
        "walltime": options.walltime,
        "job_extra_directives": list(options.directives),
        "job_script_prologue": list(options.prologue),
        "worker_extra_args": ["--memory-limit", str(OWN_MEMORY)],
        "scheduler_options": _NO_DASHBOARD["scheduler_kwargs"] | {"dashboard_address": ":0"},
        "silence_logs": "CRITICAL",
    }
    optional = {
        "queue": options.queue,
        "account": options.account,
        "interface": options.interface,
        "python": options.python,
        "log_directory": options.logs,
    }
    words.update({name: value for name, value in optional.items() if value})
    return jobqueue.SLURMCluster(**words)


@contextlib.contextmanager
def slurm(options: Slurm, memory: int, retries: int) -> Iterator[Client]:
    """Jobs that are asked for when the sweep starts and given back when it ends."""
    dask = need("dask", "dask[distributed]")
    distributed = need("distributed", "dask[distributed]")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": retries}),
        slurm_cluster(options, memory) as cluster,
        distributed.Client(cluster) as client,
    ):
        cluster.scale(jobs=options.jobs)
        yield client

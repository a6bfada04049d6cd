# SPDX-License-Identifier: Apache-2.0
"""Sweeps: mechanisms x machines x parameters x programs x seeds, computed by Dask, kept by content.

docs/sweep.md explains the description, the store and what each cell is. A script that calls sweep()
needs `if __name__ == "__main__":`, because workers are processes that import it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numatch.recording import command

from .engine import Progress, Report
from .errors import failure
from .plan import Cell, Sweep, read_file, read_table
from .progress import ProgressLine
from .result import Row, SweepResult
from .run import Request, description_of, run_sweep

if TYPE_CHECKING:
    from distributed import Client

__all__ = [
    "Cell",
    "Progress",
    "Row",
    "Sweep",
    "SweepResult",
    "read_file",
    "read_table",
    "sweep",
]


def sweep(
    what: str | Path | Mapping[str, Any] | Sweep,
    *,
    store: str | Path = "",
    workers: int = 0,
    memory: str = "",
    retries: int | None = None,
    cluster: str | Client = "",
    slurm: bool = False,
    numatch: str | Path = "",
    progress: Report | None = None,
) -> SweepResult:
    """Compute what a sweep's store does not have, and return all of it.

    Parameters
    ----------
    what
        The TOML file, or its keys as a dictionary, with paths below the current folder then.
    store
        The file that keeps what is computed; FILE.sqlite beside FILE.toml unless said.
    workers
        Processes of this computer, one per processor unless said.
    memory
        Of each worker, as "2 GiB".
    retries
        How often a cell whose worker died runs again.
    cluster
        A Dask scheduler's address, or a Client, instead of this computer.
    slurm
        Jobs as the description's [slurm] says instead.
    numatch
        The command that simulates; $NUMATCH_COMMAND or the one in PATH unless said.
    progress
        Is told how far it is; unless said, a line on a terminal.

    Returns
    -------
    SweepResult
        A row per cell; one that failed says why.

    Raises
    ------
    NumatchError
        What is wrong with the description, the store or the cluster, in one line.
    """
    description = description_of(what)
    if not store and isinstance(what, Mapping):
        raise failure("store", "a dictionary has no file beside which it could lie", "name one")
    request = Request(
        store=Path(store) if store else usual_store(description),
        numatch=Path(numatch or command()),
        workers=workers,
        memory=memory,
        retries=retries,
        cluster=cluster,
        slurm=slurm,
    )
    if progress is not None:
        return run_sweep(description, request, progress)
    with ProgressLine() as line:
        return run_sweep(description, request, line)


def usual_store(description: Sweep) -> Path:
    """FILE.sqlite of FILE.toml."""
    return Path(description.source).with_suffix(".sqlite")

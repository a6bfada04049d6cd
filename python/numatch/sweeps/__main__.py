# SPDX-License-Identifier: Apache-2.0
"""What `numatch sweep` starts: one argument, its options as JSON. The options, their help and their
checks are the command's (src/cli/verbs/sweep.cpp)."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from . import usual_store
from .clusters import memory_of, need, slurm_cluster
from .errors import NumatchError, failure
from .figure import save
from .plan import Sweep, read_file
from .progress import ProgressLine
from .result import SweepResult
from .run import Request, memory_for, prepare, run_sweep, with_request
from .store import Store
from .work import Workshop

FINE, ANSWER_IS_NO, TROUBLE = range(3)


class Interrupted(BaseException):
    """A signal asked for the end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main(words: list[str]) -> int:
    options: dict[str, Any] = json.loads(words[0])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        return _run(options)
    except NumatchError as problem:
        _note(str(problem))
        return TROUBLE
    except Interrupted as stopped:
        _note("interrupted: what was computed is kept, the same call goes on")
        return 128 + stopped.number


def _interrupt(number: int, _frame: FrameType | None) -> None:
    for other in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(other, signal.SIG_IGN)  # the workers are being ended
    raise Interrupted(number)


def _run(options: dict[str, Any]) -> int:
    file = Path(options["file"])
    sweep = read_file(file)
    request = Request(
        store=Path(options["store"]) if options["store"] else usual_store(sweep),
        numatch=Path(options["numatch"]),
        workers=options["jobs"],
        memory=options["memory"],
        retries=options["retries"],
        cluster=options["cluster"],
        slurm=options["slurm"],
    )
    if options["dry_run"]:
        return _dry_run(sweep, request)
    _check_outputs(options)
    with ProgressLine(quiet=options["quiet"]) as line:
        result = run_sweep(sweep, request, line)
    _note(
        f"{result.computed} runs simulated, {result.stored} taken from the store"
        + (f", {len(result.failed)} failed" if result.failed else "")
    )
    _write(result, options)
    for row in result.failed:
        _note(f"{row.cell.program} under {row.cell.mechanism} failed: {row.failure}")
    return ANSWER_IS_NO if result.failed else FINE


def _dry_run(sweep: Sweep, request: Request) -> int:
    """What would be done, and the script that Slurm would get."""
    sweep = with_request(sweep, request)
    workshop = Workshop(sweep, request.numatch)
    workshop.check()
    memory = memory_for(sweep, request)
    with tempfile.TemporaryDirectory() as folder:
        store = request.store if request.store.exists() else Path(folder) / "empty"
        with Store(store) as opened:
            prepared = prepare(sweep, workshop, opened, memory, records=False)
    for program, reason in prepared.lost.items():
        print(f"{program} {reason}")
    lost = sum(1 for _, key in prepared.keys if not key)
    print(
        f"{len(prepared.jobs)} runs of recorded programs: {len(prepared.missing)} to simulate, "
        f"{len(prepared.found)} in the store" + (f"; {lost} of others" if lost else "")
    )
    if request.slurm:
        with slurm_cluster(sweep.slurm, memory_of(memory, 1)) as cluster:
            print(f"{sweep.slurm.jobs} jobs of:")
            print(cluster.job_script(), end="")
    return FINE


def _check_outputs(options: dict[str, Any]) -> None:
    """Before the work: a result that cannot be written."""
    for name, module in (("parquet", "pyarrow"), ("figure", "matplotlib")):
        if options[name]:
            need(module, module)
    for name in ("output", "csv", "parquet", "figure"):
        if options[name] and not os.access(Path(options[name]).resolve().parent, os.W_OK):
            raise failure(options[name], "cannot be written", "name a file in another folder")


def _write(result: SweepResult, options: dict[str, Any]) -> None:
    text = result.json() if options["json"] else result.table()
    if options["output"]:
        _whole(options["output"], lambda file: Path(file).write_text(text))
    else:
        sys.stdout.write(text)
        sys.stdout.flush()
    if options["csv"]:
        _whole(options["csv"], lambda file: Path(file).write_text(result.csv()))
    if options["parquet"]:
        _whole(options["parquet"], result.parquet)
    if options["figure"]:
        _whole(options["figure"], lambda file: save(result.figure(), file))


def _whole(file: str, write: Callable[[str], object]) -> None:
    """The file is there whole or not at all."""
    path = Path(file)
    beside = path.with_name(f".{os.getpid()}-{path.name}")
    try:
        write(str(beside))
        beside.replace(path)
    except OSError as problem:
        raise failure(file, problem.strerror or "cannot be written") from None
    finally:
        beside.unlink(missing_ok=True)


def _note(text: str) -> None:
    print(f"numatch: {text}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

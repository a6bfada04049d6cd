# SPDX-License-Identifier: Apache-2.0
"""What a worker does: one cell, by a numatch of its own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .clusters import need
from .contents import complaint, hash_of_file, hash_of_machine, surroundings
from .errors import NumatchError, failure


@dataclass(frozen=True)
class Call:
    """A cell as a worker is told of it. The worker may be on another computer, so it is told what
    the files have to be, too."""

    key: str
    numatch: str
    numatch_hash: str
    trace: str
    trace_hash: str
    machine: str
    machine_hash: str
    machine_folders: str
    words: tuple[str, ...]  # of numatch simulate, without trace and machine
    memory: int  # bytes of address space; 0 leaves it as it is


@dataclass(frozen=True)
class Outcome:
    """What became of a cell: what numatch simulate printed, or why it failed."""

    key: str
    simulation: str = ""
    failure: str = ""


def run(call: Call) -> Outcome:
    """Never raises: a cell that fails is a result."""
    try:
        _check(call)
    except NumatchError as problem:
        return Outcome(call.key, failure=str(problem))
    try:
        done = subprocess.run(
            command(call),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            env=surroundings(call.machine_folders),
            # ^C at the terminal is for the one who asked, who ends the workers.
            start_new_session=True,
        )
    except OSError as problem:
        return Outcome(call.key, failure=f"{call.numatch}: {problem.strerror}")
    if done.returncode != 0:
        return Outcome(call.key, failure=_failure(call, done.returncode, done.stderr))
    try:
        runs = json.loads(done.stdout)["runs"]
        whole = len(runs) == 1
    except (ValueError, KeyError, TypeError):
        whole = False
    if not whole:
        return Outcome(call.key, failure="numatch simulate printed something else than one run")
    return Outcome(call.key, simulation=done.stdout.decode())


def command(call: Call) -> list[str]:
    """With a bound on its memory, and an end when its worker ends."""
    words = [call.numatch, "simulate", call.trace, "--machine", call.machine, *call.words]
    if call.memory:
        bound = 'ulimit -v "$1"; shift; exec "$@"'
        words = ["sh", "-c", bound, "sh", str(call.memory // 1024), *words]
    if shutil.which("setpriv"):
        words = ["setpriv", "--pdeathsig", "KILL", *words]
    return words


def end_children() -> None:
    """Ends the numatch that runs in this worker's process."""
    psutil = need("psutil", "dask[distributed]")

    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getsid(child.pid) == child.pid:  # as run() starts it
                child.kill()


def _check(call: Call) -> None:
    for file, wanted in ((call.numatch, call.numatch_hash), (call.trace, call.trace_hash)):
        if hash_of_file(Path(file)) != wanted:
            raise failure(file, "has another content here than where the sweep was started")
    if hash_of_machine(Path(call.numatch), call.machine, call.machine_folders) != call.machine_hash:
        raise failure(call.machine, "is another machine here than where the sweep was started")


def _failure(call: Call, code: int, errors: bytes) -> str:
    said = complaint(errors)
    if code >= 0:
        return said or f"numatch simulate ended with code {code}"
    text = f"numatch simulate was ended by signal {-code} ({signal.strsignal(-code)})"
    by_memory = -code in (signal.SIGABRT, signal.SIGSEGV, signal.SIGKILL)
    if call.memory and by_memory:
        text += f"; it may use {call.memory // 2**20} MiB: more is said by 'memory'"
    return text

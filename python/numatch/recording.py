# SPDX-License-Identifier: Apache-2.0
"""What starts programs: the command `numatch`, run as a process of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from numatch.errors import NumatchError
from numatch.traces import Trace, open_trace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def command() -> str:
    """The command `numatch`: that of $NUMATCH_COMMAND, or of $PATH."""
    named = os.environ.get("NUMATCH_COMMAND")
    found = shutil.which(named or "numatch")
    if found is None:
        hint = "build and install it with `make install`, or name it by NUMATCH_COMMAND"
        raise NumatchError("the command was not found", named or "numatch", hint)
    return found


def run_command(
    words: Sequence[str], environment: Mapping[str, str] | None = None
) -> tuple[int, str, list[str]]:
    """Run `numatch` with these words; it ends with the caller's ^C.

    Returns
    -------
    tuple
        Its exit code, 0 or 1; what it printed; its notes, a line each. Any other exit code is a
        `NumatchError`.
    """
    # Away from the terminal's ^C, which arrives as KeyboardInterrupt and is passed on once: a
    # second one would keep the command from cleaning up.
    started = subprocess.Popen(  # noqa: S603 - the words are a list, and no shell reads them
        [command(), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env={**os.environ, **(environment or {})},
        start_new_session=True,
    )
    try:
        printed, said = started.communicate()
    except BaseException:
        started.send_signal(signal.SIGINT)
        started.communicate()
        raise
    lines = [line.removeprefix("numatch: ") for line in said.splitlines() if line]
    if started.returncode not in {0, 1}:
        what = lines[-1] if lines else f"ended with code {started.returncode}"
        raise NumatchError(what, f"numatch {words[0]}")
    return started.returncode, printed, lines


def record(
    program: Sequence[str | os.PathLike[str]],
    path: str | os.PathLike[str],
    *,
    environment: Mapping[str, str] | None = None,
) -> Trace:
    """Run a program and record every memory access of it, as `numatch trace` does.

    Parameters
    ----------
    program
        The program and its arguments.
    path
        The trace's file.
    environment
        Variables that the program has besides those of this process, as {"OMP_NUM_THREADS": "8"}.
    """
    words = [os.fspath(word) for word in program]
    if not words:
        raise NumatchError("there is no program", "program", "name it and its arguments")
    file = Path(path)
    made = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        run_command(["trace", "-o", str(made), "--", *words], environment)
    except NumatchError:
        # The program's own exit code comes through; what it did until then was recorded.
        if not made.exists():
            raise
    made.replace(file)
    return open_trace(file)

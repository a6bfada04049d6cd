# SPDX-License-Identifier: Apache-2.0
"""Programs that a sweep names by their command become traces, each once."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from pathlib import Path

from .contents import complaint, hash_of, hash_of_file
from .errors import failure
from .plan import Program
from .store import Store


def trace_folder(store: Path) -> Path:
    return store.with_name(store.name + ".traces")


def describe(program: Program, folder: Path) -> str:
    """What a recording depends on: the program's content, its arguments and environment."""
    return json.dumps(
        {
            "program": hash_of_file(executable(program, folder)),
            "arguments": program.command[1:],
            "environment": dict(program.environment),
        },
        sort_keys=True,
    )


def executable(program: Program, folder: Path) -> Path:
    """Below the sweep's folder where it is named by a path, else as the shell would find it."""
    name = program.command[0]
    if "/" in name:
        return folder / name
    found = shutil.which(name)
    if found is None:
        raise failure(program.name, f"there is no program '{name}'", "name it by its path")
    return Path(found)


def recorded(program: Program, folder: Path, store: Store) -> Path | None:
    """The trace of an earlier sweep, if it is still what was recorded."""
    description = describe(program, folder)
    content = store.trace(description)
    file = _file(program, description, store)
    if content is None or not file.is_file() or hash_of_file(file) != content:
        return None
    return file


def record(program: Program, folder: Path, store: Store, numatch: Path) -> Path:
    """Runs it under numatch trace; what it prints is not kept."""
    description = describe(program, folder)
    file = _file(program, description, store)
    try:
        file.parent.mkdir(exist_ok=True)
    except OSError as problem:
        raise failure(str(file.parent), problem.strerror or "cannot be made") from None
    command = [str(executable(program, folder)), *program.command[1:]]
    words = [str(numatch), "trace", "-o", str(file), "--", *command]
    if shutil.which("setarch"):  # two recordings lie at the same addresses
        words = ["setarch", platform.machine(), "--addr-no-randomize", *words]
    done = subprocess.run(
        words,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
        env={**os.environ, **dict(program.environment)},
    )
    if done.returncode != 0:
        file.unlink(missing_ok=True)
        said = complaint(done.stderr)
        raise failure(program.name, said or f"it ended with code {done.returncode}")
    store.keep_trace(description, hash_of_file(file))
    return file


def _file(program: Program, description: str, store: Store) -> Path:
    return trace_folder(store.file).resolve() / f"{program.name}-{hash_of(description)[:16]}.nmt"

# SPDX-License-Identifier: Apache-2.0
"""What a result depends on, as hashes of contents (SHA-256)."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from .errors import failure


def hash_of(value: Any) -> str:
    """Of what JSON can say, whatever the order of its keys."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def hash_of_file(file: Path) -> str:
    """A file that did not change since is not read again by this process."""
    try:
        now = file.stat()
        return _hash_of_state(str(file), now.st_ino, now.st_size, now.st_mtime_ns)
    except OSError as problem:
        raise failure(str(file), problem.strerror or "cannot be read") from None


@lru_cache(maxsize=4096)
def _hash_of_state(file: str, _inode: int, _size: int, _changed: int) -> str:
    with Path(file).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def hash_of_machine(numatch: Path, machine: str, folders: str) -> str:
    """All that numatch knows of a machine: what its description and those that it builds on say,
    without the sources, which change no result, and without its name."""
    text = ask(numatch, ["topology", "--json", "--", machine], folders)
    facts = json.loads(text)
    facts.pop("name", None)
    for fact in facts.get("facts", []):
        fact.pop("source", None)
    content = {"machine": facts}
    if Path(machine).is_file() and Path(machine).suffix != ".toml":
        content["file"] = hash_of_file(Path(machine))
    return hash_of(content)


def ask(numatch: Path, words: list[str], folders: str) -> str:
    """What a short call of numatch prints; its complaint as an error."""
    try:
        done = subprocess.run(
            [str(numatch), *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            env=surroundings(folders),
        )
    except OSError as problem:
        raise failure(str(numatch), problem.strerror or "cannot be started") from None
    if done.returncode != 0:
        raise failure("", complaint(done.stderr) or f"numatch {words[0]} failed")
    return done.stdout.decode()


def surroundings(folders: str) -> Mapping[str, str]:
    """The environment of a call that looks for machines in these folders."""
    environment = dict(os.environ)
    environment.pop("NUMATCH_MACHINES", None)
    if folders:
        environment["NUMATCH_MACHINES"] = folders
    return environment


def complaint(errors: bytes) -> str:
    """The last line that numatch wrote to standard error."""
    lines = errors.decode(errors="replace").strip().splitlines()
    return lines[-1].removeprefix("numatch: ") if lines else ""

# SPDX-License-Identifier: Apache-2.0
"""The command numatch sweep, from its words to its files."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

BUILD = Path(os.environ["NUMATCH_BUILD"])
ENVIRONMENT = {**os.environ, "NUMATCH_PYTHON": sys.executable}


@pytest.fixture
def description(ring: Path, tmp_path: Path) -> Path:
    """Write a sweep of two runs."""
    file = tmp_path / "s.toml"
    file.write_text(
        f'summary = "Two runs"\ntraces = ["{ring}"]\nmechanisms = ["oracle"]\nmemory = "2 GiB"\n'
        "workers = 1\n[simulate]\ntime-scale = 100\n"
    )
    return file


def numatch(*words: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        [BUILD / "numatch", "sweep", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**ENVIRONMENT, **more},
    )


def test_the_table_and_files_are_written_and_the_same_the_second_time(
    description: Path, tmp_path: Path
) -> None:
    files = [tmp_path / name for name in ("s.csv", "s.parquet", "s.svg", "s.pdf")]
    words: list[str | Path] = [
        description,
        *("--csv", files[0]),
        *("--parquet", files[1]),
        *("--figure", files[2]),
    ]
    first = numatch(*words)
    assert first.returncode == 0
    assert first.stderr == "numatch: 2 runs simulated, 0 taken from the store\n"
    assert "Two runs\n2 runs, simulated by numatch" in first.stdout
    assert "program  mechanism  time, ms" in first.stdout
    contents = [file.read_bytes() for file in files[:3]]
    second = numatch(*words)
    assert second.stderr == "numatch: 0 runs simulated, 2 taken from the store\n"
    assert second.stdout == first.stdout
    assert [file.read_bytes() for file in files[:3]] == contents
    printed = json.loads(numatch(description, "--json", "--figure", files[3]).stdout)
    assert [cell["mechanism"] for cell in printed["cells"]] == ["os", "oracle"]
    assert printed["evidence"] == "simulated"
    assert sorted(tmp_path.iterdir()) == sorted([*files, description, tmp_path / "s.sqlite"])


def test_a_run_that_fails_makes_the_answer_no(description: Path, tmp_path: Path) -> None:
    text = description.read_text()
    (tmp_path / "empty.nmt").write_bytes(b"no trace")
    description.write_text(text.replace("traces = [", 'traces = ["empty.nmt", '))
    done = numatch(description)
    assert done.returncode == 1
    assert "numatch: 2 runs simulated, 0 taken from the store, 2 failed\n" in done.stderr
    assert "numatch: empty under oracle failed: " in done.stderr
    assert "2 runs failed:\n  empty: " in done.stdout


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["none.toml"], "none.toml: No such file or directory"),
        (["--memory", "lots"], "memory: 'lots' is no size; write it as '2 GiB'"),
        (["--csv", "/none/s.csv"], "/none/s.csv: cannot be written"),
        (["--store", "/none/s.sqlite"], "/none/s.sqlite: unable to open database file"),
        (["--slurm", "--cluster", "tcp://x:1"], "--slurm: does not go with --cluster"),
    ],
)
def test_trouble_is_one_line(description: Path, words: list[str], complaint: str) -> None:
    first: list[str | Path] = [] if words[0].endswith(".toml") else [description]
    done = numatch(*first, *words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"numatch: {complaint}")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_without_dask_one_line_says_what_to_install(description: Path, tmp_path: Path) -> None:
    (tmp_path / "blocked").mkdir()
    (tmp_path / "blocked/dask.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'dask'\", name='dask')\n"
    )
    done = numatch(description, PYTHONPATH=f"{tmp_path}/blocked:{os.environ['PYTHONPATH']}")
    assert done.returncode == 2
    assert done.stderr == (
        "numatch: sweep: the Python package 'dask' is missing; "
        "install it: pip install 'dask[distributed]'\n"
    )


def test_a_dry_run_computes_and_writes_nothing(description: Path, tmp_path: Path) -> None:
    done = numatch(description, "--dry-run")
    assert done.stdout == "2 runs of recorded programs: 2 to simulate, 0 in the store\n"
    assert list(tmp_path.iterdir()) == [description]
    script = numatch(description, "--dry-run", "--slurm").stdout
    assert "1 jobs of:\n#!/usr/bin/env bash\n" in script
    assert "#SBATCH -t 01:00:00" in script


def test_a_terminal_is_told_how_far_it_is(description: Path) -> None:
    master, terminal = pty.openpty()
    with subprocess.Popen(  # noqa: S603
        [BUILD / "numatch", "sweep", description],
        stdout=subprocess.DEVNULL,
        stderr=terminal,
        env=ENVIRONMENT,
    ) as command:
        os.close(terminal)
        said = b""
        while chunk := read(master):
            said += chunk
    os.close(master)
    assert command.returncode == 0
    assert b"sweep: 0 of 2 runs" in said
    assert b"sweep: 1 of 2 runs, about " in said
    assert said.rstrip().endswith(b"\r\x1b[Knumatch: 2 runs simulated, 0 taken from the store")


def read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # what Linux says at the end of a terminal
        return b""

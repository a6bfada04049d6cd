# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share."""

import importlib.util
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest


def pytest_sessionstart() -> None:
    """Say in one line that the extension is missing, instead of in every test."""
    if importlib.util.find_spec("numatch._core") is None:
        pytest.exit(
            "numatch._core is not built; configure with -DNUMATCH_PYTHON=ON, then build",
            returncode=1,
        )


@pytest.fixture(scope="session")
def build() -> Path:
    """The build folder."""
    return Path(os.environ["NUMATCH_BUILD"])


@pytest.fixture(scope="session")
def command() -> Callable[..., str]:
    """Run the command `numatch` with words; what it printed."""

    def run(*words: object) -> str:
        called = ["numatch", *map(str, words)]
        done = subprocess.run(called, capture_output=True, text=True, check=False)  # noqa: S603
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def made_trace(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace of three threads with 10,000 turns each and all kinds of accesses."""
    file = tmp_path_factory.mktemp("made") / "made.nmt"
    subprocess.run([build / "tests/trace/make_trace", file, "3", "10000"], check=True)  # noqa: S603
    return file


@pytest.fixture(scope="session")
def ring(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace of the workload ring: 8 threads, each shares alike with its two neighbours."""
    import numatch  # after pytest_sessionstart has said that it is there

    file = tmp_path_factory.mktemp("ring") / "ring.nmt"
    program = build / "workloads/ring_instrumented"
    words = ["--threads", "8", "--size", "2", "--iterations", "20"]
    numatch.record([program, *words], file)
    return file


@pytest.fixture(scope="session")
def sample(build: Path) -> Path:
    """A synthetic profile of a ring of threads, with objects and one falsely shared line."""
    return build / "tests/samples/ring.nmp"

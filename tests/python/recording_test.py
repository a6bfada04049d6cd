# SPDX-License-Identifier: Apache-2.0
"""What runs the command: recording programs and reproducing tables."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numatch
import pytest


def test_a_recorded_program_says_what_it_was(ring: Path) -> None:
    trace = numatch.open_trace(ring)
    assert trace.command[1:] == ["--threads", "8", "--size", "2", "--iterations", "20"]
    assert trace.frontend == "instrumented"
    assert len(trace.threads) == 8


def test_a_program_that_fails_leaves_the_trace_of_what_it_did(build: Path, tmp_path: Path) -> None:
    trace = numatch.record(
        [build / "workloads/ring_instrumented", "--threads", "0"], tmp_path / "failed.nmt"
    )
    assert trace.metadata["exit_code"] == "2"


def test_a_program_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(numatch.NumatchError, match="no-such-program"):
        numatch.record(["no-such-program"], tmp_path / "none.nmt")
    assert not (tmp_path / "none.nmt").exists()


def test_no_program_is_refused(tmp_path: Path) -> None:
    with pytest.raises(numatch.NumatchError, match="no program"):
        numatch.record([], tmp_path / "none.nmt")


def test_a_command_that_is_not_there_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NUMATCH_COMMAND", str(tmp_path / "none"))
    with pytest.raises(numatch.NumatchError, match="make install"):
        numatch.reproduce("lapt")


SUITE = """
summary = "one small program"
[[program]]
name = "ring"
file = "ring_instrumented"
arguments = ["--threads", "{threads}", "--size", "2", "--iterations", "10"]
threads = 4
[[class]]
name = "S"
time_scale = 1000
note = "Small."
[[paper]]
name = "p"
title = "P"
machine = "simics-4x2"
mechanisms = ["lapt"]
halves = ["lapt"]
tables = ["time", "traffic"]
sharing = ["oracle"]
[[paper.figure]]
mechanism = "lapt"
quantity = "time"
over = "mean"
percent = -10.0
where = "section 1"
[[paper.sweep]]
title = "Pages"
key = "page.size"
values = ["4 KiB", "64 KiB"]
runs = ["lapt"]
quantities = ["time"]
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a suite, for what is kept."""
    folder = tmp_path_factory.mktemp("store")
    (folder / "small.toml").write_text(SUITE)
    return folder


def small_tables(store: Path, program: str = "ring") -> numatch.Reproduction:
    suite = str(store / "small.toml")
    return numatch.reproduce("p", suite=suite, store=store / "kept", programs=[program], jobs=2)


def test_tables_are_frames_with_a_row_per_program(store: Path) -> None:
    made = small_tables(store)
    assert made.complete
    table = made.table("p", "time")
    assert list(table.columns) == ["lapt", "lapt (threads)", "lapt (pages)"]
    assert table.index[0] == "ring"
    assert table.loc["ring"].notna().all()
    figure = made.figures.iloc[0]
    assert (figure["published_percent"], figure["where"]) == (-10.0, "section 1")
    mean = made.tables.query("quantity == 'time' and run == 'lapt' and mean")["percent"]
    assert figure["simulated_percent"] in mean.tolist()


def test_sharing_and_sweeps_come_with_the_tables(store: Path) -> None:
    made = small_tables(store)
    sharing = made.sharing("p")["ring", "oracle"]
    assert sharing.shape == (4, 4)
    assert sharing[0, 1] > 100 * sharing[0, 2]
    sweep = made.sweeps.query("run == 'lapt'")
    assert sweep["point"].tolist() == ["4 KiB", "64 KiB"]
    assert sweep["value"].notna().all()


def test_a_second_call_takes_everything_from_the_store(store: Path) -> None:
    first = small_tables(store)
    second = small_tables(store)
    assert any("0 runs simulated" in note for note in second.notes)
    assert first.data == second.data


def test_what_the_suite_does_not_have_is_refused(store: Path) -> None:
    with pytest.raises(numatch.NumatchError, match="there is no 'rong'"):
        small_tables(store, "rong")


def test_a_directory_of_sources_that_is_missing_is_a_note(store: Path) -> None:
    nowhere = store / "nowhere"
    made = numatch.reproduce(
        "lapt", suite="npb", programs=["cg"], sources=nowhere, store=store / "kept"
    )
    assert not made.complete
    assert any(f"{nowhere}: is no directory" in note for note in made.notes)


INTERRUPTED = """
import signal, numatch
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    numatch.reproduce()
except KeyboardInterrupt:
    print("interrupted")
"""

COMMAND = """#!{python}
import pathlib, signal, sys, time
def end(*_):
    pathlib.Path("{folder}/cleaned").touch()
    sys.exit(130)
signal.signal(signal.SIGINT, end)
pathlib.Path("{folder}/started").touch()
while True:
    time.sleep(1)
"""


def test_an_interrupt_ends_the_command_and_lets_it_clean_up(tmp_path: Path) -> None:
    command = tmp_path / "numatch"
    command.write_text(COMMAND.format(python=sys.executable, folder=tmp_path))
    command.chmod(0o755)
    environment = {**os.environ, "NUMATCH_COMMAND": str(command)}
    words = [sys.executable, "-c", INTERRUPTED]
    started = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)  # noqa: S603
    while not (tmp_path / "started").exists():
        assert started.poll() is None
        time.sleep(0.01)
    os.kill(started.pid, signal.SIGINT)
    said, _ = started.communicate()
    assert said == "interrupted\n"
    assert (tmp_path / "cleaned").exists()

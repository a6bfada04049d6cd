# SPDX-License-Identifier: Apache-2.0
"""Simulation from Python."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numatch
import pytest


@pytest.fixture(scope="module")
def simulated(ring: Path) -> numatch.Simulation:
    """The ring under two mechanisms with intervals that it is long enough for, and a timeline."""
    return numatch.simulate(ring, mechanisms=["lapt", "oracle"], time_scale=1000, timeline=100_000)


def test_the_numbers_are_those_of_the_command(
    ring: Path, simulated: numatch.Simulation, command: Callable[..., str]
) -> None:
    words = ["--mechanism", "lapt,oracle", "--time-scale", "1000", "--json"]
    assert simulated.data == json.loads(command("simulate", ring, *words))


def test_neither_jobs_nor_threads_of_python_change_a_number(
    ring: Path, simulated: numatch.Simulation
) -> None:
    results: list[numatch.Simulation] = []

    def run() -> None:
        results.append(
            numatch.simulate(ring, mechanisms=["lapt", "oracle"], time_scale=1000, jobs=1)
        )

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [result.data for result in results] == [simulated.data] * 3


def test_frames_have_a_row_per_run_and_the_baseline_first(simulated: numatch.Simulation) -> None:
    runs, change = simulated.runs, simulated.change
    baseline = runs.index[0]
    assert list(runs.index[1:]) == list(change.index) == ["lapt", "oracle"]
    assert set(change.columns) <= set(runs.columns)
    cycles = runs["time.cycles"]
    assert change.loc["oracle", "time.cycles"] == cycles["oracle"] / cycles[baseline] - 1


def test_a_timeline_adds_up_to_the_run(simulated: numatch.Simulation) -> None:
    pieces = simulated.timeline.groupby("run", sort=False)
    runs = simulated.runs
    assert pieces["instructions"].sum().to_dict() == runs["time.instructions"].to_dict()
    assert (pieces["end_cycle"].max() >= runs["time.cycles"]).all()
    assert simulated.decisions["run"].isin(["lapt", "oracle"]).all()
    assert len(simulated.decisions) > 0


def test_parameters_and_settings_reach_the_machine(ring: Path) -> None:
    result = numatch.simulate(
        ring,
        mechanisms=["lapt"],
        only="threads",
        parameters={"cv-length": 8, "lapt:move-to-front": True},
        settings={"link.inter.latency": "70 cycles"},
        seed=3,
    )
    given = result.parameters["lapt (threads)"]
    assert (given["cv-length"], given["move-to-front"]) == ("8", "yes")
    assert result.data["settings"] == {"link.inter.latency": "70 cycles"}
    assert result.data["seed"] == 3


def test_progress_is_told_and_its_exception_ends_the_run(ring: Path) -> None:
    class EnoughError(Exception):
        pass

    def progress(done: int, everything: int) -> None:
        assert 0 <= done <= everything
        raise EnoughError

    with pytest.raises(EnoughError):
        numatch.simulate(ring, mechanisms=["oracle"], phase=1, progress=progress)


INTERRUPTED = """
import signal, sys, numatch
signal.signal(signal.SIGINT, signal.default_int_handler)
def progress(done, everything):
    print("running", flush=True)
try:
    if sys.argv[2] == "simulate":
        numatch.simulate(sys.argv[1], mechanisms=["oracle", "lapt"], phase=1, progress=progress)
    else:
        while True:  # it may end between two looks
            numatch.profile(sys.argv[1], progress=progress)
    print("ended")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("work", ["simulate", "profile"])
def test_an_interrupt_ends_long_work(build: Path, tmp_path: Path, work: str) -> None:
    file = tmp_path / "long.nmt"
    program = build / "workloads/ring_instrumented"
    numatch.record([program, "--threads", "8", "--size", "16", "--iterations", "100"], file)
    started = subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", INTERRUPTED, file, work], stdout=subprocess.PIPE, text=True
    )
    assert started.stdout is not None
    assert started.stdout.readline() == "running\n"
    os.kill(started.pid, signal.SIGINT)
    said, _ = started.communicate()
    assert said.splitlines()[-1] == "interrupted"
    assert started.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"mechanisms": ["lapd"]}, "lapt"),
        ({"mechanisms": ["lapt"], "parameters": {"cv-lenght": 8}}, "cv-length"),
        ({"mechanisms": ["lapt"], "parameters": {"cv-length": "many"}}, "cv-length"),
        ({"settings": {"link.inter.latncy": "70 cycles"}}, "link.inter.latency"),
        ({"machine": "simics"}, "simics-4x2"),
        ({"only": "page", "mechanisms": ["lapt"]}, "pages"),
        ({"time_scale": 0.5}, "time_scale"),
        ({"phase": 0}, "phase"),
        ({"jobs": 0}, "jobs"),
    ],
)
def test_bad_input_is_named(ring: Path, arguments: dict[str, Any], what: str) -> None:
    with pytest.raises(numatch.NumatchError) as caught:
        numatch.simulate(ring, **arguments)
    assert what in str(caught.value)
    assert "--" not in caught.value.where


def test_a_trace_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(numatch.NumatchError, match=r"none\.nmt"):
        numatch.simulate(tmp_path / "none.nmt")


def test_mechanisms_are_listed_with_their_parameters() -> None:
    frame = numatch.mechanisms()
    assert {"lapt", "sammu", "oracle", "spcd", "mvas"} <= set(frame.index)
    names = {name for name, _, _, _ in frame["parameters"].to_dict()["lapt"]}
    assert "cv-length" in names

# SPDX-License-Identifier: Apache-2.0
"""What a worker does with a call, in this process."""

import dataclasses
import os
from pathlib import Path

import pytest
from numatch.sweeps import worker
from numatch.sweeps.contents import hash_of_file, hash_of_machine
from numatch.sweeps.worker import Call

NUMATCH = Path(os.environ["NUMATCH_BUILD"]) / "numatch"


@pytest.fixture
def call(ring: Path) -> Call:
    """Ask for the run of the operating system alone."""
    return Call(
        key="k",
        numatch=str(NUMATCH),
        numatch_hash=hash_of_file(NUMATCH),
        trace=str(ring),
        trace_hash=hash_of_file(ring),
        machine="simics-4x2",
        machine_hash=hash_of_machine(NUMATCH, "simics-4x2", ""),
        machine_folders="",
        words=("--json", "--baseline", "os"),
        memory=2**30,
    )


def test_a_call_is_answered_with_what_numatch_printed(call: Call) -> None:
    outcome = worker.run(call)
    assert outcome.failure == ""
    assert '"name": "linux+interleave"' in outcome.simulation


def test_other_contents_than_where_it_was_started_are_refused(call: Call) -> None:
    for wrong in (
        dataclasses.replace(call, numatch_hash="other"),
        dataclasses.replace(call, trace_hash="other"),
        dataclasses.replace(call, machine_hash="other"),
    ):
        outcome = worker.run(wrong)
        assert outcome.simulation == ""
        assert "here than where the sweep was started" in outcome.failure


def test_a_trace_that_is_not_here_is_told(call: Call) -> None:
    outcome = worker.run(dataclasses.replace(call, trace="/none/a.nmt"))
    assert outcome.failure == "/none/a.nmt: No such file or directory"


def test_a_bound_that_is_too_low_is_named(call: Call) -> None:
    outcome = worker.run(dataclasses.replace(call, memory=2**20))
    assert outcome.simulation == ""
    assert "it may use 1 MiB: more is said by 'memory'" in outcome.failure


def test_more_than_one_run_is_no_answer(call: Call) -> None:
    outcome = worker.run(dataclasses.replace(call, words=("--json", "--mechanism", "oracle")))
    assert outcome.failure == "numatch simulate printed something else than one run"

# SPDX-License-Identifier: Apache-2.0
"""Traces as arrays."""

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numatch
import numpy as np
import pytest


def test_every_access_comes_once_and_in_order(made_trace: Path) -> None:
    trace = numatch.open_trace(made_trace)
    for thread, facts in trace.threads.iterrows():
        positions = np.concatenate([a["position"] for a in trace.accesses(int(str(thread)))])
        assert (positions == np.arange(facts["accesses"])).all()


def test_chunks_are_as_long_as_asked_and_do_not_change_what_is_read(made_trace: Path) -> None:
    trace = numatch.open_trace(made_trace)
    small = list(trace.accesses(1, chunk=777))
    assert {len(chunk) for chunk in small[:-1]} == {777}
    assert np.concatenate(small).tobytes() == np.concatenate(list(trace.accesses(1))).tobytes()


def test_a_chunk_stays_as_it_is_when_the_next_one_is_read(made_trace: Path) -> None:
    chunks = numatch.open_trace(made_trace).accesses(0, chunk=100)
    first = next(chunks)
    before = first.copy()
    next(chunks)
    assert (first == before).all()


def test_accesses_are_those_that_a_reader_from_the_documentation_finds(made_trace: Path) -> None:
    folder = Path(__file__).parents[1] / "trace"
    loaded = importlib.util.spec_from_file_location("nmt", folder / "nmt.py")
    assert loaded is not None
    assert loaded.loader is not None
    nmt = importlib.util.module_from_spec(loaded)
    loaded.loader.exec_module(nmt)
    steps = [step for step in nmt.Trace(made_trace).accesses(2) if step[0] == "access"]
    read = np.concatenate(list(numatch.open_trace(made_trace).accesses(2)))
    assert len(read) > 10_000
    for column, name in enumerate(("pc", "address", "bytes", "write"), 1):
        assert read[name].tolist() == [step[column] for step in steps]


def test_a_replay_has_every_access_in_the_same_order_each_time(ring: Path) -> None:
    trace = numatch.open_trace(ring)
    once = np.concatenate(list(trace.replay()))
    again = np.concatenate(list(trace.replay(chunk=1000)))
    assert len(once) == trace.accesses_in_all
    assert once.tobytes() == again.tobytes()
    counts = np.bincount(once["thread"])
    assert counts.tolist() == trace.threads["accesses"].tolist()


MEASURE = """
import resource, sys, numatch
trace = numatch.open_trace(sys.argv[1])
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for chunk in trace.accesses(0, chunk=1 << 14):
    break
before = peak()
count = sum(len(chunk) for thread in trace.threads.index
            for chunk in trace.accesses(thread, chunk=1 << 14))
count += sum(len(chunk) for chunk in trace.replay(chunk=1 << 14))
print(count, peak() - before)
"""


def test_memory_does_not_grow_with_the_trace(build: Path, tmp_path: Path) -> None:
    file = tmp_path / "long.nmt"
    subprocess.run([build / "tests/trace/make_trace", file, "3", "400000"], check=True)  # noqa: S603
    words = [sys.executable, "-c", MEASURE, str(file)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)  # noqa: S603
    accesses, kibibytes = map(int, done.stdout.split())
    assert accesses > 3_000_000  # 32 bytes and more of each, were they kept
    assert kibibytes < 32 * 1024


def test_iterators_live_longer_than_their_trace(made_trace: Path) -> None:
    chunks = numatch.open_trace(made_trace).accesses(0)
    assert sum(len(chunk) for chunk in chunks) > 10_000


def test_events_have_names_and_texts(made_trace: Path) -> None:
    events = list(numatch.open_trace(made_trace).events(1, chunk=3))
    assert [event.kind for event in events[:2]] == ["thread_start", "thread_name"]
    assert events[1].text == "worker 1"
    assert [event.stamp for event in events] == sorted(event.stamp for event in events)


def test_every_kind_of_event_has_the_name_of_the_source() -> None:
    header = Path(__file__).parents[2] / "src/trace/event.hpp"
    enum = header.read_text().split("enum class event_kind")[1].split("};")[0]
    pairs = [line.split(",")[0].split("=") for line in enum.splitlines() if " = " in line]
    named = {int(number): name.strip() for name, number in pairs}
    assert named == numatch.traces.EVENT_KINDS


def test_a_tlb_filtered_trace_has_records_and_no_accesses(
    build: Path, tmp_path: Path, command: Callable[..., str]
) -> None:
    file = tmp_path / "filtered.nmt"
    program = build / "workloads/ring_instrumented"
    words = ["--threads", "2", "--size", "200", "--iterations", "2"]
    command("trace", "--filter", "tlb", "-o", file, "--", program, *words)
    trace = numatch.open_trace(file)
    records = np.concatenate(list(trace.tlb_records(0)))
    assert trace.tlb_filtered
    assert len(records) > 100
    with pytest.raises(numatch.NumatchError, match="was filtered by a TLB"):
        trace.accesses(0)


@pytest.mark.parametrize("text", [b"", b"no trace", b"NUMATRC\n" + bytes(100)])
def test_what_is_no_trace_is_refused(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "bad.nmt"
    file.write_bytes(text)
    with pytest.raises(numatch.NumatchError) as caught:
        numatch.open_trace(file)
    assert caught.value.where.startswith(str(file))


def test_damage_is_an_error_where_it_is_met(made_trace: Path, tmp_path: Path) -> None:
    data = bytearray(made_trace.read_bytes())
    data[len(data) // 2] ^= 0xFF
    file = tmp_path / "damaged.nmt"
    file.write_bytes(data)
    trace = numatch.open_trace(file)
    with pytest.raises(numatch.NumatchError, match=r"damaged\.nmt"):
        for _ in trace.replay():
            pass


def test_a_thread_that_is_not_there_is_refused(made_trace: Path) -> None:
    trace = numatch.open_trace(made_trace)
    with pytest.raises(numatch.NumatchError, match="has no thread 3"):
        trace.accesses(3)
    with pytest.raises(numatch.NumatchError, match="has no thread 9"):
        trace.events(9)


def test_a_chunk_of_nothing_is_refused(made_trace: Path) -> None:
    with pytest.raises(numatch.NumatchError, match="chunk"):
        numatch.open_trace(made_trace).accesses(0, chunk=0)

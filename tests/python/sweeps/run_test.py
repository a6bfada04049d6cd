# SPDX-License-Identifier: Apache-2.0
"""Sweeps on workers that are processes: what is computed, what is not, and what goes wrong."""

import csv
import io
import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import pandas
import pytest
from distributed import Client
from numatch.errors import NumatchError
from numatch.sweeps import SweepResult, sweep
from numatch.sweeps.clusters import local

BUILD = Path(os.environ["NUMATCH_BUILD"])


@pytest.fixture(scope="session")
def workers() -> Iterator[Client]:
    """Two processes that the tests share which do nothing to them."""
    with local(workers=2, memory=2**31, retries=1) as client:
        yield client


class Numatch:
    """A numatch that counts its runs and does something else at some of them."""

    def __init__(self, folder: Path, seed_3: str = "true") -> None:
        self.calls = folder / "calls"
        self.file = folder / "numatch"
        self.file.write_text(
            "#!/bin/sh\n"
            f'case " $* " in *" --check "* | *" topology "*) ;; *" simulate "*)\n'
            f'  echo "$*" >> {self.calls}\n'
            f'  case " $* " in *" --seed 3 "*) {seed_3} ;; esac ;;\n'
            "esac\n"
            f'exec {BUILD}/numatch "$@"\n'
        )
        self.file.chmod(self.file.stat().st_mode | stat.S_IXUSR)

    def runs(self) -> int:
        return len(self.calls.read_text().splitlines()) if self.calls.exists() else 0


def small(folder: Path, **more: Any) -> dict[str, Any]:
    """Describe few short runs."""
    return {
        "traces": [str(folder / "ring.nmt")],
        "mechanisms": ["oracle"],
        "seeds": [1, 2],
        "simulate": {"time-scale": 100},
        **more,
    }


def run(what: dict[str, Any], folder: Path, **more: Any) -> SweepResult:
    options = {"store": folder / "s.sqlite", "progress": lambda _: None, **more}
    return sweep(what, **options)


def numbers(result: SweepResult) -> list[Any]:
    return [row.run for row in result.rows]


def test_each_cell_is_what_numatch_simulate_says_of_it(
    traces: Path, tmp_path: Path, workers: Client
) -> None:
    result = run(
        small(
            traces,
            mechanisms=["lapt"],
            seeds=[7],
            set={"cache.l2.size": "64 KiB"},
            parameters={"lapt": {"cv-length": 8}},
        ),
        tmp_path,
        cluster=workers,
    )
    words = "--seed 7 --time-scale 100 --mechanism lapt --param cv-length=8 --json"
    command = [str(BUILD / "numatch"), "simulate", str(traces / "ring.nmt"), *words.split()]
    alone = subprocess.run(  # noqa: S603
        [*command, "--set", "cache.l2.size=64 KiB"], check=True, capture_output=True
    )
    for row, expected in zip(result.rows, json.loads(alone.stdout)["runs"], strict=True):
        assert row.run is not None
        assert row.run["parameters"] == expected["parameters"]
        for part in ("time", "misses", "memory", "traffic", "placement", "energy"):
            assert row.run[part] == expected[part]


def test_a_second_run_computes_nothing(traces: Path, tmp_path: Path, workers: Client) -> None:
    numatch = Numatch(tmp_path)
    first = run(small(traces), tmp_path, cluster=workers, numatch=numatch.file)
    assert (first.computed, first.stored, numatch.runs()) == (4, 0, 4)
    second = run(small(traces), tmp_path, cluster=workers, numatch=numatch.file)
    assert (second.computed, second.stored, numatch.runs()) == (0, 4, 4)
    assert second.table() == first.table()
    assert second.json() == first.json()


@pytest.mark.parametrize(
    ("more", "new"),
    [
        ({"seeds": [1, 2, 5]}, 2),
        ({"mechanisms": ["oracle", "scatter"]}, 2),
        ({"machines": ["simics-4x2", "nehalem-2x4"]}, 4),
        ({"program": [{"name": "p", "trace": "pipeline.nmt"}]}, 4),
        ({"parameters": {"oracle": {"act-on": ["pages"]}}}, 2),
        ({"set": {"memory.channels": [1]}}, 4),
    ],
)
def test_what_is_added_is_computed_and_nothing_else(
    traces: Path, tmp_path: Path, workers: Client, more: dict[str, Any], new: int
) -> None:
    numatch = Numatch(tmp_path)
    run(small(traces), tmp_path, cluster=workers, numatch=numatch.file)
    for program in more.get("program", []):
        program["trace"] = str(traces / "pipeline.nmt")
    result = run(small(traces, **more), tmp_path, cluster=workers, numatch=numatch.file)
    assert result.computed == new
    assert numatch.runs() == 4 + new
    assert not result.failed


def test_contents_count_and_names_do_not(traces: Path, tmp_path: Path, workers: Client) -> None:
    machine = tmp_path / "m.toml"
    machine.write_text('base = "simics-4x2"\nsummary = "mine"\n')
    what = small(traces, machines=[str(machine)], seeds=[1])
    assert run(what, tmp_path, cluster=workers).computed == 2
    other = tmp_path / "other.nmt"
    shutil.copy(traces / "ring.nmt", other)
    what["traces"] = [str(other)]
    assert run(what, tmp_path, cluster=workers).computed == 0
    shutil.copy(traces / "pipeline.nmt", other)
    assert run(what, tmp_path, cluster=workers).computed == 2
    machine.write_text(
        'base = "simics-4x2"\nsummary = "mine"\n[memory]\n'
        'channels = { value = 2, source = "assumed: a test" }\n'
    )
    assert run(what, tmp_path, cluster=workers).computed == 2


def test_any_number_of_workers_makes_the_same_tables(
    traces: Path, tmp_path: Path, workers: Client
) -> None:
    results = [run(small(traces), tmp_path, cluster=workers)]
    results.append(run(small(traces), tmp_path, workers=1, store=tmp_path / "of one.sqlite"))
    assert [result.computed for result in results] == [4, 4]
    assert results[0].table() == results[1].table()
    assert results[0].csv() == results[1].csv()
    assert results[0].json() == results[1].json()


def test_a_worker_that_is_killed_loses_nothing(
    traces: Path, tmp_path: Path, workers: Client
) -> None:
    once = f"mkdir {tmp_path}/killed 2> /dev/null && kill -KILL $PPID && exec sleep 600"
    numatch = Numatch(tmp_path, seed_3=once)
    what = small(traces, seeds=[1, 2, 3, 4])
    result = run(what, tmp_path, workers=2, numatch=numatch.file)
    assert (tmp_path / "killed").is_dir()
    assert not result.failed
    assert result.computed == 8
    assert numatch.runs() >= 9  # the one that was killed ran again
    undisturbed = run(what, tmp_path, cluster=workers, store=tmp_path / "undisturbed.sqlite")
    assert undisturbed.computed == 8
    assert numbers(result) == numbers(undisturbed)


@pytest.mark.slow
def test_a_cell_whose_workers_always_die_fails_and_the_others_do_not(
    traces: Path, tmp_path: Path
) -> None:
    numatch = Numatch(tmp_path, seed_3="kill -KILL $PPID; exec sleep 600")
    what = small(traces, mechanisms=[], seeds=[1, 2, 3])
    result = run(what, tmp_path, workers=2, retries=1, numatch=numatch.file)
    assert [row.cell.seed for row in result.failed] == [3]
    assert "its worker ended each time it ran" in result.failed[0].failure
    assert result.computed == 2


def test_a_cell_that_fails_is_reported_and_tried_again_next_time(
    traces: Path, tmp_path: Path, workers: Client
) -> None:
    broken = f"test -e {tmp_path}/mended || {{ echo numatch: the roof fell >&2; exit 2; }}"
    numatch = Numatch(tmp_path, seed_3=broken)
    what = small(traces, seeds=[1, 3])
    result = run(what, tmp_path, cluster=workers, numatch=numatch.file)
    assert [row.cell.seed for row in result.failed] == [3, 3]
    assert {row.failure for row in result.failed} == {"the roof fell"}
    assert result.computed == 2
    assert "2 runs failed:\n  ring: the roof fell" in result.table()
    (tmp_path / "mended").touch()
    mended = run(what, tmp_path, cluster=workers, numatch=numatch.file)
    assert (mended.computed, mended.stored, len(mended.failed)) == (2, 2, 0)


@pytest.mark.slow
def test_a_cell_that_takes_too_much_memory_fails_alone(traces: Path, tmp_path: Path) -> None:
    with local(workers=1, memory=2**30, retries=0) as client:
        hungry = "exec python3 -c 'bytearray(10**9)'"
        numatch = Numatch(tmp_path, seed_3=hungry)
        what = small(traces, mechanisms=[], seeds=[2, 3], memory="1 GiB")
        result = run(what, tmp_path, cluster=client, numatch=numatch.file)
    assert [row.failure for row in result.rows] == ["", "MemoryError"]


def test_programs_are_recorded_once_and_one_that_fails_stops_no_other(
    traces: Path, tmp_path: Path, workers: Client
) -> None:
    ring = str(BUILD / "workloads/ring_instrumented")
    what = small(
        traces,
        traces=[],
        seeds=[1],
        program=[
            {"name": "ring", "command": [ring, "--threads", "2", "--iterations", "1"]},
            {"name": "bad", "command": [ring, "--threads", "none"]},
            {"name": "gone", "command": ["./gone"]},
        ],
    )
    first = run(what, tmp_path, cluster=workers)
    assert [bool(row.failure) for row in first.rows] == [False, False, True, True, True, True]
    assert "could not be recorded" in first.rows[2].failure
    second = run(what, tmp_path, cluster=workers)
    assert (second.computed, second.stored) == (0, 2)
    (trace,) = (tmp_path / "s.sqlite.traces").glob("ring-*.nmt")
    trace.write_bytes(trace.read_bytes()[:-1])
    assert not run(what, tmp_path, cluster=workers).rows[0].failure


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ({"mechanisms": ["lpat"]}, "unknown mechanism 'lpat'; did you mean 'lapt'?"),
        ({"machines": ["simics-4x3"]}, "unknown machine 'simics-4x3'; did you mean 'simics-4x2'?"),
        ({"set": {"memory.chanels": 1}}, "did you mean 'memory.channels'?"),
        ({"parameters": {"oracle": {"act": "pages"}}}, "parameter 'act'; did you mean 'act-on'?"),
        ({"simulate": {"pages": "first-tuch"}}, "did you mean 'first-touch'?"),
        ({"traces": ["/none/ring.nmt"]}, "/none/ring.nmt: there is no such trace"),
        ({"memory": "100 MiB"}, "memory: a worker needs 1024 MiB at least"),
    ],
)
def test_a_wrong_word_is_one_line_before_anything_is_computed(
    traces: Path, tmp_path: Path, more: dict[str, Any], complaint: str
) -> None:
    numatch = Numatch(tmp_path)
    with pytest.raises(NumatchError) as problem:
        run(small(traces, **more), tmp_path, numatch=numatch.file)
    assert complaint in str(problem.value)
    assert "\n" not in str(problem.value)
    assert numatch.runs() == 0


def test_a_cluster_that_is_not_there_is_one_line(traces: Path, tmp_path: Path) -> None:
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        pytest.raises(NumatchError, match="--cluster: no Dask scheduler answers at"),
    ):
        run(small(traces), tmp_path, cluster="tcp://127.0.0.1:9")


def test_a_cluster_is_used_by_its_address(traces: Path, tmp_path: Path, workers: Client) -> None:
    result = run(small(traces), tmp_path, cluster=str(workers.scheduler_info()["address"]))
    assert result.computed == 4


def test_frames_and_files_have_a_row_per_cell(
    traces: Path, tmp_path: Path, workers: Client
) -> None:
    result = run(
        small(traces, parameters={"oracle": {"act-on": ["pages", "threads"]}}),
        tmp_path,
        cluster=workers,
    )
    frame = result.frame()
    assert len(frame) == 6
    assert set(frame["oracle:act-on"].dropna()) == {"pages", "threads"}
    assert (frame["time.cycles"] > 0).all()
    of_seed = frame[frame["seed"] == 2].set_index(frame[frame["seed"] == 2]["oracle:act-on"])
    times = of_seed["time.milliseconds"]
    change = (times["pages"] / times.iloc[0] - 1) * 100
    assert of_seed["time_change_percent"]["pages"] == pytest.approx(change)
    rows = list(csv.DictReader(io.StringIO(result.csv())))
    assert [float(row["time.cycles"]) for row in rows] == list(frame["time.cycles"])
    result.parquet(tmp_path / "s.parquet")
    stored = pandas.read_parquet(tmp_path / "s.parquet")
    assert list(stored.columns) == list(frame.columns)
    assert list(stored["traffic.total_bytes"]) == list(frame["traffic.total_bytes"])


def test_a_figure_has_a_line_per_mechanism(traces: Path, tmp_path: Path, workers: Client) -> None:
    result = run(
        small(traces, mechanisms=["oracle", "scatter"], set={"memory.channels": [1, 2]}),
        tmp_path,
        cluster=workers,
    )
    (panel,) = result.figure().axes
    labels = [text.get_text() for text in panel.get_legend().get_texts()]
    assert labels == ["oracle", "scatter"]
    assert [text.get_text() for text in panel.get_xticklabels()] == ["1", "2"]
    assert panel.get_xlabel() == "memory.channels"
    assert "simulated" in panel.get_ylabel()
    seeds = [row for row in result.rows if row.cell.mechanism == "oracle"][::2]
    changes = [result.change(row, "time") for row in result.rows if row.cell in cells_at(seeds)]
    assert panel.get_lines()[0].get_ydata()[0] == pytest.approx(
        sum(change for change in changes if change is not None) / len(changes)
    )


def cells_at(rows: list[Any]) -> list[Any]:
    return [row.cell for row in rows if dict(row.cell.settings) == {"memory.channels": "1"}]


def test_an_interrupted_sweep_leaves_a_store_that_goes_on(
    traces: Path, tmp_path: Path, workers: Client
) -> None:
    class EnoughError(Exception):
        pass

    def stop(progress: Any) -> None:
        if progress.done == 2:
            raise EnoughError

    with pytest.raises(EnoughError):
        run(small(traces, seeds=[1, 2, 3]), tmp_path, cluster=workers, progress=stop)
    database = sqlite3.connect(tmp_path / "s.sqlite")
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert database.execute("SELECT count(*) FROM cells").fetchone() == (2,)
    database.close()
    result = run(small(traces, seeds=[1, 2, 3]), tmp_path, cluster=workers)
    assert (result.computed, result.stored) == (4, 2)


@pytest.mark.slow
def test_the_command_is_interrupted_by_control_c(traces: Path, tmp_path: Path) -> None:
    waits = f"touch {tmp_path}/waiting; exec sleep 600"
    numatch = Numatch(tmp_path, seed_3=waits)
    request = {
        "file": str(tmp_path / "s.toml"),
        "store": "",
        "jobs": 2,
        "memory": "",
        "cluster": "",
        "slurm": False,
        "retries": None,
        "dry_run": False,
        "json": False,
        "quiet": True,
        "csv": "",
        "parquet": "",
        "figure": "",
        "output": "",
        "numatch": str(numatch.file),
    }
    (tmp_path / "s.toml").write_text(
        f'traces = ["{traces}/ring.nmt"]\nmechanisms = []\nseeds = [1, 3, 4]\n'
    )
    command = subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "numatch.sweeps", json.dumps(request)],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    store = tmp_path / "s.sqlite"
    while not (store.exists() and (tmp_path / "waiting").exists() and kept(store) == 2):
        assert command.poll() is None
    os.killpg(command.pid, 2)
    out, err = command.communicate()
    assert command.returncode == 130
    assert out == b""
    assert (
        err.decode() == "numatch: interrupted: what was computed is kept, the same call goes on\n"
    )
    assert kept(store) == 2


def kept(store: Path) -> int:
    database = sqlite3.connect(store)
    try:
        return int(database.execute("SELECT count(*) FROM cells").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
    finally:
        database.close()

# SPDX-License-Identifier: Apache-2.0
"""Slurm, as far as it goes without one: the script of a job, and a stand-in that runs it."""

import os
import stat
import sys
from pathlib import Path

import pytest
from numatch.sweeps import sweep
from numatch.sweeps.clusters import slurm_cluster
from numatch.sweeps.plan import Slurm

BUILD = Path(os.environ["NUMATCH_BUILD"])


def test_the_script_of_a_job_says_what_the_description_says() -> None:
    options = Slurm(
        queue="long",
        account="numa",
        walltime="12:00:00",
        python="/opt/python/bin/python",
        logs="logs",
        directives=("--exclusive", "--constraint=amd"),
        prologue=("module load numatch",),
    )
    with slurm_cluster(options, 3 * 2**30) as cluster:
        script = cluster.job_script().splitlines()
    assert script[0] == "#!/usr/bin/env bash"
    for line in (
        "#SBATCH -p long",
        "#SBATCH -A numa",
        "#SBATCH -t 12:00:00",
        "#SBATCH -n 1",
        "#SBATCH --cpus-per-task=1",
        "#SBATCH --mem=3G",
        "#SBATCH --exclusive",
        "#SBATCH --constraint=amd",
        "module load numatch",
    ):
        assert line in script, script
    (worker,) = (line for line in script if line.startswith("/opt/python/bin/python -m"))
    assert "--nthreads 1" in worker
    assert worker.rindex("--memory-limit 536870912") > worker.index("--memory-limit")


@pytest.mark.slow
def test_a_sweep_runs_in_jobs(ring: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_ins = {
        "sbatch": f'setsid sh "$1" > {tmp_path}/job.log 2>&1 &\n'
        f'echo $! >> {tmp_path}/jobs\necho "Submitted batch job $!"\n',
        "scancel": f'echo "$@" >> {tmp_path}/cancelled\nfor job; do kill -- "-$job"; done\n',
    }
    for name, script in stand_ins.items():
        file = tmp_path / name
        file.write_text(f"#!/bin/sh\n{script}")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    result = sweep(
        {
            "traces": [str(ring)],
            "mechanisms": [],
            "seeds": [1, 2, 3],
            "slurm": {"interface": "lo", "python": sys.executable, "jobs": 2},
        },
        store=tmp_path / "s.sqlite",
        slurm=True,
        numatch=BUILD / "numatch",
        progress=lambda _: None,
    )
    assert (result.computed, len(result.failed)) == (3, 0)
    started = (tmp_path / "jobs").read_text().split()
    assert len(started) == 2
    assert set((tmp_path / "cancelled").read_text().split()) == set(started)

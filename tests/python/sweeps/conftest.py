# SPDX-License-Identifier: Apache-2.0
"""Small traces for the tests of sweeps."""

import os
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ["NUMATCH_BUILD"])


@pytest.fixture(scope="session")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record two small programs into a folder."""
    folder = tmp_path_factory.mktemp("traces")
    for name in ("ring", "pipeline"):
        program = BUILD / "workloads" / f"{name}_instrumented"
        trace = [str(BUILD / "numatch"), "trace", "-o", str(folder / f"{name}.nmt"), "--"]
        subprocess.run(  # noqa: S603
            [*trace, str(program), "--threads", "4", "--iterations", "1"],
            check=True,
            capture_output=True,
        )
    return folder


@pytest.fixture(scope="session")
def ring(traces: Path) -> Path:
    """Name the first of them."""
    return traces / "ring.nmt"

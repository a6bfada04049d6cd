# SPDX-License-Identifier: Apache-2.0
"""`pip install .` of a clean checkout works, and what it installs needs the checkout no more."""

import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[3]

PROGRAM = """
import sys
import numatch
assert numatch.__file__.startswith(sys.argv[1]), numatch.__file__
assert "xeon64" in numatch.machines(), numatch.machines()
mapping = numatch.map([[0, 1], [1, 0]], "xeon64")
assert mapping.nodes[0] == mapping.nodes[1]
"""


def test_an_installed_package_has_all_that_it_needs(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607
        cwd=SOURCE,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (SOURCE / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(SOURCE / name, tree / name)
            shutil.copymode(SOURCE / name, tree / name)
    target = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps"]
    subprocess.run([*pip, "--target", target, tree], check=True)  # noqa: S603
    shutil.rmtree(tree)
    environment = {"PYTHONPATH": str(target), "PATH": "/usr/bin:/bin"}
    subprocess.run(  # noqa: S603
        [sys.executable, "-c", PROGRAM, target], check=True, env=environment, cwd=tmp_path
    )

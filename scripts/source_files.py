# SPDX-License-Identifier: Apache-2.0
"""The files of the project, for the checks of this folder."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
C_SUFFIXES = (".c", ".h", ".cpp", ".hpp")


def all_files():
    """Every file that git knows or would add, as paths relative to ROOT, sorted."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True, text=True, check=True).stdout
    paths = {pathlib.PurePosixPath(name) for name in listed.split("\0") if name}
    return sorted(path for path in paths if (ROOT / path).is_file())


def text_of(path):
    """The text of a file, or None where it is binary."""
    data = (ROOT / path).read_bytes()
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def interpreter_of(path):
    """'bash', 'sh', 'python3' or '' from the first line of a script."""
    with open(ROOT / path, "rb") as opened:
        first = opened.readline(200).decode("utf-8", errors="replace")
    if not first.startswith("#!"):
        return ""
    words = [word.rsplit("/", 1)[-1] for word in first[2:].split()]
    return next((word for word in words if word != "env" and not word.startswith("-")), "")


def is_script(path, *interpreters):
    return interpreter_of(path) in interpreters

# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests share: running the command line, reading profiles, comparing matrices."""

import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("NUMATCH_BUILD", SOURCE / "build"))
NUMATCH = BUILD / "numatch"
PAGE = 4096


def run(*command, cpus=None, timeout=300):
    """Runs a command to its end; a failure shows the whole of what it said."""
    words = [str(word) for word in command]
    if cpus is not None:
        words = ["taskset", "-c", cpus] + words
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=timeout, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)}\nexit code {done.returncode}\n"
                             f"{done.stdout}{done.stderr}")
    return done


def workload(name, frontend):
    """The program of a workload as a front-end needs it; skips the test where it is not built."""
    suffix = "_instrumented" if frontend == "instrumented" else ""
    path = BUILD / "workloads" / (name + suffix)
    if not path.exists():
        raise unittest.SkipTest(f"{path} is not built")
    if frontend == "qemu" and shutil.which("qemu-x86_64") is None:
        raise unittest.SkipTest("qemu-x86_64 is not installed")
    return path


def arguments(threads, size, iterations):
    return ["--threads", threads, "--size", size, "--iterations", iterations]


class Folder(unittest.TestCase):
    """A test with an empty folder of its own."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="numatch-e2e-")
        self.folder = pathlib.Path(self._folder.name)

    def tearDown(self):
        self._folder.cleanup()

    def capture(self, frontend, command, name="trace", cpus=None, options=()):
        """A trace of the command, and what the program said on standard error."""
        trace = self.folder / f"{name}.nmt"
        done = run(NUMATCH, "trace", "--frontend", frontend, *options, "-o", trace, "--", *command,
                   cpus=cpus)
        return trace, done.stderr

    def profile(self, trace, mechanism="oracle", name=None, options=()):
        path = trace.with_name(f"{name or trace.stem}.{mechanism}.nmp")
        run(NUMATCH, "profile", "--trace", trace, "--mechanism", mechanism, *options, "-o", path)
        return Profile(path)


class Profile:
    """A profile file, read as docs/profile-format.md says."""

    def __init__(self, path):
        self.path = path
        self.database = sqlite3.connect(path)
        self.threads = self.database.execute("SELECT count(*) FROM thread").fetchone()[0]

    def matrix(self):
        cells = [[0.0] * self.threads for _ in range(self.threads)]
        for i, j, amount in self.database.execute("SELECT thread, other, amount FROM sharing"):
            cells[i][j] = amount
        return cells

    def metadata(self, key):
        return self.database.execute("SELECT value FROM metadata WHERE key = ?",
                                     [key]).fetchone()[0]

    def accesses(self):
        return self.database.execute("SELECT accesses FROM program").fetchone()[0]

    def page_counts(self):
        """{page: {thread: (accesses, writes)}} over all time windows."""
        pages = {}
        for first, thread, count, reads, writes in self.database.execute(
                "SELECT first_page, thread, pages, reads, writes FROM page_use"):
            for page in range(first, first + count):
                users = pages.setdefault(page, {})
                before = users.get(thread, (0, 0))
                users[thread] = (before[0] + reads + writes, before[1] + writes)
        return pages

    def matrix_of_ranges(self, ranges):
        """The oracle's matrix of the pages in [(address, bytes)] alone."""
        cells = [[0] * self.threads for _ in range(self.threads)]
        counts = self.page_counts()
        for address, size in ranges:
            for page in range(address // PAGE, (address + size + PAGE - 1) // PAGE):
                users = counts.get(page, {})
                for i in users:
                    for j in users:
                        if i != j:
                            cells[i][j] += min(users[i][0], users[j][0],
                                               users[i][1] + users[j][1])
        return cells


def array_ranges(said):
    """The arrays that a workload named when it was called with --addresses."""
    return [(int(address, 16), int(size))
            for size, address in re.findall(r": (\d+) bytes at (0x[0-9a-f]+)", said)]



def correlation(a, b):
    """Pearson's, of the pairs i < j of two matrices made symmetric; None where one is constant."""
    pairs = [(i, j) for i in range(len(a)) for j in range(i + 1, len(a))]
    x = [a[i][j] + a[j][i] for i, j in pairs]
    y = [b[i][j] + b[j][i] for i, j in pairs]
    mean_x = sum(x) / len(x)
    mean_y = sum(y) / len(y)
    xx = sum((v - mean_x) ** 2 for v in x)
    yy = sum((v - mean_y) ** 2 for v in y)
    if xx == 0 or yy == 0:
        return None
    return sum((v - mean_x) * (w - mean_y) for v, w in zip(x, y)) / (xx * yy) ** 0.5


def agreement(a, b):
    """1 where all amounts are the same, 0 where nothing that one matrix has is in the other."""
    pairs = [(x, y) for row_a, row_b in zip(a, b) for x, y in zip(row_a, row_b)]
    everything = sum(x + y for x, y in pairs)
    return 1 - sum(abs(x - y) for x, y in pairs) / everything if everything else 1.0


def show(cells):
    return "\n".join(" ".join(f"{cell:10.0f}" for cell in row) for row in cells)


def main():
    """Exit code 77 (ctest: skipped) where nothing could be tested."""
    outcome = unittest.main(module="__main__", exit=False, verbosity=2).result
    if not outcome.wasSuccessful():
        raise SystemExit(1)
    if outcome.testsRun == len(outcome.skipped):
        raise SystemExit(77)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ring_program as a process: reports, phases and its end by signals. signals_test.py BIN"""

import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BIN = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else None
SMALL = ["--threads", "4", "--private-pages", "4", "--shared-pages", "4"]
PATIENCE = 60  # seconds; only a broken program needs them


def until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("it never came true")
        time.sleep(0.02)


def lines(path, word):
    return [line.split() for line in path.read_text(encoding="utf-8").splitlines()
            if line.startswith(word + " ")]


class Ring(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.report = pathlib.Path(self.folder.name) / "report"

    def tearDown(self):
        self.folder.cleanup()

    def start(self, *words):
        child = subprocess.Popen([BIN / "ring_program", *SMALL, "--report", self.report, *words])
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        until(self.report.exists)
        return child

    def ask(self, child):
        """A report of now."""
        self.report.unlink()
        child.send_signal(signal.SIGUSR1)
        until(self.report.exists)

    def users(self):
        return {(thread, address) for _, address, thread, *_ in lines(self.report, "used")}

    def test_reports_while_it_runs_and_ends_when_it_is_told(self):
        child = self.start()
        self.ask(child)
        self.assertEqual(lines(self.report, "sums"), [["sums", "running"]])
        self.assertEqual(lines(self.report, "process"), [["process", str(child.pid)]])
        tasks = {task for _, _, task in lines(self.report, "thread")}
        known = {path.name for path in pathlib.Path(f"/proc/{child.pid}/task").iterdir()}
        self.assertEqual(len(tasks), 4)
        self.assertLessEqual(tasks, known)
        child.terminate()
        self.assertEqual(child.wait(PATIENCE), 0)
        self.assertEqual(lines(self.report, "sums"), [["sums", "right"]])

    def test_partners_change_when_it_is_told(self):
        child = self.start()
        self.ask(child)
        until(lambda: self.ask(child) or len(self.users()) == 4 * 12)
        child.send_signal(signal.SIGUSR2)
        until(lambda: self.ask(child) or len(self.users()) == 4 * 16)
        self.assertEqual(lines(self.report, "phase"), [["phase", "1"]])

    def test_two_processes_share_their_pages_and_end_together(self):
        child = self.start("--processes", "2")
        other = self.report.with_name("report.1")
        until(other.exists)
        self.assertEqual([line[1] for line in lines(other, "thread")], ["1", "3"])
        child.terminate()
        self.assertEqual(child.wait(PATIENCE), 0)
        self.assertEqual(lines(other, "sums"), [["sums", "right"]])

    def test_a_process_whose_parent_is_killed_ends(self):
        child = self.start("--processes", "2")
        other = self.report.with_name("report.1")
        until(other.exists)
        child.kill()
        child.wait(PATIENCE)
        until(lambda: lines(other, "sums") == [["sums", "right"]])

    def test_it_ends_by_itself_after_its_accesses(self):
        child = self.start("--accesses", "5000", "--short-threads", "30", "--forks", "3",
                           "--execs", "2", "--random-creation")
        self.assertEqual(child.wait(PATIENCE), 0)
        made = lines(self.report, "made")[0]
        self.assertEqual(" ".join(made), "made 30 short threads, 3 forks, 2 execs, 0 failed")
        counts = {}
        for _, _, thread, reads, writes in lines(self.report, "used"):
            counts[thread] = counts.get(thread, 0) + int(reads) + int(writes)
        self.assertEqual(counts, {str(thread): 5000 for thread in range(4)})

    def test_the_same_seed_makes_the_same_accesses(self):
        found = []
        for _ in range(2):
            self.report.unlink(missing_ok=True)
            self.assertEqual(self.start("--accesses", "500").wait(PATIENCE), 0)
            found.append([(line[2:]) for line in lines(self.report, "used")])
        self.assertEqual(*found)

    def test_every_kind_of_memory_and_cpu_use_gives_right_sums(self):
        for words in (["--memory", "memfd"], ["--file", str(self.report) + ".pages"], ["--huge"],
                      ["--lock"], ["--touch", "main", "--cpus", "scrambled"],
                      ["--cpus", "kept", "--pattern", "all"], ["--pattern", "pairs"]):
            with self.subTest(words):
                self.report.unlink(missing_ok=True)
                self.assertEqual(self.start("--accesses", "500", *words).wait(PATIENCE), 0)
                self.assertEqual(lines(self.report, "sums"), [["sums", "right"]])

    def test_a_file_that_cannot_be_made_is_said_in_one_line(self):
        ended = subprocess.run([BIN / "ring_program", "--file", "/nowhere/pages"],
                               capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertRegex(ended.stderr, r"\Aring_program: cannot make the shared object: .*\n\Z")


if __name__ == "__main__":
    unittest.main()

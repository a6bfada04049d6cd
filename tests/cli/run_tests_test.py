#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The runner's own tests: a runner that cannot fail proves nothing."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

RUNNER = pathlib.Path(__file__).with_name("run_tests.py")


class Runner(unittest.TestCase):
    def run_file(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "sample.test"
            path.write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, str(RUNNER), "--build", folder, str(path)],
                                  capture_output=True, text=True, check=False)
            return done.returncode, done.stdout, done.stderr

    def check(self, text, code, shown=""):
        returned, out, err = self.run_file(text)
        self.assertEqual(returned, code, out + err)
        self.assertIn(shown, out + err)

    def test_a_test_that_holds_passes(self):
        self.check("NAME a\nRUN echo one; echo two >&2\nEXPECT one\nEXPECT_ERR_RE ^t.o$\n", 0, "ok")

    def test_a_missing_text_fails(self):
        self.check("NAME a\nRUN echo one\nEXPECT two\n", 1, "has 'two'")

    def test_an_unwanted_text_fails(self):
        self.check("NAME a\nRUN echo one\nEXPECT_NOT one\n", 1, "lacks 'one'")

    def test_a_wrong_exit_code_fails(self):
        self.check("NAME a\nRUN exit 3\nEXIT 2\n", 1, "exit code 3, expected 2")

    def test_the_script_ends_at_the_first_failure(self):
        self.check("NAME a\nRUN false\nRUN true\n", 1, "exit code 1")

    def test_two_lines_of_error_are_not_one(self):
        self.check("NAME a\nRUN printf 'numatch: a\\nb\\n' >&2\nONE_LINE_ERR\n", 1, "not one line")

    def test_a_late_script_is_ended_with_its_children(self):
        self.check("NAME a\nTIMEOUT 1\nRUN sleep 100 & sleep 100\n", 1, "did not end within 1 s")

    def test_a_missing_tool_skips(self):
        self.check("NAME a\nREQUIRES no-such-tool\nRUN true\n", 77, "needs no-such-tool")

    def test_one_failure_is_not_hidden_by_the_rest(self):
        self.check("NAME a\nRUN false\n\nNAME b\nRUN true\n", 1, "ok   sample: b")

    def test_malformed_files_are_refused(self):
        for text in ("", "RUN true\n", "NAME a\n", "NAME a\nRUN true\nEXPCT b\n",
                     "NAME a\nRUN true\nEXIT x\n", "NAME a\nRUN true\nEXPECT_RE (\n",
                     "NAME a\nRUN true\nNAME a\nRUN true\n"):
            with self.subTest(text=text):
                self.check(text, 1, "run_tests.py: ")


if __name__ == "__main__":
    unittest.main()

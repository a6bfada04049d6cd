#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/make-results: pages of numatch reproduce become one document."""

import json
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/make-results"
PAGE = {
    "title": "Suite mine, class T",
    "notes": ["Small caches.", "Seed 7."],
    "papers": [
        {
            "name": "lapt",
            "title": "LAPT: a paper",
            "machine": "simics-4x2",
            "notes": ["A note."],
            "tables": [
                {
                    "quantity": "time",
                    "label": "execution time",
                    "change": True,
                    "rows": [
                        {"program": "cg", "mean": False, "percent": {"oracle": -30.25, "a|b": 2.0}},
                        {"program": "is", "mean": False, "percent": {"oracle": None, "a|b": 0.0}},
                    ],
                },
                {
                    "quantity": "hardware",
                    "label": "hardware",
                    "change": False,
                    "rows": [{"program": "cg", "mean": False, "percent": {"lapt": 0.364}}],
                },
            ],
            "figures": [
                {
                    "mechanism": "lapt",
                    "quantity": "time",
                    "over": "best",
                    "published_percent": -10.6,
                    "simulated_percent": None,
                    "program": "cg",
                    "where": "section V-A",
                }
            ],
            "sharing": [],
            "sweeps": [
                {
                    "title": "Size of the cache",
                    "key": "cache.l2.size",
                    "points": ["32 KiB", "64 KiB"],
                    "notes": [],
                    "tables": [
                        {
                            "quantity": "cpi",
                            "label": "cycles per instruction",
                            "change": False,
                            "unit": "number",
                            "lines": [{"program": "cg", "run": "", "values": [1.5, None]}],
                        }
                    ],
                }
            ],
        }
    ],
}


class MakeResults(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = pathlib.Path(holder.name)
        numatch = self.root / "numatch"
        numatch.write_text("#!/bin/sh\n"
                           f'echo "$@" >> {self.root}/calls\n'
                           'case $1 in --version) echo numatch 9.9 ;;\n'
                           f"*) cat {self.root}/page.json; exit $(cat {self.root}/code) ;; esac\n")
        numatch.chmod(0o755)
        (self.root / "page.json").write_text(json.dumps(PAGE))
        (self.root / "code").write_text("0")

    def make(self, *words):
        return subprocess.run([str(SCRIPT), "--build", str(self.root), "-o", str(self.root / "results.md"), *words],
                              capture_output=True, text=True, check=False)

    def test_every_table_is_there_with_what_made_it(self):
        done = self.make("--class", "T", "--seed", "7", "--store", "kept")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        text = (self.root / "results.md").read_text()
        for line in ("    numatch reproduce lapt --suite mine --class T --seed 7 --programs cg,is",
                     "Small caches.",
                     "## LAPT: a paper",
                     "| lapt | time | best (cg) | −10.6 % | section V-A | – |",
                     "### Execution time, change against the baseline, simulated",
                     "|  | oracle | a\\|b |",
                     "| cg | −30.2 % | +2.0 % |",
                     "| is | – | +0.0 % |",
                     "### Hardware, share, simulated",
                     "| cg | 0.36 % |",
                     "|  |  | 32 KiB | 64 KiB |",
                     "| cg |  | 1.50 | – |"):
            self.assertIn(line + "\n", text)
        self.assertIn("numatch 9.9", text)
        self.assertIn("reproduce all --suite builtin --class T --seed 7 --json --store kept",
                      (self.root / "calls").read_text())

    def test_pages_that_were_made_earlier_are_taken_without_computing(self):
        self.assertEqual(self.make("--note", "In haste.", str(self.root / "page.json")).returncode, 0)
        self.assertIn("\nIn haste.\n", (self.root / "results.md").read_text())
        self.assertIn("## LAPT: a paper", (self.root / "results.md").read_text())
        self.assertNotIn("reproduce", (self.root / "calls").read_text())

    def test_a_program_that_failed_is_passed_on_as_the_exit_code(self):
        (self.root / "code").write_text("1")
        self.assertEqual(self.make().returncode, 1)
        self.assertIn("| is | – |", (self.root / "results.md").read_text())

    def test_what_cannot_be_computed_leaves_the_document_alone(self):
        (self.root / "results.md").write_text("before")
        (self.root / "code").write_text("2")
        done = self.make()
        self.assertEqual(done.returncode, 1)
        self.assertIn("ended with code 2", done.stderr)
        self.assertEqual((self.root / "results.md").read_text(), "before")


if __name__ == "__main__":
    unittest.main()

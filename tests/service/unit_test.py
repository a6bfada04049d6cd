#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""systemd understands the unit of the package, all of it: unit_test.py UNIT"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
UNIT = pathlib.Path(sys.argv.pop(1))


def complaints(text):
    """What systemd says about a unit; an empty text when it is fine."""
    # The command is looked for where packages put it; here any program will do.
    text = text.replace("ExecStart=numatch ", f"ExecStart={sys.executable} ")
    with tempfile.TemporaryDirectory() as folder:
        unit = pathlib.Path(folder) / UNIT.name
        unit.write_text(text, encoding="utf-8")
        said = subprocess.run(["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", unit],
                              capture_output=True, text=True, check=False)
    lines = said.stderr.splitlines() + ([f"exit code {said.returncode}"] if said.returncode else [])
    return "\n".join(line for line in lines if UNIT.stem in line or line.startswith("exit code"))


class Unit(unittest.TestCase):
    text = UNIT.read_text(encoding="utf-8")

    def test_systemd_understands_all_of_it(self):
        self.assertEqual(complaints(self.text), "")

    def test_systemd_would_say_what_it_does_not_understand(self):
        self.assertIn("NoSuchKey", complaints(self.text.replace("[Service]\n", "[Service]\nNoSuchKey=1\n")))
        self.assertIn("nowhere", complaints(self.text.replace("ExecStart=numatch", "ExecStart=/nowhere/numatch")))


if __name__ == "__main__":
    if shutil.which("systemd-analyze") is None:
        print("skipped: there is no systemd-analyze")
        sys.exit(SKIPPED)
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checks of scripts/ find what they are there to find, in a small project made for each test."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
APACHE = "// SPDX-License-Identifier: Apache-2.0\n"
DUAL = "// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later\n"
ROOMS = ("numatch_room(base)\nnumatch_room(trace USES base)\n"
         "numatch_room(report USES base LIBRARIES x)\n")
TABLE = "| `base` | a | – | b |\n| `trace` | a | base | b |\n| `report` | a | base | b |\n"


class Checks(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = pathlib.Path(holder.name)
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)
        shutil.copytree(SCRIPTS, self.root / "scripts",
                        ignore=shutil.ignore_patterns("__pycache__"))
        self.put("src/CMakeLists.txt", "# SPDX-License-Identifier: Apache-2.0\n" + ROOMS)
        self.put("src/README.md", TABLE)
        for name in ("Apache-2.0", "GPL-2.0-only", "GPL-2.0-or-later"):
            self.put(f"LICENSES/{name}.txt", "text")

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def check(self, script, code, shown=""):
        done = subprocess.run([str(self.root / "scripts" / script)], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode == 0, code == 0, done.stdout + done.stderr)
        self.assertIn(shown, done.stdout + done.stderr)

    def test_includes_that_follow_the_arrows_pass(self):
        self.put("src/trace/a.cpp", DUAL + '#include "base/ids.hpp"\n#include "trace/b.hpp"\n')
        self.check("check-arrows", 0)

    def test_an_upward_include_is_found(self):
        self.put("src/base/a.cpp", DUAL + '#include "trace/b.hpp"\n')
        self.check("check-arrows", 1, "src/base/a.cpp:2: may not include trace/")

    def test_an_undeclared_include_is_found(self):
        self.put("src/report/a.cpp", APACHE + '#include "trace/b.hpp"\n')
        self.check("check-arrows", 1, "src/report/a.cpp:2")

    def test_a_capture_part_sees_trace_and_base_only(self):
        self.put("capture/a.cpp", DUAL + '#include "report/b.hpp"\n')
        self.check("check-arrows", 1, "capture/a.cpp:2")

    def test_an_upward_declaration_is_found(self):
        self.put("src/CMakeLists.txt", "numatch_room(base USES trace)\nnumatch_room(trace)\n")
        self.check("check-arrows", 1, "base uses trace")

    def test_a_readme_that_disagrees_is_found(self):
        self.put("src/README.md", TABLE.replace("| `trace` | a | base |", "| `trace` | a | – |"))
        self.check("check-arrows", 1, "disagree about base")

    def test_right_licences_pass(self):
        self.put("src/base/a.cpp", DUAL)
        self.put("src/report/a.cpp", APACHE)
        self.check("check-licences", 0)

    def test_the_kernel_module_has_a_licence_of_its_own(self):
        self.put("kernel/uapi/a.h", DUAL.replace("//", "/*").replace("\n", " */\n"))
        self.put("kernel/a.c", "// SPDX-License-Identifier: GPL-2.0-only\n")
        self.check("check-licences", 0)
        self.put("kernel/a.c", APACHE)
        self.check("check-licences", 1, "kernel/a.c: says")

    def test_a_missing_licence_is_found(self):
        self.put("src/report/a.cpp", "int a;\n")
        self.check("check-licences", 1, "src/report/a.cpp: no")

    def test_the_licence_of_another_folder_is_found(self):
        self.put("src/base/a.cpp", APACHE)
        self.check("check-licences", 1, "src/base/a.cpp: says")

    def test_unfinished_work_is_found(self):
        self.put("docs/a.md", "fine\nTO" + "DO later\n")
        self.check("check-words", 1, "docs/a.md:2: unfinished work")

    def test_a_folder_of_one_machine_is_found(self):
        self.put("docs/a.md", "see /ho" + "me/somebody/file\n")
        self.check("check-words", 1, "docs/a.md:1: a folder of one machine")

    def test_wrong_layout_is_found_and_mended(self):
        self.put("src/report/a.cpp", APACHE + "int   a ;\n")
        self.check("check-format", 1)
        subprocess.run([str(self.root / "scripts/check-format"), "--fix"], check=True)
        self.check("check-format", 0)

    def test_a_faulty_shell_script_is_found(self):
        self.put("a.sh", "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\necho $1\n")
        self.check("check-scripts", 1, "SC2086")

    def test_a_faulty_python_file_is_found(self):
        self.put("a.py", "def f(:\n")
        self.check("check-scripts", 1, "a.py")


if __name__ == "__main__":
    unittest.main()

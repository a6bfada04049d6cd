#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds numatch.ko for a kernel and looks at what came out: module_test.py SERIES FOLDER

Exit code: 0 all is well, 1 a test failed, 77 there are no headers for this kernel.
"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SKIPPED = 77


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def kernel_folder(series):
    kernels = pathlib.Path(os.environ.get("NUMATCH_KERNELS") or ROOT / "build" / "kernels")
    return kernels / series


class Module(unittest.TestCase):
    series = ""
    module = pathlib.Path()

    def imports(self):
        return {line.split()[-1] for line in output_of("nm", "-u", self.module).splitlines()}

    def test_it_imports_what_the_list_says_and_nothing_else(self):
        lines = (HERE / "imports.txt").read_text(encoding="utf-8").splitlines()
        allowed = {line for line in lines if not line.startswith("#")}
        found = {re.sub("_noprof$", "", name) for name in self.imports()}
        self.assertEqual(found - allowed, set())

    def test_the_kernel_exports_what_it_imports(self):
        table = (kernel_folder(self.series) / "headers/Module.symvers").read_text(encoding="utf-8")
        exported = {line.split("\t")[1] for line in table.splitlines()
                    if line.split("\t")[2] == "vmlinux"}
        self.assertEqual(self.imports() - exported, set())

    def test_it_is_for_this_very_kernel(self):
        release = (kernel_folder(self.series) / "release").read_text(encoding="utf-8").split()[0]
        versions = re.findall(rb"\0vermagic=(\S+) ", self.module.read_bytes())
        self.assertEqual(versions, [release.encode()])

    def test_it_says_its_licence(self):
        self.assertEqual(re.findall(rb"\0license=(.*?)\0", self.module.read_bytes()), [b"GPL"])


def main():
    Module.series, folder = sys.argv[1:3]
    Module.module = pathlib.Path(folder) / "numatch.ko"
    built = subprocess.run([ROOT / "scripts" / "build-module", Module.series, folder], check=False)
    if built.returncode != 0:
        return built.returncode
    result = unittest.TextTestRunner(verbosity=2).run(
        unittest.defaultTestLoader.loadTestsFromTestCase(Module))
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())

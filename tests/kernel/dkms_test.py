#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds numatch.ko as the package numatch-dkms does: dkms_test.py SERIES BUILD VERSION

Exit code: 0 all is well, 1 a test failed, 77 there are no headers for this kernel, or no dkms.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77


def kernel_folder(series):
    kernels = pathlib.Path(os.environ.get("NUMATCH_KERNELS") or ROOT / "build" / "kernels")
    return kernels / series


class Dkms(unittest.TestCase):
    series = build = version = ""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="numatch-dkms-"))
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("tree", "modules"):
            (self.folder / name).mkdir()
        subprocess.run(["cmake", "--install", self.build, "--component", "dkms",
                        "--prefix", self.folder / "usr"], check=True, stdout=subprocess.DEVNULL)

    def dkms(self, action, release):
        return subprocess.run(
            ["dkms", action, "-m", "numatch", "-v", self.version, "-k", release, "--arch", "x86_64",
             "--kernelsourcedir", kernel_folder(self.series) / "headers",
             "--dkmstree", self.folder / "tree", "--sourcetree", self.folder / "usr/src",
             "--installtree", self.folder / "modules"],
            capture_output=True, text=True, check=False)

    def test_it_builds_the_module_for_a_kernel(self):
        release = (kernel_folder(self.series) / "release").read_text(encoding="utf-8").split()[0]
        done = self.dkms("build", release)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        made = list((self.folder / "tree").glob("numatch/*/*/x86_64/module/numatch.ko*"))
        self.assertEqual(len(made), 1)
        self.assertIn(f"vermagic={release} ".encode(), made[0].read_bytes())

    def test_it_leaves_out_kernels_that_the_module_was_not_tried_on(self):
        done = self.dkms("build", "6.9.1-amd64")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("BUILD_EXCLUSIVE", done.stdout + done.stderr)


def main():
    Dkms.series, Dkms.build, Dkms.version = sys.argv[1:4]
    fetched = subprocess.run([ROOT / "scripts" / "fetch-kernels", "--headers", Dkms.series],
                             stdout=subprocess.DEVNULL, check=False)
    if fetched.returncode != 0 or shutil.which("dkms") is None:
        print("skipped: no headers of this kernel, or no dkms")
        return SKIPPED
    result = unittest.TextTestRunner(verbosity=2).run(
        unittest.defaultTestLoader.loadTestsFromTestCase(Dkms))
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())

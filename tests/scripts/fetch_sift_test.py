#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fetch_sift_test.py: scripts/fetch-sift on archives made here; nothing comes over the network."""

import io
import pathlib
import struct
import subprocess
import sys
import tarfile
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "fetch-sift"
VECTOR = struct.pack("<i", 128) + bytes(512)
ROW = struct.pack("<i", 100) + bytes(400)
WHOLE = {"siftsmall_base.fvecs": VECTOR * 10000, "siftsmall_query.fvecs": VECTOR * 100,
         "siftsmall_groundtruth.ivecs": ROW * 100}


class FetchSift(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def archive(self, files):
        path = self.folder / "archive.tar.gz"
        with tarfile.open(path, "w:gz", compresslevel=1) as packed:
            for name, contents in files.items():
                member = tarfile.TarInfo("siftsmall/" + name)
                member.size = len(contents)
                packed.addfile(member, io.BytesIO(contents))
        return path.as_uri()

    def fetch(self, url):
        return subprocess.run([sys.executable, SCRIPT, "--small", "--from", url, self.folder / "sift"],
                              capture_output=True, text=True, check=False)

    def test_a_whole_archive_is_unpacked_and_the_command_told(self):
        ran = self.fetch(self.archive(WHOLE))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("siftsmall_query.fvecs --neighbours", ran.stdout)
        for name, contents in WHOLE.items():
            self.assertEqual((self.folder / "sift" / name).read_bytes(), contents)

    def test_what_is_there_is_not_fetched_again(self):
        self.assertEqual(self.fetch(self.archive(WHOLE)).returncode, 0)
        self.assertEqual(self.fetch("file:///nowhere.tar.gz").returncode, 0)

    def test_a_file_that_is_too_short_is_named(self):
        ran = self.fetch(self.archive({**WHOLE, "siftsmall_query.fvecs": VECTOR * 99}))
        self.assertEqual(ran.returncode, 1)
        self.assertIn("of another length: siftsmall_query.fvecs", ran.stderr)

    def test_what_cannot_be_fetched_or_unpacked_is_one_line(self):
        damaged = self.folder / "damaged.tar.gz"
        damaged.write_bytes(b"no archive")
        for url in ("file:///nowhere.tar.gz", damaged.as_uri()):
            ran = self.fetch(url)
            self.assertEqual(ran.returncode, 2)
            self.assertEqual(len(ran.stderr.splitlines()), 1, ran.stderr)


if __name__ == "__main__":
    unittest.main()

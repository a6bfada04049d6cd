#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fetch_sift_test.py: scripts/fetch-sift on archives made here; nothing comes over the network."""

import hashlib
import http.server
import io
import pathlib
import socket
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "fetch-sift"
VECTOR = struct.pack("<i", 128) + bytes(512)
ROW = struct.pack("<i", 100) + bytes(400)
WHOLE = {"siftsmall_base.fvecs": VECTOR * 10000, "siftsmall_query.fvecs": VECTOR * 100,
         "siftsmall_groundtruth.ivecs": ROW * 100}


class ShortServer(http.server.BaseHTTPRequestHandler):
    """Announces more than it sends, as a connection that breaks does."""

    def do_GET(self):  # pylint: disable=invalid-name
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        self.wfile.write(bytes(5000))

    def log_message(self, *_):  # pylint: disable=arguments-differ
        """Says nothing."""


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

    def fetch(self, url, *more):
        return subprocess.run([sys.executable, SCRIPT, "--small", "--from", url, *more, self.folder / "sift"],
                              capture_output=True, text=True, check=False)

    def assert_one_line(self, ran, code, words):
        self.assertEqual(ran.returncode, code, ran.stderr)
        self.assertEqual(len(ran.stderr.splitlines()), 1, ran.stderr)
        self.assertIn(words, ran.stderr)
        left = list((self.folder / "sift").iterdir())
        self.assertEqual(left, [], "something is left behind")

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

    def test_another_checksum_is_one_line_and_nothing_is_unpacked(self):
        ran = self.fetch(self.archive(WHOLE), "--md5", "0" * 32)
        self.assert_one_line(ran, 1, "its MD5 is ")

    def test_the_right_checksum_is_fine(self):
        url = self.archive(WHOLE)
        wanted = hashlib.md5((self.folder / "archive.tar.gz").read_bytes()).hexdigest()
        self.assertEqual(self.fetch(url, "--md5", wanted).returncode, 0)

    def test_a_connection_that_ends_early_is_one_line(self):
        with http.server.HTTPServer(("127.0.0.1", 0), ShortServer) as server:
            threading.Thread(target=server.handle_request, daemon=True).start()
            ran = self.fetch(f"http://127.0.0.1:{server.server_port}/sift.tar.gz")
        self.assert_one_line(ran, 1, "only 5000 of 1000000 bytes came")

    def test_an_archive_that_ends_early_is_one_line(self):
        self.archive(WHOLE)
        short = self.folder / "short.tar.gz"
        short.write_bytes((self.folder / "archive.tar.gz").read_bytes()[:3000])
        ran = self.fetch(short.as_uri())
        self.assertEqual(ran.returncode, 2, ran.stderr)
        self.assertEqual(len(ran.stderr.splitlines()), 1, ran.stderr)

    def test_nobody_who_answers_is_one_line(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # and does not listen
            ran = self.fetch(f"http://127.0.0.1:{taken.getsockname()[1]}/sift.tar.gz")
        self.assert_one_line(ran, 2, "refused")

    def test_a_place_that_is_none_is_one_line(self):
        self.assert_one_line(self.fetch("no place"), 2, "no place")

    def test_what_cannot_be_fetched_or_unpacked_is_one_line(self):
        damaged = self.folder / "damaged.tar.gz"
        damaged.write_bytes(b"no archive")
        for url in ("file:///nowhere.tar.gz", damaged.as_uri()):
            ran = self.fetch(url)
            self.assertEqual(ran.returncode, 2)
            self.assertEqual(len(ran.stderr.splitlines()), 1, ran.stderr)


if __name__ == "__main__":
    unittest.main()

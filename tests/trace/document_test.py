#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""docs/trace-format.md tells the truth: a reader written from it alone (nmt.py) reads what numatch wrote,
and agrees with what numatch exports."""

import argparse
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import nmt

CHOSEN = None


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True,
                          text=True).stdout


class Document(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="numatch-document-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "t.nmt"

    def make(self, *how):
        run(CHOSEN.make_trace, self.file, *how)
        return nmt.Trace(self.file)

    def only_accesses(self, trace, thread):
        return [item[1:] for item in trace.accesses(thread) if item[0] == "access"]

    def test_the_example_has_the_bytes_of_the_document(self):
        trace = self.make(0)
        document = (pathlib.Path(__file__).parents[2] / "docs/trace-format.md").read_text()
        line, = [text for text in document.splitlines() if text.startswith("    03 00 00 |")]
        chunk, = trace.of(0, 2)
        self.assertEqual(chunk.raw, bytes.fromhex(line.replace("|", "")))
        expected = []
        for i in range(6):
            expected.append((0x401000, 0x10000 + 8 * i, 8, False))
            expected.append((0x401004, 0x20000, 4, True))
        expected.append((0x401000, 0x30000, 8, False))
        self.assertEqual(self.only_accesses(trace, 0), expected)
        self.assertEqual([item for item in trace.accesses(0) if item[0] == "block"],
                         [("block", 2, 0), ("block", 4, 12)])

    def test_one_thread_reads_as_it_is_exported(self):
        trace = self.make(1)
        text = "".join(f" {'S' if write else 'L'} {address:08x},{size}\n"
                       for _, address, size, write in self.only_accesses(trace, 0))
        self.assertEqual(run(CHOSEN.numatch, "trace", "export", self.file, "--format", "lackey",
                             "-o", "-"), text)

    def test_every_thread_reads_as_it_is_exported(self):
        trace = self.make(3)
        run(CHOSEN.numatch, "trace", "export", self.file, "--format", "drmemtrace", "-o",
            self.folder / "dr")
        self.assertEqual(trace.threads(), [0, 1, 2])
        for thread in trace.threads():
            name = self.folder / "dr" / "trace" / f"drmemtrace.numatch.{thread:06}.trace"
            self.assertEqual(list(exported(name.read_bytes())),
                             list(in_pieces(self.only_accesses(trace, thread))))

    def test_the_metadata_and_counts_are_those_of_info(self):
        trace = self.make(3)
        info = json.loads(run(CHOSEN.numatch, "trace", "info", "--json", self.file))
        self.assertEqual(trace.metadata["frontend"], info["frontend"])
        self.assertEqual(trace.metadata["command"], info["command"])
        for thread in info["threads"]:
            number = thread["id"]
            chunks = trace.of(number, 2)
            self.assertEqual(sum(chunk.records for chunk in chunks), thread["accesses"])
            self.assertEqual(sum(chunk.instructions for chunk in chunks), thread["instructions"])
            events = list(trace.events(number))
            self.assertEqual(len(events), thread["events"])
            self.assertEqual((events[0][0], events[0][3][0]), (1, thread["os_tid"]))
            self.assertEqual(events[-1][0], 2)
            names = [text.decode() for kind, _, _, _, text in events if kind == 3]
            self.assertEqual(names, [thread["name"]])

    def test_stamps_rise_in_a_thread_and_occur_once(self):
        trace = self.make(3)
        seen = set()
        for thread in trace.threads():
            blocks = [item[1] for item in trace.accesses(thread) if item[0] == "block"]
            events = [stamp for _, _, stamp, _, _ in trace.events(thread)]
            self.assertEqual(blocks, sorted(blocks))
            self.assertEqual(events, sorted(events))
            for stamp in blocks + events:
                self.assertNotIn(stamp, seen)
                seen.add(stamp)


def exported(data):
    """(pc, address, bytes, write) of the reads and writes in a drmemtrace file."""
    pc = None
    for kind, size, value in struct.iter_unpack("<HHQ", data):
        if kind == 10:
            pc = value
        if kind in (0, 1):
            yield pc, value, size, kind == 1


def in_pieces(accesses):
    """drmemtrace has 16 bits for a size."""
    for pc, address, size, write in accesses:
        for done in range(0, size, 0x8000):
            yield pc, address + done, min(0x8000, size - done), write


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--numatch", required=True)
    parser.add_argument("--make-trace", required=True)
    CHOSEN, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])

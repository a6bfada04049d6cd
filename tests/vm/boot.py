#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Boots one kernel in the virtual test machine and runs guest scripts; README.md says how to write one.

    boot.py [--kernel SERIES|FILE] [--machine 4x2] [--program P]... [--file HOST:GUEST]... SCRIPT...

Prints what the scripts print. Exit code: 0 all is well, 1 a script failed or the kernel log shows trouble,
2 the machine cannot be started.
"""

import argparse
import pathlib
import sys
import tempfile

import guest
import initramfs
import machine


def file_pair(text):
    source, _, target = text.partition(":")
    if not target.startswith("/"):
        raise argparse.ArgumentTypeError(f"'{text}' is not HOST:GUEST with an absolute guest path")
    return source, target


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("script", nargs="+", type=pathlib.Path)
    parser.add_argument("--kernel", default="6.12", help="a series, or the file of a kernel")
    parser.add_argument("--machine", default="4x2", help="NODESxCPUS, 4x2 unless said")
    parser.add_argument("--program", action="append", default=[], metavar="P",
                        help="goes to /bin of the guest, with its libraries")
    parser.add_argument("--file", action="append", default=[], type=file_pair,
                        metavar="HOST:GUEST", help="for example module.ko:/modules/module.ko")
    parser.add_argument("--append", default="", help="more for the kernel's command line: pti=on")
    parser.add_argument("--limit", type=float, default=300, help="seconds, 300 unless said")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER",
                        help="what came back: output, console, dmesg and what is left in $OUT")
    return parser.parse_args()


def main():
    asked = arguments()
    with tempfile.TemporaryDirectory(prefix="numatch-vm-") as work:
        try:
            result = guest.boot(asked.kernel, machine.Machine.parse(asked.machine), asked.script,
                                asked.keep or work, programs=asked.program, files=asked.file,
                                append=asked.append, limit=asked.limit)
        except (guest.CannotBoot, initramfs.BadContents, machine.BadMachine) as wrong:
            print(f"boot: {wrong}", file=sys.stderr)
            return 2
        print(result.output, end="")
        wrong = result.failures([script.stem for script in asked.script])
    for sentence in wrong:
        print(f"boot: {sentence}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

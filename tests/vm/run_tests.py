#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the guest scripts of tests/vm/suites on one kernel; README.md says how to write one.

    run_tests.py --build BUILD --kernel SERIES [--optional] [--only TEXT] SCRIPT...

Scripts that ask for the same machine share one boot. Exit code: 0 every script passed, 1 one failed,
2 the machine cannot be started, 77 no script is for this kernel, or --optional and it cannot be had.
"""

import argparse
import dataclasses
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile

import guest
import initramfs
import kernel_log
from machine import BadMachine, Machine

SKIPPED = 77
ATTEMPTS = 3  # where the emulator is at fault
DEBUG = "-debug"  # ending of the name of a kernel that scripts/build-debug-kernel builds
DEBUG_SLOWER = 6  # what KASAN and lockdep cost, with something to spare
WORDS = ("KERNELS", "MACHINE", "APPEND", "ALSO", "MODULE", "DRIVERS", "LIMIT")
MODULES = ("", "yes", "broken")


class Malformed(Exception):
    """A guest script with a line that nobody understands."""


@dataclasses.dataclass(frozen=True)
class Script:
    path: pathlib.Path
    kernels: tuple = ()  # series; empty: all
    machine: str = "4x2"
    append: str = ""
    also: str = ""  # once more with this instead of `append`
    drivers: tuple = ()  # modules of the kernel itself
    module: str = ""  # one of MODULES
    limit: str = "300"  # seconds

    @property
    def boot(self):
        return self.machine, self.append, self.module, self.drivers

    @property
    def runs(self):
        """This script, and once more where it asks for that."""
        return [self, dataclasses.replace(self, append=self.also, also="")] if self.also else [self]


def read_script(path):
    """A script with what its lines `# WORD value` ask for."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        match = re.fullmatch(r"# ([A-Z]{3,})\s+(.*)", line)
        if match and match.group(1) not in ("SPDX",):
            word, value = match.groups()
            if word not in WORDS:
                raise Malformed(f"{path}: unknown word '{word}'; there are {', '.join(WORDS)}")
            several = word in ("KERNELS", "DRIVERS")
            found[word.lower()] = tuple(value.split()) if several else value.strip()
    script = Script(path, **found)
    if script.module not in MODULES:
        raise Malformed(f"{path}: MODULE {script.module}; there are yes and broken")
    return script


def kernel_is_there(kernel):
    """Whether the kernel was or could be fetched or built; the script has said why not."""
    words = ["build-debug-kernel"] if kernel.endswith(DEBUG) else ["fetch-kernels", kernel]
    return subprocess.run([guest.ROOT / "scripts" / words[0], *words[1:]],
                          check=False).returncode == 0


def programs_of(build):
    """The numatch command and all programs that were built for the guest."""
    return [build / "numatch", *sorted((build / "tests" / "vm" / "bin").glob("*"))]


def module_for(kernel, kind, build):
    """numatch.ko for a kernel, built; None where its headers cannot be had, as build-module has said."""
    folder = build / "module" / (f"{kernel}-broken" if kind == "broken" else kernel)
    words = [guest.ROOT / "scripts" / "build-module", kernel, folder]
    if kind == "broken":
        words.insert(1, "--break-coherence")
    code = subprocess.run(words, check=False).returncode
    if code not in (0, SKIPPED):
        raise guest.CannotBoot(f"there is no kernel module for {kernel}")
    return folder / "numatch.ko" if code == 0 else None


def driver(kernel, name, folder):
    """A module of the kernel itself, unpacked into a folder; None where the kernel has it built in."""
    found = sorted((guest.kernels_folder() / kernel).glob(f"**/modules/*/kernel/**/{name}.ko*"))
    if not found:
        return None
    data = found[0].read_bytes()
    target = folder / f"{name}.ko"
    target.write_bytes(lzma.decompress(data) if found[0].suffix == ".xz" else data)
    return target, f"/modules/{name}.ko"


def run_boot(kernel, scripts, build):
    """Boots once for scripts that want the same machine; True when all passed."""
    machine, append, module, _ = scripts[0].boot
    files = []
    if module:
        files = [(module_for(kernel, module, build), "/modules/numatch.ko")]
        if files[0][0] is None:
            print("skipped: " + ", ".join(script.path.stem for script in scripts))
            return True
    for attempt in range(ATTEMPTS):
        result, wrong = boot_once(kernel, scripts, build, files)
        fault = kernel_log.emulators_fault(result.log)
        if not wrong or not fault or attempt + 1 == ATTEMPTS:
            break
        print(f"-- the emulator {fault}: once more")
    print(f"-- kernel {kernel}, machine {machine} {append}".rstrip())
    print(result.output, end="")
    print(f"-- {result.wall:.0f} s of wall time")
    for sentence in wrong:
        print(f"FAILED: {sentence}")
    return not wrong


def boot_once(kernel, scripts, build, files):
    """The Result, and sentences about what went wrong."""
    machine, append, _, drivers = scripts[0].boot
    slower = DEBUG_SLOWER if kernel.endswith(DEBUG) else 1
    with tempfile.TemporaryDirectory(prefix="numatch-vm-") as folder:
        work = pathlib.Path(folder)
        brought = [driver(kernel, name, work) for name in drivers]
        files = [*files, *(one for one in brought if one)]
        result = guest.boot(kernel, Machine.parse(machine), [script.path for script in scripts],
                            folder, programs=programs_of(build), files=files, append=append,
                            limit=slower * (120 + sum(int(script.limit) for script in scripts)),
                            slower=slower)
        return result, result.failures([script.path.stem for script in scripts])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--kernel", required=True)
    parser.add_argument("--optional", action="store_true", help="skip when it cannot be fetched")
    parser.add_argument("--only", default="", help="scripts whose name has this text")
    parser.add_argument("scripts", nargs="+", type=pathlib.Path, metavar="SCRIPT")
    asked = parser.parse_args()
    try:
        scripts = [read_script(path) for path in asked.scripts if asked.only in path.stem]
        scripts = [run for script in scripts for run in script.runs
                   if not script.kernels or asked.kernel.removesuffix(DEBUG) in script.kernels]
        if not scripts:
            print(f"skipped: no script is for kernel {asked.kernel}")
            return SKIPPED
        if not kernel_is_there(asked.kernel):
            print(f"{'skipped' if asked.optional else 'FAILED'}: no kernel {asked.kernel}")
            return SKIPPED if asked.optional else 2
        passed = True
        for boot in dict.fromkeys(script.boot for script in scripts):
            alike = [script for script in scripts if script.boot == boot]
            passed = run_boot(asked.kernel, alike, asked.build.resolve()) and passed
    except (guest.CannotBoot, initramfs.BadContents, BadMachine, Malformed, OSError) as wrong:
        print(f"run_tests: {wrong}", file=sys.stderr)
        return 2
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())

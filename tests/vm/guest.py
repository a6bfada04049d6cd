# SPDX-License-Identifier: Apache-2.0
"""Boots a kernel in QEMU with some scripts and brings back what they said."""

import dataclasses
import os
import pathlib
import subprocess
import tempfile
import time

import initramfs
import kernel_log

ROOT = pathlib.Path(__file__).resolve().parents[2]
# TCG, never KVM: the result is the same on every host, and inside virtual machines KVM may hang.
QEMU = ("qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max",
        "-no-reboot", "-nodefaults", "-display", "none", "-monitor", "none")
# Only warnings on the console, which is slow; `dmesg` comes with the results. An emulated processor may
# wait long for its turn on a loaded host, which is no lockup: hence the long watchdog times, and no check at
# the start that timers come when they are expected. A lockup shows where every processor is.
COMMAND_LINE = ("console=ttyS0 loglevel=5 panic=-1 oops=panic watchdog_thresh=60 softlockup_all_cpu_backtrace=1 "
                "rcupdate.rcu_cpu_stall_timeout=120 no_timer_check net.ifnames=0 random.trust_cpu=on")


class CannotBoot(Exception):
    """The machine could not be started at all; one line."""


@dataclasses.dataclass
class Result:
    """What a boot gave. `codes` has the exit code of each script that ended."""
    codes: dict
    output: str
    log: str
    folder: pathlib.Path  # files that the scripts left in $OUT, in a folder per script
    ended: bool  # the guest sent its results and switched itself off
    late: bool  # it was ended since its time was over
    wall: float  # seconds

    def failures(self, names):
        """Sentences about what went wrong; empty when all is well."""
        wrong = []
        for name in names:
            code = self.codes.get(name)
            if code is None:
                wrong.append(f"{name}: did not end")
            elif code != 0:
                wrong.append(f"{name}: exit code {code}")
        if self.late:
            wrong.append("the guest did not end in its time")
        elif not self.ended:
            wrong.append("the guest ended before its results were sent")
        if kernel_log.troubles(self.log):
            wrong.append("the kernel log shows trouble:\n" + kernel_log.excerpt(self.log))
        return wrong


def kernels_folder():
    return pathlib.Path(os.environ.get("NUMATCH_KERNELS") or ROOT / "build" / "kernels").resolve()


def read_text(path):
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def unpack(tar, folder):
    """True when the whole tar came."""
    unpacked = subprocess.run(["tar", "-x", "--no-same-owner", "-f", tar, "-C", folder],
                              capture_output=True, check=False)
    return unpacked.returncode == 0 and (folder / "uptime.end").exists()


def start_qemu(words, limit):
    """True when QEMU ended by itself within `limit` seconds."""
    try:
        ended = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                               timeout=limit, check=False)
    except FileNotFoundError:
        raise CannotBoot("qemu-system-x86_64 is missing; run scripts/install-deps test") from None
    except subprocess.TimeoutExpired:
        return False
    if ended.returncode != 0:
        raise CannotBoot(f"QEMU ended with {ended.returncode}: {ended.stderr.strip()[-300:]}")
    return True


def boot(kernel, machine, scripts, folder, *, programs=(), files=(), append="", limit=300,
         script_limit=300, slower=1):
    """Boots `kernel` (a series or the path of a kernel), runs the scripts and returns the Result.

    `programs` go to /bin with their libraries, `files` are pairs (host path, guest path), `append` is
    added to the kernel's command line; limits are in seconds: of the boot, on the
    host, and of each script, in the guest, where all are `slower` times as long. What came back lies in
    `folder`.
    """
    image = pathlib.Path(kernel)
    if not image.is_file():
        image = kernels_folder() / kernel / "vmlinuz"
    if not image.is_file():
        raise CannotBoot(f"kernel {kernel} is not there; run scripts/fetch-kernels {kernel}")
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="numatch-vm-") as work:
        work = pathlib.Path(work)
        contents = initramfs.Contents(work / "root")
        for program in programs:
            contents.add_program(program)
        for source, target in files:
            contents.add_file(source, target)
        contents.add_tests(scripts, script_limit, slower)
        contents.pack(work / "initramfs")
        words = [*QEMU, *machine.qemu(), "-kernel", str(image), "-initrd", str(work / "initramfs"),
                 "-append", f"{COMMAND_LINE} {append}".strip()]
        for name in ("console", "output", "results"):
            words += ["-serial", f"file:{folder / name}"]
        start = time.monotonic()
        in_time = start_qemu(words, limit)
        wall = time.monotonic() - start
    sent = unpack(folder / "results", folder)
    codes = {path.stem: int(read_text(path)) for path in folder.glob("*.code")}
    return Result(codes, read_text(folder / "output"),
                  read_text(folder / "console") + read_text(folder / "dmesg"),
                  folder, sent, not in_time, wall)

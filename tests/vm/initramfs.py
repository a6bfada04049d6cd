# SPDX-License-Identifier: Apache-2.0
"""The guest's whole file system: busybox, the programs with their libraries, the tests."""

import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
PARTS = ("lib", "ring", "harm", "held")  # of guest scripts
BUSYBOX = pathlib.Path("/bin/busybox")
FOLDERS = ("bin", "dev", "etc", "lib64", "modules", "out", "proc", "sys", "tests", "tmp", "usr")
PASSWD = "root:x:0:0:root:/:/bin/sh\ntester:x:1000:1000:tester:/tmp:/bin/sh\n"
GROUP = "root:x:0:\ntester:x:1000:\n"


class BadContents(Exception):
    """What was to be put into the guest cannot be; one line."""


def applets():
    try:
        listed = subprocess.run([BUSYBOX, "--list"], capture_output=True, text=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        raise BadContents("busybox is missing; run scripts/install-deps test") from None
    return set(listed.stdout.split())


def libraries_of(program):
    """The shared libraries that a program needs; none for a script or a static program."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
    if "not found" in listed.stdout:
        raise BadContents(f"{program} needs a library that is not installed")
    return [pathlib.Path(path) for path in re.findall(r"(/\S+) \(0x", listed.stdout)]


def own_limit(script):
    """The seconds of a script's line `# LIMIT`; None without one."""
    said = re.search(r"^# LIMIT +([0-9]+)$", pathlib.Path(script).read_text(encoding="utf-8"), re.M)
    return int(said.group(1)) if said else None


class Contents:
    """A folder that becomes an initramfs."""

    def __init__(self, folder):
        self.root = folder
        for name in FOLDERS:
            (folder / name).mkdir(parents=True)
        self.applets = applets()
        shutil.copy(BUSYBOX, folder / "bin" / "busybox")
        for name in self.applets - {"busybox"}:
            (folder / "bin" / name).symlink_to("busybox")
        for name in ("init", "run-test"):
            shutil.copy(HERE / "guest" / name, folder / name)
            (folder / name).chmod(0o755)
        for name in PARTS:
            shutil.copy(HERE / "guest" / f"{name}.sh", folder / "tests" / f"{name}.sh")
        (folder / "etc" / "passwd").write_text(PASSWD, encoding="utf-8")
        (folder / "etc" / "group").write_text(GROUP, encoding="utf-8")

    def add_program(self, program):
        """A program of the host into /bin, with the shared libraries it needs."""
        program = pathlib.Path(program)
        if program.name in self.applets:
            raise BadContents(f"{program.name} is a command of busybox; the guest needs another name")
        if not program.is_file():
            raise BadContents(f"{program} is not there; build it first")
        self.copy_stripped(program, self.root / "bin" / program.name)
        for library in libraries_of(program):
            target = self.root / str(library).lstrip("/")
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(library, target)

    @staticmethod
    def copy_stripped(program, target):
        """Without debug information, which would make each boot longer."""
        stripped = subprocess.run(["strip", "-S", "-o", target, program], capture_output=True,
                                  check=False)
        if stripped.returncode != 0:  # a script
            shutil.copy(program, target)
        shutil.copymode(program, target)

    def add_file(self, source, target):
        """A file of the host as the absolute path `target` of the guest."""
        source, place = pathlib.Path(source), self.root / str(target).lstrip("/")
        if not source.is_file():
            raise BadContents(f"{source} is not there")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, place)

    def add_tests(self, scripts, limit, slower=1):
        """The scripts that the guest runs, in this order, each for at most `limit` seconds, or as
        many as its own line `# LIMIT` says; on a kernel that is `slower` times as slow, longer."""
        names = [pathlib.Path(script).stem for script in scripts]
        if len({*PARTS, *names}) != len(names) + len(PARTS):
            raise BadContents("two guest scripts of one name, or one named " + ", ".join(PARTS))
        for name, script in zip(names, scripts):
            self.add_file(script, f"/tests/{name}.sh")
        lines = [f"{name} {(own_limit(script) or limit) * slower}\n" for name, script in zip(names, scripts)]
        (self.root / "tests" / "list").write_text("".join(lines), encoding="utf-8")

    def pack(self, target):
        """Uncompressed: an emulated processor would unpack it slowly. All files belong to root."""
        names = [path.relative_to(self.root) for path in sorted(self.root.rglob("*"))]
        listed = "".join(f"{name}\0" for name in names).encode()
        with open(target, "wb") as out:
            try:
                made = subprocess.run(["cpio", "--quiet", "-0", "-o", "-H", "newc", "-R", "0:0"],
                                      input=listed, stdout=out, stderr=subprocess.PIPE,
                                      cwd=self.root, check=False)
            except FileNotFoundError:
                raise BadContents("cpio is missing; run scripts/install-deps test") from None
        if made.returncode != 0:
            raise BadContents("cpio: " + made.stderr.decode(errors="replace").strip())

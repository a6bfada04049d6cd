#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs declarative command-line tests; tests/cli/README.md describes the format.

    run_tests.py --build BUILD [--only TEXT] FILE.test...

Exit code: 0 every test passed, 1 a test failed or a file is malformed, 77 every test was skipped.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77


class Malformed(Exception):
    """A test file that does not follow the format."""


@dataclasses.dataclass
class Test:
    name: str
    where: str
    script: list = dataclasses.field(default_factory=list)
    out: list = dataclasses.field(default_factory=list)  # (kind, text) on standard output
    err: list = dataclasses.field(default_factory=list)  # (kind, text) on standard error
    exit: int = 0
    requires: list = dataclasses.field(default_factory=list)
    one_line_err: bool = False
    timeout: float = 60.0


STREAM_WORDS = {
    "EXPECT": ("out", "has"),
    "EXPECT_RE": ("out", "matches"),
    "EXPECT_NOT": ("out", "lacks"),
    "EXPECT_ERR": ("err", "has"),
    "EXPECT_ERR_RE": ("err", "matches"),
    "EXPECT_ERR_NOT": ("err", "lacks"),
}


def number(text, where):
    try:
        return int(text)
    except ValueError:
        raise Malformed(f"{where}: '{text}' is not a whole number") from None


def read_line(test, word, rest, where):
    """Adds what one line says to the test."""
    if word in STREAM_WORDS:
        stream, kind = STREAM_WORDS[word]
        if not rest:
            raise Malformed(f"{where}: {word} needs a text")
        if kind == "matches":
            try:
                re.compile(rest)
            except re.error as wrong:
                raise Malformed(f"{where}: {wrong}") from None
        getattr(test, stream).append((kind, rest))
    elif word == "RUN":
        test.script.append(rest)
    elif word == "EXIT":
        test.exit = number(rest, where)
    elif word == "TIMEOUT":
        test.timeout = number(rest, where)
    elif word == "REQUIRES":
        test.requires += rest.split()
    elif word == "ONE_LINE_ERR":
        test.one_line_err = True
    else:
        raise Malformed(f"{where}: unknown word '{word}'")


def read_tests(path):
    tests = []
    for count, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{path}:{count}"
        if not line.strip() or line.startswith("#"):
            continue
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if word == "NAME":
            tests.append(Test(rest, where))
        elif not tests:
            raise Malformed(f"{where}: a test starts with NAME")
        else:
            read_line(tests[-1], word, rest, where)
    for test in tests:
        if not test.name or not test.script:
            raise Malformed(f"{test.where}: a test needs a NAME and a RUN line")
    names = [test.name for test in tests]
    twice = {name for name in names if names.count(name) > 1}
    if twice or not tests:
        raise Malformed(f"{path}: {'two tests named ' + min(twice) if twice else 'no test'}")
    return tests


def holds(kind, text, shown):
    if kind == "has":
        return text in shown
    if kind == "lacks":
        return text not in shown
    return re.search(text, shown, re.MULTILINE) is not None


def execute(test, environment):
    """Runs the script in a folder of its own: (exit code or None when late, stdout, stderr)."""
    with tempfile.TemporaryDirectory(prefix="numatch-test-") as folder:
        child = subprocess.Popen(
            ["bash", "-e", "-c", "\n".join(test.script)],
            cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
        try:
            out, err = child.communicate(timeout=test.timeout)
            return child.returncode, out, err
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            out, err = child.communicate()
            return None, out, err


def complaints(test, code, out, err):
    if code is None:
        return [f"did not end within {test.timeout:g} s"]
    wrong = []
    if code != test.exit:
        wrong.append(f"exit code {code}, expected {test.exit}")
    for name, wanted, shown in (("standard output", test.out, out), ("standard error", test.err, err)):
        wrong += [f"{name} should be so: {kind} '{text}'" for kind, text in wanted
                  if not holds(kind, text, shown)]
    if test.one_line_err and not re.fullmatch(r"numatch: [^\n]+\n", err):
        wrong.append("standard error is not one line 'numatch: ...'")
    return wrong


def excerpt(title, text, lines=40):
    shown = text.splitlines()
    cut = [f"... {len(shown) - lines} more lines"] if len(shown) > lines else []
    return [f"    {title}:"] + [f"      {line}" for line in shown[:lines] + cut]


def run_test(test, environment):
    """One of 'ok', 'skip', 'FAIL', with the lines that explain it."""
    missing = [tool for tool in test.requires if not shutil.which(tool, path=environment["PATH"])]
    if missing:
        return "skip", [f"    needs {', '.join(missing)}"]
    code, out, err = execute(test, environment)
    wrong = complaints(test, code, out, err)
    if not wrong:
        return "ok", []
    lines = [f"    at {test.where}"] + [f"    {line}" for line in wrong]
    return "FAIL", lines + excerpt("ran", "\n".join(test.script)) + \
        excerpt("standard output", out) + excerpt("standard error", err)


def main():
    options = argparse.ArgumentParser(description="Runs tests/cli/*.test files.")
    options.add_argument("--build", required=True, type=pathlib.Path, help="folder of the build")
    options.add_argument("--only", default="", help="run the tests whose name has this text")
    options.add_argument("files", nargs="+", type=pathlib.Path)
    chosen = options.parse_args()
    build = chosen.build.resolve()
    environment = dict(os.environ, BUILD=str(build), SOURCE=str(SOURCE),
                       DATA=str(SOURCE / "tests" / "data"), LC_ALL="C.UTF-8",
                       PATH=f"{build}{os.pathsep}{os.environ.get('PATH', os.defpath)}")
    results = []
    try:
        for path in chosen.files:
            for test in read_tests(path):
                if chosen.only not in test.name:
                    continue
                result, lines = run_test(test, environment)
                results.append(result)
                print("\n".join([f"{result:4} {path.stem}: {test.name}"] + lines), flush=True)
    except (Malformed, OSError, UnicodeDecodeError) as wrong:
        print(f"run_tests.py: {wrong}", file=sys.stderr)
        return 1
    if "FAIL" in results or not results:
        return 1
    return 0 if "ok" in results else SKIPPED


if __name__ == "__main__":
    sys.exit(main())

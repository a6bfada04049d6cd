#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs_test.py CXX INCLUDE LIBRARY PAGE.md: every program of the page compiles, ends well and prints the
indented line that follows it, on one node and on four virtual ones."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile


def main():
    compiler, include, library, page = sys.argv[1:]
    text = pathlib.Path(page).read_text(encoding="utf-8")
    programs = re.findall(r"```cpp\n(.*?)```\n\n    ([^\n]*)\n", text, re.DOTALL)
    programs = [program for program in programs if "int main" in program[0]]
    everything = text.count("```cpp")
    if everything == 0 or everything != len(programs):
        print(f"{page}: {everything} programs, but {len(programs)} with a line that they print")
        return 1
    folder = pathlib.Path(library).parent
    with tempfile.TemporaryDirectory() as scratch:
        for number, (code, shown) in enumerate(programs, 1):
            source = pathlib.Path(scratch) / f"program{number}.cpp"
            source.write_text(code, encoding="utf-8")
            program = source.with_suffix("")
            subprocess.run([compiler, "-std=c++20", "-O1", f"-I{include}", str(source), "-o", str(program),
                            library, f"-Wl,-rpath,{folder}", "-pthread"], check=True)
            for nodes in ("", "node:4 core:2 pu:1"):
                ran = subprocess.run([str(program)], capture_output=True, text=True, check=False,
                                     env={**os.environ, "NUMATCH_TOPOLOGY": nodes})
                if ran.returncode != 0 or ran.stdout.strip() != shown.strip():
                    print(f"program {number} with nodes '{nodes}': {ran.returncode}, printed "
                          f"'{ran.stdout.strip()}', the page says '{shown.strip()}'\n{ran.stderr}")
                    return 1
    print(f"{len(programs)} programs print what the page says")
    return 0


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""header_test.py CXX INCLUDE: the umbrella header compiles by itself, needs nothing but the standard library, and
so does each header of numa/."""

import pathlib
import re
import subprocess
import sys
import tempfile

FOREIGN = re.compile(r"/(hwloc|tbb|oneapi|fmt|numatch/annotate|numa\.h$|numaif\.h$)")


def headers_behind(compiler, include, source):
    """Every header that the compiler reads for a file, by the line markers of its output: what -M lists of clang has
    those that the standard library only asks for with __has_include, too."""
    ran = subprocess.run([compiler, "-std=c++20", "-E", f"-I{include}", source],
                         capture_output=True, text=True, check=True)
    return sorted(set(re.findall(r'^# \d+ "([^"<]+)"', ran.stdout, re.MULTILINE)) - {str(source)})


def main():
    compiler, include = sys.argv[1:]
    root = pathlib.Path(include)
    own = [root / "numatch" / "numa.hpp", *sorted((root / "numatch" / "numa").glob("*.hpp"))]
    wrong = []
    with tempfile.TemporaryDirectory() as scratch:
        for header in own:
            source = pathlib.Path(scratch) / "alone.cpp"
            source.write_text(f"#include <{header.relative_to(root)}>\n", encoding="utf-8")
            behind = headers_behind(compiler, include, source)
            wrong += [f"{header.name} includes {name}" for name in behind if FOREIGN.search(name)]
            if header is own[0]:
                wrong += [f"{header.name} leaves out {name.name}" for name in own[1:]
                          if str(name) not in behind]
            compiled = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{include}", source],
                                      capture_output=True, text=True, check=False)
            if compiled.returncode != 0:
                wrong.append(f"{header.name} does not compile alone:\n{compiled.stderr}")
    print("\n".join(wrong) or f"{len(own)} headers compile alone, with the standard library only")
    return 1 if wrong else 0


sys.exit(main())

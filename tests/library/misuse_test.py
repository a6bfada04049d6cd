#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""misuse_test.py CXX INCLUDE MISUSE.cpp: every case of the file must be refused by the compiler, in the
words that the file expects; case 0 must compile."""

import re
import subprocess
import sys


def main():
    compiler, include, source = sys.argv[1:]
    with open(source, encoding="utf-8") as opened:
        text = opened.read()
    cases = {int(number): words
             for number, words in re.findall(r"CASE == (\d+)  // expect: (.*)", text)}
    wrong = []
    for case in [0, *sorted(cases)]:
        ran = subprocess.run(
            [compiler, "-std=c++20", "-fsyntax-only", f"-DCASE={case}", f"-I{include}", source],
            capture_output=True, text=True, check=False)
        if case == 0:
            if ran.returncode != 0:
                wrong.append(f"case 0 does not compile:\n{ran.stderr}")
        elif ran.returncode == 0:
            wrong.append(f"case {case} compiles")
        elif not re.search(cases[case], ran.stderr):
            wrong.append(f"case {case} is refused in other words:\n{ran.stderr}")
    print("\n".join(wrong) or f"{len(cases)} cases are refused")
    return 1 if wrong or not cases else 0


sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""The known name that somebody meant, by the rule of numatch's other readers."""

from __future__ import annotations

from collections.abc import Iterable


def edit_distance(a: str, b: str) -> int:
    """Insertions, deletions, replacements and swaps of neighbours from a to b."""
    before: list[int] = []
    above = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        row = [i]
        for j, right in enumerate(b, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (left != right))
            if i > 1 and j > 1 and left == b[j - 2] and a[i - 2] == right:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, above = above, row
    return above[-1]


def suggest(word: str, known: Iterable[str]) -> str:
    """ "did you mean 'lapt'?" or, where nothing is near, "known: lapt, oracle"."""
    names = list(known)
    farthest = max(2, len(word) // 3)
    near = min(names, key=lambda name: edit_distance(word, name), default="")
    if near and edit_distance(word, near) <= farthest:
        return f"did you mean '{near}'?"
    return f"known: {', '.join(names)}" if names else ""

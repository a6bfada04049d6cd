# SPDX-License-Identifier: Apache-2.0
"""One line on a terminal that says how far a sweep is; nothing in a pipe."""

from __future__ import annotations

import sys
import time
from typing import Self, TextIO

from .engine import Progress

_LEAST_SHARE = 0.01  # of the work, before an estimate says something


class ProgressLine:
    """Draws while it is used as a context, and leaves the line empty."""

    def __init__(self, stream: TextIO | None = None, quiet: bool = False) -> None:
        self._stream = stream or sys.stderr
        self._draws = not quiet and self._stream.isatty()
        self._begin = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        self.say(text_of(progress, time.monotonic() - self._begin))

    def say(self, text: str) -> None:
        if self._draws:
            self._stream.write(f"\r\x1b[K{text}")
            self._stream.flush()

    def clear(self) -> None:
        self.say("")

    def __enter__(self) -> Self:
        self._begin = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()


def text_of(progress: Progress, seconds: float) -> str:
    text = f"sweep: {progress.done} of {progress.total} runs"
    if progress.share < _LEAST_SHARE or progress.done == progress.total:
        return text
    left = seconds * (1 - progress.share) / progress.share
    if left < 90:
        return f"{text}, about {left:.0f} s left"
    if left < 90 * 60:
        return f"{text}, about {left / 60:.0f} min left"
    return f"{text}, about {left / 3600:.1f} h left"

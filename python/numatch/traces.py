# SPDX-License-Identifier: Apache-2.0
"""Traces: every memory access of a program, read a chunk at a time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from numatch import _core
from numatch.errors import NumatchError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

ACCESS = np.dtype(
    {
        "names": ["position", "address", "pc", "bytes", "write"],
        "formats": ["<u8", "<u8", "<u8", "<u4", "?"],
        "offsets": [0, 8, 16, 24, 28],
        "itemsize": 32,
    }
)
"""An access of one thread: ``position`` of its accesses came before, ``pc`` is the address of the
instruction."""

REPLAYED = np.dtype(
    {
        "names": ["time", "address", "pc", "thread", "bytes", "write"],
        "formats": ["<u8", "<u8", "<u8", "<u4", "<u4", "?"],
        "offsets": [0, 8, 16, 24, 28, 32],
        "itemsize": 40,
    }
)
"""An access of any thread; ``time`` is the thread's clock where the piece that it is in begins."""

TLB_RECORD = np.dtype(
    [
        ("position", "<u8"),
        ("missed_page", "<u8"),
        ("evicted_page", "<u8"),
        ("evicted_accesses", "<u8"),
    ]
)
"""What left a thread's TLB; a page is an address by the page size, or 2**64 - 1 for none."""

EVENT_KINDS = {
    1: "thread_start",
    2: "thread_end",
    3: "thread_name",
    16: "release",
    17: "acquire",
    32: "map",
    33: "unmap",
    34: "remap",
    35: "heap_end",
    36: "protect",
    37: "advise",
    38: "module",
    39: "stack",
    40: "allocate",
    41: "free",
    48: "bind_memory",
    49: "memory_policy",
    50: "move_pages",
    51: "affinity",
    64: "region_begin",
    65: "region_end",
    66: "roi_begin",
    67: "roi_end",
    68: "label",
    69: "place",
    70: "run_on",
}
"""Names of the kinds of events, by their number in the file (docs/trace-format.md)."""


class Event(NamedTuple):
    """Something that a thread did besides accesses; docs/trace-format.md explains the arguments."""

    kind: str
    position: int
    """Accesses of the thread before it."""
    stamp: int
    """Place in one order of the whole program's events."""
    arguments: tuple[int, ...]
    text: str


class Trace:
    """An open trace; made by `open_trace`. Iterators over it hold one chunk in memory."""

    def __init__(self, path: Path, reader: _core.TraceReader) -> None:
        self.path = path
        self.reader = reader

    @property
    def command(self) -> list[str]:
        """The program and its arguments."""
        return self.reader.command

    @property
    def frontend(self) -> str:
        """What recorded it: "qemu", "instrumented", ..."""
        return self.reader.frontend

    @property
    def metadata(self) -> dict[str, str]:
        """When and where it was recorded."""
        return self.reader.metadata

    @property
    def accesses_in_all(self) -> int:
        """Accesses of all threads together."""
        return self.reader.accesses_in_all

    @property
    def instructions(self) -> int:
        """Instructions of all threads together; 0 where they were not counted."""
        return self.reader.instructions

    @property
    def file_bytes(self) -> int:
        """Size of the file."""
        return self.reader.file_bytes

    @property
    def tlb_filtered(self) -> bool:
        """Whether it has TLB records instead of accesses."""
        return self.reader.tlb_filtered

    @property
    def threads(self) -> pd.DataFrame:
        """One row per thread, by its number.

        ``os_tid``, ``name``, ``accesses``, ``instructions``, ``events``, ``first_stamp``,
        ``last_stamp``.
        """
        columns = ["thread", "os_tid", "name", "accesses", "instructions", "events"]
        columns += ["first_stamp", "last_stamp"]
        return pd.DataFrame(self.reader.threads(), columns=columns).set_index("thread")

    def accesses(self, thread: int, chunk: int = 1 << 18) -> Iterator[npt.NDArray[np.void]]:
        """One thread's accesses in their order, arrays of at most ``chunk`` of `ACCESS`."""
        chunks, size = self.reader.accesses(thread), _positive(chunk)
        return _until_empty(lambda: chunks.next(size), ACCESS)

    def replay(
        self, chunk: int = 1 << 18, *, quantum: int = 1000, region_of_interest: bool = False
    ) -> Iterator[npt.NDArray[np.void]]:
        """All threads' accesses in a replay's order, arrays of at most ``chunk`` of `REPLAYED`.

        The thread with the lowest clock runs next for about ``quantum`` of instructions (accesses
        where these were not counted), waiting as it did when it was recorded. The same trace gives
        the same order.
        """
        chunks, size = self.reader.replay(quantum, region_of_interest), _positive(chunk)
        return _until_empty(lambda: chunks.next(size), REPLAYED)

    def tlb_records(self, thread: int) -> Iterator[npt.NDArray[np.void]]:
        """What a TLB-filtered trace has of one thread, arrays of `TLB_RECORD`."""
        chunks = self.reader.tlb_records(thread)
        return _until_empty(chunks.next, TLB_RECORD)

    def events(self, thread: int, chunk: int = 4096) -> Iterator[Event]:
        """One thread's events in their order; ``chunk`` of them are read at a time."""
        return _events(self.reader.events(thread), _positive(chunk))

    def __repr__(self) -> str:
        return f"<numatch.Trace {self.path}: {self.accesses_in_all} accesses>"


def open_trace(path: Trace | str | os.PathLike[str]) -> Trace:
    """Open a recorded trace; its index is checked now, its chunks when they are read."""
    if isinstance(path, Trace):
        return path
    return Trace(Path(path), _core.open_trace(path))


def _until_empty(
    read: Callable[[], npt.NDArray[np.uint8]], dtype: np.dtype[np.void]
) -> Iterator[npt.NDArray[np.void]]:
    while len(raw := read()) > 0:
        yield raw.view(dtype)


def _events(chunks: _core.EventChunks, size: int) -> Iterator[Event]:
    while rows := chunks.next(size):
        for kind, position, stamp, arguments, text in rows:
            name = EVENT_KINDS.get(kind, str(kind))
            yield Event(name, position, stamp, arguments, text.decode(errors="replace"))


def _positive(chunk: int) -> int:
    if chunk < 1:
        raise NumatchError(f"is {chunk}", "chunk", "give a number from 1")
    return chunk

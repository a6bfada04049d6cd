# SPDX-License-Identifier: Apache-2.0
"""Profiles: what was learned about a program, whatever machine it will run on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from numatch import _core
from numatch.traces import Trace, open_trace

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

PAGE_USE = np.dtype(
    [
        ("first_page", "<u8"),
        ("pages", "<u8"),
        ("window", "<u4"),
        ("thread", "<u4"),
        ("reads", "<u8"),
        ("writes", "<u8"),
    ]
)
"""A run of contiguous pages that ``thread`` used alike in time window ``window``.

``first_page`` is an address divided by the page size, ``pages`` their number, ``reads`` and
``writes`` are accesses to each page of the run."""

Evidence = Literal["measured", "sampled", "simulated"]


class Profile:
    """Who shares with whom, and who uses which page when; made by `open_profile` and `profile`."""

    def __init__(self, data: _core.ProfileData) -> None:
        self.data = data

    @property
    def sharing(self) -> npt.NDArray[np.float64]:
        """The sharing matrix, shape (threads, threads), in `unit`; read only, not copied.

        Element (i, j) is what thread i observed of thread j: it need not be symmetric. The diagonal
        is 0.
        """
        return self.data.sharing()

    @property
    def unit(self) -> str:
        """Unit of `sharing`: "accesses", "TLB misses", ..."""
        return self.data.matrix_unit

    @property
    def evidence(self) -> Evidence:
        """How the amounts were obtained."""
        return self.data.evidence

    @property
    def mechanism(self) -> str:
        """The detector that learned it."""
        return self.data.mechanism

    @property
    def parameters(self) -> dict[str, str]:
        """The detector's parameters."""
        return self.data.parameters

    @property
    def command(self) -> str:
        """The program's command line."""
        return self.data.command

    @property
    def metadata(self) -> dict[str, str]:
        """What else was kept about where it comes from."""
        return self.data.metadata

    @property
    def page_bytes(self) -> int:
        """Size of a page in bytes."""
        return self.data.page_bytes

    @property
    def accesses(self) -> int:
        """Accesses of all threads together."""
        return self.data.total_accesses

    @property
    def threads(self) -> pd.DataFrame:
        """One row per thread, by its number.

        ``os_tid``, ``name``, ``start`` and ``end`` (in `time_unit`), ``accesses``, ``instructions``
        (0 where the sensor does not count them).
        """
        columns = ["os_tid", "name", "start", "end", "accesses", "instructions"]
        return pd.DataFrame(self.data.threads(), columns=columns).rename_axis("thread")

    @property
    def time_unit(self) -> str:
        """Unit of `windows` and of the threads' times: "instructions" or "accesses"."""
        return self.data.time_unit

    @property
    def windows(self) -> pd.DataFrame:
        """The time windows of page usage: ``start`` to before ``end``, in `time_unit`."""
        return pd.DataFrame(self.data.windows(), columns=["start", "end"]).rename_axis("window")

    @property
    def pages(self) -> npt.NDArray[np.void]:
        """How threads used pages, shape (uses,) of `PAGE_USE`; read only, not copied.

        Sorted by first page, window, thread. Two uses are of the same pages or have none in common.
        """
        return self.data.pages().view(PAGE_USE)

    def page_sharing(self) -> pd.DataFrame:
        """What each run of pages has seen in all windows together.

        Returns
        -------
        pandas.DataFrame
            One row per run, by ``first_page``: ``pages``, ``threads`` (how many used it), ``reads``
            and ``writes`` (accesses to all its pages), ``most`` (the thread with the most accesses)
            and ``most_share`` (its share of them, 0..1).
        """
        frame = pd.DataFrame(self.pages)
        frame["accesses"] = frame["reads"] + frame["writes"]
        keys = ["first_page", "pages", "thread"]
        by_thread = frame.groupby(keys, as_index=False)[["reads", "writes", "accesses"]].sum()
        runs = by_thread.groupby("first_page")
        made = runs.agg(
            pages=("pages", "first"),
            threads=("thread", "size"),
            reads=("reads", "sum"),
            writes=("writes", "sum"),
        )
        top = by_thread.loc[runs["accesses"].idxmax()].set_index("first_page")
        share = top["accesses"] / (made["reads"] + made["writes"])
        made["reads"] *= made["pages"]
        made["writes"] *= made["pages"]
        made["most"] = top["thread"]
        made["most_share"] = share
        return made

    @property
    def objects(self) -> pd.DataFrame:
        """The program's data as its programmer knows it, one row per object.

        ``kind`` (heap, global, stack, mapping, unknown), ``name``, ``function``, ``file``,
        ``line``, ``bytes``, ``blocks`` (allocations), ``accesses``, ``shared_pages``, and
        ``shared_accesses``: accesses to its shared pages, a dict by thread.
        """
        columns = [
            *("kind", "name", "function", "file", "line"),
            *("bytes", "blocks", "accesses", "shared_pages", "shared_accesses"),
        ]
        return pd.DataFrame(self.data.objects(), columns=columns).rename_axis("object")

    @property
    def false_sharing(self) -> pd.DataFrame:
        """Cache lines whose bytes belong to different threads, at least one of which writes.

        One row per line and thread: ``line_address``, ``object`` (a row of `objects`, -1 where
        unknown), ``thread``, ``bytes_read`` and ``bytes_written`` (bit b: byte b of the line),
        ``accesses``.
        """
        columns = ["line_address", "object", "thread", "bytes_read", "bytes_written", "accesses"]
        rows = [
            (line, item, *part)
            for line, item, _, _, parts in self.data.false_sharing()
            for part in parts
        ]
        return pd.DataFrame(rows, columns=columns)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, whole or not at all."""
        self.data.save(path)

    def __repr__(self) -> str:
        return (
            f"<numatch.Profile of {self.command!r}: {len(self.sharing)} threads, {self.evidence}>"
        )


def open_profile(path: str | os.PathLike[str]) -> Profile:
    """Read a profile that `numatch profile` or `Profile.save` wrote."""
    return Profile(_core.load_profile(path))


def profile(
    trace: Trace | str | os.PathLike[str],
    mechanism: str = "oracle",
    *,
    parameters: Mapping[str, object] | None = None,
    windows: int = 16,
    quantum: int = 1000,
    region_of_interest: bool = False,
    objects: bool = True,
    progress: Callable[[int, int], object] | None = None,
) -> Profile:
    """Learn from a trace what a mechanism detects, and who used which page when.

    Parameters
    ----------
    trace
        An open trace or its file.
    mechanism
        "oracle" (all accesses), "lapt" or "sammu".
    parameters
        Of the mechanism, by name (see `mechanisms`).
    windows
        At most so many time windows of page usage.
    quantum
        Time units that a thread runs before others when the trace is replayed.
    region_of_interest
        Only what lies between its marks, where the program has any.
    objects
        Find out which data it is, and false sharing.
    progress
        Called now and then with the accesses done and those of the whole trace.
    """
    words = {name: _word(value) for name, value in (parameters or {}).items()}
    opened = open_trace(trace)
    learned = _core.learn_profile(
        opened.reader, mechanism, words, windows, quantum, region_of_interest, objects, progress
    )
    return Profile(learned)


def _word(value: object) -> str:
    """A parameter's value as the command line writes it."""
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)

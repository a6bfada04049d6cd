# SPDX-License-Identifier: Apache-2.0
"""Mapping: a processing unit for every thread, a node for every page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import pandas as pd

from numatch import _core
from numatch.errors import NumatchError
from numatch.machine import Machine, load_machine
from numatch.profiles import Profile

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence
    from collections.abc import Mapping as Dictionary

    import numpy.typing as npt

Budget = Literal["online", "default", "best"]
Policy = Literal["auto", "spread", "pack"]

PLACED_RUN = np.dtype(
    {
        "names": ["first_page", "pages", "node"],
        "formats": ["<u8", "<u8", "<u4"],
        "offsets": [0, 8, 16],
        "itemsize": 24,
    }
)
"""Contiguous pages with the same best node; ``first_page`` is an address by the page size."""


class PagePlacement(NamedTuple):
    """Where the pages of a profile belong; shares are of all its accesses, 0..1, calculated."""

    runs: npt.NDArray[np.void]
    """Shape (runs,) of `PLACED_RUN`, sorted."""
    page_bytes: int
    pages_on_node: npt.NDArray[np.uint64]
    """Pages of `runs` on each node, shape (nodes,)."""
    policy: str
    """What fits the whole process better: "local" or "interleave"."""
    local_mapped: float
    """Share of local accesses with every page on the node that uses it most."""
    local_first_touch: float
    """The same where the page's first thread runs."""
    local_interleave: float
    """The same with pages in turn on the nodes of the threads."""


class Mapping:
    """Where threads and pages belong on a machine, calculated; made by `map`."""

    def __init__(self, data: _core.MappingData, machine: Machine) -> None:
        self.data = data
        self.machine = machine

    @property
    def pus(self) -> npt.NDArray[np.uint32]:
        """The PU of each thread, shape (threads,)."""
        return self.data.pus()

    @property
    def nodes(self) -> npt.NDArray[np.uint32]:
        """The node of each thread, shape (threads,)."""
        return self.data.nodes()

    @property
    def algorithm(self) -> str:
        """What made it."""
        return self.data.algorithm

    @property
    def cost(self) -> float:
        """Sum over pairs of threads of what they share times the distance of their PUs."""
        return self.data.cost

    @property
    def gain(self) -> float:
        """How much lower the cost is than that of the current mapping; 0 without one."""
        return self.data.gain

    @property
    def moved(self) -> int:
        """Threads that are not where they are in the current mapping; 0 without one."""
        return self.data.moved

    @property
    def share_in_node(self) -> float:
        """Share of the sharing that stays inside nodes, 0..1."""
        return self.data.share_in_node

    @property
    def cpu_seconds(self) -> float:
        """Processor time that the mapping took, measured."""
        return self.data.cpu_seconds

    @property
    def pages(self) -> PagePlacement | None:
        """Where pages belong; None where a bare matrix was mapped."""
        shares = self.data.page_shares()
        if shares is None:
            return None
        policy, page_bytes, on_node, mapped, first_touch, interleave = shares
        counts = np.array(on_node, dtype=np.uint64)
        runs = self.data.page_runs().view(PLACED_RUN)
        return PagePlacement(runs, page_bytes, counts, policy, mapped, first_touch, interleave)

    @property
    def threads(self) -> pd.DataFrame:
        """``pu``, ``node`` and ``os_index`` (what taskset takes) of each thread."""
        columns = {"pu": self.pus, "node": self.nodes, "os_index": self.machine.os_index[self.pus]}
        return pd.DataFrame(columns).rename_axis("thread")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it for `numatch exec --mapping`, whole or not at all."""
        self.data.save(path)

    def __repr__(self) -> str:
        return f"<numatch.Mapping on {self.machine.name} by {self.algorithm}: cost {self.cost:g}>"


def map(  # noqa: A001 - as the command's verb
    sharing: Profile | npt.ArrayLike,
    machine: str | Machine = "live",
    algorithm: str = "numatch",
    *,
    distances: npt.ArrayLike | None = None,
    allowed: Iterable[int] = (),
    pinned: Dictionary[int, int] | None = None,
    weights: Sequence[float] = (),
    current: Mapping | npt.ArrayLike | None = None,
    move_cost: float | None = None,
    budget: Budget | None = None,
    policy: Policy = "auto",
    alpha: float | None = None,
    seed: int | None = None,
) -> Mapping:
    """Find a PU for every thread, near those that it shares with, and a node for every page.

    Parameters
    ----------
    sharing
        A profile, or a matrix of shape (threads, threads), not negative; its diagonal does not
        count. Pages are placed for a profile only.
    machine
        As `load_machine` takes it.
    algorithm
        One of `algorithms()`.
    distances
        PU x PU distances, shape (pus, pus), symmetric, instead of those of the machine's tree.
    allowed
        Use only these PUs; all unless said.
    pinned
        PUs of threads that must not move, by thread.
    weights
        Load of each thread, above 0; 1 each unless said.
    current
        Where threads run now, as a mapping or PU numbers: they move only where it pays.
    move_cost
        What moving a thread costs, in the unit of the cost; a hundredth of what a thread pays on
        average where it runs now unless said. Needs ``current``.
    budget
        Of numatch: work put into the answer.
    policy
        How threads fill a machine with room to spare (docs/mapping.md).
    alpha
        Of greedy: see docs/mapping.md; 0 to 1.
    seed
        Of the random choices of numatch, random and scotch.
    """
    there = load_machine(machine)
    request = _request(
        there,
        sharing,
        distances=distances,
        allowed=allowed,
        pinned=pinned,
        weights=weights,
        current=current,
        move_cost=move_cost,
        budget=budget,
        policy=policy,
        alpha=alpha,
        seed=seed,
    )
    knobs = {"budget": budget, "alpha": alpha, "seed": seed}
    given = [name for name, value in knobs.items() if value is not None]
    learned = sharing.data if isinstance(sharing, Profile) else None
    data = _core.map_threads(request, there.topology, there.spec, algorithm, given, learned)
    return Mapping(data, there)


def compare(
    sharing: Profile | npt.ArrayLike,
    machine: str | Machine = "live",
    algorithms: Sequence[str] | None = None,
    *,
    policy: Policy = "auto",
    seed: int = 1,
) -> pd.DataFrame:
    """What several algorithms make of the same question.

    Parameters
    ----------
    sharing, machine, policy, seed
        As for `map`.
    algorithms
        Names; all unless said.

    Returns
    -------
    pandas.DataFrame
        One row per algorithm: ``cost`` and ``share_in_node`` (calculated), ``cpu_seconds``
        (measured), and ``problem``, why it has no answer.
    """
    there = load_machine(machine)
    names = [name for name, _ in _core.algorithms()] if algorithms is None else list(algorithms)
    request = _request(there, sharing, policy=policy, seed=seed)
    columns = ["algorithm", "cost", "share_in_node", "cpu_seconds", "gain", "moved", "problem"]
    frame = pd.DataFrame(_core.compare_algorithms(request, there.topology, names), columns=columns)
    return frame.drop(columns=["gain", "moved"]).set_index("algorithm")


def read_mapping(path: str | os.PathLike[str]) -> npt.NDArray[np.uint32]:
    """The PU of each thread, shape (threads,), of a file by `Mapping.save` or `numatch map -o`."""
    return _core.read_mapping(path)


def _request(
    machine: Machine,
    sharing: Profile | npt.ArrayLike,
    *,
    distances: npt.ArrayLike | None = None,
    allowed: Iterable[int] = (),
    pinned: Dictionary[int, int] | None = None,
    weights: Sequence[float] = (),
    current: Mapping | npt.ArrayLike | None = None,
    move_cost: float | None = None,
    budget: str | None = None,
    policy: str = "auto",
    alpha: float | None = None,
    seed: int | None = None,
) -> _core.MappingRequest:
    """The question in the words of the extension."""
    matrix = sharing.sharing if isinstance(sharing, Profile) else sharing
    pus = current.pus if isinstance(current, Mapping) else current
    return _core.MappingRequest(
        machine.topology,
        _square("sharing", matrix),
        None if distances is None else _square("distances", distances),
        [int(pu) for pu in allowed],
        {int(thread): int(pu) for thread, pu in (pinned or {}).items()},
        [float(weight) for weight in weights],
        None if pus is None else np.asarray(pus).tolist(),
        move_cost,
        "default" if budget is None else budget,
        policy,
        0.0 if alpha is None else alpha,
        1 if seed is None else seed,
    )


def _square(where: str, cells: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """A table of numbers; its amounts are checked by the extension."""
    try:
        made = np.ascontiguousarray(cells, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise NumatchError("is no table of numbers", where, "give a square matrix") from problem
    if made.ndim != 2 or made.shape[0] != made.shape[1]:
        raise NumatchError(f"has the shape {made.shape}", where, "give a square matrix")
    return made

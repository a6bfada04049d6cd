# SPDX-License-Identifier: Apache-2.0
"""Machines: processing units (PUs), NUMA nodes, distances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from numatch import _core

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Machine:
    """A machine as mapping and simulation see it; made by `load_machine`."""

    def __init__(self, spec: str, topology: _core.Topology) -> None:
        self.spec = spec
        self.topology = topology

    @property
    def name(self) -> str:
        """Its name, or the text that it was made from."""
        return self.topology.name

    @property
    def pus(self) -> int:
        """Number of processing units (hardware threads)."""
        return self.topology.pus

    @property
    def nodes(self) -> int:
        """Number of NUMA nodes."""
        return self.topology.nodes

    @property
    def node_of_pu(self) -> npt.NDArray[np.uint32]:
        """The node of each PU, shape (pus,)."""
        return self.topology.node_of_pu()

    @property
    def core_of_pu(self) -> npt.NDArray[np.uint32]:
        """The core of each PU, shape (pus,); PUs of one core are its hardware threads."""
        return self.topology.core_of_pu()

    @property
    def os_index(self) -> npt.NDArray[np.uint32]:
        """The operating system's number of each PU, shape (pus,)."""
        return self.topology.os_index()

    @property
    def distances(self) -> npt.NDArray[np.uint32]:
        """Steps in the machine's tree between PUs, shape (pus, pus); 0 on the diagonal."""
        return self.topology.pu_distances()

    @property
    def node_distances(self) -> npt.NDArray[np.float64]:
        """Relative memory latency between nodes, 10 = local, as in the ACPI SLIT, (nodes, nodes).

        Where the machine does not say, remote nodes are at 20: see `distances_known`.
        """
        return self.topology.node_distances()

    @property
    def distances_known(self) -> bool:
        """Whether `node_distances` are the machine's own."""
        return self.topology.distances_known

    @property
    def facts(self) -> pd.DataFrame:
        """``value``, ``unit`` and ``source`` of what its description says, by ``key``."""
        frame = pd.DataFrame(self.topology.facts(), columns=["key", "value", "unit", "source"])
        return frame.set_index("key")

    def __repr__(self) -> str:
        return f"<numatch.Machine {self.name}: {self.nodes} nodes, {self.pus} PUs>"


def load_machine(spec: str | Machine = "live") -> Machine:
    """A machine by its name or description.

    Parameters
    ----------
    spec
        ``"live"`` (this machine), a name of `machines()`, an hwloc synthetic string like
        ``"numa:4 core:2 pu:1"``, or the path of an hwloc XML or machine .toml file.
    """
    if isinstance(spec, Machine):
        return spec
    return Machine(spec, _core.load_topology(spec))

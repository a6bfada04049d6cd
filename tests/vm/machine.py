# SPDX-License-Identifier: Apache-2.0
"""The virtual machine: NUMA nodes in a ring, as QEMU's command line."""

import dataclasses
import re


class BadMachine(Exception):
    """A machine that cannot be had."""


@dataclasses.dataclass(frozen=True)
class Machine:
    nodes: int = 4
    cpus_per_node: int = 2
    memory_per_node: int = 512  # MiB

    @staticmethod
    def parse(text):
        """NODESxCPUS, for example 4x2: 4 nodes with 2 processors each."""
        match = re.fullmatch(r"(\d+)x(\d+)", text)
        nodes, cpus = (int(match.group(1)), int(match.group(2))) if match else (0, 0)
        if not (1 <= nodes <= 8 and 1 <= nodes * cpus <= 16):
            raise BadMachine(f"'{text}' is no machine: NODESxCPUS, like 4x2, at most 8 nodes and 16 CPUs")
        return Machine(nodes, cpus, 256 if nodes > 4 else 512)

    @property
    def name(self):
        return f"{self.nodes}x{self.cpus_per_node}"

    @property
    def cpus(self):
        return self.nodes * self.cpus_per_node

    def distance(self, one, other):
        """As the firmware's table says it: 10 here, 10 more for each hop along the ring."""
        hops = min((one - other) % self.nodes, (other - one) % self.nodes)
        return 10 + 10 * hops

    def qemu(self):
        """The options that make these nodes."""
        words = ["-smp", f"{self.cpus},sockets={self.nodes},cores={self.cpus_per_node},threads=1",
                 "-m", f"{self.nodes * self.memory_per_node}M"]
        for node in range(self.nodes):
            first = node * self.cpus_per_node
            words += ["-object", f"memory-backend-ram,id=ram{node},size={self.memory_per_node}M",
                      "-numa", f"node,nodeid={node},memdev=ram{node},"
                               f"cpus={first}-{first + self.cpus_per_node - 1}"]
        for one in range(self.nodes):
            for other in range(self.nodes):
                if one != other:
                    words += ["-numa", f"dist,src={one},dst={other},val={self.distance(one, other)}"]
        return words

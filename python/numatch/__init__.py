# SPDX-License-Identifier: Apache-2.0
"""How the threads of a parallel program share memory, and where they belong on a NUMA machine.

A trace holds every memory access of a program, a profile what was learned from it, a mapping where
threads and pages belong on a machine:

>>> import numatch
>>> trace = numatch.open_trace("app.nmt")               # doctest: +SKIP
>>> profile = numatch.profile(trace)                    # doctest: +SKIP
>>> mapping = numatch.map(profile, "xeon64")            # doctest: +SKIP
>>> result = numatch.simulate(trace, "xeon64", ["lapt", "oracle"])   # doctest: +SKIP
>>> result.change["time.cycles"]                        # doctest: +SKIP

Figures are in `numatch.figures`. Every function raises `NumatchError` and nothing else for what can
go wrong outside a program: files, names, values. Long work lets other Python threads run, and ^C
ends it.
"""

from numatch._core import __version__
from numatch.catalogue import algorithms, machines, mechanisms
from numatch.errors import NumatchError
from numatch.machine import Machine, load_machine
from numatch.mapping import Mapping, compare, map, read_mapping  # noqa: A004 - as the command's verb
from numatch.profiles import Profile, open_profile, profile
from numatch.recording import record
from numatch.reproduction import Reproduction, reproduce
from numatch.simulation import Simulation, simulate
from numatch.sweeps import sweep
from numatch.traces import Trace, open_trace

__all__ = [
    "Machine",
    "Mapping",
    "NumatchError",
    "Profile",
    "Reproduction",
    "Simulation",
    "Trace",
    "__version__",
    "algorithms",
    "compare",
    "load_machine",
    "machines",
    "map",
    "mechanisms",
    "open_profile",
    "open_trace",
    "profile",
    "read_mapping",
    "record",
    "reproduce",
    "simulate",
    "sweep",
]

# SPDX-License-Identifier: Apache-2.0
"""How the threads of a parallel program share memory, and where they belong on a NUMA machine.

Examples
--------
>>> import numatch
>>> numatch.__version__
'0.1.0'
"""

from numatch._core import __version__
from numatch.errors import NumatchError

__all__ = ["NumatchError", "__version__"]

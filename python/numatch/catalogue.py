# SPDX-License-Identifier: Apache-2.0
"""What there is by name."""

from __future__ import annotations

import pandas as pd

from numatch import _core


def machines() -> list[str]:
    """Names of the described machines, as `load_machine` takes them, sorted."""
    return _core.machine_names()


def algorithms() -> pd.Series[str]:
    """Mapping algorithms, as `map` takes them: what each does, by name."""
    rows = _core.algorithms()
    return pd.Series(dict(rows), name="summary", dtype=str)


def mechanisms() -> pd.DataFrame:
    """Mechanisms, as `simulate` and `profile` take them.

    Returns
    -------
    pandas.DataFrame
        One row per mechanism, by name: ``summary``, ``source`` (its paper), ``matrix_unit`` (of the
        sharing matrix that it detects; empty where it detects none), ``senses`` and ``acts``
        (tuples of words), and ``parameters`` (a tuple of (name, default, unit, help)).
    """
    columns = ["name", "summary", "source", "matrix_unit", "senses", "acts", "parameters"]
    rows = [
        (name, summary, source, unit, tuple(senses), tuple(acts), tuple(parameters))
        for name, summary, source, unit, senses, acts, parameters in _core.mechanisms()
    ]
    return pd.DataFrame(rows, columns=columns).set_index("name")

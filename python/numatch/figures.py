# SPDX-License-Identifier: Apache-2.0
"""Figures in one style: who shares with whom, what mechanisms gain, how a run or a sweep went.

Every function draws into ``axes`` or makes a figure of its own, returns the axes, and says in the
figure how its numbers were obtained. They need matplotlib: ``pip install .[figures]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from numatch.errors import NumatchError
from numatch.profiles import Profile

try:
    from cycler import cycler
    from matplotlib import pyplot as plt
    from matplotlib.colors import LogNorm
except ImportError as problem:
    raise NumatchError(
        "matplotlib is not installed", "numatch.figures", "pip install matplotlib"
    ) from problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    import pandas as pd
    from matplotlib.axes import Axes

    from numatch.simulation import Simulation

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
"""One colour per mechanism, that people with any colour vision tell apart."""

GREY = "#666666"
"""The baseline's."""

STYLE: Any = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": "medium",
    "figure.constrained_layout.use": True,
    "figure.dpi": 110,
    "figure.figsize": (6.4, 3.6),
    "font.size": 9,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "svg.hashsalt": "numatch",
}
"""What all figures have in common, as matplotlib's settings; the same data gives the same file."""


def heat_map(
    sharing: Profile | npt.ArrayLike,
    *,
    unit: str = "",
    evidence: str = "",
    title: str = "",
    log: bool = False,
    axes: Axes | None = None,
) -> Axes:
    """Draw who shares how much with whom: darker is more.

    Parameters
    ----------
    sharing
        A profile, or a matrix of shape (threads, threads).
    unit, evidence
        What it counts, and how it was obtained; of a profile its own.
    title
        Heading; of a profile its command unless said.
    log
        Shades by the logarithm, for amounts of different magnitudes.
    """
    if isinstance(sharing, Profile):
        unit, evidence = unit or sharing.unit, evidence or sharing.evidence
        title = title or sharing.command
        cells = np.asarray(sharing.sharing)
    else:
        cells = np.asarray(sharing, dtype=np.float64)
    if cells.ndim != 2 or cells.shape[0] != cells.shape[1] or cells.shape[0] == 0:
        raise NumatchError(f"has the shape {cells.shape}", "sharing", "give a square matrix")
    with plt.rc_context(STYLE):
        there = _axes(axes, (4.4, 3.8))
        positive = cells[cells > 0]
        norm = LogNorm(positive.min(), positive.max()) if log and positive.size else None
        shown = np.ma.masked_equal(cells, 0) if norm else cells
        image = there.imshow(shown, cmap="Blues", norm=norm, origin="upper")
        there.grid(visible=False)
        there.set(title=title, xlabel="thread", ylabel="thread")
        label = ", ".join(part for part in (unit, evidence) if part)
        there.figure.colorbar(image, ax=there, label=label)
    return there


def relative_times(
    results: Simulation | dict[str, Simulation],
    *,
    column: str = "time.cycles",
    title: str = "",
    axes: Axes | None = None,
) -> Axes:
    """Draw bars of each mechanism relative to the baseline: below 1 is better.

    Parameters
    ----------
    results
        A simulation, or several by program name: a group of bars each.
    column
        Which column of `Simulation.runs`.
    """
    groups = results if isinstance(results, dict) else {"": results}
    if not groups:
        raise NumatchError("there is no result", "results", "give a simulation")
    names: list[str] = []
    for result in groups.values():
        names += [name for name in result.change.index if name not in names]
    if not names:
        raise NumatchError("there are baselines only", "results", "simulate a mechanism")
    with plt.rc_context(STYLE):
        there = _axes(axes)
        width = 0.8 / len(names)
        for number, name in enumerate(names):
            heights = [1 + result.change[column].get(name, np.nan) for result in groups.values()]
            offset = (number - (len(names) - 1) / 2) * width
            bars = there.bar(np.arange(len(groups)) + offset, heights, 0.92 * width, label=name)
            if len(groups) * len(names) <= 16:
                there.bar_label(bars, fmt="%.2f", fontsize=7)
        there.axhline(1, color="black", linewidth=0.8)
        baselines = dict.fromkeys(result.data["runs"][0]["name"] for result in groups.values())
        there.set_xticks(range(len(groups)), groups.keys())
        there.grid(visible=False, axis="x")
        there.set(title=title, ylabel=f"{column}, simulated\n{' or '.join(baselines)} = 1")
        there.legend(ncols=min(len(names), 6), loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return there


def timeline(
    result: Simulation,
    *,
    column: str = "remote_share",
    runs: Sequence[str] | None = None,
    title: str = "",
    axes: Axes | None = None,
) -> Axes:
    """Draw how runs went over time, with a mark where a mechanism decided something.

    Parameters
    ----------
    result
        A simulation with a timeline.
    column
        One of `Simulation.timeline`, or "remote_share": remote of all memory accesses, 0..1.
    runs
        Only these; all unless said.
    """
    pieces = result.timeline
    if pieces.empty:
        raise NumatchError("has no timeline", "result", "simulate with timeline=CYCLES")
    if column == "remote_share":
        pieces["remote_share"] = pieces["remote_accesses"] / pieces["memory_accesses"]
    with plt.rc_context(STYLE):
        there = _axes(axes)
        mechanisms = list(result.change.index)
        for name, run in pieces.groupby("run", sort=False):
            if runs is not None and name not in runs:
                continue
            number = mechanisms.index(str(name)) if name in mechanisms else None
            colour = GREY if number is None else COLOURS[number % len(COLOURS)]
            edges = [*run["begin_ms"], run["end_ms"].iloc[-1]]
            there.stairs(run[column], edges, baseline=None, color=colour, label=name)
            _mark_decisions(there, result.decisions, str(name), colour)
        there.set(
            title=title, xlabel="ms, simulated", ylabel=f"{column.replace('_', ' ')}, simulated"
        )
        there.legend()
    return there


def sweep_lines(
    table: pd.DataFrame,
    x: str,
    y: str,
    *,
    by: str = "run",
    unit: str = "",
    log: bool = False,
    title: str = "",
    axes: Axes | None = None,
) -> Axes:
    """Draw what a sweep shows: a line per mechanism over the swept value.

    Parameters
    ----------
    table
        One row per swept value and mechanism.
    x, y
        Its columns with the swept value and with what is shown.
    by
        Its column with the names of the lines.
    unit
        Of ``x``.
    log
        A logarithmic axis of base 2, as for sizes.
    """
    missing = [name for name in (x, y, by) if name not in table.columns]
    if missing:
        raise NumatchError(f"has no column {missing[0]!r}", "table", "see table.columns")
    with plt.rc_context(STYLE):
        there = _axes(axes)
        for name, line in table.groupby(by, sort=False):
            ordered = line.sort_values(x)
            there.plot(ordered[x], ordered[y], marker="o", markersize=3.5, label=name)
        if log:
            there.set_xscale("log", base=2)
        there.set(title=title, xlabel=f"{x}, {unit}" if unit else x, ylabel=f"{y}, simulated")
        there.legend()
    return there


def _axes(given: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    if given is not None:
        return given
    _, made = plt.subplots(figsize=size)
    return made


def _mark_decisions(axes: Axes, decisions: pd.DataFrame, run: str, colour: str) -> None:
    if decisions.empty:
        return
    times = decisions.loc[decisions["run"] == run, "ms"]
    bottom = np.zeros(len(times))
    transform = axes.get_xaxis_transform()
    axes.plot(times, bottom, "|", color=colour, transform=transform, clip_on=False, markersize=9)

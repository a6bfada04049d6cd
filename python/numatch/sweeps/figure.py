# SPDX-License-Identifier: Apache-2.0
"""A figure of a sweep: change against the baseline over one of its axes, a line per mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .clusters import need
from .errors import failure
from .plan import QUANTITIES
from .suggest import suggest

if TYPE_CHECKING:
    from .result import Row, SweepResult

_LABELS = {
    "time": "execution time",
    "traffic": "traffic between chips",
    "misses": "misses of the last level",
    "energy": "energy",
}


def draw(result: SweepResult, x: str, y: str) -> Any:
    """Points are means over everything that is no axis of the figure; the area around a line
    reaches from the least to the greatest. All simulated."""
    axes = result.sweep.axes()
    x = x or first_axis(axes)
    if x not in axes:
        raise failure("figure", f"nothing is called '{x}' in this sweep", suggest(x, axes))
    if y not in QUANTITIES:
        raise failure("figure", f"there is no '{y}'", suggest(y, QUANTITIES))
    pyplot = need("matplotlib.pyplot", "matplotlib")
    with pyplot.rc_context(need("numatch.figures", "matplotlib").STYLE):
        figure = need("matplotlib.figure", "matplotlib").Figure()
        _fill(figure.add_subplot(), result, x, y)
    return figure


def save(figure: Any, file: str) -> None:
    """Equal figures are equal files: without the date and with names that are not drawn."""
    kinds = {".pdf": "CreationDate", ".svg": "Date"}
    dated = kinds.get(Path(file).suffix)
    try:
        with need("matplotlib.pyplot", "matplotlib").rc_context({"svg.hashsalt": "numatch"}):
            figure.savefig(file, metadata={dated: None} if dated else None)
    except ValueError as problem:
        raise failure("figure", str(problem), "name a PDF, PNG or SVG") from None


def _fill(panel: Any, result: SweepResult, x: str, y: str) -> None:
    values = result.sweep.axes()[x]
    for name, points in lines(result, x, y).items():
        places = [place for place, value in enumerate(values) if points.get(value)]
        means = [_mean(points[values[place]]) for place in places]
        (line,) = panel.plot(places, means, marker="o", label=name)
        panel.fill_between(
            places,
            [min(points[values[place]]) for place in places],
            [max(points[values[place]]) for place in places],
            alpha=0.15,
            color=line.get_color(),
            linewidth=0,
        )
    panel.axhline(0, color="black", linewidth=0.8)
    panel.set_xticks(range(len(values)), values, rotation=30 if len(values) > 4 else 0)
    panel.set_xlabel(x)
    panel.set_ylabel(f"change of {_LABELS[y]}, %\nsimulated, against {result.sweep.baseline}")
    if panel.get_legend_handles_labels()[0]:
        panel.legend()


def first_axis(axes: dict[str, tuple[str, ...]]) -> str:
    """The first one that is swept, programs last."""
    swept = [name for name, values in axes.items() if len(values) > 1 and name != "program"]
    return swept[0] if swept else "program"


def lines(result: SweepResult, x: str, y: str) -> dict[str, dict[str, list[float]]]:
    """By mechanism, with its parameters unless one is the axis, and by the axis' value."""
    found: dict[str, dict[str, list[float]]] = {}
    for row in result.rows:
        if result.is_baseline(row):
            continue
        change = result.change(row, y)
        value = _value(row, x)
        if change is None or value is None:
            continue
        found.setdefault(_name(row, x), {}).setdefault(value, []).append(change)
    return found


def _value(row: Row, x: str) -> str | None:
    cell = row.cell
    here = {
        "program": cell.program,
        "machine": cell.machine,
        **dict(cell.settings),
        **dict(cell.options),
        "seed": str(cell.seed),
        **{f"{cell.mechanism}:{key}": value for key, value in cell.parameters},
    }
    return here.get(x)


def _name(row: Row, x: str) -> str:
    cell = row.cell
    others = [f"{key}={value}" for key, value in cell.parameters if f"{cell.mechanism}:{key}" != x]
    return " ".join([cell.mechanism, *others])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)

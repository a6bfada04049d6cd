# SPDX-License-Identifier: Apache-2.0
"""The table of a sweep: a line per program, machine, setting and mechanism, over the seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .plan import QUANTITIES

if TYPE_CHECKING:
    from .result import Row, SweepResult


def text_of(result: SweepResult) -> str:
    """Means over the seeds; equal results make equal texts."""
    sweep = result.sweep
    seeds = ", ".join(str(seed) for seed in sweep.seeds)
    lines = [sweep.summary] if sweep.summary else []
    lines += [
        f"{len(result.rows)} runs, simulated by {result.version}; seed{_s(sweep.seeds)} {seeds}.",
        f"Changes are against {sweep.baseline} with the same program, machine, settings and seed"
        + (": mean (least to greatest) over the seeds." if len(sweep.seeds) > 1 else "."),
        "",
    ]
    head = [*_varied(result), "mechanism", "time, ms", *QUANTITIES]
    body = [_line(result, group) for group in _groups(result)]
    lines += _aligned(head, body, left=len(head) - 1 - len(QUANTITIES))
    failed = result.failed
    if failed:
        lines += ["", f"{len(failed)} run{_s(failed)} failed:"]
        reasons = dict.fromkeys((row.cell.program, row.failure) for row in failed)
        lines += [f"  {program}: {reason}" for program, reason in reasons]
    return "\n".join(lines) + "\n"


def _s(things: tuple[object, ...]) -> str:
    return "" if len(things) == 1 else "s"


def _varied(result: SweepResult) -> list[str]:
    """The columns that tell lines apart."""
    sweep = result.sweep
    axes = {"machine": sweep.machines, **sweep.settings, **sweep.options}
    return ["program", *(name for name, values in axes.items() if len(values) > 1)]


def _groups(result: SweepResult) -> list[list[Row]]:
    """Rows that differ in the seed only."""
    found: dict[object, list[Row]] = {}
    for row in result.rows:
        cell = row.cell
        same = (cell.beside()[:-1], cell.mechanism, cell.parameters)
        found.setdefault(same, []).append(row)
    # The seed is outside of the mechanisms in the order of cells; here it is inside.
    return list(found.values())


def _line(result: SweepResult, group: list[Row]) -> list[str]:
    cell = group[0].cell
    where = {
        "program": cell.program,
        "machine": cell.machine,
        **dict(cell.settings),
        **dict(cell.options),
    }
    words = [where[name] for name in _varied(result)]
    words.append(" ".join([cell.mechanism, *(f"{key}={value}" for key, value in cell.parameters)]))
    times = [time for row in group if (time := row.quantity("time")) is not None]
    if not times:
        return [*words, "failed", *("" for _ in QUANTITIES)]
    words.append(f"{sum(times) / len(times):.4g}")
    if result.is_baseline(group[0]):
        return [*words, *("" for _ in QUANTITIES)]
    changes = ([result.change(row, quantity) for row in group] for quantity in QUANTITIES)
    return [*words, *map(_change, changes)]


def _change(changes: list[float | None]) -> str:
    values = [change for change in changes if change is not None]
    if not values:
        return "–"
    mean = f"{_signed(sum(values) / len(values))} %"
    if len(changes) == 1:
        return mean
    return f"{mean} ({_signed(min(values))} to {_signed(max(values))})"


def _signed(value: float) -> str:
    text = f"{value:+.1f}"
    return text if float(text) else "0.0"


def _aligned(head: list[str], body: list[list[str]], left: int) -> list[str]:
    """Columns as wide as what is in them; the first `left` ones begin where their head does."""
    widths = [max(len(line[place]) for line in [head, *body]) for place in range(len(head))]
    return [
        "  ".join(
            word.ljust(width) if place < left else word.rjust(width)
            for place, (word, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in [head, *body]
    ]

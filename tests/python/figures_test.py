# SPDX-License-Identifier: Apache-2.0
"""Figures show what they are given, in one style."""

from collections.abc import Iterator
from pathlib import Path

import numatch
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from numatch import figures


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def simulated(ring: Path) -> numatch.Simulation:
    return numatch.simulate(ring, mechanisms=["lapt", "oracle"], time_scale=1000, timeline=100_000)


def bars(axes: Axes) -> list[BarContainer]:
    return [one for one in axes.containers if isinstance(one, BarContainer)]


def test_a_heat_map_shows_every_cell_and_how_it_was_obtained(sample: Path) -> None:
    profile = numatch.open_profile(sample)
    axes = figures.heat_map(profile)
    assert (np.asarray(axes.images[0].get_array()) == profile.sharing).all()
    colorbar = axes.images[0].colorbar
    assert colorbar is not None
    assert colorbar.ax.get_ylabel() == f"{profile.unit}, {profile.evidence}"


def test_a_logarithmic_heat_map_leaves_out_what_is_not_shared() -> None:
    axes = figures.heat_map([[0, 1], [1000, 0]], log=True)
    assert np.ma.getmaskarray(np.ma.array(axes.images[0].get_array())).tolist() == [
        [True, False],
        [False, True],
    ]


def test_bars_are_the_run_over_the_baseline(simulated: numatch.Simulation) -> None:
    axes = figures.relative_times(simulated)
    cycles = simulated.runs["time.cycles"]
    heights = [float(bar.patches[0].get_height()) for bar in bars(axes)]
    assert heights == pytest.approx((cycles / cycles.iloc[0])[["lapt", "oracle"]].tolist())
    assert "simulated" in axes.get_ylabel()


def test_several_programs_are_groups_of_bars(simulated: numatch.Simulation) -> None:
    axes = figures.relative_times({"a": simulated, "b": simulated})
    assert [label.get_text() for label in axes.get_xticklabels()] == ["a", "b"]
    assert [len(bar.patches) for bar in bars(axes)] == [2, 2]


def test_a_timeline_has_a_line_per_run_and_marks_decisions(simulated: numatch.Simulation) -> None:
    axes = figures.timeline(simulated, column="traffic_bytes")
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == list(simulated.runs.index)
    marks = sum(len(np.asarray(line.get_xdata())) for line in axes.lines)
    assert marks == len(simulated.decisions)


def test_sweep_lines_are_ordered_by_the_swept_value() -> None:
    table = pd.DataFrame({"size": [4, 1, 2], "time": [0.7, 0.9, 0.8], "run": ["lapt"] * 3})
    axes = figures.sweep_lines(table, "size", "time", unit="MiB", log=True)
    assert np.asarray(axes.lines[0].get_xdata()).tolist() == [1, 2, 4]
    assert axes.get_xlabel() == "size, MiB"
    assert axes.get_xscale() == "log"


def test_the_style_does_not_stay_behind() -> None:
    before = dict(plt.rcParams)
    figures.heat_map([[0, 1], [1, 0]])
    assert dict(plt.rcParams) == before


def test_the_same_data_gives_the_same_file(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        axes = figures.heat_map([[0, 1], [2, 0]], unit="accesses", evidence="measured")
        with plt.rc_context(figures.STYLE):
            plt.savefig(tmp_path / name, metadata={"Date": None})
        axes.clear()
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_a_figure_without_its_data_is_refused(ring: Path) -> None:
    baseline = numatch.simulate(ring)
    with pytest.raises(numatch.NumatchError, match="timeline"):
        figures.timeline(baseline)
    with pytest.raises(numatch.NumatchError, match="baselines"):
        figures.relative_times(baseline)
    with pytest.raises(numatch.NumatchError, match="square"):
        figures.heat_map([[1, 2]])
    with pytest.raises(numatch.NumatchError, match="no column 'size'"):
        figures.sweep_lines(pd.DataFrame({"time": [1]}), "size", "time")

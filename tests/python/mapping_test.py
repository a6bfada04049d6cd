# SPDX-License-Identifier: Apache-2.0
"""Mapping from Python."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numatch
import numpy as np
import pytest

MACHINE = "numa:2 core:2 pu:1"
PAIRS = np.array([[0, 1, 9, 1], [1, 0, 1, 9], [9, 1, 0, 1], [1, 9, 1, 0]])
"""Threads 0 and 2 share most, and 1 and 3."""


def test_threads_that_share_come_to_one_node() -> None:
    nodes = numatch.map(PAIRS, MACHINE).nodes
    assert nodes[0] == nodes[2] != nodes[1] == nodes[3]


def test_the_cost_is_sharing_times_distance() -> None:
    mapping = numatch.map(PAIRS, MACHINE)
    distances = mapping.machine.distances[np.ix_(mapping.pus, mapping.pus)]
    assert mapping.cost == (PAIRS * distances).sum()
    assert mapping.share_in_node == 36 / 44


def test_the_answer_is_that_of_the_command(
    sample: Path, tmp_path: Path, command: Callable[..., str]
) -> None:
    mapping = numatch.map(numatch.open_profile(sample), "xeon64", "scotch", seed=5)
    mapping.save(tmp_path / "python.map")
    ours = json.loads((tmp_path / "python.map").read_text())
    words = ["map", sample, "--topology", "xeon64", "-a", "scotch", "--seed", "5"]
    command(*words, "-o", tmp_path / "command.map")
    theirs = json.loads((tmp_path / "command.map").read_text())
    for timed in ("seconds", "cpu_seconds"):
        del ours[timed], theirs[timed]
    assert ours == theirs


def test_pages_are_placed_for_a_profile_only(sample: Path) -> None:
    profile = numatch.open_profile(sample)
    placed = numatch.map(profile, "xeon64").pages
    assert placed is not None
    assert placed.pages_on_node.sum() == placed.runs["pages"].sum()
    assert placed.local_mapped >= placed.local_first_touch
    assert numatch.map(profile.sharing, "xeon64").pages is None


def test_pins_and_allowed_pus_are_kept() -> None:
    mapping = numatch.map(PAIRS, "xeon64", pinned={1: 40}, allowed=range(32, 48))
    assert mapping.pus[1] == 40
    assert set(mapping.pus.tolist()) <= set(range(32, 48))


def test_threads_move_only_where_it_pays() -> None:
    first = numatch.map(PAIRS, MACHINE)
    again = numatch.map(PAIRS, MACHINE, current=first)
    assert again.moved == 0
    spread = numatch.map(PAIRS, MACHINE, current=[0, 1, 2, 3])
    assert spread.gain > 0
    assert spread.moved > 0
    assert numatch.map(PAIRS, MACHINE, current=[0, 1, 2, 3], move_cost=1e9).moved == 0


def test_own_distances_decide() -> None:
    # PUs 0 and 3 are near each other, and 1 and 2: the tree says otherwise.
    distances = np.array([[0, 9, 9, 1], [9, 0, 1, 9], [9, 1, 0, 9], [1, 9, 9, 0]])
    pus = numatch.map(PAIRS, MACHINE, distances=distances).pus.tolist()
    assert {frozenset(pus[0::2]), frozenset(pus[1::2])} == {frozenset([0, 3]), frozenset([1, 2])}


def test_every_algorithm_is_compared_and_none_beats_the_exact_one() -> None:
    frame = numatch.compare(PAIRS, MACHINE)
    assert list(frame.index) == list(numatch.algorithms().index)
    assert frame["cost"].min() == frame.loc["exact", "cost"]


def test_an_algorithm_without_an_answer_says_why() -> None:
    frame = numatch.compare(np.ones((40, 40)), "xeon64", ["exact", "compact"])
    assert frame["cost"].isna()["exact"]
    assert frame.loc["exact", "problem"] != ""
    assert frame.loc["compact", "problem"] == ""


def test_what_is_saved_is_read_back(tmp_path: Path) -> None:
    mapping = numatch.map(PAIRS, MACHINE)
    mapping.save(tmp_path / "a.map")
    assert (numatch.read_mapping(tmp_path / "a.map") == mapping.pus).all()


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        ({"sharing": [[0, 1]]}, "sharing"),
        ({"sharing": [[0, -1], [1, 0]]}, "sharing"),
        ({"sharing": [[0, np.nan], [1, 0]]}, "sharing"),
        ({"sharing": "matrix"}, "sharing"),
        ({"sharing": PAIRS, "distances": np.ones((3, 3))}, "distances"),
        ({"sharing": PAIRS, "pinned": {4: 0}}, "pinned"),
        ({"sharing": PAIRS, "budget": "bets"}, "budget"),
        ({"sharing": PAIRS, "policy": "sprad"}, "policy"),
        ({"sharing": PAIRS, "algorithm": "greedy", "seed": 1}, "seed"),
        ({"sharing": PAIRS, "weights": [1.0]}, "weights"),
    ],
)
def test_bad_input_is_named(arguments: dict[str, Any], where: str) -> None:
    with pytest.raises(numatch.NumatchError) as caught:
        numatch.map(machine=MACHINE, **arguments)
    assert where in caught.value.where


def test_an_unknown_algorithm_or_machine_is_refused_with_the_nearest() -> None:
    with pytest.raises(numatch.NumatchError, match="scotch"):
        numatch.map(PAIRS, MACHINE, "scoth")
    with pytest.raises(numatch.NumatchError, match="xeon64"):
        numatch.map(PAIRS, "xeon6")


def test_a_machine_says_its_nodes_cores_and_distances() -> None:
    machine = numatch.load_machine("numa:2 core:2 pu:2")
    assert (machine.nodes, machine.pus) == (2, 8)
    assert machine.node_of_pu.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert machine.core_of_pu.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert machine.distances[0].tolist() == [0, 2, 4, 4, 6, 6, 6, 6]
    assert machine.node_distances.shape == (2, 2)


def test_described_machines_have_facts_with_sources() -> None:
    assert "xeon64" in numatch.machines()
    facts = numatch.load_machine("xeon64").facts
    assert len(facts) > 10
    assert (facts["source"] != "").all()

# SPDX-License-Identifier: Apache-2.0
"""Reading the description of a sweep."""

from pathlib import Path
from typing import Any

import pytest
from numatch.errors import NumatchError
from numatch.sweeps import read_file, read_table
from numatch.sweeps.plan import Sweep
from numatch.sweeps.suggest import edit_distance, suggest

SMALL: dict[str, Any] = {"traces": ["ring.nmt"], "mechanisms": ["lapt"]}


def described(**more: Any) -> Sweep:
    return read_table({**SMALL, **more}, "s.toml", Path("/data"))


def test_a_file_is_read_with_its_paths_below_its_folder(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(
        'traces = ["t/ring.nmt"]\nmechanisms = ["lapt", "oracle"]\nseeds = [1, 2]\n'
        '[set]\ncache.l2.size = ["64 KiB", "1 MiB"]\n'
        "[simulate]\nroi = true\ntime-scale = 100\n"
        "[parameters.lapt]\ncv-length = [2, 4, 8]\n"
    )
    sweep = read_file(file)
    assert sweep.programs[0].trace == tmp_path.resolve() / "t/ring.nmt"
    assert sweep.settings == {"cache.l2.size": ("64 KiB", "1 MiB")}
    assert sweep.options == {"roi": ("yes",), "time-scale": ("100",)}
    assert sweep.parameters == {"lapt": {"cv-length": ("2", "4", "8")}}


def test_the_cells_are_every_combination_with_the_baseline_once() -> None:
    cells = list(
        described(
            mechanisms=["lapt", "oracle"],
            machines=["xeon32", "xeon64"],
            seeds=[3, 4],
            set={"memory.channels": [1, 2]},
            parameters={"lapt": {"cv-length": [2, 4, 8]}},
        ).cells()
    )
    assert len(cells) == 2 * 2 * 2 * (1 + 3 + 1)
    assert len(set(cells)) == len(cells)
    assert [cell.mechanism for cell in cells[:5]] == ["os", "lapt", "lapt", "lapt", "oracle"]
    assert cells[1].parameters == (("cv-length", "2"),)


def test_a_baseline_that_is_a_mechanism_is_there_once() -> None:
    cells = list(described(mechanisms=["lapt", "oracle"], baseline="oracle").cells())
    assert [cell.mechanism for cell in cells] == ["oracle", "lapt"]


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ({"mechansims": []}, "s.toml: unknown key 'mechansims'; did you mean 'mechanisms'?"),
        ({"simulate": {"thread": "random"}}, "s.toml: [simulate]: unknown key 'thread'; did you"),
        ({"parameters": {"latp": {}}}, "[parameters]: unknown key 'latp'; did you mean 'lapt'?"),
        ({"slurm": {"que": "x"}}, "s.toml: [slurm]: unknown key 'que'; did you mean 'queue'?"),
        ({"figure": {"y": "tme"}}, "s.toml: [figure]: there is no 'tme'; did you mean 'time'?"),
        ({"figure": {"x": "sead"}}, "nothing is called 'sead' here; did you mean 'seed'?"),
        ({"seeds": ["one"]}, "s.toml: 'seeds' must be a list of whole numbers"),
        ({"seeds": [1, 1]}, "s.toml: 'seeds': '1' is there twice; name each once"),
        ({"seeds": []}, "s.toml: 'seeds' is empty"),
        ({"mechanisms": "lapt"}, "s.toml: 'mechanisms' must be a list of texts"),
        ({"set": {"memory.channels": []}}, "[set]: 'memory.channels' must be a value or a list"),
        ({"memory": "2 gigs"}, "s.toml: 'memory': '2 gigs' is no size; write it as '2 GiB'"),
        ({"retries": -1}, "s.toml: 'retries' must be a whole number from 0"),
        ({"traces": []}, "s.toml: there is no program"),
        ({"traces": ["a/x.nmt", "b/x.nmt"]}, "s.toml: programs: 'x' is there twice"),
        ({"program": [{"name": "x"}]}, "[program]: 'x' needs a trace or a command"),
        ({"program": [{"name": "x", "command": "ls"}]}, "'command' must be a list of texts"),
        ({"machines": ["live"]}, "'live' is another machine on each computer"),
        ({"simulate": {"roi": "maybe"}}, "s.toml: [simulate]: 'roi' must be true or false"),
    ],
)
def test_a_wrong_description_is_one_line_that_names_the_place(
    more: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(NumatchError) as problem:
        described(**more)
    assert complaint in str(problem.value)
    assert "\n" not in str(problem.value)


def test_a_file_that_is_no_toml_is_an_error_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("traces = [\n]]\n")
    with pytest.raises(NumatchError, match=r"s\.toml: is not TOML: .*line"):
        read_file(tmp_path / "s.toml")
    with pytest.raises(NumatchError, match=r"none\.toml: No such file"):
        read_file(tmp_path / "none.toml")
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(NumatchError, match=r"b\.toml: is not UTF-8 text"):
        read_file(tmp_path / "b.toml")


def test_the_nearest_name_is_told_or_all_of_them() -> None:
    assert edit_distance("lapt", "latp") == 1
    assert edit_distance("", "abc") == 3
    assert suggest("lpat", ["oracle", "lapt"]) == "did you mean 'lapt'?"
    assert suggest("xylophone", ["oracle", "lapt"]) == "known: oracle, lapt"

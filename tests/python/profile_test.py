# SPDX-License-Identifier: Apache-2.0
"""Profiles as arrays and data frames."""

import sqlite3
from pathlib import Path

import numatch
import numpy as np
import pytest


def test_the_matrix_and_the_pages_are_those_of_the_file(sample: Path) -> None:
    profile = numatch.open_profile(sample)
    with sqlite3.connect(sample) as file:
        (uses,) = file.execute("SELECT count(*) FROM page_use").fetchone()
        (accesses,) = file.execute("SELECT sum(accesses) FROM thread").fetchone()
    assert len(profile.pages) == uses
    assert profile.threads["accesses"].sum() == accesses
    assert profile.sharing.shape == (len(profile.threads),) * 2
    assert (profile.pages["reads"] + profile.pages["writes"] > 0).all()


def test_what_is_shown_cannot_be_changed(sample: Path) -> None:
    profile = numatch.open_profile(sample)
    with pytest.raises(ValueError, match="read-only"):
        profile.sharing[0, 1] = 1
    with pytest.raises(ValueError, match="read-only"):
        profile.pages["reads"][0] = 1


def test_arrays_live_longer_than_their_profile(sample: Path) -> None:
    sharing = numatch.open_profile(sample).sharing
    pages = numatch.open_profile(sample).pages
    assert sharing.sum() > 0
    assert pages["pages"].sum() > 0


def test_a_ring_shares_with_its_neighbours_alone(ring: Path) -> None:
    sharing = numatch.profile(ring).sharing
    neighbours = np.roll(np.eye(8, dtype=bool), 1, axis=1)
    neighbours |= neighbours.T
    assert sharing[neighbours].min() > 100 * sharing[~neighbours].max()


def test_learning_twice_gives_the_same_file(ring: Path, tmp_path: Path) -> None:
    for name in ("a.nmp", "b.nmp"):
        numatch.profile(ring, "lapt", parameters={"cv-length": 8}).save(tmp_path / name)
    assert (tmp_path / "a.nmp").read_bytes() == (tmp_path / "b.nmp").read_bytes()


def test_what_is_saved_is_what_is_read(ring: Path, tmp_path: Path) -> None:
    learned = numatch.profile(ring, "sammu")
    learned.save(tmp_path / "ring.nmp")
    read = numatch.open_profile(tmp_path / "ring.nmp")
    assert read.sharing.tobytes() == learned.sharing.tobytes()
    assert read.pages.tobytes() == learned.pages.tobytes()
    assert (read.unit, read.evidence, read.mechanism) == ("TLB evictions", "simulated", "sammu")
    assert read.parameters == learned.parameters


def test_page_sharing_sums_what_the_uses_say(sample: Path) -> None:
    profile = numatch.open_profile(sample)
    pages = profile.pages
    frame = profile.page_sharing()
    assert frame["reads"].sum() == (pages["reads"] * pages["pages"]).sum()
    assert frame["writes"].sum() == (pages["writes"] * pages["pages"]).sum()
    assert frame["pages"].sum() == sum(
        dict(zip(pages["first_page"], pages["pages"], strict=True)).values()
    )
    assert frame["most_share"].between(0, 1, inclusive="right").all()
    assert (frame.loc[frame["threads"] == 1, "most_share"] == 1).all()


def test_objects_and_false_sharing_name_data_and_threads(sample: Path) -> None:
    profile = numatch.open_profile(sample)
    lines = profile.false_sharing
    assert set(profile.objects["kind"]) <= {"heap", "global", "stack", "mapping", "unknown"}
    assert len(lines) >= 2
    assert lines["thread"].isin(profile.threads.index).all()
    assert lines["object"].isin([-1, *profile.objects.index]).all()


@pytest.mark.parametrize("text", [b"", b"no profile at all"])
def test_what_is_no_profile_is_refused(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "bad.nmp"
    file.write_bytes(text)
    with pytest.raises(numatch.NumatchError) as caught:
        numatch.open_profile(file)
    assert str(file) in str(caught.value)


def test_unknown_names_are_refused_with_the_nearest(ring: Path) -> None:
    with pytest.raises(numatch.NumatchError, match="oracle"):
        numatch.profile(ring, "oracel")
    with pytest.raises(numatch.NumatchError, match="cv-length"):
        numatch.profile(ring, "lapt", parameters={"cv-lenght": 8})

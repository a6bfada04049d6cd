# SPDX-License-Identifier: Apache-2.0
"""The package as a whole."""

import pickle
from pathlib import Path

import numatch
import pytest


def test_the_version_is_that_of_the_project() -> None:
    project = Path(__file__).parents[2] / "CMakeLists.txt"
    assert f"project(numatch VERSION {numatch.__version__} " in project.read_text()


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (numatch.NumatchError("is cut off"), "is cut off"),
        (numatch.NumatchError("is cut off", "a.nmt"), "a.nmt: is cut off"),
        (numatch.NumatchError("is cut off", "a.nmt", "record"), "a.nmt: is cut off; record"),
    ],
)
def test_an_error_is_one_line_like_that_of_the_command(
    error: numatch.NumatchError, text: str
) -> None:
    assert str(error) == text


def test_an_error_passes_through_pickle_whole() -> None:
    error = pickle.loads(pickle.dumps(numatch.NumatchError("w", "x", "y")))  # noqa: S301
    assert (error.what, error.where, error.hint) == ("w", "x", "y")

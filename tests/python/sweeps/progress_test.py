# SPDX-License-Identifier: Apache-2.0
"""How far a sweep is, in words."""

import io

import pytest
from numatch.sweeps import Progress
from numatch.sweeps.progress import ProgressLine, text_of


@pytest.mark.parametrize(
    ("share", "seconds", "text"),
    [
        (0.0, 5, "sweep: 3 of 8 runs"),
        (0.5, 20, "sweep: 3 of 8 runs, about 20 s left"),
        (0.25, 100, "sweep: 3 of 8 runs, about 5 min left"),
        (0.1, 3600, "sweep: 3 of 8 runs, about 9.0 h left"),
    ],
)
def test_the_rest_is_estimated_from_the_share_that_is_done(
    share: float, seconds: float, text: str
) -> None:
    assert text_of(Progress(3, 8, share), seconds) == text


def test_a_pipe_is_told_nothing() -> None:
    pipe = io.StringIO()
    with ProgressLine(pipe) as line:
        line(Progress(1, 2, 0.5))
    assert pipe.getvalue() == ""

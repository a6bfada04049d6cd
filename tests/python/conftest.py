# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share."""

import importlib.util

import pytest


def pytest_sessionstart() -> None:
    """Says in one line that the extension is missing, instead of in every test."""
    if importlib.util.find_spec("numatch._core") is None:
        pytest.exit(
            "numatch._core is not built; configure with -DNUMATCH_PYTHON=ON, then build",
            returncode=1,
        )

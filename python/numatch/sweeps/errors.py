# SPDX-License-Identifier: Apache-2.0
"""Errors in the order in which they are read."""

from numatch.errors import NumatchError

__all__ = ["NumatchError", "failure"]


def failure(where: str, what: str, hint: str = "") -> NumatchError:
    """Make an error to raise: where it went wrong, what it is, what to do about it."""
    return NumatchError(what, where, hint)

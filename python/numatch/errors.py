# SPDX-License-Identifier: Apache-2.0
"""The one exception of the package."""


class NumatchError(Exception):
    """What went wrong, in the words of the command line.

    Parameters
    ----------
    what
        The problem: "is a directory".
    where
        File, file and offset, or parameter; may be empty.
    hint
        What can be done about it; may be empty.
    """

    def __init__(self, what: str, where: str = "", hint: str = "") -> None:
        super().__init__(what, where, hint)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}; {self.hint}" if self.hint else text

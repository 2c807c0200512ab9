"""Power that fails at a chosen write, after which nothing is written any more."""

import os
from collections.abc import Callable
from typing import Any

import pytest

WRITES = "open", "fsync", "replace", "rename", "write", "ftruncate", "mkdir", "unlink", "fchmod"


SECTOR = 512
"""Bytes that a card writes, or does not."""


class PowerCut(Exception):
    """From now on nothing is written."""


class Power:
    """Fails at the write that is its `left`-th from now."""

    def __init__(self, left: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = left
        for name in WRITES:
            monkeypatch.setattr(os, name, self._counting(getattr(os, name), name))

    def _counting(self, real: Callable[..., Any], name: str) -> Callable[..., Any]:
        def call(*given: Any, **more: Any) -> Any:
            self.left -= 1
            if self.left == 0 and name == "write":
                real(given[0], given[1][: len(given[1]) // (2 * SECTOR) * SECTOR])
            if self.left <= 0:
                raise PowerCut
            return real(*given, **more)

        return call

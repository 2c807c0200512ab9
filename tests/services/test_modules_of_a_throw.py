"""A throw takes a short way: the modules of the package that one `step` calls for it."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from pi_bunco.devices.protocols import Throw
from pi_bunco.wire.gate import Delivered
from pi_bunco.wire.messages import Envelope

from .hall import ONE, Hall

MAX_MODULES = 14


def watched(step: Callable[..., Iterable[Any]], ways: list[set[str]]) -> Callable[..., Iterable[Any]]:
    """The `step` of a service that notes the modules called for each throw."""

    def noting(message: object, now: float) -> Iterable[Any]:
        told = isinstance(message, Delivered) and isinstance(message.message, Envelope)
        if not (told or isinstance(message, Throw)):
            return step(message, now)
        modules: set[str] = set()

        def note(frame: FrameType, event: str, _arg: object) -> None:
            name = str(frame.f_globals.get("__name__"))
            if event == "call" and name.startswith("pi_bunco."):
                modules.add(name)

        before = sys.getprofile()
        sys.setprofile(note)
        try:
            effects = list(step(message, now))
        finally:
            sys.setprofile(before)
        ways.append(modules)
        return effects

    return noting


@pytest.mark.parametrize("service", ["head", "table"])
def test_a_scoring_throw_calls_few_modules(
    service: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall, ways = Hall(tmp_path, tables=3), list[set[str]]()
    hall.wait(3000)
    hall.open()
    hall.do("round_start")
    hall.wait(3000)
    owner: Any = hall.head.referee if service == "head" else hall.tables[1].controller
    monkeypatch.setattr(owner, "step", watched(owner.step, ways))
    for _ in range(3):
        hall.roll(1, *ONE)
    assert len(ways) == 3
    for modules in ways:
        assert len(modules) <= MAX_MODULES, sorted(modules)
    hall.close()

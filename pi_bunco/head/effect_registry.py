"""Which function carries out which command of a host."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pi_bunco.head.task import Task
from pi_bunco.wire.commands import Arguments

Answer = Iterable[str]
Effect = Callable[[Task, Any], Answer]
Kind = TypeVar("Kind", bound=Arguments)
EFFECTS: dict[type[Arguments], Effect] = {}
"""What each command does."""


def does(kind: type[Kind]) -> Callable[[Callable[[Task, Kind], Answer]], Callable[[Task, Kind], Answer]]:
    """Registers a function as what a command does; a second one for the same command takes its place."""

    def register(effect: Callable[[Task, Kind], Answer]) -> Callable[[Task, Kind], Answer]:
        EFFECTS[kind] = effect
        return effect

    return register

"""Carries out a host's command.

A new command is its struct in `wire.commands` and one function in `evening`, `round` or `table`: it
records facts or asks for effects, raises `Refused` with every reason why not, and returns its answer, worked
out from the state after it.
"""

from pi_bunco.game.reasons import NoEveningOpen
from pi_bunco.head.commands import evening, round, table
from pi_bunco.head.commands.registry import EFFECTS, Task
from pi_bunco.head.reasons import EveningClosed, Refused
from pi_bunco.reason import Reason
from pi_bunco.wire.commands import Arguments

MODULES = (evening, round, table)
"""The modules with the commands' functions, which register themselves."""


def carry_out(task: Task, args: Arguments) -> tuple[Reason, ...]:
    """Does what the command says and returns what is true after it; `Refused` has every reason why not."""
    effect, needs = EFFECTS[type(args)]
    if task.evening.rules is None and needs != "nothing":
        raise Refused(NoEveningOpen())
    if task.evening.closed and needs == "an open evening":
        raise Refused(EveningClosed())
    return tuple(effect(task, args))

"""Carries out a host's command.

A new command is its struct in `wire.commands` and one function in `evening`, `pace`, `round` or `table`: it
records facts or asks for effects, raises `Refused` with every reason why not, and returns its answer, worked
out from the state after it.
"""

from pi_bunco.game.reasons import NoEveningOpen
from pi_bunco.head.commands import evening, pace, round, table
from pi_bunco.head.commands.registry import EFFECTS, Task
from pi_bunco.head.reasons import EveningClosed, Refused
from pi_bunco.reason import Reason
from pi_bunco.wire import commands
from pi_bunco.wire.commands import Arguments

MODULES = (evening, pace, round, table)
"""The modules with the commands' functions, which register themselves."""
WITHOUT_EVENING = (
    commands.OpenEvening,
    commands.RingTest,
    commands.SilenceHorn,
    commands.EndRecovery,
    commands.ChooseBranch,
)
"""The commands that need no evening."""
WHEN_CLOSED = (
    *WITHOUT_EVENING,
    commands.ReopenEvening,
    commands.AwardPrize,
    commands.TellRolloff,
    commands.BlinkTable,
)
"""The commands that a closed evening takes too."""


def carry_out(task: Task, args: Arguments) -> tuple[Reason, ...]:
    """Does what the command says and returns what is true after it; `Refused` has every reason why not."""
    if task.evening.rules is None and not isinstance(args, WITHOUT_EVENING):
        raise Refused(NoEveningOpen())
    if task.evening.closed and not isinstance(args, WHEN_CLOSED):
        raise Refused(EveningClosed())
    return tuple(EFFECTS[type(args)](task, args))

"""A table's devices and their reports, whatever they are made of.

All times are milliseconds of the `Clock` that the device was given. A device's threads only call `put` with
an event; what the event means is for the service's one loop to decide.
"""

import importlib.util
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple, Protocol, get_args

from msgspec import Struct

from pi_bunco.errors import BuncoError
from pi_bunco.game.fields import Face, Seat
from pi_bunco.reason import Coded, Reason
from pi_bunco.rules.ruleset import Signal

DICE = (1, 2, 3)
ThreeFaces = tuple[Face, Face, Face]
Button = Literal["one", "two", "mini", "bunco", "miss", "undo", "ok", "help"]
BUTTONS: tuple[Button, ...] = get_args(Button)
DieState = Literal["ok", "weak", "cocked", "moved", "fault", "unheard"]
CAN_BE_ROLLED: tuple[DieState, ...] = ("ok", "weak", "moved")


class DeviceError(BuncoError, ValueError):
    """A device was asked for what it is not or cannot do; the text is a sentence for a host."""


def need_modules(what: str, modules: Iterable[str], extra: str) -> None:
    """`DeviceError` where one of the libraries that `what` needs, and the extra brings, is not installed."""
    if missing := [name for name in modules if importlib.util.find_spec(name) is None]:
        raise DeviceError(f"{what} needs {' and '.join(missing)}: install pi-bunco with its extra [{extra}]")


class ThrowMark(NamedTuple):
    """A device's name for a throw or a tap: the boot of a dice box, or a phone's own word, and a number."""

    boot: str
    seq: int


class Throw(Struct, frozen=True, tag_field="kind", tag="throw"):
    """Three dice thrown and settled; `began` is the first tumble, `settled` the last settling (ms).

    `err` is a bound of the error of both (ms), None if it is not known.
    """

    faces: ThreeFaces
    began: float
    settled: float
    mark: ThrowMark | None = None
    err: float | None = 0.0


class ThrowVoid(Struct, frozen=True, tag_field="kind", tag="void"):
    """A throw that does not count because of `why`, and as a `reason`; all dice are to be rolled again."""

    why: str
    at: float
    reason: Coded | None = None

    @classmethod
    def because(cls, reason: Reason, at: float) -> "ThrowVoid":
        """The throw is void for this reason."""
        return cls(reason.english(), at, Coded.of(reason))


class DiceState(Struct, frozen=True, tag_field="kind", tag="dice"):
    """Die 1, 2 or 3 is in another state than before; `why` names the wire to blame, where that is known."""

    die: int
    state: DieState
    why: str = ""


class Press(Struct, frozen=True, tag_field="kind", tag="press"):
    """A button was pressed at its first edge `at`; UNDO is reported only when it was held long enough.

    MISS is reported when it is let go, with how long it was held; the others at once.

    A `mark` names the press for good, so that one which is reported again counts once.
    """

    button: Button
    at: float
    held_ms: int
    mark: ThrowMark | None = None


class Stuck(Struct, frozen=True, tag_field="kind", tag="stuck"):
    """A button is down for longer than anybody presses it, or it is free again."""

    button: Button
    stuck: bool


class AllReported(Struct, frozen=True, tag_field="kind", tag="all_reported"):
    """Every throw that was made up to `at` (ms) has been reported."""

    at: float


class PanelFault(Struct, frozen=True, tag_field="kind", tag="panel_fault"):
    """The panel cannot be read, and why, as a sentence; an empty `why`: it can be read again."""

    why: str


DiceEvent = Throw | ThrowVoid | DiceState | AllReported
DeviceEvent = DiceEvent | Press | Stuck | PanelFault
Put = Callable[[DeviceEvent], None]


class LightState(Struct, frozen=True):
    """All that a table shows, computed from its state; `message` is for the display, lines apart by newlines.

    `online` is whether the head has been found, `saved` whether every throw is stored of which
    the table has read by then, `refused` whether the bell button was pressed in vain a moment ago, `ending`
    whether the clock is about to end the round.
    """

    turn: Seat | None = None
    next: Literal["roll again", "pass"] | None = None
    round: Literal["running", "finish", "stop"] | None = None
    ending: bool = False
    rolloff: bool = False
    saved: bool = True
    online: bool = True
    fault: bool = False
    ok_blinks: bool = False
    refused: bool = False
    message: str = ""
    language: str = "en"


class Blast(NamedTuple):
    """A relay (or both) on for `on_ms`, then off for `off_ms`."""

    relay: Signal
    on_ms: int
    off_ms: int


class Blasts(Struct, frozen=True):
    """A ring of the bell: after `wait_ms` of silence the blasts of `pattern`; each has its own `id`."""

    id: str
    pattern: tuple[Blast, ...]
    wait_ms: int = 0


class Reporting(Protocol):
    """A device that reports."""

    def start(self) -> None:
        """Begins to report."""

    def alive(self) -> bool:
        """True while something reads the device, connected or not."""

    def close(self) -> None:
        """Stops reporting and frees what it holds."""


class Panel(Reporting, Protocol):
    """The eight buttons of a table."""


class Dice(Reporting, Protocol):
    """Three dice at a table."""

    def committed(self, boot: str, seq: int) -> None:
        """Says that the throw marked (boot, seq) is stored or needs no storing; never blocks.

        Due for every `Throw` with a mark: until then the dice keep it, and say it again after a restart.
        """

    def report_until(self, at: float) -> None:
        """Asks for an `AllReported` of `at` (ms), behind the throws made up to then; never blocks.

        It comes late, or not at all, where the dice cannot be reached.
        """


class Lights(Protocol):
    """The lights and the display of a table."""

    def show(self, state: LightState) -> None:
        """Makes lights and display show `state`."""

    def close(self) -> None:
        """Turns everything dark."""


class Bell(Protocol):
    """The relays of bell and horn; never on for longer than the limit, whatever is asked for."""

    def ring(self, ring: Blasts) -> float:
        """Cuts what still sounds, starts `ring`, and returns when the relay switches (ms), before it ends."""

    def off(self) -> None:
        """Silences both relays at once."""

    def close(self) -> None:
        """Silences both relays and frees them."""

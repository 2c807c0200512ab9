"""gpiozero's pins on libgpiod 2: outputs begin with their value, edges have the kernel's time.

gpiozero has no such factory (gpiozero#840). Edges can be lost when nobody reads in time (the kernel keeps so
many per line), so all levels are read again every `REREAD_S` and a difference is reported as a change.
"""

import errno
import os
import select
from collections.abc import Sequence
from typing import Any

import gpiod
from gpiod.line import Bias, Direction, Edge, Value
from gpiozero.exc import (  # type: ignore[import-untyped]
    PinFixedPull,
    PinInvalidBounce,
    PinInvalidEdges,
    PinInvalidFunction,
    PinInvalidPull,
    PinSetInput,
    PinUnknownPi,
)
from gpiozero.pins.local import LocalPiFactory, LocalPiPin  # type: ignore[import-untyped]

from pi_bunco.devices.gpio.watching import LineWatch, PinChange

REREAD_S = 0.25
EDGES_KEPT = 256
"""Edges that the kernel keeps for each line while nobody reads."""
PLAIN_BOARD = 0xC03114
"""The revision of a Pi 4, whose header stands for that of a board which is no Pi, where its chip is named."""

_BIAS = {"up": Bias.PULL_UP, "down": Bias.PULL_DOWN, "floating": Bias.DISABLED}
_PULL = {bias: pull for pull, bias in _BIAS.items()}
_EDGES = ("both", "rising", "falling", "none")


class GpiodFactory(LocalPiFactory):  # type: ignore[misc]
    """The pins of the header at the chip `path`."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.pin_class = GpiodPin
        self.chip = gpiod.Chip(path)
        self.watch = LineWatch(Edges())

    def _get_revision(self) -> int:
        try:
            return int(super()._get_revision())
        except PinUnknownPi:
            return PLAIN_BOARD

    def alive(self) -> bool:
        """True while the inputs are watched."""
        return self.watch.alive()

    def close(self) -> None:
        """Lets go of all lines and of the chip."""
        super().close()
        self.watch.close()
        self.chip.close()


class Edges:
    """The kernel's edges of requested lines, and their levels read again."""

    def __init__(self) -> None:
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._reread_at = 0.0

    def close(self) -> None:
        """Frees what it holds."""
        os.close(self._bell)

    def wake(self) -> None:
        """Ends a pause."""
        os.eventfd_write(self._bell, 1)

    def pause(self, pins: Sequence["GpiodPin"]) -> None:
        """Waits for an edge of a pin, or until the levels are to be read again."""
        poll = select.poll()
        poll.register(self._bell, select.POLLIN)
        for pin in pins:
            if pin.line:
                poll.register(pin.line.fd, select.POLLIN)
        wait = max(self._reread_at - LocalPiFactory.ticks(), 0)
        if (self._bell, select.POLLIN) in poll.poll(wait * 1000):
            os.eventfd_read(self._bell)

    def look(self, pins: Sequence["GpiodPin"]) -> list[PinChange]:
        """The edges that came; and levels that differ from what the edges said."""
        changes = [change for pin in pins for change in pin.edges_read()]
        now = LocalPiFactory.ticks()
        if now >= self._reread_at:
            self._reread_at = now + REREAD_S
            changes += [(now, pin, pin.seen) for pin in pins if pin.missed(now)]
        return sorted(changes, key=lambda change: change[0])


class GpiodPin(LocalPiPin):  # type: ignore[misc]
    """A pin that takes its line when it is given a function, not before: SPI and I2C keep theirs."""

    def __init__(self, factory: GpiodFactory, info: Any) -> None:
        super().__init__(factory, info)
        self.line: gpiod.LineRequest | None = None
        self.seen = 0
        self._told_at = 0.0
        self._settings = gpiod.LineSettings()
        self._edges = "both"

    def close(self) -> None:
        """Lets go of the line; an output keeps its level, as the kernel leaves it."""
        self.when_changed = None
        if self.line is not None:
            self.line.release()
            self.line = None

    def output_with_state(self, state: float) -> None:
        """An output that never had another level."""
        self._request(direction=Direction.OUTPUT, output_value=Value(int(bool(state))))

    def input_with_pull(self, pull: str) -> None:
        """An input with that pull from the first moment on."""
        if pull not in _BIAS:
            raise PinInvalidPull(f"invalid pull {pull!r} for pin {self!r}")
        if self.info.pull not in (pull, ""):
            raise PinFixedPull(f"{self!r} has a physical pull-{self.info.pull} resistor")
        self._request(direction=Direction.INPUT, bias=_BIAS[pull])

    def edges_read(self) -> list[PinChange]:
        """The edges that the kernel has kept, without those that change nothing."""
        changes: list[PinChange] = []
        while self.line is not None and self.line.wait_edge_events(0):
            for event in self.line.read_edge_events():
                level = int(event.event_type is event.Type.RISING_EDGE)
                if level != self.seen:
                    self.seen = level
                    # An edge that was stamped before the level was read again may be queued after that.
                    self._told_at = max(event.timestamp_ns / 1e9, self._told_at)
                    changes.append((self._told_at, self, level))
        return changes

    def missed(self, now: float) -> bool:
        """True if the level is another than the edges said; then `seen` is put right, as of `now` (s)."""
        if self.line is None or self.state == self.seen or self.line.wait_edge_events(0):
            return False
        self.seen = 1 - self.seen
        self._told_at = now
        return True

    def _request(self, **settings: Any) -> None:
        """Takes the line, or changes how it is held, in one step; `OSError` says who has it."""
        wanted = gpiod.LineSettings(**settings)
        if self.line is not None:
            self.line.reconfigure_lines({self._number: wanted})
        else:
            self.line = self._taken(wanted)
        self._settings = wanted

    def _taken(self, wanted: gpiod.LineSettings) -> gpiod.LineRequest:
        chip = self.factory.chip
        try:
            return chip.request_lines(  # type: ignore[no-any-return]
                {self._number: wanted}, consumer="pi-bunco", event_buffer_size=EDGES_KEPT
            )
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            owner = chip.get_line_info(self._number).consumer or "the kernel"
            raise OSError(errno.EBUSY, f"it is in use by {owner}") from error

    def _get_function(self) -> str:
        info = self.factory.chip.get_line_info(self._number)
        return "output" if info.direction is Direction.OUTPUT else "input"

    def _set_function(self, value: str) -> None:
        if value == "output":
            self.output_with_state(0)
        elif value == "input":
            self.input_with_pull(self.info.pull or "floating")
        else:
            raise PinInvalidFunction(f"invalid function {value!r} for pin {self!r}")

    def _get_state(self) -> int:
        if self.line is None:
            self._set_function("input")
        assert self.line is not None
        return int(self.line.get_value(self._number) is Value.ACTIVE)

    def _set_state(self, value: float) -> None:
        if self.line is None or self._settings.direction is not Direction.OUTPUT:
            raise PinSetInput(f"cannot set state of pin {self!r}")
        self.line.set_value(self._number, Value(int(bool(value))))

    def _get_pull(self) -> str:
        return _PULL.get(self._settings.bias, "floating")

    def _set_pull(self, value: str) -> None:
        if self.line is not None and self._settings.direction is Direction.OUTPUT:
            raise PinFixedPull(f"cannot set pull on non-input pin {self!r}")
        self.input_with_pull(value)

    def _get_bounce(self) -> None:
        return None

    def _set_bounce(self, value: float | None) -> None:
        if value is not None:
            raise PinInvalidBounce("bounce is for whoever gets the changes: they have the kernel's time")

    def _get_edges(self) -> str:
        return self._edges

    def _set_edges(self, value: str) -> None:
        if value not in _EDGES:
            raise PinInvalidEdges(f"invalid edges {value!r} for pin {self!r}")
        self._edges = value

    def _enable_event_detect(self) -> None:
        self.seen = self.state
        self._detect(Edge.BOTH)
        self.factory.watch.add(self)

    def _disable_event_detect(self) -> None:
        self.factory.watch.remove(self)
        self._detect(Edge.NONE)

    def _detect(self, edges: Edge) -> None:
        self._request(direction=Direction.INPUT, bias=self._settings.bias, edge_detection=edges)

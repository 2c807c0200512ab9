"""Devices without hardware: moved by calls, by lines of text, or by a recording."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.devices import protocols
from pi_bunco.devices.bell.limits import LONGEST_MS, shortened
from pi_bunco.devices.dice.ordinary import NoDice, Unread
from pi_bunco.devices.kinds import (
    BELL_KINDS,
    DICE_KINDS,
    LIGHTS_KINDS,
    PANEL_KINDS,
    DeviceKind,
    Hardware,
    Kinds,
    Setup,
)
from pi_bunco.devices.lights.display import NoLights
from pi_bunco.devices.pins import Part, virtual
from pi_bunco.devices.threads import ReadingThread
from pi_bunco.runtime.clock import Clock
from pi_bunco.validator import closest

HOLD_MS = 1000
LOOK_EVERY_S = 0.1
_FACES = {str(face): face for face in range(1, 7)}
Mover = TypeVar("Mover")


class VirtualDice(NoDice):
    """Dice that fall as they are told."""

    def roll(
        self, faces: protocols.ThreeFaces, tumble_ms: float = 0, mark: protocols.ThrowMark | None = None
    ) -> None:
        """Three dice settle now, after tumbling for `tumble_ms`."""
        now = self._clock.now()
        self._put(protocols.Throw(faces, now - tumble_ms, now, mark))


class VirtualPanel(Unread):
    """Buttons that are pressed by calls."""

    def press(self, button: protocols.Button) -> None:
        """A short press now; `DeviceError` for UNDO, which is only reported when held."""
        if button == "undo":
            raise protocols.DeviceError("undo is held for a second: hold undo")
        self._put(protocols.Press(button, self._clock.now(), 0))

    def hold(self, button: protocols.Button, held_ms: int = HOLD_MS) -> None:
        """A press that began `held_ms` ago and is long enough."""
        self._put(protocols.Press(button, self._clock.now() - held_ms, held_ms))


class RungBlast(Struct, frozen=True):
    """One ring as it happened: its id, when the relay switched (ms), and the blasts within the limit."""

    id: str
    t: float
    pattern: tuple[protocols.Blast, ...]


class VirtualBell:
    """A bell that notes each ring in the JSON Lines file `log`, if there is one.

    A line is `{"id":...,"t":...,"pattern":[[relay,on_ms,off_ms],...]}`, written at once, for others to count.
    """

    def __init__(self, clock: Clock, log: Path | None = None) -> None:
        self._clock = clock
        self._log = log

    def ring(self, ring: protocols.Blasts) -> float:
        """Rings, for `LONGEST_MS` at most; returns when the relay switches (ms)."""
        rang = RungBlast(ring.id, self._clock.now() + ring.wait_ms, shortened(ring.pattern, LONGEST_MS))
        if self._log is not None:
            with self._log.open("ab") as file:
                file.write(msgspec.json.encode(rang) + b"\n")
        return rang.t

    def off(self) -> None:
        """Nothing sounds."""

    def close(self) -> None:
        """Nothing sounds."""


class TypedMoves(Struct):
    """Lines of text and what each moves: `roll 1 4 6`, `press ok`, `hold undo`, `press bell`.

    What is None cannot be moved by typing.
    """

    roll: Callable[[protocols.ThreeFaces], object] | None = None
    press: Callable[[protocols.Button], object] | None = None
    hold: Callable[[protocols.Button], object] | None = None
    press_bell: Callable[[], object] | None = None

    def obey(self, line: str) -> None:
        """Does what the line says; nothing for an empty one. `DeviceError` says what is wrong with it."""
        match line.split():
            case []:
                return
            case ["press", "bell"]:
                _movable(self.press_bell, "bell button")()
            case ["roll", *words]:
                _movable(self.roll, "dice")(faces(words))
            case ["press", *words]:
                _movable(self.press, "panel")(_button(words))
            case ["hold", *words]:
                _movable(self.hold, "panel")(_button(words))
            case [word, *_]:
                close = closest(word, ("roll", "press", "hold"))
                hint = f"did you mean {close}?" if close else "use roll, press or hold"
                raise protocols.DeviceError(f"{word[:40]!r} is not understood: {hint}")


def faces(words: Sequence[str]) -> protocols.ThreeFaces:
    """Three faces from three words; `DeviceError` says what was expected."""
    match [_FACES.get(word) for word in words]:
        case [int(one), int(two), int(three)]:
            return one, two, three
        case _:
            raise protocols.DeviceError("roll needs three faces from 1 to 6, for example: roll 1 4 6")


def _button(words: Sequence[str]) -> protocols.Button:
    for known in protocols.BUTTONS:
        if [known] == list(words):
            return known
    raise protocols.DeviceError(f"name one button of: {', '.join(protocols.BUTTONS)}; for example: press ok")


def _movable(move: Mover | None, device: str) -> Mover:
    if move is None:
        raise protocols.DeviceError(f"the {device} cannot be moved by typing")
    return move


class Recorded(Struct, frozen=True):
    """A line of a recording (`{"at":ms,"event":{"kind":...}}`): an event, and when it was reported.

    All times are ms since the recording began.
    """

    at: float
    event: protocols.DeviceEvent


def read(path: Path) -> list[Recorded]:
    """The recording in a file; `DeviceError` names the file, the line and what was expected."""
    decoder, recording = msgspec.json.Decoder(Recorded), []
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise protocols.DeviceError(f"the recording {path} cannot be read: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        try:
            recording += [decoder.decode(line)] if line.strip() else []
        except (msgspec.MsgspecError, UnicodeError) as error:
            raise protocols.DeviceError(f"{path}, line {number}: {error}") from error
    return recording


def shifted(event: protocols.DeviceEvent, ms: float) -> protocols.DeviceEvent:
    """The same event, `ms` later."""
    times = [name for name in ("began", "settled", "at") if name in event.__struct_fields__]
    return replace(event, **{name: getattr(event, name) + ms for name in times})


class RecordingPlayer:
    """A recording that begins at `start` (ms): the events that are due by now, each once."""

    def __init__(self, recording: Iterable[Recorded], start: float) -> None:
        self._start = start
        self._rest = deque(sorted(recording, key=lambda line: line.at))

    @property
    def next_at(self) -> float | None:
        """Time (ms) of the next event; None at the end."""
        return self._start + self._rest[0].at if self._rest else None

    def due(self, now: float) -> Iterator[protocols.DeviceEvent]:
        """The events up to `now` that were not given before, in the replay's time."""
        while (at := self.next_at) is not None and at <= now:
            yield shifted(self._rest.popleft().event, self._start)


class RecordedDice(ReadingThread):
    """Plays a recording as if its devices were here, presses included; then it waits to be closed."""

    def __init__(self, path: Path, put: protocols.Put, clock: Clock) -> None:
        super().__init__(f"recorded {path}", put, clock)
        self._recording = read(path)

    def committed(self, boot: str, seq: int) -> None:
        """A recording keeps everything."""

    def report_until(self, at: float) -> None:
        """Nothing is under way."""
        self._put(protocols.AllReported(at))

    def _run(self) -> None:
        replay = RecordingPlayer(self._recording, self._clock.now())
        while not self._stop.is_set():
            self._report(replay.due(self._clock.now()))
            self._stop.wait(None if replay.next_at is None else LOOK_EVERY_S)


def _smart(_argument: str, _setup: Setup) -> NoReturn:
    """Opens dice, panel and lights in one: a simulated table's players."""
    raise protocols.DeviceError("smart players need both: --dice smart and --panel smart")


def _virtual(kinds: Kinds[Any], open_: Callable[[str, Setup], Any], argument: str = "") -> None:
    """Registers the kind that is moved by typing; its parts are those of the kind at the header."""

    def parts(_argument: str, hardware: Hardware) -> tuple[Part, ...]:
        return virtual(kinds.find("gpio")[0].parts("", hardware))

    kinds.register(DeviceKind("virtual", open_, argument, optional=bool(argument), typed=True, parts=parts))


_virtual(DICE_KINDS, lambda _argument, setup: VirtualDice(setup.put, setup.clock))
_virtual(PANEL_KINDS, lambda _argument, setup: VirtualPanel(setup.put, setup.clock))
_virtual(LIGHTS_KINDS, lambda _argument, _setup: NoLights())
_virtual(
    BELL_KINDS,
    lambda argument, setup: VirtualBell(setup.clock, Path(argument) if argument else None),
    argument="FILE",
)
DICE_KINDS.register(DeviceKind("smart", _smart, argument="SEED", optional=True))
PANEL_KINDS.register(DeviceKind("smart", _smart))
DICE_KINDS.register(
    DeviceKind(
        "recorded",
        lambda argument, setup: RecordedDice(Path(argument), setup.put, setup.clock),
        argument="FILE",
    )
)

"""Device events in a JSON Lines file, `{"at":ms,"event":{"kind":...}}`, to be played with the same pauses."""

import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.devices.kinds import DICE_KINDS, DeviceKind
from pi_bunco.devices.protocols import (
    AllReported,
    DeviceError,
    DeviceEvent,
    DiceState,
    PanelFault,
    Press,
    Put,
    Stuck,
    Throw,
    ThrowVoid,
)
from pi_bunco.runtime.clock import Clock

LOOK_S = 0.1


class Recorded(Struct, frozen=True):
    """An event, and when it was reported; all times are ms since the recording began."""

    at: float
    event: DeviceEvent


_decoder = msgspec.json.Decoder(Recorded)


def shifted(event: DeviceEvent, ms: float) -> DeviceEvent:
    """The same event, `ms` later."""
    match event:
        case Throw():
            return replace(event, began=event.began + ms, settled=event.settled + ms)
        case ThrowVoid() | Press() | AllReported():
            return replace(event, at=event.at + ms)
        case DiceState() | Stuck() | PanelFault():
            return event


def read(path: Path) -> list[Recorded]:
    """The recording in a file; `DeviceError` names the file, the line and what was expected."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise DeviceError(f"the recording {path} cannot be read: {error.strerror}") from error
    return [_decode(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _decode(path: Path, number: int, line: bytes) -> Recorded:
    try:
        return _decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise DeviceError(f"{path}, line {number}: {error}") from error


class RecordingPlayer:
    """A recording that begins at `start` (ms): which of its events are due by now, each once."""

    def __init__(self, recording: Iterable[Recorded], start: float) -> None:
        self._start = start
        self._rest = iter(sorted(recording, key=lambda line: line.at))
        self._next = next(self._rest, None)

    @property
    def next_at(self) -> float | None:
        """When the next event is due (ms); None at the end."""
        return None if self._next is None else self._start + self._next.at

    def due(self, now: float) -> Iterator[DeviceEvent]:
        """The events up to `now` that were not given before, in the replay's time."""
        while self._next is not None and self._start + self._next.at <= now:
            event = self._next.event
            self._next = next(self._rest, None)
            yield shifted(event, self._start)


class RecordedDice:
    """Plays a recording as if its devices were here, presses included; it begins with `start`."""

    def __init__(self, path: Path, put: Put, clock: Clock) -> None:
        self._recording = read(path)
        self._put = put
        self._clock = clock
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"recorded {path}", daemon=True)

    def start(self) -> None:
        """Begins to play."""
        self._thread.start()

    def committed(self, boot: str, seq: int) -> None:
        """A recording keeps everything anyway."""

    def report_until(self, at: float) -> None:
        """Nothing is under way."""
        self._put(AllReported(at))

    def alive(self) -> bool:
        """Whether it still runs; after its last event it waits to be closed."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Stops playing."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        replay = RecordingPlayer(self._recording, self._clock.now())
        while not self._stop.is_set():
            for event in replay.due(self._clock.now()):
                self._put(event)
            self._stop.wait(None if replay.next_at is None else LOOK_S)


DICE_KINDS.register(
    DeviceKind(
        "recorded",
        lambda argument, setup: RecordedDice(Path(argument), setup.put, setup.clock),
        argument="FILE",
    )
)

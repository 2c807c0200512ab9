"""A dice box at a serial line, written from the protocol's text alone (firmware/README.md).

It knows nothing of the firmware or of `pi_bunco.devices`. Times are in milliseconds.
"""

import zlib

KEPT = 32
RESEND_MS = 200
PULSE_MS = 1000


class SerialBox:
    """The box's end of the serial line: what it is given is read, `out` is to be sent."""

    def __init__(self, boot: str, now: float) -> None:
        self.out = bytearray()
        self._boot = boot
        self._start = self._pulsed = self._sent = now
        self._kept: list[tuple[int, str]] = []
        self._newest = 0
        self._faces = [0, 0, 0]
        self._read = bytearray()
        self._hello()

    def throw(self, faces: tuple[int, ...], now: float) -> None:
        """All dice tumble and settle."""
        for die in (1, 2, 3):
            self._faces[die - 1] = 0
            self._number(f"B,{self._boot},{{}},{die}", now)
        for die, face in enumerate(faces, 1):
            self._faces[die - 1] = face
            self._number(f"R,{self._boot},{{}},{die},{face}", now)

    def take(self, data: bytes, now: float) -> None:
        """Takes bytes from the Pi."""
        self._read += data
        while b"\n" in self._read:
            line, _, rest = self._read.partition(b"\n")
            self._read = bytearray(rest)
            payload, star, crc = line[line.rfind(b"$") + 1 :].rstrip(b"\r").partition(b"*")
            if b"$" in line and star and crc == b"%08x" % zlib.crc32(payload):
                self._obey(payload.decode().split(","), now)

    def tick(self, now: float) -> None:
        """Does all that is due."""
        if now >= self._sent + RESEND_MS:
            self._sent = now
            for _, line in self._kept:
                self._say(line)
        if now >= self._pulsed + PULSE_MS:
            self._pulse(now)

    def _obey(self, fields: list[str], now: float) -> None:
        match fields:
            case ["?", *_]:
                self._hello()
                self._pulse(now)
                for die, face in enumerate(self._faces, 1):
                    self._say(f"F,{self._boot},{die},{face}")
            case ["A", boot, number, *_] if boot == self._boot:
                self._kept = [one for one in self._kept if one[0] > int(number)]

    def _hello(self) -> None:
        oldest = self._kept[0][0] if self._kept else self._newest + 1
        self._say(f"H,1,{self._boot},text,3,{oldest}")

    def _pulse(self, now: float) -> None:
        self._pulsed = now
        self._say(f"P,{self._boot},{round(now - self._start)},{self._newest},")

    def _number(self, line: str, now: float) -> None:
        self._newest += 1
        line = f"{line.format(self._newest)},{round(now - self._start)}"
        self._kept.append((self._newest, line))
        if len(self._kept) > KEPT:
            del self._kept[0]
            self._hello()
        self._say(line)

    def _say(self, payload: str) -> None:
        self.out += f"${payload}*{zlib.crc32(payload.encode()):08x}\n".encode()

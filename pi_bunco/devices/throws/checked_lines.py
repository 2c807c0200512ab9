"""Lines that survive a bad wire: `$payload*crc32` and a newline (firmware/README.md)."""

import re
from binascii import crc32

from pi_bunco.devices.protocols import DeviceError

PAYLOAD_MAX_CHARS = 200
_PAYLOAD = rf"[ -#%-)+-~]{{0,{PAYLOAD_MAX_CHARS}}}"
_LINE = re.compile(rf"\$({_PAYLOAD})\*([0-9a-f]{{8}})\r?\n".encode())
_FRAME_CHARS = len("$*12345678\r\n")


def encode(payload: str) -> bytes:
    """The line of `payload`; `DeviceError` if that is no short printable ASCII without `$` and `*`."""
    if not re.fullmatch(_PAYLOAD, payload):
        raise DeviceError(f"{payload[:40]!r} cannot be sent: printable ASCII without $ and * is needed")
    data = payload.encode("ascii")
    return b"$%s*%08x\n" % (data, crc32(data))


class CheckedLines:
    """Finds the whole lines in a stream that comes in any pieces; `skipped` counts all other bytes."""

    def __init__(self) -> None:
        self.skipped = 0
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        """The payloads of the lines that `data` completes."""
        stream = self._rest + data
        payloads, end = [], 0
        for line in _LINE.finditer(stream):
            self.skipped += line.start() - end
            end = line.end()
            if crc32(line[1]) == int(line[2], 16):
                payloads.append(line[1].decode("ascii"))
            else:
                self.skipped += len(line[0])
        self._keep(stream[end:])
        return payloads

    def _keep(self, rest: bytes) -> None:
        """Keeps what can still become a line: the bytes from the last `$` on, if no newline has ended it."""
        start = rest.rfind(b"$")
        begun = rest[start:] if start >= 0 else b""
        self._rest = b"" if b"\n" in begun or len(begun) >= PAYLOAD_MAX_CHARS + _FRAME_CHARS else begun
        self.skipped += len(rest) - len(self._rest)

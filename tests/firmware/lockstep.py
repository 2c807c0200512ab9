"""The firmware in the real MicroPython, moved step by step by what is written to it.

`micropython -m firmware.lockstep SEED` takes lines `MS LATE PRESSED HEX`: MS ms pass, each step up to
LATE ms late, with the roll button pressed or not, after these bytes came from the host. It answers with one
line each: what the box sent, and the changes of its seven lines as `ms:line:level`.
"""

import sys

from firmware.fakes import FakeBoard, Play

STROBE = "strobe"


class Watched(FakeBoard):
    """A fake board that notes what its lines to the Pi do, and when."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed * 1000, seed)
        self.at = 0
        self.edges: list[str] = []
        self._were: dict[str, int] = {}

    def face(self, face: int) -> None:
        super().face(face)
        for bit in range(3):
            self._note("b" + str(bit), face >> bit & 1)

    def strobe(self, die: int, level: int) -> None:
        super().strobe(die, level)
        self._note(STROBE + str(die), level)

    def rolling(self, level: int) -> None:
        super().rolling(level)
        self._note("rolling", level)

    def pass_ms(self, ms: int) -> None:
        super().pass_ms(ms)
        self.at += ms

    def _note(self, line: str, level: int) -> None:
        if self._were.get(line, 0) != level:
            self._were[line] = level
            self.edges.append(str(self.at) + ":" + line + ":" + str(level))


def serve(seed: int) -> None:
    """Obeys until its input ends."""
    play = Play(seed=seed)
    board = play.board = Watched(seed)
    play.box = type(play.box)(board)
    sent = b""
    late = seed
    for order in sys.stdin:
        ms, most, pressed, data = (order[:-1] + " ").split(" ")[:4]
        board.roll = pressed == "1"
        board.usb.say_bytes(bytes.fromhex(data))
        end = board.at + int(ms)
        while board.at < end:
            play.box.step()
            play.box.rest()
            sent += board.usb.heard()
            board.uart.heard()
            late = (late * 1103515245 + 12345) & 0x3FFFFFFF
            board.pass_ms(5 + ((late >> 12) % (int(most) + 1)))
        sys.stdout.write(sent.hex() + " " + " ".join(board.edges) + "\n")
        sent = b""
        board.edges.clear()


if __name__ == "__main__":
    serve(int(sys.argv[1]))

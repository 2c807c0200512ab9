"""The serial line over USB, which on a Pico is the interpreter's own console."""

import select
import sys


class Console:
    """Standard input and output as a port that never waits for a host."""

    def __init__(self) -> None:
        self._in = sys.stdin.buffer
        self._out = sys.stdout.buffer
        self._readable = select.poll()
        self._readable.register(self._in, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(self._out, select.POLLOUT)
        self._byte = bytearray(1)
        self._sent = bytearray(1)
        for poll in (self._readable, self._writable):
            poll.ipoll(0)  # the first one allocates what the others use

    def read(self) -> int:
        """The next byte that arrived, -1 if there is none."""
        for _, event in self._readable.ipoll(0):
            if event & select.POLLIN and self._in.readinto(self._byte):
                return self._byte[0]
        return -1

    def write(self, line: memoryview) -> None:
        """Sends as much of the line as the host takes now; the rest is given up, and the line told again.

        `POLLOUT` promises room for one byte: a longer write would wait for up to 500 ms.
        """
        for i in range(len(line)):
            if not self._takes():
                return
            self._sent[0] = line[i]
            self._out.write(self._sent)

    def _takes(self) -> bool:
        """True if the host takes a byte now."""
        for _, event in self._writable.ipoll(0):  # noqa: SIM110 - any() would allocate
            if event & select.POLLOUT:
                return True
        return False

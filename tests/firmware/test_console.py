"""The console never writes more than the host takes, so that a host that reads nothing stops no dice."""

import select
from collections.abc import Iterator
from io import BytesIO

import pytest
from console import Console


class Host:
    """Says that it takes a byte, `room` times."""

    def __init__(self, room: int) -> None:
        self.room = room

    def ipoll(self, _timeout: int) -> Iterator[tuple[int, int]]:
        if self.room:
            self.room -= 1
            yield 1, select.POLLOUT


class Out(BytesIO):
    """An output that waits if more than one byte is written at a time."""

    def write(self, data: object) -> int:
        assert len(bytes(data)) == 1  # type: ignore[call-overload]
        return super().write(data)  # type: ignore[arg-type]


@pytest.mark.parametrize("room", [0, 1, 17, 100])
def test_only_so_many_bytes_are_written_as_the_host_takes(room: int) -> None:
    console = Console.__new__(Console)
    out = Out()
    vars(console).update(_writable=Host(room), _out=out, _sent=bytearray(1))
    line = b"$R,5be2,42,1,6,981234*12345678\n"
    console.write(memoryview(line))
    assert out.getvalue() == line[:room]

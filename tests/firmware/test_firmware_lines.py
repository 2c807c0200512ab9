"""The firmware's lines and link against the host's, which are written independently."""

import random
from binascii import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from line import Crc, LineReader, LineWriter

from firmware.fakes import Play, shown
from pi_bunco.devices.protocols import DiceState, Throw, ThrowVoid
from pi_bunco.devices.throws.box_link import PAYLOAD_MAX_CHARS, encode
from pi_bunco.devices.throws.box_link import CheckedLines as HostReader
from pi_bunco.devices.throws.dicebox import DiceBox
from thorough import times

PAYLOADS = st.text(
    "".join(map(chr, range(32, 127))).translate({36: None, 42: None}), max_size=PAYLOAD_MAX_CHARS
)


@given(st.binary(), st.integers(0, 9), st.integers(0, 9))
def test_the_checksum_is_crc32(data: bytes, before: int, after: int) -> None:
    crc = Crc()
    crc.of(bytearray(bytes(before) + data + bytes(after)), before, before + len(data))
    assert (crc.high << 16 | crc.low) == crc32(data)
    assert bytes(map(crc.digit, range(8))) == b"%08x" % crc32(data)


@given(PAYLOADS)
def test_the_box_finds_every_line_of_the_host(payload: str) -> None:
    reader = LineReader()
    *begun, whole = [reader.feed(byte) for byte in encode(payload)]
    assert whole
    assert not any(begun)
    for number, field in enumerate(payload.split(",")):
        assert reader.says(number, field.encode())
        assert not reader.says(number, field.encode() + b"x")
        expected = int(field) if field.isdigit() and len(field) <= 9 else -1
        assert reader.number(number) == expected
    assert not reader.says(payload.count(",") + 1, b"x")
    assert reader.number(payload.count(",") + 1) == -1


@given(PAYLOADS, st.data())
def test_the_box_takes_no_line_with_a_damaged_byte(payload: str, data: st.DataObject) -> None:
    line = bytearray(encode(payload))
    at = data.draw(st.integers(0, len(line) - 2))
    line[at] ^= data.draw(st.integers(1, 255))
    reader = LineReader()
    assert not any(map(reader.feed, line))


@given(st.integers(0, (1 << 30) - 1), st.integers(0, 999), st.integers(0, (1 << 30) - 1))
def test_the_host_finds_every_line_of_the_box(seconds: int, ms: int, number: int) -> None:
    writer, reader = LineWriter(), HostReader()
    for kind in b"RB":
        writer.begin(kind)
        writer.text(b"0123abcd")
        writer.number(number)
        writer.ms(seconds, ms)
        expected = f"{kind:c},0123abcd,{number},{1000 * seconds + ms}"
        assert reader.feed(bytes(writer.end())) == [expected]
    assert reader.skipped == 0


@settings(max_examples=times(25))
@given(st.integers(0, 1 << 30), st.sampled_from([0.0, 0.01, 0.1, 0.3]))
def test_every_throw_arrives_once_whatever_is_lost(seed: int, loss: float) -> None:
    chance = random.Random(seed)
    play, host = Play(seed=seed), DiceBox()
    throws: list[Throw] = []
    shows: list[tuple[int, ...]] = []
    play.step_ms = 10

    def run(ms: int) -> None:
        for _ in range(ms // play.step_ms):
            play.said.clear()
            play.step()
            now = 500 + play.passed_ms
            told = b"" if chance.random() < loss else b"".join(map(_line, play.said))
            events = [*host.hear(told, now), *host.tick(now)]
            answer = host.outgoing()
            play.board.uart.say_bytes(b"" if chance.random() < loss else answer)
            for event in events:
                assert isinstance(event, Throw | DiceState), event
                if isinstance(event, Throw):
                    throws.append(event)
                    assert event.mark
                    host.committed(event.mark)

    run(1000)
    for _ in range(8):
        play.board.roll = True
        run(100)
        play.board.roll = False
        run(2600)
        shows.append(tuple(shown(groups) for groups in play.board.leds[1:]))
    run(10_000)
    assert [throw.faces for throw in throws] == shows
    assert loss or {round(throw.settled - throw.began) for throw in throws} == {1600}


def _line(fields: list[str]) -> bytes:
    return encode(",".join(fields))


def test_a_box_switched_off_in_a_throw_voids_it_at_the_host() -> None:
    host = DiceBox()
    first, second = Play(seed=1), Play(seed=2)
    first.ready()
    first.press(100)
    events = host.hear(b"".join(map(_line, first.said)), 1000)
    second.ready()
    events = host.hear(b"".join(map(_line, second.said)), 2000)
    assert [event.why for event in events if isinstance(event, ThrowVoid)] == ["the dice box was restarted"]


def test_a_line_that_would_be_too_long_for_the_buffer_is_an_error_in_the_program() -> None:
    writer = LineWriter()
    writer.begin(65)
    with pytest.raises(IndexError):
        writer.text(b"x" * 80)

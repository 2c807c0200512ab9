"""Lines on a bad wire."""

from binascii import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.devices.protocols import DeviceError
from pi_bunco.devices.throws.box_link import (
    PAYLOAD_MAX_CHARS,
    BoxAck,
    BoxAsk,
    BoxMessage,
    CheckedLines,
    DieSettled,
    Hello,
    Pulse,
    Shows,
    Tumbled,
    Unsure,
    encode,
    parse,
    payload,
)

payloads = st.text(
    st.characters(min_codepoint=32, max_codepoint=126, exclude_characters="$*"), max_size=PAYLOAD_MAX_CHARS
)
noise = st.binary(max_size=40).filter(lambda data: b"$" not in data)


def test_a_line_is_what_the_protocol_says() -> None:
    assert encode("R,5be2,3,1,4,1200") == b"$R,5be2,3,1,4,1200*%08x\n" % crc32(b"R,5be2,3,1,4,1200")
    assert encode("?") == b"$?*%08x\n" % crc32(b"?")


@pytest.mark.parametrize("text", ["a$b", "a*b", "a\nb", "ä", "x" * (PAYLOAD_MAX_CHARS + 1), "\x03"])
def test_text_that_would_break_a_line_is_refused(text: str) -> None:
    with pytest.raises(DeviceError, match="printable ASCII"):
        encode(text)


@given(st.lists(st.tuples(noise, payloads)), noise, st.data())
def test_lines_come_through_garbage_in_any_pieces(
    parts: list[tuple[bytes, str]], tail: bytes, data: st.DataObject
) -> None:
    stream = b"".join(junk + encode(text) for junk, text in parts) + tail
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=20)))
    reader, got = CheckedLines(), []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        got += reader.feed(stream[start:end])
    assert got == [text for _, text in parts]
    assert reader.skipped == sum(len(junk) for junk, _ in parts) + len(tail)


@given(st.lists(payloads, min_size=1, max_size=8), st.data())
def test_one_damaged_byte_costs_one_line(texts: list[str], data: st.DataObject) -> None:
    lines = [encode(text) for text in texts]
    hurt = data.draw(st.integers(0, len(lines) - 1))
    at = data.draw(st.integers(0, len(lines[hurt]) - 1))
    flip = data.draw(st.integers(1, 255))
    line = bytearray(lines[hurt])
    line[at] ^= flip
    reader = CheckedLines()
    got = reader.feed(b"".join([*lines[:hurt], bytes(line), *lines[hurt + 1 :]]))
    reader.feed(b"$\n")  # a newline that became a carriage return is not made good by the next one
    assert got == texts[:hurt] + texts[hurt + 1 :]
    assert reader.skipped == len(line) + 2


@given(st.lists(st.binary(max_size=300), max_size=30))
def test_garbage_does_not_pile_up(chunks: list[bytes]) -> None:
    reader = CheckedLines()
    for chunk in chunks:
        reader.feed(b"$" + chunk)
    reader.feed(b"\n")
    assert reader.skipped == sum(len(chunk) + 1 for chunk in chunks) + 1
    assert reader.feed(encode("P,5be2,1,")) == ["P,5be2,1,"]


def test_a_terminal_that_adds_carriage_returns_does_no_harm() -> None:
    assert CheckedLines().feed(b"MicroPython\r\n>>> " + encode("?").replace(b"\n", b"\r\n")) == ["?"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("H,1,5be2,box,3,7", Hello(1, "5be2", "box", 3, 7)),
        ("R,5be2,3,1,4,1200", DieSettled("5be2", 3, 1, 4, 1200)),
        ("B,5be2,2,1,900", Tumbled("5be2", 2, 1, 900)),
        ("X,5be2,4,2,cocked,1300", Unsure("5be2", 4, 2, "cocked", 1300)),
        ("F,5be2,1,0", Shows("5be2", 1, 0)),
        ("P,5be2,61034,12,90", Pulse("5be2", 61034, 12, "90")),
        ("A,5be2,41", BoxAck("5be2", 41)),
        ("?", BoxAsk()),
    ],
)
def test_messages_are_what_the_protocol_says(text: str, message: BoxMessage) -> None:
    assert parse(text) == message
    assert payload(message) == text
    assert parse(text + ",more") == message


@pytest.mark.parametrize("text", ["", "Z,1", "H,2,5be2,box,3,7", "R,5be2,3,1", "R,5be2,x,1,4,5", "A,5be2"])
def test_unknown_line_is_ignored(text: str) -> None:
    assert parse(text) is None


@given(payloads)
def test_no_payload_is_an_accident(text: str) -> None:
    message = parse(text)
    assert message is None or parse(payload(message)) == message

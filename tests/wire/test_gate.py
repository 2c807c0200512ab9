import json
import subprocess
import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boards import board, table
from pi_bunco.game import facts
from pi_bunco.wire import topics
from pi_bunco.wire.gate import (
    COMMAND_LIMIT_BYTES,
    LIMIT_BYTES,
    MAX_DEPTH,
    Delivered,
    Received,
    Rejects,
    Undelivered,
    decode,
    delivery,
    encode,
    plain_fact,
)
from pi_bunco.wire.messages import Cleared, Command, Envelope, Message, Status
from pi_bunco.wire.topics import WireError

ROLL = {"kind": "roll", "dice": [1, 1, 4], "began": 3100, "source": "dice"}
FACT = {
    "v": 1, "evening": "5f21c09e", "stream": "9f3c2a1b7d", "seq": 42, "sent": 2, "epoch": 3,
    "t": 4200, "err": 3, "up": 981234, "boot": "5be2", "fact": ROLL, "received": False, "mark": ["a7c1", 318],
}  # fmt: skip
MAC = "0123456789abcdef" * 2
BOARD = msgspec.json.decode(msgspec.json.encode(board(tables=(table(),))))
EXAMPLES: dict[str, dict[str, Any]] = {
    "table2/up/fact": FACT,
    "table2/down/ack": {"evening": "5f21c09e", "stream": "9f3c2a1b7d", "received": 44, "committed": 41},
    "table2/up/status": {
        "state": "online", "session": "s1", "version": "1.0", "boot": "b", "epoch": 3, "t": 88012,
        "streams": [["9f3c2a1b7d", 41]],
        "replica": {"evening": "5f21c09e", "no": 7, "branches": 0, "length": 812, "mac": MAC},
    },
    "table2/up/beat": {
        "outbox": 0, "oldest_ms": 0, "offset_err_ms": 2.1, "dice": ["ok", "ok", "ok"], "faults": ["SD card"],
        "reasons": [{"code": "in_english"}],
        "replica": 812,
    },
    "table2/down/view": {
        "evening": "5f21c09e", "session": "s1", "branches": 0, "n": 812, "epoch": 3,
        "upto": {"9f": 4}, "phase": "open",
        "rules": "gong", "overrides": {"end.points": 21}, "seats": ["Ann", "Bob", "Cat", "Ghost 1"],
        "ghosts": ["Ghost 1"], "set": 1, "round": 2, "bell_t": None, "state": {"by_hand": True},
    },
    "table2/up/clock": {"t0": 17.25, "links": []},
    "table2/down/clock": {"t0": 17.25, "boot": "h1", "t1": 18.5, "t2": 18.75,
        "evening": "5f21c09e", "began": 4.5, "since": 0, "links": [],
        "before": [{"boot": "h0", "began": 2.5, "since": 0}]},
    "table2/up/log_request": {"evening": "5f21c09e", "from": 7},
    "table2/down/log_request": {"evening": "5f21c09e", "from": 1},
    "table2/up/log": {"evening": "5f21c09e", "entries": []},
    "table2/down/log": {
        "evening": "5f21c09e", "entries": [{"n": 812, "fact": ROLL, "origin": None, "mac": MAC}],
    },
    "all/log": {
        "evening": "5f21c09e", "n": 812, "fact": ROLL,
        "origin": {"table": 2, "stream": "9f", "seq": 4, "mark": ["a7c1", 318]}, "mac": MAC,
    },
    "all/round": {
        "evening": "5f21c09e", "epoch": 3, "set": 1, "round": 2, "phase": "after_bell", "opened_t": 1,
        "bell_t": 2, "rules": "gong", "ends_t": 181_000,
    },
    "all/bell": {
        "evening": "5f21c09e", "epoch": 3, "signal": "end", "t": 1, "not_after": 3000, "cause": "points",
    },
    "all/score": {"evening": "5f21c09e", "board": BOARD},
    "all/head": {
        "state": "online", "session": "s", "host": "pi", "version": "1", "evening": None,
        "length": 3, "faults": [], "reasons": [], "boot": "b1", "rewritten": {},
    },
    "host-ann/up/command": {
        "id": "k7", "command": "round_start", "args": {"bypass": [2]}, "by": "ann", "not_after": None,
    },
    "host-ann/down/answer": {"id": "k7", "done": False, "why": ["Table 2: die 3 not heard for 40 s"]},
}  # fmt: skip
PREFIX = "bunco/v1/home/"
places = st.sampled_from(sorted(EXAMPLES))
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def taken(place: str, value: object, retained: bool = False) -> Message:
    return decode(PREFIX + place, json.dumps(value).encode(), retained)


def changed(place: str, **fields: object) -> dict[str, Any]:
    return EXAMPLES[place] | fields


def tried(topic: str, payload: bytes, retained: bool) -> Message | None:
    try:
        return decode(topic, payload, retained)
    except WireError:
        return None


@given(
    st.text(max_size=60) | places.map(lambda place: PREFIX + place), st.binary(max_size=400), st.booleans()
)
def test_any_bytes_give_a_message_or_a_wire_error(topic: str, payload: bytes, retained: bool) -> None:
    tried(topic, payload, retained)


@given(places, plain)
def test_any_json_gives_a_message_or_a_wire_error(place: str, value: object) -> None:
    tried(PREFIX + place, json.dumps(value).encode("utf-8", "surrogatepass"), False)


@given(places, st.data(), plain)
def test_accepted_message_encodes_unchanged(place: str, data: st.DataObject, value: object) -> None:
    key = data.draw(st.sampled_from(sorted(EXAMPLES[place])))
    payload = json.dumps(changed(place, **{key: value})).encode("utf-8", "surrogatepass")
    message = tried(PREFIX + place, payload, False)
    if message is not None and not isinstance(message, Cleared):
        assert decode(PREFIX + place, encode(message)) == message


@pytest.mark.parametrize("place", EXAMPLES)
def test_the_protocols_examples_are_taken_and_written_alike(place: str) -> None:
    message = taken(place, EXAMPLES[place])
    assert not isinstance(message, Cleared)
    assert json.loads(encode(message)) == EXAMPLES[place]


@pytest.mark.parametrize("place", EXAMPLES)
def test_unknown_fields_are_ignored(place: str) -> None:
    assert taken(place, changed(place, colour="red")) == taken(place, EXAMPLES[place])


@pytest.mark.parametrize("place", EXAMPLES)
def test_a_missing_first_field_is_named(place: str) -> None:
    first, *_ = EXAMPLES[place]
    with pytest.raises(WireError, match=first):
        taken(place, {key: value for key, value in EXAMPLES[place].items() if key != first})


@pytest.mark.parametrize(
    ("place", "fields"),
    [
        ("table2/up/fact", {"v": 2}),
        ("table2/up/fact", {"seq": 0}),
        ("table2/up/fact", {"seq": 2**53}),
        ("table2/up/fact", {"seq": True}),
        ("table2/up/fact", {"t": -1}),
        ("table2/up/fact", {"err": -0.5}),
        ("table2/up/fact", {"stream": ""}),
        ("table2/up/fact", {"stream": "a" * 65}),
        ("table2/up/fact", {"boot": "a b"}),
        ("table2/up/fact", {"boot": "ab\n"}),
        ("table2/up/fact", {"evening": "é"}),
        ("table2/up/fact", {"fact": []}),
        ("table2/up/status", {"state": "asleep"}),
        ("table2/up/status", {"boot": None}),
        ("table2/up/beat", {"dice": ["ok"] * 4}),
        ("table2/up/beat", {"faults": ["x" * 401]}),
        ("table2/down/view", {"seats": ["Ann"]}),
        ("table2/down/view", {"phase": "lunch"}),
        ("table2/up/clock", {"t0": "17"}),
        ("all/bell", {"signal": "middle"}),
        ("all/log", {"origin": {"table": 0, "stream": "a", "seq": 1}}),
        ("host-ann/up/command", {"command": "Round Start"}),
        ("host-ann/up/command", {"args": None}),
        ("host-ann/down/answer", {"done": "yes"}),
    ],
)
def test_message_out_of_schema_is_refused(place: str, fields: dict[str, object]) -> None:
    with pytest.raises(WireError):
        taken(place, changed(place, **fields))


def test_a_fact_may_come_without_a_measured_time() -> None:
    message = taken("table2/up/fact", changed("table2/up/fact", t=None, err=None))
    assert isinstance(message, Envelope)
    assert message.t is None


def test_a_will_has_a_session_only() -> None:
    lost = taken("table2/up/status", {"state": "lost", "session": "s1"}, retained=True)
    assert lost == Status("lost", "s1")
    assert json.loads(encode(Status("lost", "s1"))) == {"state": "lost", "session": "s1"}


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b'{"id":"\xc3\x28"}',
        b'{"id":"\\ud800","command":"resume"}',
        b'{"id":"a","command":"resume","by":"\xed\xa0\x80"}',
        b'{"id":"a","command":"resume","args":{"n":' + b"9" * 5000 + b"}}",
        b'{"id":"a","command":"resume","args":{"n":1e999}}',
        b'{"id":"a","command":"resume","args":{"n":NaN}}',
        b'{"id":"a","command":"resume","args":' + b'{"a":' * 1300 + b"1" + b"}" * 1301,
        b'{"id":"a","command":"resume","more":' + b"[" * 4000 + b"]" * 4000 + b"}",
        b"[" * LIMIT_BYTES,
    ],
)
def test_rubbish_is_not_taken(payload: bytes) -> None:
    with pytest.raises(WireError):
        decode(PREFIX + "web/up/command", payload)


def test_nesting_is_limited_but_many_small_parts_are_not() -> None:
    deep: Any = 1
    for _ in range(MAX_DEPTH - 1):
        deep = [deep]
    assert taken("web/up/command", {"id": "a", "command": "x", "args": {"a": [1] * 500, "b": [[]] * 500}})
    assert taken("web/up/command", {"id": "a", "command": "x", "args": {"a": deep[0]}})
    with pytest.raises(WireError, match="inside each other"):
        taken("web/up/command", {"id": "a", "command": "x", "args": {"a": deep}})


@pytest.mark.parametrize(
    ("place", "limit"), [("table2/up/beat", LIMIT_BYTES), ("web/up/command", COMMAND_LIMIT_BYTES)]
)
def test_byte_limit_is_exact(place: str, limit: int) -> None:
    text = json.dumps(EXAMPLES[place if place in EXAMPLES else "host-ann/up/command"]).encode()
    full = text + b" " * (limit - len(text))
    assert decode(PREFIX + place, full)
    with pytest.raises(WireError, match=str(limit + 1)):
        decode(PREFIX + place, full + b" ")


def test_nothing_larger_is_sent() -> None:
    with pytest.raises(WireError, match=f"at most {COMMAND_LIMIT_BYTES}"):
        encode(Command("a", "x", {"a": "x" * COMMAND_LIMIT_BYTES}))


@pytest.mark.parametrize("place", EXAMPLES)
def test_only_what_the_protocol_retains_may_come_retained(place: str) -> None:
    if place in ("table2/up/status", "table2/down/view", "all/round", "all/score", "all/log", "all/head"):
        assert taken(place, EXAMPLES[place], retained=True)
        assert decode(PREFIX + place, b"") == Cleared()
        return
    with pytest.raises(WireError, match="retained"):
        taken(place, EXAMPLES[place], retained=True)
    with pytest.raises(WireError):
        decode(PREFIX + place, b"")


@pytest.mark.parametrize(
    "place", ["web/up/fact", "head/up/beat", "web/down/view", "table2/up/ack", "all/fact"]
)
def test_only_tables_have_a_tables_topics(place: str) -> None:
    with pytest.raises(WireError):
        taken(place, FACT)


def test_a_fact_leaves_its_envelope_as_what_it_is() -> None:
    message = taken("table2/up/fact", FACT)
    assert isinstance(message, Envelope)
    made = facts.fact_at(message.fact, 2, 4100, message.epoch)
    assert made == facts.Roll(4100, 2, (1, 1, 4), began=3100, source="dice", epoch=3)


def test_the_envelope_not_the_fact_says_whose_and_when() -> None:
    lie = ROLL | {"t": 1, "table": 1, "epoch": 9}
    assert taken("table2/up/fact", changed("table2/up/fact", fact=lie)) == taken("table2/up/fact", FACT)


def test_every_kind_that_a_table_tells_has_the_fields_of_the_fact_in_the_log() -> None:
    for made in facts.TableFact.__args__:
        logged = facts.FACT_KINDS[made.__struct_config__.tag]
        not_told = [
            "t",
            "table",
            "epoch",
            "by",
            "while_closed",
            "guessed",
            "head_up",
        ]  # a head's, or a host's
        not_told += ["tie"] if made is facts.UndoPressed else []
        named = [one for one in logged.__struct_fields__ if one not in not_told]
        assert list(made.__struct_fields__) == named


@pytest.mark.parametrize(
    "fact",
    [
        {},
        [],
        {"kind": None},
        {"kind": ["roll"]},
        {"kind": "bell"},
        {"kind": "evening", "rules": "gong", "players": []},
        {"kind": "decide", "winner": "US"},
        {"kind": "roll", "dice": [1, 1, 7]},
        {"kind": "roll"},
        {"kind": "roll", "call": "one", "face": 3},
    ],
)
def test_a_fact_that_no_table_can_know_is_set_aside_whole_at_its_place(fact: Any) -> None:
    payload = json.dumps(changed("table2/up/fact", fact=fact)).encode()
    came = delivery(Received(PREFIX + "table2/up/fact", payload, False))
    assert isinstance(came, Undelivered)
    assert came.place is not None
    assert (came.place.evening, came.place.stream, came.place.seq) == ("5f21c09e", "9f3c2a1b7d", 42)
    assert plain_fact(came.place) == (fact if isinstance(fact, dict) else {})


@pytest.mark.parametrize(
    "fact",
    [
        b'{"a":"\xff"}',
        b'{"a":' * 20 + b"1" + b"}" * 20,
        b'{"a":"' + b"x" * LIMIT_BYTES + b'"}',
        b"7",
    ],
)
def test_a_fact_that_cannot_be_kept_keeps_its_place_alone(fact: bytes) -> None:
    payload = b'{"evening":"e","stream":"s","seq":3,"fact":' + fact + b"}"
    came = delivery(Received(PREFIX + "table2/up/fact", payload, False))
    assert isinstance(came, Undelivered)
    assert came.place is not None
    assert (came.place.seq, plain_fact(came.place)) == (3, {})


def test_a_command_that_is_not_understood_can_be_answered_unless_it_is_retained() -> None:
    payload = b'{"id":"k7","command":7}'
    for retained, id in ((False, "k7"), (True, None)):
        came = delivery(Received(PREFIX + "web/up/command", payload, retained))
        assert isinstance(came, Undelivered)
        assert came.command_id == id


@given(st.dictionaries(st.text(max_size=6) | st.sampled_from(["kind", "dice", "call"]), plain))
def test_any_fact_is_a_fact_or_has_a_place(fact: dict[str, Any]) -> None:
    for kind in ("roll", "undo", "confirm", "faceoff", "heard"):
        payload = json.dumps(changed("table2/up/fact", fact=fact | {"kind": kind})).encode()
        came = delivery(Received(PREFIX + "table2/up/fact", payload, False))
        assert isinstance(came, Delivered) or came.place


def test_rejects_are_counted_and_told_once_a_minute_per_sender() -> None:
    rejects = Rejects()
    one, two = topics.up("home", "table1", "fact"), topics.up("home", "table2", "beat")
    assert [rejects.count(one, now) for now in (0, 1, 59_999, 60_000, 60_001)] == [
        True,
        False,
        False,
        True,
        False,
    ]
    assert rejects.count(two, 5)
    assert rejects.count("no topic of ours", 5)
    assert rejects.counts == {"table1": 5, "table2": 1, "": 1}


def test_a_swarm_of_senders_does_not_fill_the_memory() -> None:
    rejects = Rejects()
    for number in range(Rejects.SENDERS + 50):
        rejects.count(topics.up("home", f"n{number}", "fact"), 0)
    assert len(rejects.counts) <= Rejects.SENDERS + 1
    assert sum(rejects.counts.values()) == Rejects.SENDERS + 50


AFTER_IMPORT = """
import json, sys
import msgspec
from msgspec import _utils
from pi_bunco.rules import load
from pi_bunco.wire.gate import decode
from pi_bunco.wire.messages import View

assert callable(_utils._get_class_mro_and_typevar_mappings)
_utils._get_class_mro_and_typevar_mappings = None  # by it msgspec finds out what a struct is made of
for topic, example in json.load(sys.stdin).items():
    decode(topic, json.dumps(example).encode())
    if topic.endswith("/view"):
        msgspec.convert(example, View | None)
load("gong", {})
"""


def test_decoders_of_all_messages_are_made_at_the_import() -> None:
    """In 0.22 msgspec crashes where two threads find that out at the same time, as phones do."""
    examples = json.dumps({f"bunco/v1/home/{topic}": example for topic, example in EXAMPLES.items()})
    subprocess.run([sys.executable, "-c", AFTER_IMPORT], input=examples.encode(), check=True)

"""Every kind of fact: its fields and bounds, what is refused and how, and what earlier logs called it."""

import json
from typing import Any

import pytest

from game.evenings import Play
from pi_bunco.errors import FactError
from pi_bunco.game import codec, facts

PAPER = [{"points": 9, "buncos": 0, "minis": 1}] * 4

LINES = [
    '{"kind":"evening","t":0,"rules":"gong","players":["Ann"],"id":"5f21c09e","no":7,"key":"a1b2c3d4",'
    '"name":"Friday","pot":"60.00","seed":4}',
    '{"kind":"roll","t":5000,"table":2,"call":"mini","face":3,"source":"panel"}',
    '{"kind":"roll","t":5000,"table":2,"call":"wipe"}',
    '{"kind":"bell_seen","t":1,"table":2,"bell":88012}',
    '{"kind":"evening_reopen","t":1}',
    '{"kind":"branch","t":1,"table":3}',
    json.dumps({"kind": "tally", "t": 99950, "table": 3, "cards": PAPER}),
    '{"kind":"prize","t":1,"for":"buncos","to":"Ann"}',
    '{"kind":"prize","t":1,"for":"buncos","to":["Ann","Bob"]}',
]


@pytest.mark.parametrize("line", LINES)
def test_a_line_is_written_as_it_was_read(line: str) -> None:
    fact = codec.decode(line)
    assert codec.decode(codec.encode(fact)) == fact
    assert json.loads(line).items() <= json.loads(codec.encode(fact)).items()


def test_earlier_logs_call_it_heard() -> None:
    assert codec.decode('{"kind":"heard","t":5,"table":2,"epoch":1}') == facts.BellSeen(5, 2, None, 1)
    assert codec.convert({"kind": "heard", "t": 5, "table": 2}) == facts.BellSeen(5, 2)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"kind": "roll", "t": 2**31 + 1, "table": 1, "call": "one"}, "2147483648 at t"),
        ({"kind": "roll", "t": 0, "table": 1, "call": "one", "began": -1}, ">= 0 at began"),
        ({"kind": "roll", "t": 0, "table": 1, "call": "one", "source": "x" * 65}, "length <= 64 at source"),
        ({"kind": "roll", "t": 0, "table": 1, "call": "one", "face": 3}, "only a mini by hand has a face"),
        ({"kind": "heard", "t": 0, "table": 0}, ">= 1 at table"),
        ({"kind": "leave", "t": 0, "player": "A\x1b[2Jn"}, "without control characters at player"),
        ({"kind": "arrive", "t": 0, "player": "A\u202en"}, "without control characters at player"),
        ({"kind": "arrive", "t": 0, "player": " "}, "a name of visible letters"),
        ({"kind": "prize", "t": 0, "for": "wins", "to": "A\x07"}, "without control characters at to"),
        ({"kind": "evening", "t": 0, "rules": "gong", "players": ["A\nb"]}, "control characters at players"),
        ({"kind": "evening", "t": 0, "rules": "gong", "players": [], "pot": "5,00"}, '"59.50" at pot'),
        ({"kind": "evening", "t": 0, "rules": "gong", "players": [], "pot": 5.5}, "at pot"),
        ({"kind": "tally", "t": 0, "table": 1, "cards": PAPER[:3]}, "at cards"),
    ],
)
def test_malformed_fact_is_refused_in_words(fields: dict[str, Any], expected: str) -> None:
    with pytest.raises(FactError) as converted:
        codec.convert(fields)
    with pytest.raises(FactError) as decoded:
        codec.decode(json.dumps(fields))
    for why in (str(converted.value), str(decoded.value)):
        assert expected in why
        assert "regex" not in why


def test_a_closed_evening_goes_on_where_it_was() -> None:
    play = Play().open()
    play.roll(1, "1")
    assert play.say("evening_reopen") == "the evening is not closed"
    play.say("evening_close")
    assert (play.evening.state, play.evening.round) == ("finished", None)
    assert play.roll(1, "1") == "the evening is closed"
    assert play.say("evening_reopen") is None
    assert play.evening.state == "round_open"
    play.roll(1, "1")
    assert play.table(1).points == [2, 0]


def test_a_score_on_paper_replaces_what_was_counted() -> None:
    play = Play().open()
    play.roll(2, "1")
    assert play.say("tally", table=2, cards=PAPER) is not None
    play.roll(1, "B")
    cards = [{"points": points, "buncos": points // 21, "minis": 0} for points in (3, 21, 4, 5)]
    assert play.say("tally", table=2, cards=cards) is None
    assert play.table(2).points == [7, 26]
    assert play.say("undo", table=2) is not None
    assert play.say("confirm", table=2) is None
    assert play.table(2).winner == 1


def test_a_branch_names_any_table() -> None:
    assert Play().say("branch", table=5) is None

"""A log of anything at all: the command says what it expected and where, and never ends in a traceback."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from game.drawn import logs
from game.evenings import Play
from pi_bunco.cli import main
from pi_bunco.game import codec, facts
from thorough import times

FUZZ = settings(
    max_examples=times(60), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def good_log() -> list[bytes]:
    """One fact of each kind, nearly all of which count."""
    play = Play("classic", ["abcd", "ef1h"]).open()
    play.say("begins", table=1, seat="B")
    play.roll(1, "12m.B")
    play.say("turn", table=1, seat="C", rolls=1)
    play.say("undo", table=1)
    play.say("round_close")
    play.say("bell")
    play.say("bell_seen", table=2)
    play.say("bell_void")
    play.close().say("confirm", table=2)
    play.say("faceoff", table=2, dice=[1, 2])
    play.say("decide", table=1, winner="US")
    play.say("reopen", table=1)
    play.say("tally", table=1, cards=[{"points": 1, "buncos": 0, "minis": 0}] * 4)
    play.say("decide", table=1, winner="US")
    play.substitute("a", "z")
    play.say("leave", player="b")
    play.say("arrive", player="y")
    play.say("pause", minutes=5)
    play.say("resume")
    play.say("pace", play_s=180, move_s=120, wait_s=60, due=500_000, end_by=9_000_000)
    play.open().say("round_cancel")
    play.say("bypass", table=1)
    play.say("restore", table=1)
    play.say("hand", table=1, allowed=True)
    play.say("evening_close")
    play.say("evening_reopen")
    play.say("branch", table=1)
    play.word("tie", "champion", id=1, players=["a", "c"], rounds=1, dice=0)
    play.say("paid", player="c", paid=True)
    play.word("prize", "buncos", to=["c"])
    play.word("rolloff", "buncos", dice={"c": [3]})
    play.say("stage", stage="order", tables=[["a", "b", "c", "d"]])
    play.say("clock", boot="a boot of the head", up=12_345)
    play.say("evening_close")
    return [codec.encode(one) for one in play.log]


GOOD = good_log()
FIELDS = sorted({name for line in GOOD for name in json.loads(line)})

ODD: list[Any] = [
    None, True, -1, 0, 1, 2.5, 1e300, 10**18, 10**19, 10**400,
    "", " ", "a", "US", "roll", "\x00", "\ufeff", "\u2028", "🎲",
    [], {}, [[]], {"a": {}}, [1, 1, 1], ["a", "a", "a", "a"], [["a", "b", "c", "d"]],
]  # fmt: skip
RAW = [
    b"1e999",
    b"NaN",
    b"-Infinity",
    b"-0",
    b"007",
    b'"\\ud800"',
    b'"\\udc00"',
    b'"\\ud83d\\ude00"',
    b'"\xff"',
    b'"\xed\xa0\x80"',
]
RAW += [
    b"9" * 5000,
    b"[" * 3000,
    b"[" * 3000 + b"]" * 3000,
    b'{"a":' * 400 + b"1" + b"}" * 400,
    b"\x00",
    b'"\x00"',
]


def check(path: Path, log: bytes, capsys: pytest.CaptureFixture[str]) -> int:
    path.write_bytes(log)
    status = main(["replay", str(path), "--json"])
    out, err = capsys.readouterr()
    if status == 0:
        assert err == ""
        assert isinstance(json.loads(out), dict)
    else:
        assert (status, out) == (2, "")
        assert re.fullmatch(r"pi-bunco replay: LOG, line \d+: .+\n", err.replace(str(path), "LOG"), re.DOTALL)
    return status


def test_the_good_log_is_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert {json.loads(line)["kind"] for line in GOOD} == set(facts.FACT_KINDS)
    assert check(tmp_path / "log", b"\n".join(GOOD), capsys) == 0


@FUZZ
@given(
    log=st.binary(max_size=300)
    | st.text(max_size=100).map(lambda text: text.encode("utf-8", "surrogatepass"))
)
@example(log=b"\xef\xbb\xbf" + GOOD[0])
@example(log=b"\x00" * 512)
@example(log=b"\r\n\r\n \t\n")
def test_any_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str], log: bytes) -> None:
    check(tmp_path / "log", log, capsys)


@FUZZ
@given(cut=st.integers(0, sum(len(line) + 1 for line in GOOD)))
def test_a_log_cut_off_anywhere(tmp_path: Path, capsys: pytest.CaptureFixture[str], cut: int) -> None:
    check(tmp_path / "log", b"\n".join(GOOD)[:cut], capsys)


@FUZZ
@given(place=st.integers(0, 10**4), some=st.binary(min_size=1, max_size=4), instead=st.booleans())
def test_bytes_put_in_anywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], place: int, some: bytes, instead: bool
) -> None:
    log = b"\n".join(GOOD)
    place %= len(log)
    check(tmp_path / "log", log[:place] + some + log[place + len(some) * instead :], capsys)


@FUZZ
@given(line=st.integers(0, len(GOOD) - 1), field=st.sampled_from(FIELDS), value=st.sampled_from(ODD))
def test_odd_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: int, field: str, value: Any
) -> None:
    changed = json.dumps(json.loads(GOOD[line]) | {field: value}).encode()
    check(tmp_path / "log", b"\n".join([*GOOD[:line], changed, *GOOD[line + 1 :]]), capsys)


@FUZZ
@given(line=st.integers(0, len(GOOD) - 1), field=st.sampled_from([*FIELDS, "new"]), raw=st.sampled_from(RAW))
def test_raw_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: int, field: str, raw: bytes
) -> None:
    plain = {name: value for name, value in json.loads(GOOD[line]).items() if name != field}
    changed = json.dumps(plain).encode()[:-1] + b',"' + field.encode() + b'":' + raw + b"}"
    check(tmp_path / "log", b"\n".join([*GOOD[:line], changed, *GOOD[line + 1 :]]), capsys)


@FUZZ
@given(data=st.data())
def test_lines_and_fields_swapped_and_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: st.DataObject
) -> None:
    log = [json.loads(line) for line in data.draw(st.permutations(GOOD))]
    for _ in range(data.draw(st.integers(0, 3))):
        one, other = data.draw(st.sampled_from(log)), data.draw(st.sampled_from(log))
        field = data.draw(st.sampled_from(FIELDS))
        one[field], other[field] = other.get(field), one.get(field)
        one.pop(data.draw(st.sampled_from(FIELDS)), None)
    check(tmp_path / "log", b"\n".join(json.dumps(fact).encode() for fact in log), capsys)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@FUZZ
@given(
    overrides=st.dictionaries(
        st.sampled_from(["end", "end.points", "prizes", "card", "evening.sets", "", "."]),
        json_values,
        max_size=3,
    )
)
def test_any_overrides(tmp_path: Path, capsys: pytest.CaptureFixture[str], overrides: dict[str, Any]) -> None:
    changed = json.dumps(json.loads(GOOD[0]) | {"overrides": overrides}).encode()
    check(tmp_path / "log", b"\n".join([changed, *GOOD[1:]]), capsys)


@settings(FUZZ, max_examples=times(40))
@given(log=logs(without=["reopen"]))
def test_any_evening(tmp_path: Path, capsys: pytest.CaptureFixture[str], log: list[facts.Fact]) -> None:
    assert check(tmp_path / "log", b"\n".join(codec.encode(one) for one in log), capsys) == 0

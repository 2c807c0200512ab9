import contextlib
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.errors import BuncoError
from pi_bunco.wire import topics
from pi_bunco.wire.topics import Topic, WireError

names = st.from_regex(r"[a-z0-9-]{1,32}", fullmatch=True)
nodes = names.filter(lambda name: name != "all")


@given(names, nodes, st.sampled_from(["up", "down"]), names)
def test_a_topic_reads_back(hall: str, node: str, direction: Literal["up", "down"], leaf: str) -> None:
    built = (topics.up if direction == "up" else topics.down)(hall, node, leaf)
    assert built == f"bunco/v1/{hall}/{node}/{direction}/{leaf}"
    assert topics.parse(built) == Topic(hall, node, direction, leaf)


@given(names, names)
def test_a_topic_for_everybody_reads_back(hall: str, leaf: str) -> None:
    built = topics.everyone(hall, leaf)
    assert built == f"bunco/v1/{hall}/all/{leaf}"
    assert topics.parse(built) == Topic(hall, "all", "all", leaf)


@given(
    st.text()
    | st.lists(st.sampled_from(["bunco", "v1", "home", "all", "up", "", "+", "#", "ä\n"])).map("/".join)
)
def test_any_text_is_a_topic_or_a_wire_error(text: str) -> None:
    with contextlib.suppress(WireError):
        assert str(topics.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "bunco/v1/home/table1/up",
        "bunco/v1/home/table1/up/fact/more",
        "bunco/v2/home/table1/up/fact",
        "bunco/v1/home/table1/sideways/fact",
        "bunco/v1/home/Table1/up/fact",
        "bunco/v1/home/table1/up/fact\n",
        "bunco/v1/home/+/up/fact",
        "bunco/v1/home/all/up/fact",
        "bunco/v1//table1/up/fact",
        f"bunco/v1/home/{'a' * 33}/up/fact",
    ],
)
def test_malformed_topics_are_refused(text: str) -> None:
    with pytest.raises(WireError):
        topics.parse(text)


@pytest.mark.parametrize("bad", ["", "Home", "a/b", "+", "#", "a" * 33, "tisch ä", "a\n"])
def test_bad_names_are_not_built(bad: str) -> None:
    for build in (topics.up, topics.down):
        with pytest.raises(WireError):
            build("home", bad, "fact")
    with pytest.raises(WireError):
        topics.everyone(bad, "round")
    with pytest.raises(WireError):
        topics.inbox("home", bad)
    with pytest.raises(WireError):
        topics.uplinks(bad)


def test_all_is_no_node() -> None:
    with pytest.raises(WireError, match="everybody"):
        topics.up("home", "all", "fact")


def test_subscriptions() -> None:
    everyone = tuple(f"bunco/v1/home/all/{leaf}" for leaf in ("round", "bell", "score", "head"))
    assert topics.inbox("home", "host-ann") == ("bunco/v1/home/host-ann/down/+", *everyone)
    table = [one for one in everyone if not one.endswith("score")]
    assert topics.inbox("home", "table7") == ("bunco/v1/home/table7/down/+", *table)
    assert topics.inbox("home", "web", True)[-1] == "bunco/v1/home/all/log"
    assert topics.uplinks("home")[1:] == ("bunco/v1/home/all/head", "bunco/v1/home/all/log")


@given(st.integers(1, 9999))
def test_table_numbers(number: int) -> None:
    assert topics.table_number(topics.table_node(number)) == number
    assert topics.parse(topics.up("home", f"table{number}", "fact")).table == number


@pytest.mark.parametrize(
    "node", ["table", "table0", "table01", "table10000", "table-1", "head", "xtable1", "table1\n"]
)
def test_other_nodes_are_no_tables(node: str) -> None:
    assert topics.table_number(node) is None


def test_a_wire_error_is_one_of_ours_and_a_value_error() -> None:
    assert issubclass(WireError, BuncoError)
    assert issubclass(WireError, ValueError)

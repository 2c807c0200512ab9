"""The answer to each command of a host: always what is true after it."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from pi_bunco.head.effects import Ring
from pi_bunco.wire import topics
from services.hall import Hall

NAMES = ("Ann", "Bob", "Cat", "Dee", "Eve", "Flo", "Gus")
SEATS = (("Ann", "Bob", "Cat", "Dee"), ("Eve", "Flo", "Gus", "Ghost 1"))


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    """Two tables, seven players and a ghost, all seated."""
    hall = Hall(tmp_path, 2)
    hall.wait(2000)
    hall.do("evening_open", rules="classic", players=NAMES)
    hall.do("seats_set", tables=SEATS)
    hall.wait(2000)
    return hall


def told(hall: Hall, command: str, **args: Any) -> str:
    answer = hall.ask(command, **args)
    assert answer.done, answer.why
    return " ".join(answer.after)


def refused(hall: Hall, command: str, **args: Any) -> str:
    answer = hall.ask(command, **args)
    assert not answer.done, answer.after
    return " ".join(answer.why)


def ways(hall: Hall, command: str, **args: Any) -> list[tuple[str, dict[str, Any]]]:
    answer = hall.ask(command, **args)
    assert not answer.done, answer.after
    return [(way.command, way.args) for way in answer.ways]


def blinks(hall: Hall, table: int) -> bool:
    return hall.tables[table].lights.refused


# The evening.


def test_open_says_who_plays_where_and_what_is_next(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)
    assert told(hall, "evening_open", rules="bonko", players=NAMES, sets=1) == (
        "The evening is open: 7 players and 1 ghost at 2 tables, 6 rounds. Draw the seats next."
    )
    assert told(hall, "seats_draw") == "The seats are drawn at 2 tables."
    one = told(hall, "evening_open", players=NAMES[:4], sets=1, overrides={"evening.faces": [6]})
    assert one == "The evening is open: 4 players at 1 table, 1 round. Draw the seats next."


def test_an_evening_with_an_opened_round_is_not_thrown_away_in_silence(hall: Hall) -> None:
    assert hall.ask("evening_open", players=NAMES).done  # nothing was played yet
    hall.do("seats_draw")
    hall.do("round_start", bypass=[1, 2])
    assert refused(hall, "evening_open", players=NAMES) == (
        "An evening is open, with 0 of 12 rounds played. Close it first, or open the new one in its place."
    )
    assert hall.evening.round
    assert told(hall, "evening_open", players=NAMES, replace=True).startswith("The evening is open: ")
    assert hall.evening.round is None


def test_an_evening_is_closed_early_only_if_that_is_said(hall: Hall) -> None:
    assert refused(hall, "evening_close") == (
        "The evening is not over: 0 of 12 rounds played. "
        "The evening can be closed all the same, and opened again until the next one is."
    )
    hall.do("round_start")
    assert refused(hall, "evening_close").startswith("A round is running.")
    assert told(hall, "evening_close", unfinished=True) == (
        "The evening is closed, with 0 of 12 rounds played. Set 1, round 1 was not finished and does not "
        "count. Until the next one is opened, it can be opened again."
    )
    assert refused(hall, "round_start") == "The evening is closed; open it again if it should go on."
    assert told(hall, "evening_reopen") == "The evening goes on. Set 1, round 1 is running."
    assert refused(hall, "evening_reopen") == "The evening is not closed."


# Rounds.


def test_start_says_that_it_ends_the_break(hall: Hall) -> None:
    assert told(hall, "pause", minutes=15) == "The break of 15 minutes has begun."
    assert told(hall, "round_start") == "The break is over. Set 1, round 1 has started: the target is 1."


def test_a_refused_start_says_how_to_go_on_without_the_table(hall: Hall) -> None:
    hall.cut(hall.tables[2])
    hall.wait(5000)
    why = refused(hall, "round_start")
    assert why.startswith("Table 2: not heard for ")
    assert why.endswith("Start without what is missing, or press the bell button twice within 10 s.")
    assert told(hall, "round_start", bypass=[2]).endswith(
        "Table 2 may play on paper: enter the tally, or decide, after the bell."
    )


def test_a_refusal_carries_the_commands_that_go_on(hall: Hall) -> None:
    assert ways(hall, "confirm", table=1) == []
    hall.do("round_start")
    assert ways(hall, "round_start") == [("round_end", {})]
    assert ways(hall, "evening_open", players=NAMES) == [
        ("evening_close", {}),
        ("evening_open", {"replace": True}),
    ]
    assert ways(hall, "evening_close") == [("evening_close", {"unfinished": True})]
    for table in (1, 2):
        hall.do("decide", table=table, winner="US")
    hall.wait(100)
    for command in ("undo", "confirm"):
        assert ways(hall, command, table=2) == [("reopen", {"table": 2})]
    hall.cut(hall.tables[2])
    hall.wait(5000)
    assert ways(hall, "round_start") == [("round_start", {"bypass": [2]})]
    hall.do("evening_close", unfinished=True)
    for command in ("round_start", "pause", "seats_draw"):
        assert ways(hall, command) == [("evening_reopen", {})]


def test_what_needs_a_round_says_how_to_get_at_the_last_one(hall: Hall) -> None:
    assert refused(hall, "undo", table=1) == "No round is open."
    hall.do("round_start")
    assert refused(hall, "confirm", table=1) == (
        "Table 1 is still playing. Press OK for it when it is done after the bell, or decide its winner."
    )
    hall.do("round_end")
    assert refused(hall, "round_start") == (
        "Set 1, round 1 is not over yet. OK is missing at tables 1 and 2."
    )
    for table in (1, 2):
        hall.do("decide", table=table, winner="US")
    for command, more in {
        "undo": {},
        "confirm": {},
        "decide": {"winner": "THEM"},
        "turn": {"seat": "A"},
    }.items():
        assert refused(hall, command, table=2, **more) == (
            "No round is open; reopen table 2 first to change its last result."
        )


def test_a_break_begins_only_between_rounds(hall: Hall) -> None:
    hall.do("round_start")
    assert refused(hall, "pause", minutes=5) == "A round is running; a break can begin when it is over."


def test_a_guest_before_the_first_round_needs_a_chair(hall: Hall) -> None:
    hall.do("arrive", player="Hal")
    assert refused(hall, "arrive", player="Ida") == (
        "Every seat is taken; name a substitute, or seat the guest when the first round is over."
    )
    assert refused(hall, "arrive", player="Hal") == "Hal is playing already."


def test_a_dimension_keeps_its_spelling(hall: Hall) -> None:
    assert refused(hall, "evening_open", players=NAMES, overrides={"end.pionts": 22}) == (
        "end.pionts is not a dimension; did you mean end.points?"
    )


def test_a_bypass_of_no_table_starts_nothing(hall: Hall) -> None:
    assert refused(hall, "round_start", bypass=[1, 3]) == "There is no table 3; tables are 1 to 2."
    assert not hall.evening.bypassed


def test_end_names_the_tables_that_still_play(hall: Hall) -> None:
    hall.do("round_start")
    assert told(hall, "round_end") == "The round is ended. OK is missing at tables 1 and 2."
    assert refused(hall, "round_end") == "The bell has rung already."


def test_end_says_that_the_bell_stayed_silent(hall: Hall) -> None:
    hall.do("round_start")
    hall.mute = "it has sounded too often"
    assert told(hall, "round_end").endswith(" The bell stays silent: it has sounded too often.")


def test_cancel_and_void_say_what_goes_on(hall: Hall) -> None:
    hall.do("round_start")
    hall.do("round_end")
    assert told(hall, "bell_void") == "The bell is void; the round goes on."
    assert told(hall, "round_cancel") == "Set 1, round 1 is cancelled: it never happened."


# One table.


def test_bypass_says_that_the_round_still_waits_for_the_table(hall: Hall) -> None:
    assert told(hall, "bypass", table=2) == "Rounds start without waiting for the equipment of table 2."
    hall.do("round_start")
    hall.do("round_end")
    assert told(hall, "bypass", table=2) == (
        "Rounds start without waiting for the equipment of table 2. "
        "This round still needs its result: Table 2: US 0, THEM 0; done, OK is missing. "
        "After the bell confirm it, enter its tally, or decide its winner."
    )
    assert told(hall, "restore", table=2) == "The equipment of table 2 is waited for again."


def test_turn_says_whose_turn_it_is_then(hall: Hall) -> None:
    hall.do("round_start")
    assert told(hall, "turn", table=1, seat="D") == "Table 1: US 0, THEM 0; Dee's turn (seat D)."
    hall.do("turn", table=1, seat="A")
    hall.roll(1, 1, 2, 3)
    hall.roll(1, 2, 3, 4)
    assert told(hall, "turn", table=1, seat="D", rolls=2) == (
        "The last 2 rolls are counted again, beginning with seat D. "
        "Table 1: US 0, THEM 1; Ann's turn (seat A)."
    )


def test_undo_says_what_is_taken_back_and_only_if_it_is_the_roll_that_was_seen(hall: Hall) -> None:
    hall.do("round_start")
    hall.roll(1, 1, 2, 3)
    seen = len(hall.head.referee.log.entries)
    hall.roll(1, 1, 1, 4)
    assert refused(hall, "undo", table=1, n=seen) == (
        f"Table 1 has rolled again since; its latest roll is now no. {seen + 1}: 1-1-4."
    )
    assert told(hall, "undo", table=1, n=seen + 1) == (
        "The roll 1-1-4 is taken back. Table 1: US 1, THEM 0; Ann's turn (seat A)."
    )
    assert refused(hall, "undo", table=1, n=seen + 1) == (
        f"Table 1 has that roll taken back already; its latest roll is now no. {seen}: 1-2-3."
    )
    hall.wait(1000)
    assert hall.host.board.tables[0].last == (1, 2, 3)


def test_a_decided_round_is_over_when_its_last_table_is(hall: Hall) -> None:
    hall.do("round_start")
    assert told(hall, "decide", table=1, winner="US") == ("Table 1: US 0, THEM 0; US wins (Ann and Cat).")
    assert told(hall, "decide", table=2, winner="THEM") == (
        "Table 2: US 0, THEM 0; THEM wins (Flo and Ghost 1). "
        "All tables are done: set 1, round 1 is over. 1 of 12 rounds played; start the next one."
    )
    assert told(hall, "reopen", table=2) == (
        "Set 1, round 1 runs again. Table 2: US 0, THEM 0; Eve's turn (seat A)."
    )


def test_a_tie_says_how_to_roll_off(hall: Hall) -> None:
    hall.do("round_start")
    hall.do("round_end")
    assert told(hall, "confirm", table=1) == (
        "Table 1: US 0, THEM 0; tied: one die for each team, die 1 is US, die 2 is THEM."
    )


def test_light_blinks_a_table_that_is_there(hall: Hall) -> None:
    assert told(hall, "light", table=2) == "Table 2 blinks for 10 s."
    hall.wait(500)
    assert blinks(hall, 2)
    hall.wait(11_000)
    assert not blinks(hall, 2)
    assert refused(hall, "light", table=3) == "There is no table 3; tables are 1 to 2."


# People.


def test_people_have_their_seats_named(hall: Hall) -> None:
    assert told(hall, "substitute", **{"out": "Ann", "in": "zoe"}) == "zoe plays for Ann: table 1, seat A."
    assert told(hall, "arrive", player="Hal") == "Hal plays: table 2, seat D."
    assert told(hall, "leave", player="Bob") == "Bob has left; Ghost 1 takes the seat: table 1, seat B."


def test_a_prize_goes_to_who_played(hall: Hall) -> None:
    assert told(hall, "prize", **{"for": "buncos", "to": ["Ann", "Bob"]}) == (
        "The prize for most Buncos goes to Ann and Bob."
    )
    assert refused(hall, "prize", **{"for": "buncos", "to": "Nobody"}) == (
        "Nobody has not played this evening."
    )


# The bell.


def test_a_bell_test_says_whether_it_rang(hall: Hall) -> None:
    assert told(hall, "bell_test") == "The bell rings."
    assert [id.split(":")[0] for id in hall.rings] == ["test"]
    hall.mute = "the relay is not there"
    assert refused(hall, "bell_test") == "The relay is not there."
    hall.mute = ""
    assert told(hall, "silence", minutes=1) == "The bell sounds in place of the horn for 1 minute."
    assert told(hall, "silence", minutes=0) == "The horn sounds again."


def test_the_horn_is_silent_for_as_long_as_was_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hall, sounds = Hall(tmp_path, 2), list[str]()

    def perform(effect: Any, carry_out: Any = hall.head.perform) -> Any:
        if isinstance(effect, Ring):
            sounds.append(effect.signal)
        return carry_out(effect)

    monkeypatch.setattr(hall.head, "perform", perform)
    hall.open(8, "tournament")
    hall.do("silence", minutes=1)
    hall.wait(58_000)
    hall.do("round_start")
    hall.wait(3000)
    hall.do("round_end")
    assert sounds == ["bell", "bell+horn"]


# Who may ask, and how.


def test_a_wrong_argument_is_refused_by_name(hall: Hall) -> None:
    assert refused(hall, "round_end", tabel=1) == "round_end has no argument tabel; it takes none."
    assert refused(hall, "turn", table=1, seat="A", roll=3) == (
        "turn has no argument roll; did you mean rolls?"
    )


@pytest.mark.parametrize("node", ["probe", "probe-1a2b", "table2", "anybody"])
def test_only_hosts_give_commands(hall: Hall, node: str) -> None:
    answer = hall.ask_as(node, "round_start")
    why = "Commands are taken from the host's page, from pi-bunco host and from the bell button only."
    assert (answer.done, answer.why, answer.ways) == (False, (why,), ())
    assert hall.evening.round is None


def test_while_the_log_is_recovered_every_command_says_so(hall: Hall) -> None:
    recovery = hall.head.referee.catch_up.recovery
    recovery.pending, recovery._since = True, hall.clock.now()
    assert refused(hall, "round_start").startswith("The head reads the end of the evening")
    assert told(hall, "go_on") == "The head begins with what it has of the log."
    assert "nothing is waited for" in refused(hall, "go_on")
    assert refused(hall, "branch", table=2) == "Table 2 offers no other log than the head's."
    assert hall.ask("round_start").done


def test_a_command_that_cannot_be_read_is_answered_if_its_id_can(hall: Hall) -> None:
    topic = topics.up("home", "host-ann", "command")
    asked = {
        "k-large": {"id": "k-large", "command": "evening_open", "args": {"players": ["x" * 79] * 6000}},
        "k-odd": {"id": "k-odd", "command": "Round End"},
    }
    for id, command in asked.items():
        hall.network.raw(topic, msgspec.json.encode(command))
        hall.wait(100)
        (why,) = hall.host.answers[id].why
        assert why.startswith("The command cannot be read: ")
    answered = dict(hall.host.answers)
    hall.network.raw(topic, b'{"command":"round_end"}')
    hall.wait(100)
    assert hall.host.answers == answered


def test_an_evening_of_1200_players_with_long_names_is_opened_and_its_seats_are_drawn(hall: Hall) -> None:
    names = [f"{n:04} Wilhelmina-Konstantinopel" for n in range(1200)]
    assert told(hall, "evening_open", players=names).startswith(
        "The evening is open: 1200 players at 300 tables, "
    )
    assert told(hall, "seats_draw") == "The seats are drawn at 300 tables."
    hall.wait(2000)
    assert "next_seating" in hall.host.board.left_out

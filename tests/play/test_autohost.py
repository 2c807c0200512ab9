from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from boards import SEATS, board, table
from pi_bunco.game.contest import Awaited
from pi_bunco.play.autohost import Autohost, HostPlan, Waits
from pi_bunco.play.players import Habits
from pi_bunco.wire import topics
from pi_bunco.wire.client import Publish
from pi_bunco.wire.messages import Answer, Command
from services.hall import Hall

PLAN = HostPlan("classic", ("Ann", "Bob", "Cat", "Dee"), overrides={"end.points": 15})


def host(**waits: Any) -> Autohost:
    return Autohost(PLAN, Waits(**waits), "k")


def asked(one: Autohost, now: float) -> tuple[str, dict[str, Any]] | None:
    command = one.due(now)
    return (command.command, command.args) if command else None


def done(one: Autohost, now: float) -> Command:
    """The command that is asked for now, and done."""
    command = one.due(now)
    assert command
    one.answer(Answer(command.id, True), now)
    return command


def test_it_plays_a_whole_evening_by_what_it_sees(tmp_path: Path) -> None:
    hall = Hall(tmp_path, tables=2, habits=Habits())
    names = tuple(f"P{n}" for n in range(1, 9))
    one = Autohost(HostPlan("classic", names), Waits(), "k")
    seen: set[str] = set()

    def look() -> None:
        now = hall.clock.now()
        if hall.host.board:
            one.board(hall.host.board, now)
        for id in hall.host.answers.keys() - seen:
            seen.add(id)
            one.answer(hall.host.answers[id], now)
        if command := one.due(now):
            hall.network.publish(Publish(topics.up("home", "host-ann", "command"), command))
        if one.played:
            one.close()
        hall.later(100, look)

    look()
    hall.until(lambda: one.closed)
    evening = hall.head.referee.log.evening
    assert (len(evening.rounds), evening.closed, evening.epoch) == (6, True, 6)
    assert sorted(evening.standings) == sorted(names)
    hall.close()


def test_it_asks_nothing_before_it_has_seen_the_scoreboard() -> None:
    assert host().due(1e9) is None


def test_it_opens_the_evening_and_draws_the_seats() -> None:
    one = host()
    one.board(board(rules=None, next_seating=None), 0)
    opened = done(one, 0)
    assert opened.command == "evening_open"
    assert opened.args == {
        "rules": "classic",
        "overrides": {"end.points": 15},
        "players": list(PLAN.players),
        "sets": 1,
        "seed": 1,
    }
    assert one.due(60_000) is None, "the scoreboard does not show it yet"
    one.board(board(next_seating=None), 60_000)
    assert done(one, 60_000).command == "seats_draw"


def test_a_command_is_sent_again_until_it_is_answered() -> None:
    one = host(answer=500)
    one.board(board(next_seating=None), 0)
    first = one.due(0)
    assert first
    assert one.due(499) is None
    assert one.due(500) is first
    assert one.due(501) is None


def test_the_answer_to_something_else_means_nothing() -> None:
    one = host(answer=500)
    one.board(board(next_seating=None), 0)
    first = one.due(0)
    one.answer(Answer("other", True), 1)
    assert one.due(500) is first


def test_refused_command_is_asked_again_under_another_id() -> None:
    one = host(answer=500, between=0)
    one.board(board(), 0)
    first = one.due(0)
    assert first
    one.answer(Answer(first.id, False, ("Table 2: not heard.",)), 10)
    assert one.why == ("Table 2: not heard.",)
    assert one.due(509) is None
    second = one.due(510)
    assert second
    assert second.command == first.command == "round_start"
    assert second.id != first.id


def test_a_round_starts_after_a_pause() -> None:
    one = host(between=2000)
    one.board(board("between_rounds", epoch=1), 1000)
    assert one.due(2999) is None
    assert asked(one, 3000) == ("round_start", {})


def test_a_table_that_is_missing_is_waited_for_but_not_for_ever() -> None:
    one = host(between=2000, missing=9000)
    one.board(board(waiting=["Table 2: not heard yet; is it switched on?"]), 0)
    assert one.due(8999) is None
    assert asked(one, 9000) == ("round_start", {})


def test_the_next_round_can_start_although_the_scoreboard_was_quicker_than_the_answer() -> None:
    one = host(between=0)
    one.board(board("between_rounds", epoch=1), 0)
    start = one.due(0)
    assert start
    one.board(board("round_open", epoch=2), 1)
    one.answer(Answer(start.id, True), 2)
    one.board(board("between_rounds", epoch=2), 3)
    assert asked(one, 3) == ("round_start", {})


def test_a_round_is_not_started_twice_on_the_same_old_news() -> None:
    one = host(between=0)
    one.board(board("between_rounds", epoch=1), 0)
    done(one, 0)
    assert one.due(60_000) is None


def test_nobody_at_the_keyboard_means_no_round_where_a_person_rings() -> None:
    one = Autohost(PLAN, Waits(), "k", alone=False)
    one.board(board(), 0)
    assert one.due(60_000) is None
    one.start_round()
    assert done(one, 60_000).command == "round_start"
    one.board(board("round_open", epoch=1), 60_001)
    one.end_round()
    assert done(one, 60_002).command == "round_end"


def test_a_press_at_the_wrong_moment_is_forgotten() -> None:
    one = Autohost(PLAN, Waits(), "k", alone=False)
    one.board(board("round_open", epoch=1), 0)
    one.start_round()
    assert one.due(1) is None
    one.board(board("between_rounds", epoch=1), 2)
    one.end_round()
    assert one.due(3) is None
    one.board(board("round_open", epoch=2), 4)
    assert one.due(5) is None


def test_a_table_that_forgets_its_ok_gets_it() -> None:
    one = host(ok=20_000)
    one.board(board("after_bell", epoch=1, tables=[table("final"), table("done", 2)]), 0)
    assert one.due(19_999) is None
    assert asked(one, 20_000) == ("confirm", {"table": 2})


def test_a_table_that_hangs_gets_the_hosts_word_for_who_is_ahead() -> None:
    one = host(table=60_000)
    for state in ("playing", "rolloff"):
        one = host(table=60_000)
        one.board(board("after_bell", epoch=1, tables=[table(state)]), 0)
        assert one.due(59_999) is None
        assert asked(one, 60_000) == ("decide", {"table": 1, "winner": "THEM"})


def test_a_table_where_something_happens_does_not_hang() -> None:
    one = host(table=60_000)
    one.board(board("after_bell", epoch=1, tables=[table("playing")]), 0)
    one.board(board("after_bell", epoch=1, tables=[table("playing", rolls=1)]), 50_000)
    assert one.due(109_999) is None
    assert asked(one, 110_000) == ("decide", {"table": 1, "winner": "THEM"})


def test_a_round_in_which_nobody_rolls_is_ended() -> None:
    one = host(dice=120_000)
    one.board(board("round_open", epoch=1, tables=[table("playing")]), 0)
    assert one.due(119_999) is None
    assert asked(one, 120_000) == ("round_end", {})


def test_a_tournament_goes_on_when_its_stage_is_settled() -> None:
    one = host(between=2000)
    one.board(
        board(
            "break",
            epoch=18,
            stage="qualification",
            rolling=[Awaited(1, "wins", ("Ann", "Bob"), 1, ("Ann", "Bob"))],
        ),
        0,
    )
    assert one.due(1e6) is None  # a tie is rolled for
    one.board(board("break", epoch=18, stage="qualification", next_stage="semi_final"), 1e6)
    assert asked(one, 1e6) == ("stage", {})
    assert done(one, 1e6 + 1000).command == "stage"
    assert one.due(2e6) is None
    one.board(board("break", epoch=18, stage="semi_final"), 2e6)
    assert asked(one, 2e6 + 2000) == ("round_start", {})


def test_after_the_last_round_it_only_closes() -> None:
    one = host()
    one.board(board("finished", epoch=6), 0)
    assert one.played
    assert one.due(1e6) is None
    one.close()
    assert done(one, 1e6).command == "evening_close"
    assert one.closed
    assert one.due(2e6) is None


BOARDS = st.builds(
    lambda state, epoch, tables, waiting, seated: board(
        state, epoch=epoch, tables=tables, waiting=waiting, next_seating=[SEATS] if seated else None
    ),
    st.sampled_from(["setup", "round_open", "after_bell", "between_rounds", "break", "finished"]),
    st.integers(0, 3),
    st.lists(
        st.builds(table, st.sampled_from(["playing", "done", "rolloff", "final"]), st.integers(1, 3)),
        max_size=3,
        unique_by=lambda one: one.table,
    ),
    st.sampled_from([[], ["Table 1: switched off."]]),
    st.booleans(),
)


@given(st.lists(st.tuples(st.floats(0, 200_000), st.none() | BOARDS, st.none() | st.booleans())))
def test_it_asks_one_thing_at_a_time_whatever_it_sees(events: list[Any]) -> None:
    one, now = host(), 0.0
    open_: Command | None = None
    ids = set()
    for wait, seen, answer in events:
        now += wait
        if seen is not None:
            one.board(seen, now)
        if answer is not None and open_ is not None:
            one.answer(Answer(open_.id, answer), now)
            open_ = None
        if command := one.due(now):
            assert open_ in (None, command)
            assert open_ is not None or command.id not in ids
            ids.add(command.id)
            open_ = command
            assert one.due(now) is None

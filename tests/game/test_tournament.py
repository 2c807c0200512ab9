"""RULES.md, Tournament (seed 001): from the groups to the grand prize."""

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.evenings import Play
from game.independent.comparing import compared
from pi_bunco.game import codec
from pi_bunco.game.apply import apply
from pi_bunco.game.contest import Awaited
from pi_bunco.game.evening import Evening
from pi_bunco.game.pace import phase
from pi_bunco.game.reasons import OnlyGhosts
from pi_bunco.game.rolloffs import awaited
from pi_bunco.game.scoreboard import scoreboard
from pi_bunco.game.seating import draw, problems
from pi_bunco.game.stage_places import drawn, drawn_tables, opening_groups, usual_groups
from pi_bunco.game.tournament import Tournament
from thorough import times

SEED = "bunco"
FIRST = ["abcd", "efgh", "ijkl"]
SECOND = [names.upper() for names in FIRST]
QUIET = {"evening__sets": 1, "end__bunco": False, "end__points": None}


def began(*tables: str, groups: Any = None, **overrides: Any) -> Play:
    return Play.of([list(names) for names in tables], "tournament", groups=groups, seed=SEED, **overrides)


def enter(play: Play, purpose: str, group: Any = None, **dice: Any) -> str | None:
    """The host says what was rolled: `a=3`, or three faces."""
    faces = {name: [roll] if isinstance(roll, int) else list(roll) for name, roll in dice.items()}
    return play.word("rolloff", purpose, dice=faces, **({"group": group} if group else {}))


def stage(play: Play) -> Tournament:
    assert play.evening.tournament is not None
    return play.evening.tournament


def waits(play: Play, table: int = 1) -> Awaited:
    found = awaited(play.evening, table)
    assert found is not None
    return found


def winners_team(play: Play, name: str, table: int = 1) -> str:
    """The team of `name` at `table` of the running round."""
    return ("US", "THEM")[play.running.tables[table - 1].seats.index(name) % 2]


def qualified(**overrides: Any) -> Play:
    """24 players, one set, US wins everywhere. In round 1 e and g, A twice and C roll Buncos.

    Worked out by hand with `down_one`: a and A win all six rounds, b, c and e (B, C, E) four.
    """
    play = began(*FIRST, *SECOND, groups=[[1, 2, 3], [4, 5, 6]], **QUIET, **overrides).open()
    play.roll(2, "B..B.")
    play.roll(4, "BB..B.")
    play.decide(*["US"] * 6)
    for _ in range(5):
        play.round()
    return play


def test_wins_of_a_group_as_worked_out_by_hand() -> None:
    cards = qualified().evening.standings
    by_hand = dict(zip("abcdefghijkl", (6, 4, 4, 1, 4, 2, 2, 2, 3, 3, 3, 2), strict=True))
    assert {name: cards[name].wins for name in by_hand} == by_hand
    assert {name: cards[name.upper()].wins for name in by_hand} == by_hand


def test_after_the_last_set_is_a_break_with_the_qualification() -> None:
    play = qualified()
    assert (play.evening.state, play.evening.break_minutes, stage(play).stage) == (
        "break",
        45,
        "qualification",
    )
    assert play.report()["stage"] == "qualification"
    assert play.report()["results"] is None
    places = [(place.by, place.group, place.player) for place in stage(play).places]
    assert places == [("wins", 1, "a"), ("buncos", 1, None), ("wins", 2, "A"), ("buncos", 2, "C")]


def test_the_rounds_of_the_semi_final_are_counted_once_it_has_begun() -> None:
    assert qualified().evening.rounds_in_all == 6
    play = semi_final()
    assert (play.evening.rounds_in_all, scoreboard(play.evening, {}).rounds) == (12, 12)
    for _ in range(6):
        play.round()
    assert len(play.evening.rounds) == play.evening.rounds_in_all


def test_no_break_follows_the_semi_final() -> None:
    play = semi_final(evening__break_after=2)  # of one set, so that the semi-final is the second
    for _ in range(6):
        play.round()
    assert play.evening.state == "between_rounds"


def test_a_tie_is_rolled_at_the_first_table_of_the_group() -> None:
    play = qualified()
    assert waits(play) == Awaited(1, "buncos", ("e", "g"), 1, ("e", "g"), 1)
    assert awaited(play.evening, 4) is None
    assert play.say("stage", stage="semi_final") == "e and g still roll for most Buncos"
    assert play.say("round_open") == "e and g still roll for most Buncos"
    assert play.say("roll", table=4, dice=[1, 2, 3]) == "no round is open"
    assert (
        play.say("roll", 1, table=1, dice=[1, 2, 3]) == "no round is open"
    )  # made before the last round ended
    assert play.say("roll", table=1, dice=[5, 5, 1]) is None
    assert play.say("roll", table=1, dice=[2, 5, 6]) is None
    assert stage(play).places[1].player == "g"
    assert play.say("undo", table=1) is None
    assert play.say("roll", table=1, dice=[6, 5, 6]) is None
    assert stage(play).places[1].player == "e"
    assert stage(play).next == "semi_final"


def semi_final(**overrides: Any) -> Play:
    """a, g, A and C are in the semi-final; its seats are drawn."""
    play = qualified(**overrides)
    assert enter(play, "buncos", 1, e=3, g=4) is None
    assert play.say("round_open") == "the qualification is over: confirm the semi-final"
    assert play.say("stage", stage="order") == "after the qualification comes the semi-final"
    assert play.say("stage", stage="semi_final") is None
    return play


def test_the_clock_gives_everybody_the_time_of_the_warning_to_move_when_a_stage_begins_late() -> None:
    play = qualified()
    play.say("pace", play_s=180, move_s=120, warn_s=30)
    play.t += 3_600_000
    assert enter(play, "buncos", 1, e=3, g=4) is None
    assert play.say("stage", stage="semi_final") is None
    assert play.evening.why_not_open() is None
    found = phase(play.evening)
    assert found is not None
    assert found.ends == play.t + 30_000


def test_the_semi_final_seats_those_who_qualified_and_only_them() -> None:
    play = semi_final()
    assert play.evening.seating == drawn_tables(["a", "g", "A", "C"], SEED)
    assert (play.evening.tables, play.evening.people.ghosts) == (1, [])
    assert play.say("seating", tables=[["a", "g", "A", "B"]]) is not None
    assert play.say("seating", tables=[["a", "g", "A", "C"]]) is None
    assert play.say("arrive", player="Z") == "Z comes too late for the semi-final"
    assert play.say("round_open") is None


def final_table(**overrides: Any) -> Play:
    """A wins every round of the semi-final, g rolls its only Bunco."""
    play = semi_final(**overrides)
    for number in range(6):
        play.open()
        if number == 2:
            seat = play.running.tables[0].seats.index("g")
            play.roll(1, "." * seat + "B.")
        play.decide(winners_team(play, "A"))
    assert play.report()["stage"] == "semi_final"
    assert play.say("stage", stage="order") is None
    return play


def test_the_final_table_has_two_winners_and_two_who_are_drawn() -> None:
    play = final_table()
    others = sorted(set(play.evening.people.present) - {"A", "g"})
    third = drawn(SEED, "drawn", ["a", "C"])[0]
    fourth = drawn(SEED, "wild_card", [name for name in others if name != third])[0]
    assert play.evening.seating == [("A", "g", third, fourth)]
    assert [place.player for place in stage(play).finalists] == ["A", "g", third, fourth]
    assert play.say("round_open") is not None


def test_the_lowest_die_begins_and_the_first_triple_wins_the_grand_prize() -> None:
    play = final_table()
    a, b, c, d = stage(play).finalists[0:4]
    names = [str(place.player) for place in (a, b, c, d)]
    assert waits(play) == Awaited(1, "order", tuple(names[:3]), 1, tuple(names))
    assert scoreboard(play.evening, {}).rolling == (waits(play),)
    play.say("roll", table=1, dice=[3, 1, 5])
    assert play.say("roll", table=1, dice=[1, 6, 6]) is None  # the fourth's die; the second ties with it
    assert waits(play).players == (names[1], names[3])
    play.say("roll", table=1, dice=[5, 2, 6])
    assert play.say("stage", stage="done") == "after the roll for who begins comes the final"
    assert play.say("stage", stage="final") is None
    order = [names[3], *names[:3]]
    assert waits(play) == Awaited(1, "final", (order[0],), 3, tuple(order))
    for name in (*order, *order[:2]):
        assert waits(play).players == (name,)
        assert play.say("roll", table=1, dice=[1, 1, 2]) is None
    assert play.say("stage", stage="done") == "nobody has rolled three of a kind yet"
    assert enter(play, "final", **{order[0]: (4, 4, 4)}) == f"it is {order[2]}'s turn, with three dice"
    assert enter(play, "final", **{order[2]: (4, 4, 4)}) is None
    assert (stage(play).winner, stage(play).next, play.report()["results"]) == (order[2], "done", None)
    assert play.say("roll", table=1, dice=[5, 5, 5]) == "no round is open"
    assert play.say("stage", stage="done") is None
    report = play.report()
    assert (report["state"], report["stage"]) == ("finished", "done")
    assert report["results"]["grand_prize"] == order[2]
    assert report["results"]["prizes"] == ({"for": "grand_prize", "winners": (order[2],)},)
    assert play.evening.tournament is not None


def test_a_triple_that_was_misread_is_taken_back() -> None:
    play = final_table()
    play.say("roll", table=1, dice=[1, 2, 3])
    play.say("roll", table=1, dice=[4, 6, 6])
    play.say("stage", stage="final")
    first = waits(play)
    play.say("roll", table=1, dice=[4, 4, 4])
    assert play.say("undo", table=1) is None
    assert waits(play) == first
    assert play.say("undo", table=1) == "there is no throw to take back"


def test_who_withdraws_is_replaced_by_the_next_in_rank() -> None:
    play = qualified()
    enter(play, "buncos", 1, e=3, g=4)
    play.say("leave", player="a")  # b, c and e have four wins each
    assert waits(play).players == ("b", "c", "e")
    play.say("roll", table=1, dice=[1, 2, 6])
    assert stage(play).places[0].player == "e"
    play.say("leave", player="g")  # only e and g had a Bunco: the others are equal
    assert set(waits(play).tied) == set("bcdfhijkl")


def test_what_rolled_who_withdraws_counts_no_more_and_the_others_roll_on() -> None:
    play = qualified()
    enter(play, "buncos", 1, e=3, g=4)
    play.say("leave", player="a")
    assert enter(play, "wins", 1, b=6) is None
    play.say("leave", player="b")
    assert enter(play, "wins", 1, c=2) is None
    assert waits(play).players == ("e",)
    assert enter(play, "wins", 1, e=1) is None
    assert stage(play).places[0].player == "c"


def test_no_semi_final_begins_where_everybody_has_left() -> None:
    play = qualified()
    for name in list(play.evening.people.present):
        assert play.say("leave", player=name) is None
    assert play.say("stage", stage="semi_final") == "nobody is left to play"
    assert compared(play.lines) == []


def test_a_semi_finalist_who_withdraws_before_it_begins_is_replaced_on_the_chair() -> None:
    play = semi_final()
    chair = next(k for k, name in enumerate((play.evening.seating or [])[0]) if name == "C")
    play.say("leave", player="C")  # nobody else of the second group has a Bunco
    assert play.evening.people.ghosts == ["Ghost 1"]
    assert play.say("round_open") is not None
    dice = dict.fromkeys(waits(play, 1).tied, 1)
    assert enter(play, "buncos", 2, **{**dice, "K": 6}) is None
    assert ((play.evening.seating or [])[0][chair], play.evening.people.ghosts) == ("K", [])
    assert play.say("round_open") is None


def test_a_cancelled_semi_final_leaves_the_ties_for_its_places_as_they_were() -> None:
    play = began(*FIRST, *SECOND, groups=[[1, 2, 3], [4, 5, 6]], evening__faces=[1], **QUIET).open()
    play.roll(2, "B..B.")
    play.roll(4, "B.")
    play.decide(*["US"] * 6)
    while stage(play).contests:
        tie = stage(play).contests[0]
        assert (
            enter(play, tie.purpose, tie.group, **{**dict.fromkeys(tie.players, 1), tie.players[0]: 6})
            is None
        )
    assert play.say("stage", stage="semi_final") is None
    play.open().decide("US")
    assert stage(play).finalists
    play.say("reopen", table=1)
    play.say("round_cancel")
    play.say("leave", player="A")  # who won the roll-off for the wins of the second group
    assert [(tie.purpose, tie.group, tie.rounds) for tie in stage(play).contests] == [("wins", 2, 1)]


def test_a_semi_finalist_who_leaves_later_is_a_ghost_and_not_in_the_final() -> None:
    play = semi_final().open()
    play.decide("US")
    play.say("leave", player="A")
    assert play.evening.people.ghosts == ["Ghost 1"]
    for _ in range(5):
        play.round()
    tied = waits(play).tied if stage(play).contests else ()
    assert "A" not in tied
    assert "A" not in [place.player for place in stage(play).finalists]


def test_a_finalist_who_withdraws_is_replaced_and_the_order_is_rolled_anew() -> None:
    play = final_table()
    play.say("roll", table=1, dice=[1, 2, 3])
    wild = str(stage(play).finalists[3].player)
    play.say("leave", player=wild)
    new = str(stage(play).finalists[3].player)
    assert new != wild
    assert waits(play) == Awaited(1, "order", waits(play).tied[:3], 1, ("A", "g", waits(play).tied[2], new))
    assert (play.evening.seating or [])[0][3] == new
    assert play.evening.people.ghosts == []


def test_who_is_withdrawn_in_the_final_passes_the_turn_to_the_successor() -> None:
    play = final_table()
    play.say("roll", table=1, dice=[1, 2, 3])
    play.say("roll", table=1, dice=[4, 6, 6])
    play.say("stage", stage="final")
    play.say("roll", table=1, dice=[1, 2, 3])
    assert waits(play).players == ("g",)
    play.say("leave", player="g")
    new = stage(play).finalists[1].player or waits(play).tied[0]
    if stage(play).contests:
        enter(play, "buncos", **{name: 6 if name == new else 1 for name in waits(play).tied})
    assert waits(play).players == (stage(play).finalists[1].player,)


def test_a_substitute_takes_over_the_place() -> None:
    play = semi_final()
    play.substitute("A", "Z")
    assert "Z" in (play.evening.seating or [])[0]
    assert stage(play).places[2].player == "Z"


def test_the_last_round_can_be_reopened_until_the_next_stage_is_confirmed() -> None:
    play = qualified()
    assert play.say("reopen", table=1) is None
    assert (stage(play).stage, play.evening.state) == ("groups", "round_open")
    play.decide("US")
    assert stage(play).stage == "qualification"
    enter(play, "buncos", 1, e=3, g=4)
    play.say("stage", stage="semi_final")
    assert play.say("reopen", table=1) == "the semi-final has begun since"


def test_another_draw_than_the_seeds_is_refused() -> None:
    play = qualified()
    enter(play, "buncos", 1, e=3, g=4)
    wrong = [list(names)[::-1] for names in drawn_tables(["a", "g", "A", "C"], SEED)]
    assert play.say("stage", stage="semi_final", tables=wrong) is not None


def test_movement_stays_inside_the_groups() -> None:
    play = began(*FIRST, *SECOND, groups=[[1, 2, 3], [4, 5, 6]], **QUIET)
    for _ in range(5):
        play.round("US", "THEM", "US", "THEM", "US", "THEM")
        tables = play.evening.seating or []
        assert all(name.islower() for names in tables[:3] for name in names)
        assert all(name.isupper() for names in tables[3:] for name in names)


@pytest.mark.parametrize(
    ("tables", "groups"),
    [
        (3, [(1, 2, 3)]),
        (4, [(1, 2, 3), (4,)]),
        (6, [(1, 2, 3), (4, 5, 6)]),
        (8, [(1, 2, 3), (4, 5, 6), (7, 8)]),
    ],
)
def test_usual_groups(tables: int, groups: list[tuple[int, ...]]) -> None:
    assert list(usual_groups(tables)) == groups


@pytest.mark.parametrize(
    ("players", "tables", "ghosts"), [(9, 3, 3), (12, 3, 0), (13, 6, 11), (30, 9, 6), (1200, 300, 0)]
)
def test_groups_that_the_host_does_not_name_are_whole(players: int, tables: int, ghosts: int) -> None:
    groups, missing = opening_groups(players)
    assert (sum(map(len, groups)), missing) == (tables, ghosts)
    names = [f"p{number}" for number in range(players)]
    assert not problems(names, [f"Ghost {k}" for k in range(missing)], groups)


@given(st.integers(1, 220), st.integers(0, 99))
def test_the_semi_final_seats_everybody_and_nobody_alone(players: int, seed: int) -> None:
    names = [f"p{number}" for number in range(players)]
    tables = drawn_tables(names, str(seed))
    seated = [name for table in tables for name in table if not name.startswith("Ghost")]
    assert sorted(seated) == sorted(names)
    assert len(tables) == -(-players // 4)
    if players > 1:
        assert all(sum(not name.startswith("Ghost") for name in table) >= 2 for table in tables)
    assert tables == drawn_tables(names[::-1], str(seed))


# Whole tournaments, drawn at random.


class Night:
    """Plays a tournament to its end; whatever happens is drawn from `random`."""

    def __init__(self, groups: int, missing: int, leaving: float, random: Random) -> None:
        self.random, self.leaving = random, leaving
        players = [f"p{number}" for number in range(12 * groups - missing)]
        chairs = [*players, *(f"Ghost {k}" for k in range(1, missing + 1))]
        tables = [chairs[k :: 3 * groups] for k in range(3 * groups)]
        numbers = [[3 * group + k for k in (1, 2, 3)] for group in range(groups)]
        self.play = Play.of(tables, "tournament", groups=numbers, seed=random.random().hex(), **QUIET)

    @property
    def evening(self) -> Evening:
        return self.play.evening

    def some_leave(self) -> None:
        present = self.evening.people.present
        while not self.evening.over and len(present) > 6 and self.random.random() < self.leaving:
            assert self.play.say("leave", player=self.random.choice(present)) is None
            self.check()

    def seats_anew(self) -> None:
        """The host mends a table of ghosts."""
        if not isinstance(self.evening.why_not_open(), OnlyGhosts):
            return
        players = self.evening.playing
        tables = draw(players, self.evening.people.ghosts_for(players), self.random)
        assert self.play.say("seating", tables=[list(names) for names in tables]) is None
        self.check()

    def rounds(self) -> None:
        self.seats_anew()
        while self.evening.why_not_open() is None:
            self.play.open()
            for table in range(1, self.evening.tables + 1):
                self.play.roll(table, "".join(self.random.choices("B...", k=4)))
            self.play.decide(*self.random.choices(["US", "THEM"], k=self.evening.tables))
            self.some_leave()
            self.check()
            self.seats_anew()

    def roll_offs(self) -> None:
        while (state := stage(self.play)).contests or (state.stage == "final" and not state.winner):
            table = next(k for k in range(1, self.evening.tables + 1) if awaited(self.evening, k))
            dice = self.random.choices(range(1, 7), k=3)
            before = self.play.report()
            assert self.play.say("roll", table=table, dice=dice) is None
            if stage(self.play).undoable == table:
                assert self.play.say("undo", table=table) is None
                assert self.play.report() == before
                assert self.play.say("roll", table=table, dice=dice) is None
            if self.random.random() < 0.1:
                self.some_leave()
            self.check()

    def check(self) -> None:
        """Nobody has two seats or two places."""
        tables = self.evening.seating or []
        seated = [name for names in tables for name in names]
        assert not [name for name, times in Counter(seated).items() if times > 1]
        people = self.evening.people
        assert set(seated) - set(people.ghosts) <= set(people.present)
        for places in (stage(self.play).places, stage(self.play).finalists):
            taken = [place.player for place in places if place.player]
            assert len(taken) == len(set(taken))

    def to_the_end(self) -> None:
        self.rounds()
        while stage(self.play).stage != "done":
            self.roll_offs()
            if stage(self.play).next is None:
                self.rounds()
                continue
            assert self.play.say("stage", stage=stage(self.play).next) is None
            self.some_leave()
            self.check()


@settings(max_examples=times(60), deadline=None)
@given(st.integers(1, 4), st.integers(0, 5), st.sampled_from([0.0, 0.1, 0.3]), st.integers(0, 2**32))
def test_every_tournament_has_one_winner_and_its_log_says_it_all(
    groups: int, missing: int, leaving: float, seed: int
) -> None:
    night = Night(groups, missing, leaving, Random(seed))
    night.to_the_end()
    ended = night.play.report()
    winner = ended["results"]["grand_prize"]
    assert winner in night.evening.people.cards
    assert night.evening.state == "finished"
    again = Evening()
    for fact in night.play.log:
        assert apply(again, codec.decode(codec.encode(fact))) is None
    assert again.grand_prize == winner
    assert again.seating == night.evening.seating


def test_the_first_seat_has_its_exact_advantage() -> None:
    """Of p = 1/36 a throw: 46656 : 45360 : 44100 : 42875 for the seats in the order of throwing."""
    exact = (46656, 45360, 44100, 42875)
    random, wins, games = Random(20261121), [0, 0, 0, 0], times(20_000)
    throws = [(a, b, c) for a in range(1, 7) for b in range(1, 7) for c in range(1, 7)]
    for _ in range(games):
        state = Tournament(SEED, stage="final", finalists=stage(FINAL).finalists, begins=0)
        while state.winner is None:
            state = state.thrown_in_final({str(state.turn): random.choice(throws)})
        wins[[place.player for place in state.order].index(state.winner)] += 1
    for won, share in zip(wins, exact, strict=True):
        expected = share / sum(exact)
        assert abs(won / games - expected) < 4 * (expected * (1 - expected) / games) ** 0.5


FINAL = final_table()


def test_nobody_rolls_for_two_places_at_once() -> None:
    play = qualified()  # e and g roll for most Buncos
    play.say("leave", player="a")  # b, c and e are next in wins
    assert enter(play, "buncos", 1, e=6, g=1) == "nobody rolls for buncos now"
    assert enter(play, "wins", 1, b=1, c=1, e=6) is None
    assert [place.player for place in stage(play).places[:2]] == ["e", "g"]


def test_a_drawn_seat_waits_until_it_is_known_who_rolls_for_another() -> None:
    short = QUIET | {"evening__faces": [1]}
    play = began(*FIRST, *SECOND, groups=[[table] for table in range(1, 7)], **short)
    play.round()
    settle(play)
    play.say("stage", stage="semi_final")
    play.round()
    settle(play)
    play.say("stage", stage="order")
    best, _, third, _ = (str(place.player) for place in stage(play).finalists)
    play.say("leave", player=best)
    tied = stage(play).contests[0].players
    assert len(tied) > 1
    play.say("leave", player=third)
    assert stage(play).finalists[2].player is None
    settle(play)
    names = [place.player for place in stage(play).finalists]
    assert len(set(names)) == 4
    assert None not in names


def settle(play: Play) -> None:
    """The first of all who are tied wins, until nobody rolls for a place."""
    while places := [one for one in stage(play).contests if one.purpose != "order"]:
        tied = places[0]
        dice = {name: 1 if number else 6 for number, name in enumerate(tied.players)}
        assert enter(play, tied.purpose, tied.group, **dice) is None


def won(**overrides: Any) -> tuple[Play, str]:
    """Somebody has rolled three of a kind, and the host has not confirmed it yet."""
    play = final_table(**overrides)
    play.say("roll", table=1, dice=[1, 2, 3])
    play.say("roll", table=1, dice=[4, 6, 6])
    play.say("stage", stage="final")
    play.say("roll", table=1, dice=[4, 4, 4])
    return play, str(stage(play).winner)


def test_nobody_is_replaced_any_more_once_the_grand_prize_is_won() -> None:
    play, winner = won()
    places = [place.player for place in stage(play).finalists]
    for name in places[1:]:
        assert play.say("leave", player=name) is None
    assert stage(play).contests == ()
    assert play.say("leave", player=winner) is None
    assert play.say("stage", stage="done") is None
    assert play.report()["results"]["prizes"] == ({"for": "grand_prize", "winners": (winner,)},)


def test_a_substitute_takes_over_the_grand_prize_too() -> None:
    play, winner = won()
    play.substitute(winner, "Z")
    assert play.say("stage", stage="done") is None
    assert play.report()["results"]["grand_prize"] == "Z"


def test_the_grand_prize_goes_to_its_winner_though_everybody_wins_once() -> None:
    prizes = [{"for": "wins", "amount": "1"}, {"for": "grand_prize", "amount": "9"}]
    play, winner = won(prizes=prizes, prize_once=True, prize_tie="ask")
    assert winner == "A"  # with most wins too
    play.say("stage", stage="done")
    assert [award["winners"] for award in play.report()["results"]["prizes"]] == [("A",), ("A",)]


def test_nobody_changes_seats_while_it_is_rolled_for_an_empty_one() -> None:
    play = semi_final()
    play.say("leave", player="C")
    tied = waits(play).tied
    why = play.say("seating", tables=[["a", "g", "A", "Ghost 2"]])
    assert why is not None
    assert why.endswith("still roll for most Buncos")
    assert enter(play, "buncos", 2, **{**dict.fromkeys(tied, 1), tied[0]: 6}) is None
    assert tied[0] in (play.evening.seating or [])[0]
    assert play.evening.people.ghosts == []

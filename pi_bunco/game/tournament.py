"""The tournament (seed 001): groups, qualification, semi-final, and the final table up to the grand prize.

The stages follow each other on the host's word alone. All that is drawn depends on the evening's seed and on
who is there, so the log alone says who was drawn, and anybody can draw again.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from pi_bunco.game.cards import Card, ranking
from pi_bunco.game.contest import Awaited, Contest, Faces
from pi_bunco.game.fields import Stage
from pi_bunco.game.places import By, Place, drawn, drawn_tables, holders
from pi_bunco.game.reasons import (
    GroupsNotPlayed,
    NobodyHasThree,
    NobodyRollsFor,
    NoThrowToTakeBack,
    RolledSince,
    SeatsStay,
    SemiFinalNotPlayed,
    StageBegan,
    StageOver,
    StillRoll,
    TooLate,
    TournamentOver,
    TurnWithThreeDice,
)
from pi_bunco.game.seating import Names
from pi_bunco.reason import Reason

Cards = Mapping[str, Card]
"""The cards of everybody who is here, of the rounds that count in this stage."""
NEXT: dict[Stage, Stage] = {
    "qualification": "semi_final",
    "semi_final": "order",
    "order": "final",
    "final": "done",
}
"""The stage that the host can confirm in each."""
FINAL_TABLE = 1


class Tournament:
    """Where a tournament stands: its stage, who has a place in the next one, and which ties are open."""

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self.stage: Stage = "groups"
        self.groups: tuple[tuple[int, ...], ...] = ()
        """The tables of each group, once the groups have been played."""
        self.members: list[list[str]] = []
        """Who played in each group, and is still here."""
        self.first = 0
        """How many rounds the groups played."""
        self.places: list[Place] = []
        """The places in the semi-final."""
        self.finalists: list[Place] = []
        """The places at the final table, seats A to D; empty until the semi-final has been played."""
        self.contests: list[Contest] = []
        """Ties that are being rolled for."""
        self.order: list[Place] = []
        """The final table as the dice go round, from who begins; empty before that is known."""
        self.at = 0
        """Whose turn it is in `order`."""
        self.rolled: list[tuple[str, Faces]] = []
        """The throws of the final in order: whose, and the faces."""
        self.winner: str | None = None
        """Who wins the grand prize."""
        self._history: list[tuple[int, dict[str, Any]]] = []

    # Questions.

    @property
    def next(self) -> Stage | None:
        """The stage that the host can confirm now; None while this one goes on."""
        return NEXT.get(self.stage) if self.why_not_settled() is None else None

    def why_not_settled(self) -> Reason | None:
        """What this stage still waits for, as a host reads it."""
        if self.contests:
            tied = self.contests[0]
            return StillRoll(tied.players, tied.purpose)
        match self.stage:
            case "qualification" | "order":
                return None
            case "semi_final":
                return None if self.finalists else SemiFinalNotPlayed()
            case "final":
                return None if self.winner else NobodyHasThree()
            case "groups":
                return GroupsNotPlayed()
            case "done":
                return TournamentOver()

    def why_not_open(self) -> Reason | None:
        """Why there is no round to open now."""
        if self.stage == "groups":
            return None
        if self.stage == "semi_final" and not self.finalists:
            return self.why_not_settled() if self.contests else None
        if self.next:
            return StageOver(self.stage, self.next)
        return self.why_not_settled()

    def why_not_seat(self) -> Reason | None:
        """Why the host cannot set seats in this stage."""
        if self.stage == "groups":
            return None
        if self.stage == "semi_final":  # who wins a roll-off for an empty seat must find it
            return self.why_not_settled() if self.contests else None
        return SeatsStay(self.stage)

    def why_not_come(self, names: Iterable[str], playing: Collection[str]) -> Reason | None:
        """Why somebody of `names` who is not `playing` cannot come in this stage."""
        strangers = [name for name in names if name not in playing] if self.stage != "groups" else []
        return TooLate(strangers[0], self.stage) if strangers else None

    def why_not_reopen(self, rounds: int) -> Reason | None:
        """Why the latest of all finished `rounds` cannot be reopened any more."""
        if self.stage in ("groups", "qualification") or (self.stage == "semi_final" and rounds > self.first):
            return None
        return StageBegan(self.stage)

    def awaited(self, table: int) -> Awaited | None:
        """The throw that the tournament waits for at `table`."""
        for contest in self.contests:
            if self._table_of(contest) == table:
                return contest.awaited(table)
        if self.stage != "final" or table != FINAL_TABLE or self.contests or self.winner:
            return None
        turn = self.turn
        return Awaited(table, "final", (turn,), 3, tuple(holders(self.order))) if turn else None

    def _table_of(self, contest: Contest) -> int:
        """Where it is rolled: at the first table of a group that sits there still, else at the head table."""
        if contest.group and self.stage == "qualification":
            return self.groups[contest.group - 1][0]
        return FINAL_TABLE

    @property
    def throws(self) -> int:
        """How many throws of the final were made."""
        return len(self.rolled)

    @property
    def turn(self) -> str | None:
        """Who throws next at the final table."""
        waiting = [*self.order[self.at :], *self.order[: self.at]]
        return next(holders(waiting), None)

    @property
    def undoable(self) -> int | None:
        """The table whose latest throw can be taken back; None while there is none."""
        return self._history[-1][0] if self._history else None

    # Stages.

    def groups_played(
        self, groups: Sequence[Sequence[int]], seating: Sequence[Names], rounds: int, cards: Cards
    ) -> None:
        """The last round of the groups is finished; `seating` is where everybody sits now."""
        self.stage, self.first = "qualification", rounds
        self.groups = tuple(tuple(group) for group in groups)
        self.members = [
            [name for number in group for name in seating[number - 1] if name in cards]
            for group in self.groups
        ]
        marks: tuple[By, ...] = ("wins", "buncos")
        self.places = [Place(by, group) for group in range(1, len(self.groups) + 1) for by in marks]
        self._fill(cards)

    def semi_final_played(self, cards: Cards) -> None:
        """The last round of the semi-final is finished."""
        self.finalists = [Place("wins"), Place("buncos")]
        self._fill(cards)

    def reopened(self) -> None:
        """The last round of the groups or of the semi-final goes on."""
        if self.stage == "qualification":
            self.stage, self.places = "groups", []
        self.finalists, self.contests = [], []
        self._history.clear()

    def seats(self, cards: Cards) -> list[Names]:
        """The tables of the next stage; those of the semi-final are drawn, at the final table two players."""
        if self.stage == "qualification":
            return drawn_tables(list(holders(self.places)), self.seed)
        if self.stage != "semi_final":
            return []
        found = [*self.finalists, Place("drawn"), Place("wild_card")]
        names: list[str] = []
        for k, place in enumerate(found, 1):
            best = self._best(place, cards, names) if place.by in _DRAWN else [place.player]
            names.append(best[0] if best and best[0] else f"Ghost {k}")
        a, b, c, d = names
        return [(a, b, c, d)]

    def confirm(self, stage: Stage, cards: Cards) -> None:
        """The host's word: the next stage begins."""
        self.stage = stage
        self._history.clear()
        if stage == "order":
            self.finalists += [Place("drawn"), Place("wild_card")]
            self._fill(cards)

    # What happens.

    def throw(self, table: int, faces: Faces, cards: Cards) -> None:
        """Three dice that were awaited at `table`."""
        wanted = self.awaited(table)
        assert wanted is not None
        if wanted.purpose == "final":
            self._final(faces)
            return
        self._remember(table)
        contest = next(one for one in self.contests if self._table_of(one) == table)
        contest.throw(faces)
        self._settle(contest, cards)

    def enter(
        self, purpose: str, group: int | None, dice: Mapping[str, Faces], cards: Cards
    ) -> Reason | None:
        """What the host says that players rolled; returns why it does not count."""
        if purpose == "final" and (wanted := self.awaited(FINAL_TABLE)) and wanted.purpose == "final":
            faces = dice.get(wanted.players[0], ())
            if len(dice) != 1 or len(faces) != 3:
                return TurnWithThreeDice(wanted.players[0])
            self._final(faces)
            return None
        contest = next((one for one in self.contests if (one.purpose, one.group) == (purpose, group)), None)
        if contest is None:
            return NobodyRollsFor(purpose)
        self._remember(self._table_of(contest))
        why = contest.enter(dice)
        if why is None:
            self._settle(contest, cards)
        else:
            self._history.pop()
        return why

    def withdraw(self, player: str, ghost: str | None, cards: Cards) -> None:
        """`player` has gone: whoever is next in rank takes the place; `ghost` has the seat meanwhile."""
        self._history.clear()
        for group in self.members:
            if player in group:
                group.remove(player)
        for place in self.places + self.finalists:
            if place.player == player:
                place.player, place.ghost = None, ghost
        for contest in [one for one in self.contests if player in one.players]:
            if contest.purpose == "order":  # it begins anew with who comes instead
                self.contests.remove(contest)
                continue
            contest.without(player)
            self._settle(contest, cards)
        self._fill(cards)

    def renamed(self, old: str, new: str) -> None:
        """`new` has taken over from `old`."""
        self._history.clear()
        self.members = [[new if name == old else name for name in group] for group in self.members]
        for place in self.places + self.finalists:
            place.player = new if place.player == old else place.player
        self.rolled = [(new if name == old else name, faces) for name, faces in self.rolled]
        self.winner = new if self.winner == old else self.winner
        for contest in self.contests:
            contest.players = tuple(new if name == old else name for name in contest.players)
            contest.thrown = {new if name == old else name: faces for name, faces in contest.thrown.items()}

    def undo(self, table: int) -> Reason | None:
        """Takes back the latest throw at `table`; returns why that is not possible."""
        if not self._history:
            return NoThrowToTakeBack()
        if self._history[-1][0] != table:
            return RolledSince(self._history[-1][0])
        vars(self).update(self._history.pop()[1])
        return None

    def replacements(self) -> list[tuple[str, str]]:
        """Ghosts whose seat somebody has been found for, with the player; each is told once."""
        found = []
        for place in self.places + self.finalists:
            if place.ghost and place.player:
                found.append((place.ghost, place.player))
                place.ghost = None
        if found:
            self._history.clear()
        return found

    # Places.

    def _fill(self, cards: Cards) -> None:
        """Gives every open place to the best one for it, or has those roll who are equal."""
        unknown = [place.group for place in self._open() if place.by == "wins" and not place.player]
        self.contests = [one for one in self.contests if one.purpose != "buncos" or one.group not in unknown]
        for place in self._open():
            if place.player or any(_same(one, place) for one in self.contests) or self._must_wait(place):
                continue
            tied = self._best(place, cards, list(holders(self._open())))
            if len(tied) == 1 or (tied and place.by in _DRAWN):
                place.player = tied[0]
            elif tied:
                self.contests.append(Contest(place.by, tuple(tied), group=place.group))
        if self.stage == "order" and not self.order and not self.contests:
            self._begin_order()

    def _must_wait(self, place: Place) -> bool:
        """Whether somebody who could get `place` rolls for another one, that goes first."""
        if place.by in _DRAWN:
            return bool(self.contests)
        return place.by == "buncos" and any(_same(one, Place("wins", place.group)) for one in self.contests)

    def _open(self) -> list[Place]:
        """The places that are being filled: of the semi-final until it is played, then of the final."""
        if self.finalists:
            return self.finalists
        return self.places if self.stage in ("qualification", "semi_final") else []

    def _best(self, place: Place, cards: Cards, taken: Sequence[str]) -> list[str]:
        """Who is best for `place` among all who are here and not `taken`: several where they are equal."""
        if place.group:
            pool = self.members[place.group - 1]
        else:
            pool = [name for name in holders(self.places) if name in cards]
        free = [name for name in pool if name in cards and name not in taken]
        if place.by == "wild_card" or (place.by == "drawn" and not free):
            free = [name for name in cards if name not in taken]
        if place.by in _DRAWN:
            return drawn(self.seed, place.by, free)
        levels = ranking({name: cards[name] for name in free}, (place.by,))
        return levels[0] if levels else []

    def _settle(self, contest: Contest, cards: Cards) -> None:
        """A roll-off that is over gives its place away; where nobody is left the place is filled anew."""
        if contest.winner is None and contest.players:
            return
        self.contests.remove(contest)
        if contest.purpose == "order":
            first = next((k for k, one in enumerate(self.finalists) if one.player == contest.winner), 0)
            self.order = [*self.finalists[first:], *self.finalists[:first]]
        else:
            place = next(one for one in self._open() if _same(contest, one))
            place.player = contest.winner
        self._fill(cards)

    # The final table.

    def _begin_order(self) -> None:
        players = tuple(holders(self.finalists))
        if len(players) > 1:
            self.contests = [Contest("order", players, lowest=True)]
        else:
            self.order = list(self.finalists)

    def _final(self, faces: Faces) -> None:
        """Three of a kind of any face win; else the dice go on clockwise."""
        turn = self.turn
        assert turn is not None
        before = {"at": self.at, "rolled": list(self.rolled), "winner": self.winner}
        self._history.append((FINAL_TABLE, before))
        self.rolled.append((turn, tuple(faces)))
        if len(set(faces)) == 1:
            self.winner = turn
            return
        at = next(k for k, place in enumerate(self.order) if place.player == turn)
        self.at = (at + 1) % len(self.order)

    def _remember(self, table: int) -> None:
        kept = ("places", "finalists", "contests", "order")
        self._history.append((table, deepcopy({name: getattr(self, name) for name in kept})))


_DRAWN = ("drawn", "wild_card")


def _same(contest: Contest, place: Place) -> bool:
    return (contest.purpose, contest.group) == (place.by, place.group)

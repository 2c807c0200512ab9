"""The tournament (seed 001): groups, qualification, semi-final, and the final table up to the grand prize.

The stages follow each other on the host's word alone. All that is drawn depends on the evening's seed and on
who is there, so the log alone says who was drawn, and anybody can draw again.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.game import reasons
from pi_bunco.game.contest import Awaited, Contest, Faces, TieKey
from pi_bunco.game.fields import Stage, TieStage
from pi_bunco.game.score_cards import Card, ranking
from pi_bunco.game.seating import Groups, SeatNames
from pi_bunco.game.stage_places import Place, PlaceBy, drawn, drawn_tables, holders
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
_DRAWN = ("drawn", "wild_card")


class StageThrow(Struct, frozen=True):
    """Dice between rounds that counted, each player's: at which table, and for which tie; None: the final."""

    table: int
    tie: TieKey | None
    purpose: str
    group: int | None
    formed: tuple[str, ...]
    dice: Mapping[str, Faces]


class Tournament(Struct, frozen=True):
    """A tournament as it stands: its stage, who has a place in the next one, and which ties are open.

    Every step returns the tournament after it. A throw that is taken back is left out of those that are
    counted again from `base`, with the `cards` of then.
    """

    seed: str
    stage: Stage = "groups"
    groups: Groups = ()
    """The tables of each group, once the groups have been played."""
    members: tuple[tuple[str, ...], ...] = ()
    """Players of each group who are still here."""
    first: int = 0
    """Number of rounds that the groups played."""
    rounds: int = 0
    """Number of rounds that were finished when this stage's ties were formed."""
    places: tuple[Place, ...] = ()
    """The places in the semi-final."""
    finalists: tuple[Place, ...] = ()
    """The places at the final table, seats A to D; empty until the semi-final has been played."""
    contests: tuple[Contest, ...] = ()
    """Ties that are being rolled for."""
    begins: int | None = None
    """The place among the finalists of who begins; None before that is known."""
    at: int = 0
    """The place in `order` of whose turn it is."""
    rolled: tuple[tuple[str, Faces], ...] = ()
    """The throws of the final in order: whose, and the faces."""
    winner: str | None = None
    """The winner of the grand prize."""
    cards: Cards = {}
    base: "Tournament | None" = None
    """The tournament before the throws `since`; None where there are none."""
    since: tuple[StageThrow, ...] = ()

    # Questions.

    @property
    def next(self) -> Stage | None:
        """The stage that the host can confirm now; None while this one goes on."""
        return NEXT.get(self.stage) if self.why_not_settled() is None else None

    def why_not_settled(self) -> Reason | None:
        """The reason why this stage goes on: what it waits for."""
        if self.contests:
            tied = self.contests[0]
            return reasons.StillRoll(tied.players, tied.purpose)
        match self.stage:
            case "qualification" | "order":
                return None
            case "semi_final":
                return None if self.finalists else reasons.SemiFinalNotPlayed()
            case "final":
                return None if self.winner else reasons.NobodyHasThree()
            case "groups":
                return reasons.GroupsNotPlayed()
            case "done":
                return reasons.TournamentOver()

    def why_not_open(self) -> Reason | None:
        """The reason why there is no round to open now."""
        if self.stage == "groups":
            return None
        if self.stage == "semi_final" and not self.finalists:
            return self.why_not_settled() if self.contests else None
        return reasons.StageOver(self.stage, self.next) if self.next else self.why_not_settled()

    def why_not_seat(self) -> Reason | None:
        """The reason why the host cannot set seats in this stage."""
        if self.stage == "groups":
            return None
        if self.stage == "semi_final":  # who wins a roll-off for an empty seat must find it
            return self.why_not_settled() if self.contests else None
        return reasons.SeatsStay(self.stage)

    def why_not_come(self, names: Iterable[str], playing: Collection[str]) -> Reason | None:
        """The reason why somebody of `names` who is not `playing` cannot come in this stage."""
        strangers = [name for name in names if name not in playing] if self.stage != "groups" else []
        return reasons.TooLate(strangers[0], self.stage) if strangers else None

    def why_not_reopen(self, rounds: int) -> Reason | None:
        """The reason why the latest of all finished `rounds` cannot be reopened any more."""
        if self.stage in ("groups", "qualification") or (self.stage == "semi_final" and rounds > self.first):
            return None
        return reasons.StageBegan(self.stage)

    def why_not_undo(self, table: int) -> Reason | None:
        """The reason why no throw can be taken back at `table` where there is one."""
        return reasons.RolledSince(self.undoable) if self.undoable not in (None, table) else None

    @property
    def undoable(self) -> int | None:
        """The table whose latest throw can be taken back; None while there is none."""
        return self.since[-1].table if self.since else None

    def tie_at(self, table: int) -> Contest | None:
        """The tie that is rolled off at `table`."""
        return next((tie for tie in self.contests if self.table_of(tie) == table), None)

    def awaited_in_final(self, table: int) -> Awaited | None:
        """The throw of the final that is waited for at `table`."""
        if self.stage != "final" or table != FINAL_TABLE or self.contests or self.winner:
            return None
        turn = self.turn
        return Awaited(table, "final", (turn,), 3, tuple(holders(self.order))) if turn else None

    def table_of(self, contest: Contest) -> int:
        """Table of a roll-off: the first one of a group that sits there still, else the head table."""
        if contest.group and self.stage == "qualification":
            return self.groups[contest.group - 1][0]
        return FINAL_TABLE

    @property
    def throws(self) -> int:
        """Number of throws of the final."""
        return len(self.rolled)

    @property
    def order(self) -> tuple[Place, ...]:
        """The final table as the dice go round, from who begins; empty before that is known."""
        if self.begins is None:
            return ()
        return self.finalists[self.begins :] + self.finalists[: self.begins]

    @property
    def turn(self) -> str | None:
        """The next to throw at the final table."""
        return next(holders(self.order[self.at :] + self.order[: self.at]), None)

    def seats(self, cards: Cards) -> list[SeatNames]:
        """The tables of the next stage; those of the semi-final are drawn, at the final table two players."""
        if self.stage == "qualification":
            return drawn_tables(list(holders(self.places)), self.seed)
        if self.stage != "semi_final":
            return []
        names: list[str] = []
        for k, place in enumerate([*self.finalists, Place("drawn"), Place("wild_card")], 1):
            best = self._best(place, cards, names) if place.by in _DRAWN else [place.player]
            names.append(best[0] if best and best[0] else f"Ghost {k}")
        a, b, c, d = names
        return [(a, b, c, d)]

    # Stages.

    def groups_played(
        self, groups: Groups, seating: Sequence[SeatNames], rounds: int, cards: Cards
    ) -> "Tournament":
        """After the last round of the groups; `seating` is where everybody sits now."""
        marks: tuple[PlaceBy, ...] = ("wins", "buncos")
        return self._anew(
            cards,
            stage="qualification",
            first=rounds,
            rounds=rounds,
            groups=groups,
            members=tuple(
                tuple(name for number in group for name in seating[number - 1] if name in cards)
                for group in groups
            ),
            places=tuple(Place(by, group) for group in range(1, len(groups) + 1) for by in marks),
        )._filled()

    def semi_final_played(self, rounds: int, cards: Cards) -> "Tournament":
        """After the last round of the semi-final, with which `rounds` have been finished."""
        return self._anew(cards, rounds=rounds, finalists=(Place("wins"), Place("buncos")))._filled()

    def reopened(self) -> "Tournament":
        """The last round of the groups or of the semi-final goes on."""
        after = self._anew(self.cards, rounds=self.first, finalists=(), contests=())
        return replace(after, stage="groups", places=()) if self.stage == "qualification" else after

    def confirmed(self, stage: Stage, cards: Cards) -> "Tournament":
        """The host's word: the next stage begins."""
        if stage != "order":
            return self._anew(cards, stage=stage)
        finalists = (*self.finalists, Place("drawn"), Place("wild_card"))
        return self._anew(cards, stage=stage, finalists=finalists)._filled()

    def _anew(self, cards: Cards, **changes: Any) -> "Tournament":
        """A copy with `changes` before which no throw can be taken back."""
        return replace(self, cards=cards, base=None, since=(), **changes)

    # Throws.

    def why_not_in_final(self, dice: Mapping[str, Faces]) -> Reason | None:
        """The reason why a roll in the final, as told by the host, does not count."""
        turn = self.turn
        assert turn is not None
        right = len(dice) == 1 and len(dice.get(turn, ())) == 3
        return None if right else reasons.TurnWithThreeDice(turn)

    def thrown(self, tie: Contest, key: TieKey, dice: Mapping[str, Faces]) -> "Tournament":
        """After dice, or the host's word, for a tie."""
        return self._with(StageThrow(self.table_of(tie), key, tie.purpose, tie.group, tie.formed, dice))

    def thrown_in_final(self, dice: Mapping[str, Faces]) -> "Tournament":
        """After three dice in the final."""
        return self._with(StageThrow(FINAL_TABLE, None, "final", None, (), dice))

    def _with(self, throw: StageThrow) -> "Tournament":
        return replace(self._after(throw), base=self.base or self, since=(*self.since, throw))

    def undone(self, at: int) -> "Tournament":
        """Without the throw at this place of `since`; later ones count as far as their ties are there."""
        assert self.base is not None
        kept = [throw for place, throw in enumerate(self.since) if place != at]
        after = self.base
        for throw in kept:
            if throw.tie is None or after.tie_of(throw):
                after = after._with(throw)
        return after

    def _after(self, throw: StageThrow) -> "Tournament":
        if contest := self.tie_of(throw):
            return self._judged(contest, contest.stepped(throw.dice))
        ((name, faces),) = throw.dice.items()
        rolled = (*self.rolled, (name, tuple(faces)))
        if len(set(faces)) == 1:  # three of a kind of any face
            return replace(self, rolled=rolled, winner=name)
        at = next(k for k, place in enumerate(self.order) if place.player == name)
        return replace(self, rolled=rolled, at=(at + 1) % len(self.order))

    def tie_of(self, throw: StageThrow) -> Contest | None:
        """The tie that `throw` was for, while it is open."""
        wanted = (throw.purpose, throw.group, throw.formed)
        return next((one for one in self.contests if (one.purpose, one.group, one.formed) == wanted), None)

    # People.

    def withdrawn(self, player: str, ghost: str | None, cards: Cards) -> "Tournament":
        """`player` has gone: whoever is next in rank takes the place; `ghost` has the seat meanwhile."""

        def left(place: Place) -> Place:
            return replace(place, player=None, ghost=ghost) if place.player == player else place

        members = tuple(tuple(name for name in group if name != player) for group in self.members)
        after = self._anew(cards, members=members, **self._each_place(left))
        for contest in self.contests:
            if player in contest.players and contest.purpose != "order":
                after = after._judged(contest, contest.without(player))
            elif player in contest.players:  # it begins anew with who comes instead
                after = after._without(contest)
        return after._filled()

    def renamed(self, old: str, new: str, cards: Cards) -> "Tournament":
        """`new` has taken over from `old`."""

        def now(name: str) -> str:
            return new if name == old else name

        return self._anew(
            cards,
            members=tuple(tuple(map(now, group)) for group in self.members),
            rolled=tuple((now(name), faces) for name, faces in self.rolled),
            winner=self.winner and now(self.winner),
            contests=tuple(contest.renamed(now) for contest in self.contests),
            **self._each_place(lambda one: replace(one, player=one.player and now(one.player))),
        )

    @property
    def replacements(self) -> list[tuple[str, str]]:
        """Ghosts whose seat somebody has been found for, with the player."""
        return [(one.ghost, one.player) for one in self.places + self.finalists if one.ghost and one.player]

    def replaced(self, cards: Cards) -> "Tournament":
        """All that have been found have their seats."""
        seated = self._each_place(lambda one: replace(one, ghost=None) if one.player else one)
        return self._anew(cards, **seated)

    def _each_place(self, change: Callable[[Place], Place]) -> dict[str, tuple[Place, ...]]:
        return {"places": tuple(map(change, self.places)), "finalists": tuple(map(change, self.finalists))}

    # Places.

    def _filled(self) -> "Tournament":
        """A copy with every open place filled by its best, or rolled for by those who are equal."""
        places = list(self._open)
        unknown = {place.group for place in places if place.by == "wins" and not place.player}
        contests = [one for one in self.contests if one.purpose != "buncos" or one.group not in unknown]
        for k, place in enumerate(places):
            if place.player or _pending(place, contests):
                continue
            tied = self._best(place, self.cards, list(holders(places)))
            if len(tied) == 1 or (tied and place.by in _DRAWN):
                places[k] = replace(place, player=tied[0])
            elif tied:
                contests.append(self._contest(place.by, tuple(tied), place.group))
        after = replace(self, contests=tuple(contests), **self._opened(places))
        if self.stage != "order" or self.begins is not None or contests:
            return after
        players = tuple(holders(places))
        if len(players) > 1:
            return replace(after, contests=(self._contest("order", players),))
        return replace(after, begins=0)

    def _contest(self, purpose: str, tied: tuple[str, ...], group: int | None = None) -> Contest:
        stage: TieStage = "final" if purpose == "order" else "semi" if self.finalists else "groups"
        return Contest(
            purpose, tied, 1, purpose == "order", group, rounds=self.rounds, stage=stage, formed=tied
        )

    @property
    def _open(self) -> tuple[Place, ...]:
        """Places that are being filled: of the semi-final until it is played, then of the final."""
        if self.finalists:
            return self.finalists
        return self.places if self.stage in ("qualification", "semi_final") else ()

    def _opened(self, places: Iterable[Place]) -> dict[str, tuple[Place, ...]]:
        if not self._open:
            return {}
        return {"finalists" if self.finalists else "places": tuple(places)}

    def _best(self, place: Place, cards: Cards, taken: Sequence[str]) -> list[str]:
        """The best for `place` among all who are here and not `taken`: several where they are equal."""
        if place.group:
            pool: Iterable[str] = self.members[place.group - 1]
        else:
            pool = holders(self.places)
        free = [name for name in pool if name in cards and name not in taken]
        if place.by == "wild_card" or (place.by == "drawn" and not free):
            free = [name for name in cards if name not in taken]
        if place.by in _DRAWN:
            return drawn(self.seed, place.by, free)
        levels = ranking({name: cards[name] for name in free}, (place.by,))
        return levels[0] if levels else []

    def _judged(self, before: Contest, contest: Contest) -> "Tournament":
        """The roll-off `before` goes on as `contest`, or is over and gives its place away.

        Where nobody is left in it the place is filled anew.
        """
        if contest.winner is None and contest.players:
            going = tuple(contest if one == before else one for one in self.contests)
            return replace(self, contests=going)
        after = self._without(before)
        if contest.purpose == "order":
            first = (k for k, one in enumerate(self.finalists) if one.player == contest.winner)
            return replace(after, begins=next(first, 0))._filled()
        won = [replace(one, player=contest.winner) if _same(contest, one) else one for one in self._open]
        return replace(after, **self._opened(won))._filled()

    def _without(self, contest: Contest) -> "Tournament":
        return replace(self, contests=tuple(one for one in self.contests if one != contest))


def _same(contest: Contest, place: Place) -> bool:
    return (contest.purpose, contest.group) == (place.by, place.group)


def _pending(place: Place, contests: Sequence[Contest]) -> bool:
    """True if `place` is rolled for, or somebody who could get it rolls for another one, that goes first."""
    if place.by in _DRAWN:
        return bool(contests)
    before = Place("wins", place.group)
    return any(_same(one, place) or (place.by == "buncos" and _same(one, before)) for one in contests)

"""A tie that dice settle: everybody who is tied rolls, the best one wins, who is level for it rolls again."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.game.fields import TieDice, TieStage
from pi_bunco.game.reasons import NotInRollOff, RolledAlready, RollsOneDie, RollsThreeDice
from pi_bunco.reason import Reason

Faces = tuple[int, ...]


class Awaited(Struct, frozen=True):
    """A throw that the game waits for at a table between rounds: whose dice it holds, in their order.

    `purpose` is what is rolled for: a place (`wins`, `buncos`), `order`, `final`, or a prize. With `dice` 1
    the first die is the first player's and so on, with 3 the throw is one player's. `tied` are all who roll,
    `tie` is the number of the tie that the throw belongs to.
    """

    table: int
    purpose: str
    players: tuple[str, ...]
    dice: int
    tied: tuple[str, ...]
    group: int | None = None
    tie: int | None = None

    def each(self, faces: Sequence[int]) -> dict[str, Faces]:
        """A throw of three dice, told apart by whose they are."""
        rolled = [tuple(faces)] if self.dice == 3 else [(face,) for face in faces]
        return dict(zip(self.players, rolled, strict=False))


class TieKey(Struct, frozen=True):
    """The identity of a tie: what it is for, who was in it (their cards), and the rounds finished then.

    A tie that is formed anew with the same key is the same tie, and keeps its throws.
    """

    purpose: str
    place: int
    players: frozenset[int]
    rounds: int
    stage: TieStage | None
    group: int | None


class Contest(Struct, frozen=True):
    """The roll-off for `purpose` among `players`, each with 1 or 3 `dice`, the highest wins.

    With 0 dice the host is asked. With one die for each player a throw of three dice serves three of them,
    the first die for the first.
    """

    purpose: str
    players: tuple[str, ...]
    dice: TieDice = 1
    lowest: bool = False
    """The lowest sum wins instead."""
    group: int | None = None
    """The group of a tournament whose place this is about."""
    thrown: Mapping[str, Faces] = {}
    """Dice that have been rolled in this go."""
    goes: int = 0
    """Goes that are over: everybody has rolled."""
    place: int = 1
    """The place that is rolled for, from 1, where a prize has several."""
    rounds: int = 0
    """Finished rounds when the tie was formed."""
    stage: TieStage | None = None
    """The stage of a tournament that formed it."""
    formed: tuple[str, ...] = ()
    """Everybody who was tied when it was formed."""
    steps: int = 0
    """Throws and words that it has taken."""

    @property
    def winner(self) -> str | None:
        """The winner; None while it is open."""
        return self.players[0] if len(self.players) == 1 else None

    @property
    def to_throw(self) -> tuple[str, ...]:
        """Players of the next throw of three, in the order of the dice; empty when it is over."""
        if self.winner is not None or not self.dice:
            return ()
        waiting = [name for name in self.players if name not in self.thrown]
        return tuple(waiting[: 3 // self.dice])

    def key(self, cards: Mapping[str, int]) -> TieKey:
        """The identity of this tie; `cards` has the card of each name."""
        among = frozenset(cards[name] for name in self.formed)
        return TieKey(self.purpose, self.place, among, self.rounds, self.stage, self.group)

    def why_not(self, rolled: Mapping[str, Faces]) -> Reason | None:
        """The reason why what players rolled does not count."""
        for name, faces in rolled.items():
            if name not in self.players:
                return NotInRollOff(name)
            if name in self.thrown:
                return RolledAlready(name)
            if len(faces) != self.dice:
                return RollsOneDie(name) if self.dice == 1 else RollsThreeDice(name)
        return None

    def stepped(self, dice: Mapping[str, Faces]) -> "Contest":
        """After what players rolled, where that counts; a name without dice wins by the host's word.

        Once all have rolled, those who are level for the win roll again.
        """
        after = replace(self, steps=self.steps + 1)
        if len(dice) == 1 and not any(dice.values()):
            return replace(after, players=tuple(dice), thrown={})
        if self.why_not(dice):
            return after
        thrown = {**self.thrown, **{name: tuple(faces) for name, faces in dice.items()}}
        after = replace(after, thrown=thrown)
        return after._judged() if len(thrown) == len(self.players) else after

    def without(self, name: str) -> "Contest":
        """`name` withdraws; the others go on with what they rolled."""
        players = tuple(one for one in self.players if one != name)
        thrown = {one: faces for one, faces in self.thrown.items() if one != name}
        after = replace(self, players=players, thrown=thrown)
        return after._judged() if len(players) > 1 and len(thrown) == len(players) else after

    def renamed(self, now: Callable[[str], str]) -> "Contest":
        """With the names of `now`."""
        thrown = {now(name): faces for name, faces in self.thrown.items()}
        players, formed = tuple(map(now, self.players)), tuple(map(now, self.formed))
        return replace(self, players=players, formed=formed, thrown=thrown)

    def _judged(self) -> "Contest":
        best = (min if self.lowest else max)(sum(faces) for faces in self.thrown.values())
        players = tuple(name for name in self.players if sum(self.thrown[name]) == best)
        return replace(self, players=players, thrown={}, goes=self.goes + 1)

    def awaited(self, table: int, tie: int | None = None) -> Awaited:
        """The next throw of this roll-off, at `table`."""
        return Awaited(table, self.purpose, self.to_throw, self.dice, self.players, self.group, tie)

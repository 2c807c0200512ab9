"""Models of what pages are made of: chairs, throws, tables, places in the standings."""

from typing import Literal

from msgspec import Struct

from pi_bunco.game.fields import Winner
from pi_bunco.game.prizes import Award
from pi_bunco.game.ranks import StandingRow, TeamRow
from pi_bunco.game.table_score import SIDES
from pi_bunco.rules.ruleset import Teams

SideLook = Literal["us", "them", ""]
"""The looks of two teams; none for who is in neither: each for themselves, or a whole table together."""
MoveDirection = Literal["up", "down", "stay", ""]
Result = Literal["miss", "one", "two", "mini", "bunco", "wipe"]
ShownDoing = Literal["ready", "playing", "finishing", "done", "rolloff", "final", "out"]
"""A table waits, rolls, finishes after the bell, waits for OK, rolls off, has a result, is bypassed."""


class Chair(Struct, frozen=True):
    """A seat and who sits there; `late` is when somebody comes, if the chair is kept for them.

    `points` are those of who plays alone.
    """

    seat: str
    side: SideLook
    name: str
    call: str
    ghost: bool = False
    turn: bool = False
    late: str = ""
    points: int | None = None


class SideShown(Struct, frozen=True):
    """People who win or lose together at a table: number `n`, name in commands, looks, seats and points."""

    n: int
    key: Winner
    side: SideLook
    chairs: tuple[Chair, ...]
    points: int

    @property
    def calls(self) -> tuple[str, ...]:
        """The call names."""
        return tuple(chair.call for chair in self.chairs)


class ThrowShown(Struct, frozen=True):
    """The last throw of a table; `dice` is empty for one that was entered without faces."""

    by: str
    side: SideLook
    result: Result
    points: int
    goes_on: bool
    dice: tuple[int, ...] = ()


class RaceShown(Struct, frozen=True):
    """The way to the bell, `goal`: points of each side; names of the best players where those count.

    `them` is None where there are no two teams, and `us` the most that one side has.
    """

    us: int
    them: int | None
    goal: int
    us_name: str = ""
    them_name: str = ""

    @property
    def left(self) -> int:
        """Points to the bell of who is ahead."""
        return self.goal - max(self.us, self.them or 0)


class RollOffTurn(Struct, frozen=True):
    """One seat of a roll-off: `ok` has rolled `points`, `now` rolls, `then` waits."""

    call: str
    side: SideLook
    state: Literal["ok", "now", "then"]
    points: int = 0


class RollOffShown(Struct, frozen=True):
    """A tie being broken: `method` as in RULES.md, `at` the points of both; `count` is 1 for the first."""

    method: Literal["session", "one_die", "lap", "one_roll", "no_chance"]
    at: int
    count: int
    turns: tuple[RollOffTurn, ...] = ()


class TableShown(Struct, frozen=True):
    """One table from above. `keeper` keeps the score there."""

    number: int
    target: int
    chairs: tuple[Chair, ...]
    doing: ShownDoing
    points: tuple[int, ...] = (0, 0)
    """Points of each side; under `team` its names are those of the game."""
    throw: ThrowShown | None = None
    race: RaceShown | None = None
    rolloff: RollOffShown | None = None
    winner: int | None = None
    """The side that has won; where the table is one side 0 if it has won, 1 if another table has."""
    team: Teams = "pairs"
    name: str = ""
    """That of a table that is a team, if somebody has given it one."""
    keeper: str = ""
    online: bool = True

    @property
    def sides(self) -> tuple[SideShown, ...]:
        """The sides of the table; where each plays alone, those of people."""
        count = len(self.points)
        return tuple(
            SideShown(n, SIDES[self.team][n], seated[0].side, seated, points)
            for n, points in enumerate(self.points)
            if (seated := self.chairs[n::count]) and not (self.team == "none" and seated[0].ghost)
        )

    @property
    def pairs(self) -> bool:
        """True if two teams play here."""
        return self.team == "pairs"

    @property
    def ahead(self) -> tuple[SideShown, ...]:
        """The sides with most points."""
        most = max(side.points for side in self.sides)
        return tuple(side for side in self.sides if side.points == most)

    @property
    def won(self) -> SideShown | None:
        """The side that has won here."""
        return next((side for side in self.sides if side.n == self.winner), None)

    @property
    def head(self) -> bool:
        """True if this is table 1."""
        return self.number == 1

    @property
    def turn(self) -> Chair | None:
        """The player who has the dice."""
        return next((chair for chair in self.chairs if chair.turn), None)

    @property
    def bunco(self) -> bool:
        """True if the last throw is a Bunco whose roller goes on."""
        return self.throw is not None and self.throw.result == "bunco" and self.throw.goes_on


class BellRule(Struct, frozen=True):
    """Events that ring the bell that ends a round; None and False where one does not."""

    points: int | None
    by_player: bool
    bunco: bool
    any_table: bool
    limit_s: int | None


class NextStep(Struct, frozen=True):
    """The next round's start, or the running round's end, by the clock.

    `until` is its Unix time (ms) and `at` its time of the day; while the clock is stopped there is what is
    `left` in place of both, such as `1:24`. A start waits for the tables `waits`, of which nothing is heard.
    """

    step: Literal["start", "end"]
    until: int | None = None
    at: str = ""
    left: str = ""
    waits: tuple[int, ...] = ()


class Heading(Struct, frozen=True):
    """Stage of the evening: round `round` of `rounds` in set `set` of `sets`, for the face `target`.

    `title` is the evening's name, `rules` that of the rule set, `stage` a tournament's stage or empty.
    """

    title: str
    rules: str
    set: int = 0
    sets: int = 0
    round: int = 0
    rounds: int = 0
    target: int = 1
    bell: BellRule | None = None
    stage: str = ""
    next_step: NextStep | None = None


class SeatRow(Struct, frozen=True):
    """One line of "find your table": `moved` says where from, `partner` may be a ghost."""

    name: str
    call: str
    table: int
    side: SideLook
    partner: str
    direction: MoveDirection = ""
    late: str = ""


class Roller(Struct, frozen=True):
    """Somebody who rolls between rounds: `faces` of this go, empty before; `now` whose dice are awaited."""

    name: str
    call: str
    faces: tuple[int, ...] = ()
    now: bool = False


class RollHere(Struct, frozen=True):
    """Dice that are rolled between rounds at `table`, `dice` by each: for a place, who begins, or a prize.

    `purpose` is `wins` or `buncos` (of `group`, 0: of all), `order`, `final`, or a prize as in RULES.md. The
    highest wins, or the `lowest`; `again` says that some were level before, `undo` that the last throw at
    this table can be taken back.
    """

    table: int
    purpose: str
    dice: Literal[1, 3]
    people: tuple[Roller, ...]
    group: int = 0
    again: bool = False
    lowest: bool = False
    undo: bool = False
    tie: int | None = None
    """The number of the tie."""

    @property
    def now(self) -> tuple[Roller, ...]:
        """Players whose dice the next throw holds, in the order of the dice."""
        return tuple(one for one in self.people if one.now)

    def awaits(self, name: str) -> bool:
        """True if the next throw holds dice of this player."""
        return any(one.name == name for one in self.now)


class PrizeRow(Struct, frozen=True):
    """A prize; `roll` while the dice are awaited, `tie` is the number of its tie.

    Where it is `hidden`, the host has not had it told, and there is nothing but its name.
    """

    award: Award
    roll: RollHere | None = None
    tie: int | None = None
    hidden: bool = False

    @property
    def each(self) -> str | None:
        """The share of every winner, None where it differs."""
        return self.award.each if self.award.winners and not self.award.counts else None


class BellShown(Struct, frozen=True):
    """Cause of the bell: `by` points, bunco, roll, time or host; the player's call name, side, or empty."""

    by: Literal["points", "bunco", "roll", "time", "host"]
    call: str = ""
    side: SideLook = "us"


class Holding(Struct, frozen=True):
    """A thing that `name` holds; `moved` where the last round took it there, from the call name `before`."""

    thing: str
    name: str
    call: str
    before: str = ""
    moved: bool = False


class Scene(Struct, frozen=True):
    """A picture of the scoreboard; the template `board/scene_NAME.html` has its class's name."""


class Finale(Scene, frozen=True):
    """Champions and prizes. `faces` are the targets of the champion's Buncos; `pot` decimal text or empty.

    `grand` has won the grand prize with three of `grand_face` (0: unknown). `revealed` counts the steps that
    the host has had told, None for all of them; what is not told is empty.
    """

    champions: tuple[str, ...]
    best: StandingRow | None
    rounds: int
    faces: tuple[int, ...]
    prizes: tuple[PrizeRow, ...]
    pot: str = ""
    holdings: tuple[Holding, ...] = ()
    grand: str = ""
    grand_face: int = 0
    revealed: int | None = None
    rows: tuple[StandingRow, ...] = ()
    short: str = ""
    """The amount that the pot lacks for the fixed prizes."""
    teams: tuple[TeamRow, ...] = ()

    @property
    def shares(self) -> tuple[PrizeRow, ...]:
        """The prizes but the grand one."""
        return tuple(one for one in self.prizes if one.award.category != "grand_prize")

    @property
    def best_teams(self) -> tuple[str, ...]:
        """The teams in the first place."""
        return tuple(team.name for team in self.teams if team.place == 1)


ShownStage = Literal["qualification", "semi_final", "order", "final"]


StageStanding = Literal["", "semi_final", "final", "waits", "out"]


class PlaceShown(Struct, frozen=True):
    """A place in a tournament's next stage: what wins it (of `group`, 0: of all), who has it with how many.

    Without `name` nobody has it yet; `tied` are the call names of those who roll for it.
    """

    by: Literal["wins", "buncos", "drawn", "wild_card"]
    group: int
    name: str
    call: str
    count: int = 0
    tied: tuple[str, ...] = ()


class Chart(Struct, frozen=True):
    """A line for each name: its values round by round; the first few are drawn strong."""

    names: tuple[str, ...]
    lines: tuple[tuple[int, ...], ...]
    marks: str


class DiceCount(Struct, frozen=True):
    """Faces that fell, from 1 to 6, at `table` (0: all), and p of the chi-square test."""

    table: int
    faces: tuple[int, ...]
    p: float

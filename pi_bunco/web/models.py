"""What every page shows, as plain frozen values: `present` makes them, `pages` turns them into HTML.

Names of people are as the evening has them; `call` is the short name that stands on a place card. Points are
(US, THEM); seats are A to D, teams `us` (A, C) and `them` (B, D), faces 1 to 6, tables from 1, the head.
Times of the day are text, `19:05`. Nothing here is HTML and nothing is translated; sentences that come from
the head are English as the head wrote them.
"""

from typing import Literal

from msgspec import Struct

Side = Literal["us", "them"]
Way = Literal["up", "down", "stay", ""]
Result = Literal["miss", "one", "two", "mini", "bunco", "wipe"]
Doing = Literal["ready", "playing", "finishing", "done", "rolloff", "final", "out"]
"""A table waits, rolls, finishes after the bell, waits for OK, rolls off, has a result, is bypassed."""


class Chair(Struct, frozen=True):
    """A seat and who sits there; `late` is when somebody comes, if the chair is kept for them."""

    seat: str
    side: Side
    name: str
    call: str
    ghost: bool = False
    turn: bool = False
    late: str = ""


class ThrowShown(Struct, frozen=True):
    """The last throw of a table; `dice` is empty for one that was entered without faces."""

    by: str
    side: Side
    result: Result
    points: int
    goes_on: bool
    dice: tuple[int, ...] = ()


class RaceShown(Struct, frozen=True):
    """The way to the bell, `goal`: points of each side; names of the best players where those count."""

    us: int
    them: int
    goal: int
    us_name: str = ""
    them_name: str = ""


class RollOffTurn(Struct, frozen=True):
    """One seat of a roll-off: `ok` has rolled `points`, `now` rolls, `then` waits."""

    call: str
    side: Side
    state: Literal["ok", "now", "then"]
    points: int = 0


class RollOffShown(Struct, frozen=True):
    """A tie being broken: `method` as in RULES.md, `at` the points of both; `count` is 1 for the first."""

    method: Literal["session", "one_die", "lap"]
    at: int
    count: int
    turns: tuple[RollOffTurn, ...] = ()


class TableShown(Struct, frozen=True):
    """One table from above. `reasons` are the sentences of its faults, `keeper` who keeps the score there."""

    number: int
    target: int
    chairs: tuple[Chair, ...]
    doing: Doing
    points: tuple[int, int] = (0, 0)
    throw: ThrowShown | None = None
    race: RaceShown | None = None
    rolloff: RollOffShown | None = None
    winner: Side | None = None
    keeper: str = ""
    online: bool = True
    reasons: tuple[str, ...] = ()

    @property
    def head(self) -> bool:
        """Whether this is table 1."""
        return self.number == 1

    @property
    def turn(self) -> Chair | None:
        """Who has the dice."""
        return next((chair for chair in self.chairs if chair.turn), None)

    @property
    def bunco(self) -> bool:
        """Whether the last throw is a Bunco whose roller goes on."""
        return self.throw is not None and self.throw.result == "bunco" and self.throw.goes_on


class BellRule(Struct, frozen=True):
    """What rings the bell that ends a round; None and False where that does not."""

    points: int | None
    by_player: bool
    bunco: bool
    any_table: bool
    minutes: int | None


class Heading(Struct, frozen=True):
    """Where the evening stands: round `round` of `rounds` in set `set` of `sets`, for the face `target`.

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


class SeatRow(Struct, frozen=True):
    """One line of "find your table": `moved` says where from, `partner` may be a ghost."""

    name: str
    call: str
    table: int
    side: Side
    partner: str
    way: Way = ""
    late: str = ""


class RankRow(Struct, frozen=True):
    """One line of the standings; who is level shares a `place`. `gone` left before the end."""

    place: int
    name: str
    buncos: int
    wins: int
    losses: int
    minis: int
    points: int
    gone: bool = False


class PrizeRow(Struct, frozen=True):
    """A prize: `kind` as in RULES.md, money as decimal text, empty without.

    `tied` and `tie` (`one_die`, `three_dice`, `ask`) while it is open, `waits` names one before it.
    """

    kind: str
    winners: tuple[str, ...]
    each: str = ""
    whole: str = ""
    thing: str = ""
    tied: tuple[str, ...] = ()
    tie: str = ""
    waits: str = ""


class BellShown(Struct, frozen=True):
    """What rang: `by` points, bunco, time or host; the player's call name and side, or empty."""

    by: Literal["points", "bunco", "time", "host"]
    call: str = ""
    side: Side = "us"
    ago_ms: int = 0


# The scoreboard: one of these is its `scene`.


class NoEvening(Struct, frozen=True):
    """Nothing is open; `head` says whether the head answers."""

    head: bool


class BeforeFirst(Struct, frozen=True):
    """Who sits where before the first round; no rows while nobody is seated. `page` of `pages` is shown."""

    rows: tuple[SeatRow, ...]
    people: tuple[str, ...]
    late: tuple[tuple[str, str], ...] = ()
    tables: int = 0
    page: int = 1
    pages: int = 1
    seated: bool = False


class Playing(Struct, frozen=True):
    """A running round: `tables` are those to show now, the head table first; `tables_all` counts all."""

    tables: tuple[TableShown, ...]
    tables_all: int
    buncos: tuple[tuple[str, int], ...] = ()
    page: int = 1
    pages: int = 1


class BuncoMoment(Struct, frozen=True):
    """A Bunco has just rung the bell: the whole screen for five seconds."""

    bell: BellShown
    target: int


class AfterBell(Struct, frozen=True):
    """After the bell: all tables where there are up to three, else only those that still play."""

    tables: tuple[TableShown, ...]
    tables_all: int
    busy: int
    bell: BellShown
    page: int = 1
    pages: int = 1


class Between(Struct, frozen=True):
    """Where everybody sits next. `moves` as in RULES.md (`down_one` ...), `tables` how many there are."""

    rows: tuple[SeatRow, ...]
    moves: str
    tables: int
    page: int = 1
    pages: int = 1
    first: str = ""
    last: str = ""


class BreakTime(Struct, frozen=True):
    """A break of `minutes` (None: open end) with `left_s` seconds left, until the time of the day `until`."""

    minutes: int | None
    left_s: int | None
    until: str
    rows: tuple[RankRow, ...]
    marks: tuple[str, ...]


class Finale(Struct, frozen=True):
    """Champions and prizes. `faces` are the targets of the champion's Buncos; `pot` decimal text or empty."""

    champions: tuple[str, ...]
    best: RankRow | None
    rounds: int
    faces: tuple[int, ...]
    prizes: tuple[PrizeRow, ...]
    pot: str = ""
    traveler: str = ""
    grand: str = ""
    rows: tuple[RankRow, ...] = ()


Scene = NoEvening | BeforeFirst | Playing | BuncoMoment | AfterBell | Between | BreakTime | Finale


class Scoreboard(Struct, frozen=True):
    """`/`: one scene. `follow` is the address for phones; the head says nothing for `silent_s` (0: well)."""

    heading: Heading
    scene: Scene
    follow: str = ""
    silent_s: int = 0


# A player's own page.


class MyRound(Struct, frozen=True):
    """One played round of a player."""

    target: int
    partner: str
    mine: int
    theirs: int
    won: bool
    buncos: int = 0
    minis: int = 0


class Me(Struct, frozen=True):
    """One player: where now, where next. `table` is None for a guest without a chair."""

    name: str
    rank: int
    of: int
    table: TableShown | None
    partner: str
    side: Side
    rounds: tuple[MyRound, ...]
    next: bool = False
    way: Way = ""
    won: bool | None = None


class PlayerPage(Struct, frozen=True):
    """`/me`: the names to choose from while `me` is None; `unknown` is a name that nobody has any more."""

    heading: Heading
    state: str
    names: tuple[str, ...]
    me: Me | None = None
    unknown: str = ""
    rows: tuple[RankRow, ...] = ()
    tables: tuple[TableShown, ...] = ()
    silent_s: int = 0
    tab: Literal["me", "tables", "standings"] = "me"


class TablePage(Struct, frozen=True):
    """`/table/N`: one table in large; `table` is None before the draw, `scene` as on the scoreboard."""

    heading: Heading
    number: int
    table: TableShown | None
    state: str
    bell: BellShown | None = None
    rows: tuple[SeatRow, ...] = ()
    silent_s: int = 0


class Worth(Struct, frozen=True):
    """Points of each result in this round; `wipe` is the face that wipes, or None."""

    one: int
    two: int
    mini: int
    bunco: int
    wipe: int | None = None


class PhonePage(Struct, frozen=True):
    """`/table/N/play`: a phone as a table. `undo` is the throw that UNDO takes back, None if there is none.

    `asks` whether a Bunco now rings the bell; `unsent` how many facts the head does not have yet; `why` why
    the last throw did not count (a sentence, or empty); `code_wrong` shows the field for the table's code.
    """

    heading: Heading
    number: int
    table: TableShown | None
    state: str
    worth: Worth
    next: str = ""
    turn_points: int = 0
    undo: ThrowShown | None = None
    asks: bool = False
    unsent: int = 0
    online: bool = True
    why: str = ""
    mode: Literal["points", "dice"] = "points"
    bell: BellShown | None = None
    needs_code: bool = False
    code_wrong: bool = False


# The host's pages. An action is a form that posts a command, or a link.


class Action(Struct, frozen=True):
    """A key: posts `command` with `args` (JSON text), or leads to `href`. `look` is a class of the key.

    `label` names a text of `wording.ACTIONS`; `name` and `side` fill it in. `ask` shows the sheet first.
    """

    label: str
    command: str = ""
    args: str = "{}"
    href: str = ""
    look: Literal["", "brass", "felt", "ivory", "bad"] = ""
    name: str = ""
    icon: str = ""
    ask: bool = False


class Reason(Struct, frozen=True):
    """Why it does not go on, or what is wrong: `kind` names a text of `wording.REASONS`, or `text` is one."""

    kind: str
    table: int = 0
    name: str = ""
    points: tuple[int, int] = (0, 0)
    text: str = ""
    level: Literal["", "bad", "good"] = ""
    actions: tuple[Action, ...] = ()


class BigKey(Struct, frozen=True):
    """The one large key: `kind` names a text of `wording.BIG`; without `action` it waits, saying for what."""

    kind: str
    round: int = 0
    waits: int = 0
    action: Action | None = None


class Notice(Struct, frozen=True):
    """The answer to the command before: done, or refused for every reason in `why`."""

    done: bool
    command: str = ""
    why: tuple[str, ...] = ()


class LogRow(Struct, frozen=True):
    """One fact in the log: place, time of the day, the kind, and what fills its sentence in."""

    n: int
    at: str
    kind: str
    table: int = 0
    name: str = ""
    detail: str = ""
    by: str = ""
    ignored: str = ""


class Person(Struct, frozen=True):
    """Somebody who can leave or be substituted; `table` 0 for a guest without a chair."""

    name: str
    table: int
    ghost: bool = False


class HostTable(Struct, frozen=True):
    """The drawer of one table: `undo` names the roll and its place `undo_n` in the log."""

    table: TableShown
    undo: ThrowShown | None = None
    undo_n: int = 0
    hand: bool = False
    bypassed: bool = False
    final: bool = False
    code: str = ""
    phone: bool = False


class HostFrame(Struct, frozen=True):
    """What stands around every host page: hosts, how many things to mend, the last command's answer."""

    heading: Heading
    tab: Literal["prepare", "tonight", "health", "results", "evenings"]
    faults: int = 0
    hosts: tuple[str, ...] = ()
    notice: Notice | None = None
    silent_s: int = 0


class HostTonight(Struct, frozen=True):
    """`/host`: the evening tonight. `sheet` asks before a dangerous command, `drawer` is one table."""

    frame: HostFrame
    state: str
    minutes: int
    big: BigKey
    reasons: tuple[Reason, ...]
    tables: tuple[TableShown, ...]
    lately: tuple[LogRow, ...]
    people: tuple[Person, ...]
    tools: tuple[Action, ...]
    drawer: HostTable | None = None
    panel: Literal["", "people", "break", "horn", "tally"] = ""
    sheet: Action | None = None
    page: int = 1
    pages: int = 1


class HostHealth(Struct, frozen=True):
    """`/host/health`: what is to mend, and what is well."""

    frame: HostFrame
    bad: tuple[Reason, ...]
    good: tuple[Reason, ...]
    tables: int = 0
    sheet: Action | None = None


class RuleChoice(Struct, frozen=True):
    """A rule set to choose: `minutes` of the whole evening, `mend` the override that shortens it."""

    id: str
    name: str
    minutes: int
    house: bool = False
    chosen: bool = False
    too_long: bool = False
    mend: str = ""
    mend_minutes: int = 0
    rule: BellRule | None = None
    after_bell: str = ""
    moves: str = ""
    mini_ends: bool = False


class Dimension(Struct, frozen=True):
    """One dimension of the rule set with its values in words; `changed` from the preset."""

    key: str
    value: str
    values: tuple[str, ...] = ()
    changed: bool = False


class HostPrepare(Struct, frozen=True):
    """`/host/prepare`: people, rules, money, seats; `problems` are sentences about the names."""

    frame: HostFrame
    step: Literal["people", "rules", "money", "seats"]
    names: tuple[str, ...]
    late: tuple[tuple[str, str], ...]
    tables: int
    ghosts: int
    problems: tuple[str, ...]
    rules: tuple[RuleChoice, ...]
    dimensions: tuple[Dimension, ...]
    sets: int
    rounds: int
    rolls: int
    start: str
    end: str
    until: str
    minutes: int
    break_minutes: int
    title: str
    each: str
    pot: str
    seats: tuple[TableShown, ...]
    open: bool
    running: bool
    last_time: int = 0
    more: bool = False
    room: int = 0
    house: str = ""


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


class HostResults(Struct, frozen=True):
    """`/host/results`: standings, prizes and ties of this evening or, with `evening`, of a past one."""

    frame: HostFrame
    state: str
    finale: Finale
    rows: tuple[RankRow, ...]
    marks: tuple[str, ...]
    race: Chart
    results: tuple[int, ...]
    dice: tuple[DiceCount, ...]
    date: str = ""
    evening: str = ""
    closed: bool = False


class PastEvening(Struct, frozen=True):
    """One evening of the archive."""

    id: str
    date: str
    title: str
    players: int
    rounds: int
    rules: str
    champions: tuple[str, ...]
    current: bool = False


class HostEvenings(Struct, frozen=True):
    """`/host/evenings`: the past ones, latest first."""

    frame: HostFrame
    evenings: tuple[PastEvening, ...]


class HostLog(Struct, frozen=True):
    """`/host/log`: the facts, latest first, `page` of `pages`."""

    frame: HostFrame
    lines: tuple[LogRow, ...]
    page: int
    pages: int
    evening: str = ""


class LoginPage(Struct, frozen=True):
    """`/host/login`: `wrong` after a wrong PIN, `why` in a sentence; `next` where to go then."""

    title: str
    wrong: bool = False
    wait_s: int = 0
    next: str = "/host"
    why: str = ""


class CardRow(Struct, frozen=True):
    """One round of a score card; without `partner` it is to be filled in by pencil."""

    target: int
    partner: str = ""
    points: int = 0
    won: bool | None = None
    buncos: int = 0
    minis: int = 0


class ScoreCard(Struct, frozen=True):
    """A player's card, set by set."""

    name: str
    sets: tuple[tuple[CardRow, ...], ...]


class PrintPage(Struct, frozen=True):
    """`/host/print/seats`, `cards` and `results`: paper."""

    kind: Literal["seats", "cards", "results"]
    heading: Heading
    date: str
    follow: str
    tables: tuple[TableShown, ...] = ()
    seats: tuple[SeatRow, ...] = ()
    cards: tuple[ScoreCard, ...] = ()
    results: HostResults | None = None
    break_after: int = 0
    after_bell: str = ""
    moves: str = ""


class PhoneCodes(Struct, frozen=True):
    """`/host/codes`: for each phone table its number and code, with a QR code that leads to it."""

    frame: HostFrame
    codes: tuple[tuple[int, str], ...]


class ErrorPage(Struct, frozen=True):
    """Anything that went wrong, in a sentence with the way out: `status` of HTTP, `text` in English."""

    status: int
    text: str


HostPage = HostTonight | HostHealth | HostPrepare | HostResults | HostEvenings | HostLog | PhoneCodes
PageModel = Scoreboard | PlayerPage | TablePage | PhonePage | HostPage | LoginPage | PrintPage | ErrorPage

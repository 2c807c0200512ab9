"""Facts: small immutable events, the only thing that an evening is made of.

A fact is one line of the evening log (wire/README.md). `t` is in milliseconds since the evening was
opened; tables are numbered from 1, the head table is 1; seats are A to D, teams US (A, C) and THEM (B, D).
"""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import asdict

from pi_bunco.errors import FactError
from pi_bunco.game.fields import (
    NAME_MAX_CHARS,
    Call,
    Count,
    Epoch,
    Face,
    FaceoffDice,
    ListedName,
    Millis,
    Money,
    Name,
    PrizePlace,
    Seat,
    Seconds,
    Side,
    TableNumber,
    Text,
    TieDice,
    TieNumber,
    TieStage,
    Uptime,
)
from pi_bunco.reason import InEnglish


class Fact(Struct, frozen=True, gc=False, tag_field="kind"):
    """An event at `t`; each kind of fact is a subclass."""

    t: Millis


class EveningOpen(Fact, frozen=True, gc=False, tag="evening"):
    """An evening begins: a preset with overrides, the players, and a ghost for each empty chair.

    `no` is the hall's running number of the evening and `key` the id of the key that its log is chained
    with; `name` is the rule set's own name, `pot` the money that is played for, `holders` says who brings
    which thing from the night before, and every draw of the evening depends on `seed`. `boot` and `up` are as
    in `ClockSet`; `rewritten` is how many times the log was written anew, each time without somebody's name.
    """

    rules: Text
    players: tuple[ListedName, ...]
    id: Text = ""
    no: Annotated[int, Meta(ge=0, le=2**53 - 1)] | None = None
    key: Text | None = None
    name: ListedName | None = None
    overrides: dict[str, Any] = {}
    ghosts: tuple[ListedName, ...] | None = None
    groups: tuple[tuple[int, ...], ...] | None = None
    pot: Money | None = None
    holders: dict[Text, ListedName] | None = None
    seed: int | Text | None = None
    by: Text | None = None
    boot: Text | None = None
    up: Uptime | None = None
    rewritten: Count | None = None


class Seating(Fact, frozen=True, gc=False, tag="seating"):
    """The seats: per table the names on seats A, B, C, D; `teams` are names of the tables themselves."""

    tables: tuple[tuple[ListedName, ListedName, ListedName, ListedName], ...]
    by: Text | None = None
    teams: tuple[Text, ...] | None = None


class RoundOpen(Fact, frozen=True, gc=False, tag="round_open"):
    """The host's bell press that starts a round.

    `epoch` is its number where that is not the next one: an earlier round is missing in the log.
    """

    by: Text = "host"
    epoch: Epoch | None = None


class Roll(Fact, frozen=True, gc=False, tag="roll"):
    """Three dice at a table, or a hand-entered `call` in their place; `began` is the first tumble.

    `face` belongs to a `mini` by hand: what its three dice show; `called` is a roll that was called out.
    Between rounds it is for the tie of number `tie`, or without one for what its table waits for.
    What a table made surely `while_closed`, while the evening was, changes nothing, wherever it stands.
    Where it `guessed` the round, it made it at most so many ms before `t`. Where `t` is but the
    start of a later clock, `head_up` is the boot of the head by which the evening went then, and its ms.
    """

    table: TableNumber
    dice: tuple[Face, Face, Face] | None = None
    call: Call | None = None
    face: Face | None = None
    began: Millis | None = None
    source: Text | None = None
    epoch: Epoch | None = None
    tie: TieNumber | None = None
    called: bool | None = None
    while_closed: bool | None = None
    guessed: Millis | None = None
    head_up: tuple[Text, Uptime] | None = None


class Undo(Fact, frozen=True, gc=False, tag="undo"):
    """Takes back the table's latest counted roll of this round, or between rounds a tie's latest throw."""

    table: TableNumber
    epoch: Epoch | None = None
    by: Text | None = None
    tie: TieNumber | None = None
    while_closed: bool | None = None


class Begins(Fact, frozen=True, gc=False, tag="begins"):
    """`seat` has the first turn of the round at a table; `dice` were rolled for it, to be read by people."""

    table: TableNumber
    seat: Seat
    dice: dict[Name, tuple[Face, Face, Face]] | None = None
    epoch: Epoch | None = None
    by: Text | None = None


class Turn(Fact, frozen=True, gc=False, tag="turn"):
    """From now on it is `seat`'s turn; the last `rolls` rolls are counted again as that seat's."""

    table: TableNumber
    seat: Seat
    rolls: Count = 0
    epoch: Epoch | None = None
    by: Text | None = None


class BellRang(Fact, frozen=True, gc=False, tag="bell"):
    """The end bell could be heard; stands directly behind the fact that rang it.

    Where it rang by a clock that went before that of `t`, `head_up` is the head's boot then, and its ms.
    """

    epoch: Epoch | None = None
    head_up: tuple[Text, Uptime] | None = None


SOUNDED = "bell"
"""By that a round is ended of which the bell has sounded, for a reason that is not in the log."""


class RoundClose(Fact, frozen=True, gc=False, tag="round_close"):
    """The round is ended by hand, by the clock (`by` "time"), or as its bell had sounded (`by` "bell")."""

    by: Text = "host"
    epoch: Epoch | None = None


class Confirm(Fact, frozen=True, gc=False, tag="confirm"):
    """The scorekeeper's OK at a table that is done."""

    table: TableNumber
    epoch: Epoch | None = None
    by: Text | None = None
    while_closed: bool | None = None


class Faceoff(Fact, frozen=True, gc=False, tag="faceoff"):
    """One die for each side in a `one_die` roll-off: US then THEM, or of each who is tied in seat order."""

    table: TableNumber
    dice: FaceoffDice
    epoch: Epoch | None = None
    while_closed: bool | None = None


class Decide(Fact, frozen=True, gc=False, tag="decide"):
    """The host's word: the table is final with that winner."""

    table: TableNumber
    winner: Side
    epoch: Epoch | None = None
    by: Text | None = None


class Substitute(Fact, frozen=True, gc=False, tag="substitute"):
    """`new` takes over seat, card and bag of `out` (the log's field is called `in`)."""

    out: Name
    new: Name = field(name="in")
    by: Text | None = None


class Leave(Fact, frozen=True, gc=False, tag="leave"):
    """A player goes home; a ghost takes the seat."""

    player: Name
    by: Text | None = None


class Arrive(Fact, frozen=True, gc=False, tag="arrive"):
    """A player takes the seat of the lowest-numbered ghost."""

    player: Name
    by: Text | None = None


class BellVoid(Fact, frozen=True, gc=False, tag="bell_void"):
    """The bell was a false alarm; the round is open again."""

    epoch: Epoch | None = None
    by: Text | None = None


class RoundCancel(Fact, frozen=True, gc=False, tag="round_cancel"):
    """The running round never happened."""

    epoch: Epoch | None = None
    by: Text | None = None


class Reopen(Fact, frozen=True, gc=False, tag="reopen"):
    """A final table is put back to before its result was made."""

    table: TableNumber
    by: Text | None = None


class EveningClose(Fact, frozen=True, gc=False, tag="evening_close"):
    """The evening is over."""

    by: Text | None = None


class Bypass(Fact, frozen=True, gc=False, tag="bypass"):
    """The round goes on without this table's equipment."""

    table: TableNumber
    by: Text | None = None


class Restore(Fact, frozen=True, gc=False, tag="restore"):
    """The table's equipment is waited for again."""

    table: TableNumber
    by: Text | None = None


class Hand(Fact, frozen=True, gc=False, tag="hand"):
    """The host's permission to enter rolls by hand at a table whose dice work, or its end."""

    table: TableNumber
    allowed: bool
    by: Text | None = None


class Pause(Fact, frozen=True, gc=False, tag="pause"):
    """A break, with its length in minutes if that is known."""

    minutes: Count | None = None
    by: Text | None = None


class Resume(Fact, frozen=True, gc=False, tag="resume"):
    """The break is over."""

    by: Text | None = None


class Pace(Fact, frozen=True, gc=False, tag="pace"):
    """The evening's clock from now on: all its settings, each time that the host changes one.

    The round is ended `play_s` after it was started, where that is set; the next one is started `move_s`
    after its bell. Without `move_s` the clock starts nothing, and ends only what the rules have it end. The
    last `warn_s` of either are told of, and everybody has as much to move however late a table was. Missing
    equipment is waited for `wait_s` and played without; without `wait_s`, until it is there. `due` is when
    the step comes that the host has moved, `left` what is left to it while the clock is stopped. `end_by` is
    when the host wants the evening to be over.
    """

    play_s: Seconds | None = None
    move_s: Seconds | None = None
    warn_s: Seconds = 30
    wait_s: Seconds | None = None
    due: Millis | None = None
    left: Millis | None = None
    end_by: Millis | None = None
    by: Text | None = None


class BellSeen(Fact, frozen=True, gc=False, tag="bell_seen"):
    """The table knows of the `bell` (its time): all rolls that it made before the bell are in the log."""

    table: TableNumber
    bell: Millis | None = None
    epoch: Epoch | None = None


class SeatCard(Struct, frozen=True, gc=False):
    """One seat's result in the round, from the card of a table that kept its score on paper."""

    points: Count
    buncos: Count
    minis: Count


class Tally(Fact, frozen=True, gc=False, tag="tally"):
    """The score of a table that kept it on paper, in place of all that was counted there: seats A to D."""

    table: TableNumber
    cards: tuple[SeatCard, SeatCard, SeatCard, SeatCard]
    epoch: Epoch | None = None
    by: Text | None = None


class EveningReopen(Fact, frozen=True, gc=False, tag="evening_reopen"):
    """The evening goes on where it was when it was closed."""

    by: Text | None = None


class Branch(Fact, frozen=True, gc=False, tag="branch"):
    """The host chose the copy of the log that `table` has; it goes on from here."""

    table: TableNumber
    by: Text | None = None


class StakePaid(Fact, frozen=True, gc=False, tag="paid"):
    """A player has paid the stake of tonight, or has not."""

    player: Name
    paid: bool = True
    by: Text | None = None


class TieFormed(Fact, frozen=True, gc=False, tag="tie"):
    """A number for a tie that the game has formed; throws and the host's word name it by that.

    `purpose` (the log's `for`), place, players, `rounds` finished then, stage and group of a tournament are
    the tie's identity; `dice` is 1 or 3 for each of them, 0 where the host is asked.
    """

    id: TieNumber
    purpose: Text = field(name="for")
    players: tuple[Name, ...]
    rounds: Count
    dice: TieDice
    place: PrizePlace = 1
    stage: TieStage | None = None
    group: TableNumber | None = None


class PrizeDecision(Fact, frozen=True, gc=False, tag="prize"):
    """The host's word on a prize or a tie: what it is for (the log's `for`) goes to one player or several.

    No player takes the word back. It is on the tie of number `tie`, else on the first one that is open for
    this, place and group, else on the prize.
    """

    category: Text = field(name="for")
    to: Annotated[str, Meta(max_length=NAME_MAX_CHARS)] | tuple[Name, ...]  # a pattern in both breaks msgspec
    by: Text | None = None
    tie: TieNumber | None = None
    place: PrizePlace | None = None
    group: TableNumber | None = None


class Rolloff(Fact, frozen=True, gc=False, tag="rolloff"):
    """Dice of players for a tie between rounds, told by the host: per name one die, or three.

    The log's `for` is the prize or the place of a tournament, `group` that of the place, `place` that of the
    prize; `tie` is the number of the tie. Without dice, those at the table are open for it from now on.
    """

    purpose: Text = field(name="for")
    dice: dict[Name, Annotated[tuple[Face, ...], Meta(min_length=1, max_length=3)]]
    group: TableNumber | None = None
    by: Text | None = None
    tie: TieNumber | None = None
    place: PrizePlace | None = None


class StageConfirm(Fact, frozen=True, gc=False, tag="stage"):
    """The host's word that the next stage of the tournament begins, with the seats that were drawn for it."""

    stage: Literal["semi_final", "order", "final", "done"]
    tables: tuple[tuple[ListedName, ListedName, ListedName, ListedName], ...] | None = None
    by: Text | None = None


class ClockSet(Fact, frozen=True, gc=False, tag="clock"):
    """From `t` on the evening clock goes by the head's machine since its `boot`, which was `up` (ms) then."""

    boot: Text
    up: Uptime


FACT_KINDS = {str(kind.__struct_config__.tag): kind for kind in Fact.__subclasses__()}
"""Every fact by its kind, as the log and the wire call it."""


class Rolled(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="roll"):
    """A table's word of a `Roll`."""

    dice: tuple[Face, Face, Face] | None = None
    call: Call | None = None
    face: Face | None = None
    began: Millis | None = None
    source: Text | None = None
    tie: TieNumber | None = None
    called: bool | None = None

    def __post_init__(self) -> None:
        if why := why_no_roll(self):
            raise FactError(InEnglish(why))


class UndoPressed(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="undo"):
    """A table's word of an `Undo`: it names nobody, as a host's does."""


class OkPressed(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="confirm"):
    """A table's word of a `Confirm`: it names nobody, as a host's does."""


class DiceFacedOff(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="faceoff"):
    """A table's word of a `Faceoff`."""

    dice: FaceoffDice


class SawBell(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="bell_seen"):
    """A table's word of a `BellSeen`."""

    bell: Millis | None = None


TableFact = Rolled | UndoPressed | OkPressed | DiceFacedOff | SawBell
"""A fact as its table tells it: without the table, its time and its round."""


def why_no_roll(roll: Roll | Rolled) -> str:
    """The reason why dice, call and face do not go together; empty where they do."""
    if (roll.dice is None) == (roll.call is None):
        return "a roll has either dice (three faces from 1 to 6) or a call"
    if roll.face is not None and roll.call != "mini":
        return "only a mini by hand has a face"
    return ""


def fact_at(made: TableFact, table: int, t: int, epoch: int | None = None) -> Fact:
    """The fact that table `table` made at `t`, in round `epoch`."""
    kind: Any = FACT_KINDS[kind_of(made)]
    fact: Fact = kind(t=t, table=table, epoch=epoch, **asdict(made))
    return fact


def kind_of(fact: Fact | TableFact) -> str:
    """The kind of a fact, as the log and the wire call it."""
    return str(type(fact).__struct_config__.tag)

"""What happened, one small immutable fact at a time: the only thing that an evening is made of.

A fact is one line of the evening log (wire/README.md). `t` is in milliseconds since the evening was
opened; tables are numbered from 1, the head table is 1; seats are A to D, teams US (A, C) and THEM (B, D).
"""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from pi_bunco.errors import FactError
from pi_bunco.game.fields import (
    LONGEST_NAME,
    Call,
    Count,
    Epoch,
    Face,
    ListedName,
    Millis,
    Money,
    Name,
    Place,
    Seat,
    Seconds,
    TableNumber,
    Team,
    Text,
    TieDice,
    TieNumber,
    TieStage,
    Uptime,
)


class EveningOpen(Struct, frozen=True, gc=False, tag_field="kind", tag="evening"):
    """An evening begins: a preset with overrides, the players, and a ghost for each empty chair.

    `no` is the hall's running number of the evening and `key` the id of the key that its log is chained
    with; `name` is the rule set's own name, `pot` the money that is played for, `holders` says who brings
    which thing from the night before, and every draw of the evening depends on `seed`. `boot` and `up` are as
    in `ClockSet`.
    """

    t: Millis
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


class Seating(Struct, frozen=True, gc=False, tag_field="kind", tag="seating"):
    """Who sits where: per table the names on seats A, B, C, D."""

    t: Millis
    tables: tuple[tuple[ListedName, ListedName, ListedName, ListedName], ...]
    by: Text | None = None


class RoundOpen(Struct, frozen=True, gc=False, tag_field="kind", tag="round_open"):
    """The host's bell press that starts a round.

    `epoch` is its number where that is not the next one: an earlier round is missing in the log.
    """

    t: Millis
    by: Text = "host"
    epoch: Epoch | None = None


class Roll(Struct, frozen=True, gc=False, tag_field="kind", tag="roll"):
    """Three dice at a table, or a hand-entered `call` in their place; `began` is the first tumble.

    `face` belongs to a `mini` by hand: what its three dice show; `called` is a roll that was called out.
    Between rounds it is for the tie of number `tie`, or without one for what its table waits for.
    """

    t: Millis
    table: TableNumber
    dice: tuple[Face, Face, Face] | None = None
    call: Call | None = None
    face: Face | None = None
    began: Millis | None = None
    source: Text | None = None
    epoch: Epoch | None = None
    tie: TieNumber | None = None
    called: bool | None = None


class Undo(Struct, frozen=True, gc=False, tag_field="kind", tag="undo"):
    """Takes back the table's latest counted roll of this round, or between rounds a tie's latest throw."""

    t: Millis
    table: TableNumber
    epoch: Epoch | None = None
    by: Text | None = None
    tie: TieNumber | None = None


class Begins(Struct, frozen=True, gc=False, tag_field="kind", tag="begins"):
    """`seat` has the first turn of the round at a table; `dice` were rolled for it, to be read by people."""

    t: Millis
    table: TableNumber
    seat: Seat
    dice: dict[Name, tuple[Face, Face, Face]] | None = None
    epoch: Epoch | None = None
    by: Text | None = None


class Turn(Struct, frozen=True, gc=False, tag_field="kind", tag="turn"):
    """From now on it is `seat`'s turn; the last `rolls` rolls are counted again as that seat's."""

    t: Millis
    table: TableNumber
    seat: Seat
    rolls: Count = 0
    epoch: Epoch | None = None
    by: Text | None = None


class BellRang(Struct, frozen=True, gc=False, tag_field="kind", tag="bell"):
    """The end bell could be heard; stands directly behind the fact that rang it."""

    t: Millis
    epoch: Epoch | None = None


class RoundClose(Struct, frozen=True, gc=False, tag_field="kind", tag="round_close"):
    """The round is ended by hand, or by the clock where `by` is "time"."""

    t: Millis
    by: Text = "host"
    epoch: Epoch | None = None


class Confirm(Struct, frozen=True, gc=False, tag_field="kind", tag="confirm"):
    """The scorekeeper's OK at a table that is done."""

    t: Millis
    table: TableNumber
    epoch: Epoch | None = None
    by: Text | None = None


class Faceoff(Struct, frozen=True, gc=False, tag_field="kind", tag="faceoff"):
    """One die for each team, US then THEM, in a `one_die` roll-off."""

    t: Millis
    table: TableNumber
    dice: tuple[Face, Face]
    epoch: Epoch | None = None


class Decide(Struct, frozen=True, gc=False, tag_field="kind", tag="decide"):
    """The host's word: the table is final with that winner."""

    t: Millis
    table: TableNumber
    winner: Team
    epoch: Epoch | None = None
    by: Text | None = None


class Substitute(Struct, frozen=True, gc=False, tag_field="kind", tag="substitute"):
    """`new` takes over seat, card and bag of `out` (the log's field is called `in`)."""

    t: Millis
    out: Name
    new: Name = field(name="in")
    by: Text | None = None


class Leave(Struct, frozen=True, gc=False, tag_field="kind", tag="leave"):
    """A player goes home; a ghost takes the seat."""

    t: Millis
    player: Name
    by: Text | None = None


class Arrive(Struct, frozen=True, gc=False, tag_field="kind", tag="arrive"):
    """A player takes the seat of the lowest-numbered ghost."""

    t: Millis
    player: Name
    by: Text | None = None


class BellVoid(Struct, frozen=True, gc=False, tag_field="kind", tag="bell_void"):
    """The bell was a false alarm; the round is open again."""

    t: Millis
    epoch: Epoch | None = None
    by: Text | None = None


class RoundCancel(Struct, frozen=True, gc=False, tag_field="kind", tag="round_cancel"):
    """The running round never happened."""

    t: Millis
    epoch: Epoch | None = None
    by: Text | None = None


class Reopen(Struct, frozen=True, gc=False, tag_field="kind", tag="reopen"):
    """A final table is put back to before its result was made."""

    t: Millis
    table: TableNumber
    by: Text | None = None


class EveningClose(Struct, frozen=True, gc=False, tag_field="kind", tag="evening_close"):
    """The evening is over."""

    t: Millis
    by: Text | None = None


class Bypass(Struct, frozen=True, gc=False, tag_field="kind", tag="bypass"):
    """The round goes on without this table's equipment."""

    t: Millis
    table: TableNumber
    by: Text | None = None


class Restore(Struct, frozen=True, gc=False, tag_field="kind", tag="restore"):
    """The table's equipment is waited for again."""

    t: Millis
    table: TableNumber
    by: Text | None = None


class Hand(Struct, frozen=True, gc=False, tag_field="kind", tag="hand"):
    """Whether rolls may be entered by hand at a table whose dice work."""

    t: Millis
    table: TableNumber
    allowed: bool
    by: Text | None = None


class Pause(Struct, frozen=True, gc=False, tag_field="kind", tag="pause"):
    """A break, of so many minutes if that is known."""

    t: Millis
    minutes: Count | None = None
    by: Text | None = None


class Resume(Struct, frozen=True, gc=False, tag_field="kind", tag="resume"):
    """The break is over."""

    t: Millis
    by: Text | None = None


class Pace(Struct, frozen=True, gc=False, tag_field="kind", tag="pace"):
    """How the evening goes by the clock from now on: all of it, each time that the host changes something.

    The round is ended `play_s` after it was started, where that is set; the next one is started `move_s`
    after its bell. Without `move_s` the clock starts nothing, and ends only what the rules have it end. The
    last `warn_s` of either are told of, and everybody has as much to move however late a table was. Missing
    equipment is waited for `wait_s` and played without; without `wait_s`, until it is there. `due` is when
    the step comes that the host has moved, `left` what is left to it while the clock is stopped. `end_by` is
    when the host wants the evening to be over.
    """

    t: Millis
    play_s: Seconds | None = None
    move_s: Seconds | None = None
    warn_s: Seconds = 30
    wait_s: Seconds | None = None
    due: Millis | None = None
    left: Millis | None = None
    end_by: Millis | None = None
    by: Text | None = None


class BellSeen(Struct, frozen=True, gc=False, tag_field="kind", tag="bell_seen"):
    """The table knows of the `bell` (its time): all rolls that it made before the bell are in the log."""

    t: Millis
    table: TableNumber
    bell: Millis | None = None
    epoch: Epoch | None = None


class SeatCard(Struct, frozen=True, gc=False):
    """What a table that kept its score on paper says of one seat in the round."""

    points: Count
    buncos: Count
    minis: Count


class Tally(Struct, frozen=True, gc=False, tag_field="kind", tag="tally"):
    """The score of a table that kept it on paper, in place of all that was counted there: seats A to D."""

    t: Millis
    table: TableNumber
    cards: tuple[SeatCard, SeatCard, SeatCard, SeatCard]
    epoch: Epoch | None = None
    by: Text | None = None


class EveningReopen(Struct, frozen=True, gc=False, tag_field="kind", tag="evening_reopen"):
    """The evening goes on where it was when it was closed."""

    t: Millis
    by: Text | None = None


class Branch(Struct, frozen=True, gc=False, tag_field="kind", tag="branch"):
    """The host chose the copy of the log that `table` has; it goes on from here."""

    t: Millis
    table: TableNumber
    by: Text | None = None


class StakePaid(Struct, frozen=True, gc=False, tag_field="kind", tag="paid"):
    """A player has paid the stake of tonight, or has not."""

    t: Millis
    player: Name
    paid: bool = True
    by: Text | None = None


class TieFormed(Struct, frozen=True, gc=False, tag_field="kind", tag="tie"):
    """A number for a tie that the game has formed; throws and the host's word name it by that.

    `purpose` (the log's `for`), place, players, `rounds` finished then, stage and group of a tournament are
    the tie's identity; `dice` is 1 or 3 for each of them, 0 where the host is asked.
    """

    t: Millis
    id: TieNumber
    purpose: Text = field(name="for")
    players: tuple[Name, ...]
    rounds: Count
    dice: TieDice
    place: Place = 1
    stage: TieStage | None = None
    group: TableNumber | None = None


class PrizeDecision(Struct, frozen=True, gc=False, tag_field="kind", tag="prize"):
    """The host's word on a prize or a tie: what it is for (the log's `for`) goes to one player or several.

    No player takes the word back. It is on the tie of number `tie`, else on the first one that is open for
    this, place and group, else on the prize.
    """

    t: Millis
    category: Text = field(name="for")
    to: Annotated[str, Meta(max_length=LONGEST_NAME)] | tuple[Name, ...]  # a pattern in both breaks msgspec
    by: Text | None = None
    tie: TieNumber | None = None
    place: Place | None = None
    group: TableNumber | None = None


class Rolloff(Struct, frozen=True, gc=False, tag_field="kind", tag="rolloff"):
    """What players rolled for a tie between rounds, told by the host: per name one die, or three.

    The log's `for` is the prize or the place of a tournament, `group` that of the place, `place` that of the
    prize; `tie` is the number of the tie. Without dice, those at the table are open for it from now on.
    """

    t: Millis
    purpose: Text = field(name="for")
    dice: dict[Name, Annotated[tuple[Face, ...], Meta(min_length=1, max_length=3)]]
    group: TableNumber | None = None
    by: Text | None = None
    tie: TieNumber | None = None
    place: Place | None = None


class StageConfirm(Struct, frozen=True, gc=False, tag_field="kind", tag="stage"):
    """The host's word that the next stage of the tournament begins, with the seats that were drawn for it."""

    t: Millis
    stage: Literal["semi_final", "order", "final", "done"]
    tables: tuple[tuple[ListedName, ListedName, ListedName, ListedName], ...] | None = None
    by: Text | None = None


class ClockSet(Struct, frozen=True, gc=False, tag_field="kind", tag="clock"):
    """From `t` on the evening clock goes by the head's machine since its `boot`, which was `up` (ms) then."""

    t: Millis
    boot: Text
    up: Uptime


Fact = (
    EveningOpen
    | Seating
    | RoundOpen
    | Roll
    | Undo
    | Begins
    | Turn
    | BellRang
    | RoundClose
    | Confirm
    | Faceoff
    | Decide
    | Substitute
    | Leave
    | Arrive
    | BellVoid
    | RoundCancel
    | Reopen
    | EveningClose
    | Bypass
    | Restore
    | Hand
    | Pause
    | Resume
    | Pace
    | BellSeen
    | Tally
    | EveningReopen
    | Branch
    | StakePaid
    | TieFormed
    | PrizeDecision
    | Rolloff
    | StageConfirm
    | ClockSet
)
KINDS: dict[str, type[Struct]] = {str(kind.__struct_config__.tag): kind for kind in Fact.__args__}


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
            raise FactError(why)


class UndoPressed(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="undo"):
    """A table's word of an `Undo`."""

    by: Text | None = None


class OkPressed(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="confirm"):
    """A table's word of a `Confirm`."""

    by: Text | None = None


class DiceFacedOff(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="faceoff"):
    """A table's word of a `Faceoff`."""

    dice: tuple[Face, Face]


class SawBell(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="bell_seen"):
    """A table's word of a `BellSeen`."""

    bell: Millis | None = None


TableFact = Rolled | UndoPressed | OkPressed | DiceFacedOff | SawBell
"""What a table tells: a fact without the table, its time and its round."""


def why_no_roll(roll: Roll | Rolled) -> str:
    """Why dice, call and face do not go together; empty where they do."""
    if (roll.dice is None) == (roll.call is None):
        return "a roll has either dice (three faces from 1 to 6) or a call"
    if roll.face is not None and roll.call != "mini":
        return "only a mini by hand has a face"
    return ""


def fact_at(made: TableFact, table: int, t: int, epoch: int | None = None) -> Fact:
    """The fact that table `table` made at `t`, in round `epoch`."""
    match made:
        case Rolled(dice, call, face, began, source, tie, called):
            return Roll(t, table, dice, call, face, began, source, epoch, tie, called)
        case UndoPressed(by):
            return Undo(t, table, epoch, by)
        case OkPressed(by):
            return Confirm(t, table, epoch, by)
        case DiceFacedOff(dice):
            return Faceoff(t, table, dice, epoch)
        case SawBell(bell):
            return BellSeen(t, table, bell, epoch)


def kind_of(fact: Fact | TableFact) -> str:
    """The kind of a fact, as the log and the wire call it."""
    return str(type(fact).__struct_config__.tag)

"""Every command of a host as one strict struct, one behind the other as the documents list them.

The command line, the JSON Schema, the AsyncAPI document and the tables of README.md follow from these types;
what a command does and answers is one function in `head.commands`. A struct's
name is what the host does, a fact's what happened: `EndRound` and `RoundClose`. The description of a field
is its help on the command line.
"""

from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct, field

from pi_bunco.game.fields import Face, Money, Name, Seat, Side, Text

MOST_TABLES = 1000
MOST_PLAYERS = 4 * MOST_TABLES
DAY_MINUTES = 1440
"""Minutes of a day."""

LogNumber = Annotated[int, Meta(ge=1, le=2**53 - 1)]
HallTable = Annotated[int, Meta(ge=1, le=MOST_TABLES)]
TableOf = Annotated[HallTable, Meta(description="the table's number")]
Minutes = Annotated[int, Meta(ge=0, le=DAY_MINUTES, description="how long")]
FourNames = tuple[Name, Name, Name, Name]
TieOf = Annotated[LogNumber, Meta(description="only the tie with this number")] | None
PlaceOf = Annotated[int, Meta(ge=1, le=99, description="the place, where a prize has several")] | None
GroupOf = Annotated[HallTable, Meta(description="the group of a tournament's place")] | None
PrizeOf = Annotated[str, Meta(min_length=1, max_length=64)]
Marks = Annotated[int, Meta(ge=0, le=999)]


class Arguments(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The arguments of a command: `name` on the wire, `word` after `pi-bunco host`, `help` what it is for.

    Where no word is given it is the name.
    """

    name: ClassVar[str]
    word: ClassVar[str]
    help: ClassVar[str]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "word" not in cls.__dict__:
            cls.word = cls.name.replace("_", "-")


class OpenEvening(Arguments, frozen=True, kw_only=True):
    """Opens an evening; `overrides` are dimensions, `groups` the tables that move among themselves."""

    name = "evening_open"
    word = "open"
    help = "open an evening"
    rules: Annotated[str, Meta(min_length=1, max_length=64, description="a published rule set")] = "classic"
    overrides: Annotated[dict[str, Any], Meta(max_length=64, description="dimensions that differ")] = {}
    players: Annotated[tuple[Name, ...], Meta(max_length=MOST_PLAYERS, description="everybody who plays")]
    sets: Annotated[int, Meta(ge=1, le=99, description="the number of sets of rounds")] | None = None
    seed: Annotated[int, Meta(ge=0, le=2**53 - 1, description="what every draw depends on")] | None = None
    groups: (
        Annotated[
            tuple[Annotated[tuple[TableOf, ...], Meta(max_length=MOST_TABLES)], ...],
            Meta(max_length=MOST_TABLES, description="the tables of each group, which move among themselves"),
        ]
        | None
    ) = None
    title: Annotated[Name | None, Meta(description="what the house rules are called")] = field(
        name="name", default=None
    )
    pot: Annotated[Money | None, Meta(description="the money that is played for, such as 60.00")] = None
    replace: Annotated[bool, Meta(description="although the evening before is not closed")] = False


class DrawSeats(Arguments, frozen=True):
    """Draws who sits where; between rounds anew, at as many tables as are needed, with `guests` who come."""

    name = "seats_draw"
    word = "draw"
    help = "draw the seats by lot"
    guests: Annotated[
        tuple[Name, ...], Meta(max_length=MOST_PLAYERS, description="who comes late and gets a chair by it")
    ] = ()


class SetSeats(Arguments, frozen=True):
    """Seats everybody as the host says: per table the names on A, B, C and D."""

    name = "seats_set"
    word = "seats"
    help = "seat everybody as you say"
    tables: Annotated[
        tuple[FourNames, ...],
        Meta(
            max_length=MOST_TABLES,
            description="per table the four names: Ann,Bob,Cat,Dee",
            extra={"hint": "An empty chair is a ghost's: name it, such as Ghost 1."},
        ),
    ]
    teams: (
        Annotated[
            tuple[Text, ...],
            Meta(max_length=MOST_TABLES, description="names of the tables, where each is a team"),
        ]
        | None
    ) = None


class StartRound(Arguments, frozen=True):
    """Starts a round; the equipment of the tables in `bypass` is not waited for."""

    name = "round_start"
    word = "start"
    help = "start a round"
    bypass: Annotated[
        tuple[TableOf, ...],
        Meta(max_length=MOST_TABLES, description="without waiting for the equipment of these tables"),
    ] = ()


class EndRound(Arguments, frozen=True):
    """Ends the round: the bell rings."""

    name = "round_end"
    word = "end"
    help = "end the round now"


class BeginBreak(Arguments, frozen=True):
    """Begins a break between two rounds."""

    name = "pause"
    help = "begin a break"
    minutes: Annotated[Minutes | None, Meta(extra={"positional": True})] = None


class EndBreak(Arguments, frozen=True):
    """Ends the break."""

    name = "resume"
    help = "end the break"


class SetPace(Arguments, frozen=True):
    """Has the clock start the rounds, and end them after `play_s` if that is set.

    `end_in_s` is in how long the host wants the evening to be over: a head does not know the time of day.
    """

    name = "pace"
    help = "have the clock start and end rounds"
    move_s: Annotated[int, Meta(ge=10, le=3600, description="seconds from a bell to the next round")] = 120
    play_s: Annotated[int, Meta(ge=10, le=7200, description="seconds of a round")] | None = None
    warn_s: Annotated[int, Meta(ge=0, le=600, description="seconds of warning before either ends")] = 30
    wait_s: (
        Annotated[
            int, Meta(ge=0, le=3600, description="seconds to wait for a missing table, then without it")
        ]
        | None
    ) = None
    end_in_s: (
        Annotated[int, Meta(ge=0, le=86_400, description="seconds until the evening is to be over")] | None
    ) = None


class SteerClock(Arguments, frozen=True):
    """Stops the clock that starts and ends rounds, has it go on, step now, wait a minute, or end its work."""

    name = "steer"
    help = "hold the clock of the rounds, go on, skip, a minute more, or off"
    to: Annotated[
        Literal["hold", "go", "skip", "minute", "off"],
        Meta(description="hold, go, skip, minute or off", extra={"positional": True}),
    ]


class BypassTable(Arguments, frozen=True):
    """Starts rounds without waiting for a table's equipment."""

    name = "bypass"
    help = "start rounds without a table's equipment"
    table: TableOf


class RestoreTable(Arguments, frozen=True):
    """Waits for a table's equipment again."""

    name = "restore"
    help = "wait for a table's equipment again"
    table: TableOf


class DecideWinner(Arguments, frozen=True):
    """Gives a table its winner, whatever its points."""

    name = "decide"
    help = "say who wins at a table"
    table: TableOf
    winner: Annotated[
        Side, Meta(description="US (seats A and C) or THEM (B and D); a seat where each plays alone")
    ]


class UndoRoll(Arguments, frozen=True):
    """Takes back a table's latest counted roll; `n`, its number in the log, if it must be that one."""

    name = "undo"
    help = "take back a table's latest roll"
    table: TableOf
    n: Annotated[LogNumber, Meta(description="only the roll with this number in the log")] | None = None
    tie: Annotated[LogNumber, Meta(description="between rounds, this tie's latest throw")] | None = None


class SetTurn(Arguments, frozen=True):
    """Corrects whose turn it is; the last `rolls` rolls are counted again, beginning with that seat."""

    name = "turn"
    help = "say whose turn it is, or whose the last rolls were"
    table: TableOf
    seat: Annotated[Seat, Meta(description="A, B, C or D")]
    rolls: Annotated[int, Meta(ge=0, le=9999, description="the last rolls that began with that seat")] = 0


class BeginTable(Arguments, frozen=True):
    """Says who has the first turn of the round at a table, before anybody has rolled there."""

    name = "begins"
    help = "say who begins at a table"
    table: TableOf
    seat: Annotated[Seat, Meta(description="A, B, C or D")]


class VoidBell(Arguments, frozen=True):
    """Takes a false bell back, with `roll` also the roll that rang it."""

    name = "bell_void"
    word = "void"
    help = "take a false bell back"
    roll: Annotated[bool, Meta(description="also the roll that rang it, which was none")] = False


class CancelRound(Arguments, frozen=True):
    """Makes the running round one that never happened."""

    name = "round_cancel"
    word = "cancel"
    help = "cancel the round: it never happened"


class ReopenTable(Arguments, frozen=True):
    """Takes a table's result back, until the next round opens."""

    name = "reopen"
    help = "take a table's result back"
    table: TableOf


class AllowHand(Arguments, frozen=True):
    """Says whether rolls may be entered by hand at a table whose dice work."""

    name = "hand"
    help = "allow rolls by hand at a table whose dice work"
    table: TableOf
    allowed: Annotated[bool, Meta(description="on, or off while the dice work")]


class ConfirmTable(Arguments, frozen=True):
    """Presses OK for a table that is done."""

    name = "confirm"
    help = "press OK for a table"
    table: TableOf


class SubstitutePlayer(Arguments, frozen=True):
    """Lets somebody take over from a player: seat, card, place and bag."""

    name = "substitute"
    help = "let somebody take over from a player"
    out: Annotated[Name, Meta(description="who goes")]
    new: Annotated[Name, Meta(description="who comes")] = field(name="in")


class AddPlayer(Arguments, frozen=True):
    """Seats somebody who comes late, or comes back, on a ghost's chair."""

    name = "arrive"
    help = "seat somebody who comes late"
    player: Annotated[Name, Meta(description="who comes")]


class RemovePlayer(Arguments, frozen=True):
    """Lets a player go home; a ghost takes the seat."""

    name = "leave"
    help = "let a player go home"
    player: Annotated[Name, Meta(description="who goes")]


class SilenceHorn(Arguments, frozen=True):
    """Has the bell sound in place of the horn for some minutes; 0 ends that."""

    name = "silence"
    help = "have the bell sound in place of the horn"
    minutes: Minutes


class RingTest(Arguments, frozen=True):
    """Rings the bell shortly."""

    name = "bell_test"
    help = "ring the bell shortly"


class BlinkTable(Arguments, frozen=True):
    """Blinks the lights of a table, to find it in the room."""

    name = "light"
    help = "blink the lights of a table"
    table: TableOf


class ChooseBranch(Arguments, frozen=True):
    """Goes on from the log as a table has it, where the head's own differs."""

    name = "branch"
    help = "go on from the log as a table has it"
    table: Annotated[int, Meta(ge=0, le=MOST_TABLES, description="the table's number, 0 for the page")]


class EndRecovery(Arguments, frozen=True):
    """Goes on with what tables have sent of the log, without waiting for the others."""

    name = "go_on"
    help = "begin with what the tables have sent of the evening"


class PaperCard(Struct, frozen=True, forbid_unknown_fields=True):
    """One seat's result in the round, from a table's paper card."""

    points: Annotated[int, Meta(ge=0, le=9999)]
    buncos: Marks = 0
    minis: Marks = 0


class EnterTally(Arguments, frozen=True):
    """Enters the score of a table that kept it on paper: the seats A to D of this round."""

    name = "tally"
    help = "enter the score that a table kept on paper"
    table: TableOf
    cards: Annotated[
        tuple[PaperCard, PaperCard, PaperCard, PaperCard],
        Meta(description="seats A, B, C and D, each as points or points/buncos/minis"),
    ]


class CloseEvening(Arguments, frozen=True):
    """Closes the evening; before its last round only if `unfinished`."""

    name = "evening_close"
    word = "close"
    help = "close the evening"
    unfinished: Annotated[bool, Meta(description="before the last round, or in the middle of one")] = False


class ReopenEvening(Arguments, frozen=True):
    """Goes on with the evening that was closed last."""

    name = "evening_reopen"
    word = "reopen-evening"
    help = "go on with the evening that was closed"


class DeleteName(Arguments, frozen=True):
    """Writes the logs of all evenings anew, with a pseudonym for somebody, while no evening is open."""

    name = "name_delete"
    word = "delete-name"
    help = "write all logs anew without somebody's name"
    names: Annotated[
        tuple[Name, ...],
        Meta(min_length=1, max_length=64, description="the name, in each way that it was spelt"),
    ]
    pseudonym: Annotated[Name | None, Meta(description="what is to stand there, drawn if it is not told")] = (
        None
    )


class AwardPrize(Arguments, frozen=True):
    """Gives a prize, or settles a tie; with nobody in `to` the word is taken back."""

    name = "prize"
    help = "give a prize, or settle a tie"
    category: Annotated[PrizeOf, Meta(description="what it is for, such as buncos or champion")] = field(
        name="for"
    )
    # msgspec 0.22 corrupts memory where a union has an array and a text with bounds; the fact has the bounds.
    to: Annotated[
        str | Annotated[tuple[Name, ...], Meta(max_length=MOST_PLAYERS)],
        Meta(description="who gets it"),
    ]
    tie: TieOf = None
    place: PlaceOf = None
    group: GroupOf = None


class TakeStake(Arguments, frozen=True):
    """Notes who has paid the stake of tonight, or with `paid` false that somebody has not."""

    name = "paid"
    help = "note who has paid the stake"
    player: Annotated[Name, Meta(description="who pays")]
    paid: Annotated[bool, Meta(description="false takes it back")] = True


class TellRolloff(Arguments, frozen=True):
    """Says what players rolled for a tie between rounds: per name one die, or three.

    Without dice a tie about which the host is asked is rolled off at the head table.
    """

    name = "rolloff"
    help = "say what players rolled for a tie"
    category: Annotated[PrizeOf, Meta(description="what it is for: wins, buncos, order, final, ...")] = field(
        name="for"
    )
    dice: Annotated[
        dict[Name, Annotated[tuple[Face, ...], Meta(min_length=1, max_length=3)]],
        Meta(max_length=MOST_PLAYERS, description="who rolled what: Ann=5 Bob=3, or Ann=3-4-6"),
    ]
    group: GroupOf = None
    table: (
        Annotated[HallTable, Meta(description="the table where it was rolled, if it is to be there alone")]
        | None
    ) = None
    tie: TieOf = None
    place: PlaceOf = None


class BeginStage(Arguments, frozen=True):
    """Begins the next stage of the tournament, once the one before is settled."""

    name = "stage"
    help = "begin the next stage of the tournament"


COMMANDS: dict[str, type[Arguments]] = {kind.name: kind for kind in Arguments.__subclasses__()}
"""Every command by its name on the wire."""

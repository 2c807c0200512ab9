"""The scoreboard: one of the scenes here is its `scene`."""

from msgspec import Struct

from pi_bunco.game.ranks import StandingRow
from pi_bunco.web.pages.board.name_list import NameList
from pi_bunco.web.pages.shared import model
from pi_bunco.web.site.own_files import OwnFile
from pi_bunco.web.site.page import PageModel


class NoEvening(model.Scene, frozen=True):
    """Nothing is open; `head` says whether the head answers. `guests` are here already, `came` the latest.

    Their names stand as `listed`, of which `page` is shown.
    """

    head: bool
    guests: tuple[str, ...] = ()
    came: str = ""
    here: int = 0
    listed: NameList | None = None
    page: int = 1


class BeforeFirst(model.Scene, frozen=True):
    """Seats before the first round; while nobody is seated, the `guests` alone. `page` is shown."""

    rows: tuple[model.SeatRow, ...]
    people: int
    guests: tuple[str, ...]
    listed: NameList
    late: tuple[tuple[str, str], ...] = ()
    tables: int = 0
    page: int = 1
    seated: bool = False
    partners: bool = False
    pairs: bool = True


class Playing(model.Scene, frozen=True):
    """A running round: `tables` are those to show now, the head table first; `tables_all` counts all."""

    tables: tuple[model.TableShown, ...]
    tables_all: int
    buncos: tuple[tuple[str, int], ...] = ()
    page: int = 1
    pages: int = 1
    holdings: tuple[model.Holding, ...] = ()
    leading: bool = False
    """Of many tables those with most points come first."""


class BuncoMoment(model.Scene, frozen=True):
    """A Bunco has just rung the bell: the whole screen for five seconds."""

    bell: model.BellShown
    target: int


class AfterBell(model.Scene, frozen=True):
    """After the bell: all tables where there are up to three, else only those that still play."""

    tables: tuple[model.TableShown, ...]
    tables_all: int
    busy: int
    bell: model.BellShown
    page: int = 1
    pages: int = 1


class TableWon(Struct, frozen=True):
    """Winners at a table, their points and the losers'; ghosts are left out of the call names.

    Where a table is a team it is who sits there, with the points of the table alone.
    """

    number: int
    side: model.SideLook
    calls: tuple[str, ...]
    points: tuple[int, ...]


class RoundWon(model.Scene, frozen=True):
    """A round has just ended: for some seconds who won at the `head` table and the others, `more` not listed.

    `up` come to the head table, `down` leave it; nobody where everybody stays, and in another movement.
    """

    head: TableWon
    target: int
    bell: model.BellShown | None
    others: tuple[TableWon, ...]
    more: int = 0
    up: tuple[str, ...] = ()
    down: tuple[str, ...] = ()


class HandedOn(model.Scene, frozen=True):
    """After who won: the things that the round has handed on, each with who holds it now."""

    holdings: tuple[model.Holding, ...]


class Between(model.Scene, frozen=True):
    """Everybody's next seats. `moves` as in RULES.md (`down_one` ...), `tables` how many there are.

    `moves` is `nobody` where tables are teams; `pairs` that everybody has a partner, `grouped` that everybody
    moves within a group of tables.
    """

    rows: tuple[model.SeatRow, ...]
    listed: NameList
    moves: str
    tables: int
    page: int = 1
    first: str = ""
    last: str = ""
    partners: bool = False
    pairs: bool = True
    grouped: bool = False
    by_rule: bool = False
    """The names are too many to be read: everybody goes by the rule."""

    @property
    def moving(self) -> dict[int, list[str]]:
        """Per table the call names of who goes to it from another."""
        rows = [row for row in self.rows if row.direction in ("up", "down")]
        return {
            table: [row.call for row in rows if row.table == table]
            for table in sorted({row.table for row in rows})
        }


class OwnPictures(model.Scene, frozen=True):
    """A screen with the host's pictures in turns (None: there are logos alone), and sponsors' logos."""

    picture: OwnFile | None
    logos: tuple[OwnFile, ...]


class BreakTime(model.Scene, frozen=True):
    """A break of `minutes`, of which `left` are left; it `ends` then (None: when the host says so).

    The standings have their turn with the host's pictures, of which `picture` is shown.
    """

    minutes: int
    left: int
    ends: model.NextStep | None
    rows: tuple[StandingRow, ...]
    marks: tuple[str, ...]
    holdings: tuple[model.Holding, ...] = ()
    picture: OwnFile | None = None
    logos: tuple[OwnFile, ...] = ()


class StandingsNow(model.Scene, frozen=True):
    """The first of the standings: in turns with the seats, or where the host has a screen show them."""

    rows: tuple[StandingRow, ...]
    marks: tuple[str, ...]
    holdings: tuple[model.Holding, ...] = ()


class FinalThrow(Struct, frozen=True):
    """A throw at the final table."""

    call: str
    faces: tuple[int, ...]


class StageScene(model.Scene, frozen=True):
    """A tournament between its rounds; `semi_final` once that is played. `groups` counts those that played.

    `table` are the four of the final, `begins` who is first in it, `throws` the latest ones, newest first,
    of `thrown` in all. `ends` is the end of the break, if it has one.
    """

    stage: model.ShownStage
    places: tuple[model.PlaceShown, ...]
    groups: int
    rolls: tuple[model.RollHere, ...] = ()
    table: model.TableShown | None = None
    begins: str = ""
    throws: tuple[FinalThrow, ...] = ()
    thrown: int = 0
    ends: model.NextStep | None = None
    page: int = 1
    pages: int = 1

    @property
    def by_group(self) -> dict[int, list[model.PlaceShown]]:
        """The places of each group."""
        groups = sorted({place.group for place in self.places})
        return {group: [place for place in self.places if place.group == group] for group in groups}

    @property
    def dice(self) -> dict[str, tuple[int, ...]]:
        """Per player the dice by which it is decided who begins the final."""
        rolling = self.rolls[0].people if self.stage == "order" and self.rolls else ()
        return {one.name: one.faces for one in rolling}


class GrandPrize(model.Scene, frozen=True):
    """The first three of a kind at the final table, of `face`: the whole screen until the host's word."""

    name: str
    call: str
    face: int
    throws: int


class Scoreboard(PageModel, frozen=True):
    """`/`: one scene. `follow` is the address for phones; `silent`: the head says nothing."""

    template = "board/scoreboard.html"
    css = "tv"
    device = "tv"

    heading: model.Heading
    scene: model.Scene
    follow: str = ""
    silent: bool = False

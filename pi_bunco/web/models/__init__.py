"""What every page shows, as plain frozen values: `present` makes them, `pages` turns them into HTML.

Names of people are as the evening has them; `call` is the short name that stands on a place card. Points are
(US, THEM); seats are A to D, teams `us` (A, C) and `them` (B, D), faces 1 to 6, tables from 1, the head.
Times of the day are text, `19:05`. Nothing here is HTML and nothing is translated; sentences that come from
the head are English as the head wrote them.
"""

from msgspec import Struct

from pi_bunco.web.models.board import (
    AfterBell,
    BeforeFirst,
    Between,
    BreakTime,
    BuncoMoment,
    Finale,
    FinalThrow,
    GrandPrize,
    NoEvening,
    PlaceShown,
    Playing,
    Scene,
    Scoreboard,
    Stage,
    StageScene,
)
from pi_bunco.web.models.host import (
    Action,
    BigKey,
    Chart,
    DiceCount,
    HostEvenings,
    HostFrame,
    HostHealth,
    HostLog,
    HostNote,
    HostResults,
    HostTable,
    HostTonight,
    KeyCheck,
    LoginPage,
    LogRow,
    Notice,
    PastEvening,
    Person,
    PhoneCodes,
)
from pi_bunco.web.models.paper import CardRow, PrintPage, ScoreCard
from pi_bunco.web.models.parts import (
    BellRule,
    BellShown,
    Chair,
    Doing,
    Heading,
    PrizeRow,
    RaceShown,
    RankRow,
    Result,
    Roller,
    RollHere,
    RollOffShown,
    RollOffTurn,
    SeatRow,
    Side,
    TableShown,
    ThrowShown,
    Way,
)
from pi_bunco.web.models.players import Me, MyRound, PhonePage, PlayerPage, Standing, TablePage, Worth
from pi_bunco.web.models.preparing import Dimension, HostPrepare, RuleChoice

__all__ = [
    "Action",
    "AfterBell",
    "BeforeFirst",
    "BellRule",
    "BellShown",
    "Between",
    "BigKey",
    "BreakTime",
    "BuncoMoment",
    "CardRow",
    "Chair",
    "Chart",
    "DiceCount",
    "Dimension",
    "Doing",
    "ErrorPage",
    "FinalThrow",
    "Finale",
    "GrandPrize",
    "Heading",
    "HostEvenings",
    "HostFrame",
    "HostHealth",
    "HostLog",
    "HostNote",
    "HostPage",
    "HostPrepare",
    "HostResults",
    "HostTable",
    "HostTonight",
    "KeyCheck",
    "LogRow",
    "LoginPage",
    "Me",
    "MyRound",
    "NoEvening",
    "Notice",
    "PageModel",
    "PastEvening",
    "Person",
    "PhoneCodes",
    "PhonePage",
    "PlaceShown",
    "PlayerPage",
    "Playing",
    "PrintPage",
    "PrizeRow",
    "RaceShown",
    "RankRow",
    "Result",
    "RollHere",
    "RollOffShown",
    "RollOffTurn",
    "Roller",
    "RuleChoice",
    "Scene",
    "ScoreCard",
    "Scoreboard",
    "SeatRow",
    "Side",
    "Stage",
    "StageScene",
    "Standing",
    "TablePage",
    "TableShown",
    "ThrowShown",
    "Way",
    "Worth",
]


class ErrorPage(Struct, frozen=True):
    """Anything that went wrong, in a sentence with the way out: `status` of HTTP, `text` in English."""

    status: int
    text: str


HostPage = HostTonight | HostHealth | HostPrepare | HostResults | HostEvenings | HostLog | PhoneCodes
PageModel = Scoreboard | PlayerPage | TablePage | PhonePage | HostPage | LoginPage | PrintPage | ErrorPage

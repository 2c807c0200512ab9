"""The models of the pages, made of a `Situation`. Pure: time is a parameter.

Each function takes a situation and returns a model: `scoreboard(s, names)` where `names` is a range of
letters ("A-F"), `player(s, name, tab)`, `table(s, number)`, `phone(s, number, play)`; of the host
`tonight(s, query, notice)`, `health(s, query, notice)`, `prepare(s, draft, query, notice)`,
`results(s, query, notice)`, `log(s, query, notice)`, `paper(s, kind)`. A past evening is a
situation of its own.
"""

from pi_bunco.web.personal import phone, player, table
from pi_bunco.web.scenes import scoreboard
from pi_bunco.web.situation import HeadSigns, HostQuery, PhonePlay, Situation, TableSigns

__all__ = [
    "HeadSigns",
    "HostQuery",
    "PhonePlay",
    "Situation",
    "TableSigns",
    "phone",
    "player",
    "scoreboard",
    "table",
]

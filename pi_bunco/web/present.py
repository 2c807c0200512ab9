"""The models of the pages, made of a `Situation`. Pure: time is a parameter.

Each function takes a situation and returns a model: `scoreboard(s, names)` where `names` is a range of
letters ("A-F"), `player(s, name, tab)`, `table(s, number)`, `phone(s, number, play)`; of the host
`tonight(s, query, notice)`, `health(s, query, notice)`, `prepare(s, draft, query, notice, last)`,
`results(s, notice, evening)`, `log(s, query, notice)`, `paper(s, kind)`, `evenings(s, past, notice)`,
`codes(s, notice)`. A past evening is a situation of its own; `evening` is its id then.
"""

from pi_bunco.web.draft import Draft, changed, open_args
from pi_bunco.web.personal import phone, player, table
from pi_bunco.web.prepare import prepare
from pi_bunco.web.review import codes, evenings, health, log, paper, results
from pi_bunco.web.scenes import scoreboard
from pi_bunco.web.situation import HeadSigns, HostQuery, PhonePlay, Situation, TableSigns
from pi_bunco.web.tonight import tonight

__all__ = [
    "Draft",
    "HeadSigns",
    "HostQuery",
    "PhonePlay",
    "Situation",
    "TableSigns",
    "changed",
    "codes",
    "evenings",
    "health",
    "log",
    "open_args",
    "paper",
    "phone",
    "player",
    "prepare",
    "results",
    "scoreboard",
    "table",
    "tonight",
]

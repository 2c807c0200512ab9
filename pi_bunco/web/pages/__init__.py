"""All pages, and what their templates call.

Forms post `application/x-www-form-urlencoded` with `csrf`; answer 303 to the field `back` (a path of ours):

- `POST /host/command`: `command` and `args` (JSON text of the arguments, wire/README.md). A field
  `arg.NAME` is one more argument as text (`arg.minutes=15`), to be converted by the type of the argument;
  of a tally `arg.cards.S.points|buncos|minis` with S from 0 to 3. `round` is `HostFrame.round` of the page:
  what means the round that the host saw is refused in another. `seats_set` has the seats that the host saw in
  `before` (JSON) and is refused where they are others now. The answer shows on the page `back` as
  `HostFrame.notice`, for a minute at most: until the evening is another in what it speaks of
  (`Notice.moment`), or `POST /host/setting` has `seen`.
- `POST /host/prepare`: the fields of `draft.changed`; `do=last` adds the people of the last evening,
  `people_of` those of the evening with this id; `do=open` opens the evening and draws the seats,
  `do=replace` also where another one is not closed.
- `POST /host/pis`: `id` of a Pi that asks with `table` and `plays`, `keys` or `away`. `POST /host/pis/copy`:
  a copy of the hall. `POST /join`, by a Pi: `enrol/README.md`.
- `POST /host/people`: `id` with `to` (a state), `take`, `as` (the id of whom it is) or `forget` (`kept`
  leads back to what is kept of all); `pays`, `no_portrait`; `strangers` deletes all who are not expected and
  never came, `no_shows` has ghosts play for who is not here.
- `POST /door/login`: `pin` of the helpers (`POST /host/people` with `helpers` draws one).
- `POST /door`: `tap`, `do` (`here`, `not_here`, `pays` of `id`; `walk_in` of `name`).
- `POST /host/roster`: `file` or `text` (a roster), `col.FIELD` (the place of a column, -1 for none);
  `do=take` puts it on the list. Answers with the page itself, and 303 once nothing is left of it.
- `POST /host/finale`: `do` is `next` (with `revealed`, how many steps the page showed), `all` or `again`.
- `POST /host/screens`: `id`, `name`, `show` of a TV; `do=test` has all ring, `do=forget` forgets one;
  `do=sounds`: `theme`, `pack`, `loud`, `quiet` of all (`site/themes.py`, `site/sounds.py`).
- `POST /host/files`: `file` with its `use` (`pictures`, `logos`, or the sound of `start`, `end`, `bunco`,
  `minute`) and `name`; `forget` has the kind and name of one that goes (`site/own_files.py`).
- `POST /screen`, by a screen: `kind`, `number`, `sound`, `awake`, `battery`, `closed` (`site/screens.py`);
  the answer is what it is to `show`, its `sounds`, and addresses of the host's `own`.
- `POST /host/login`: `pin`, `next`; `POST /host/logout`. `POST /host/setting`: `title`, the host's `name`, or
  `show`: `skip` (the scoreboards tell the seats alone until the next round) or `all`.
- `POST /me`: `name` (empty: forget it), remembered in a cookie; who tells one is here.
- `POST /me/portrait`: a JPEG of at most 48 kB (`image/jpeg`), or anything else to delete it.
- `POST /look`: `theme`, `lang`, in cookies.
- `POST /table/N/play`: `code`. `POST /table/N/tap`, also by script with `Accept: application/json`:
  `mark_boot`, `mark_seq` (the phone's own name for the tap, web/README.md; it counts for the phone of
  this cookie alone), `round` (of the page that was tapped: what is no throw is refused
  in another one), `age` (for how many ms the phone has kept it: it counts for when it was made, not before
  the tap before it) and `tap`, one of
  `one two mini bunco miss wipe undo ok help`, `dice` with `dice=3,5,5`, `faceoff` with `dice=4,2` (US,
  THEM), `turn` with `seat=B`; between rounds `rolloff` with `for`, `group`, `who1` to `who3` and `die1` to
  `die3` (one name: all dice are that player's), `unroll` takes it back. 204 once it is in the outbox, or the
  head has done it (`x-state` names the first state of the table that has it); 409 with a sentence as text
  where it is refused for good; any other answer has the phone
  keep the tap and send it again, oldest first. Without scripts the marks are empty and the faces come as
  `die1`, `die2`, `die3`; answer those with 303.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pi_bunco.web.pages.board import page as board
from pi_bunco.web.pages.board.name_list import line_tenths, prize_tenths
from pi_bunco.web.pages.door import page as door
from pi_bunco.web.pages.host import page as host
from pi_bunco.web.pages.host.health import page as health
from pi_bunco.web.pages.host.health import screen_list
from pi_bunco.web.pages.host.host_words import HostWords
from pi_bunco.web.pages.host.log import page as log
from pi_bunco.web.pages.host.people import page as people
from pi_bunco.web.pages.host.pis import page as pis
from pi_bunco.web.pages.host.prepare import page as prepare
from pi_bunco.web.pages.host.results import page as results
from pi_bunco.web.pages.host.results import picture
from pi_bunco.web.pages.host.roster import page as roster
from pi_bunco.web.pages.host.tonight import page as tonight
from pi_bunco.web.pages.paper import page as paper
from pi_bunco.web.pages.phone_table import page as phone_table
from pi_bunco.web.pages.player import page as player
from pi_bunco.web.pages.shared import charts, names
from pi_bunco.web.pages.shared.model import TableShown
from pi_bunco.web.pages.shared.words import StageWords, Wording
from pi_bunco.web.pages.table import page as table
from pi_bunco.web.site.app import Pages
from pi_bunco.web.site.drawing import Templates
from pi_bunco.words.catalogue import Texts
from pi_bunco.words.results import ResultWords
from pi_bunco.words.sentences import sentences


def words(catalogue: Texts, lang: str) -> Mapping[str, Any]:
    """The names that templates call: words (`hw`: the host, `sw`: between rounds, `rw`: results), charts."""
    return {
        "w": Wording(catalogue),
        "hw": HostWords(catalogue, lang),
        "sw": StageWords(catalogue),
        "rw": ResultWords(catalogue),
        "size": names.size,
        "chart": charts,
        "line_tenths": line_tenths,
        "prize_tenths": prize_tenths,
        "seat_lists": seat_lists,
        "say": sentences(lang),
    }


def seat_lists(shown: Sequence[TableShown]) -> list[list[str]]:
    """The names at each table, seats A to D."""
    return [[chair.name for chair in table.chairs] for table in shown]


TEMPLATES = Templates(
    __name__,
    "shared/document.html",
    words,
    {"p": "shared/parts.html", "my": "player/player_parts.html"},
)
PAGES = Pages(
    (
        board.PAGE,
        player.PAGE,
        table.PAGE,
        phone_table.PAGE,
        tonight.PAGE,
        health.HEALTH_PAGE,
        health.CODES_PAGE,
        people.PAGE,
        roster.PAGE,
        pis.PAGE,
        screen_list.PAGE,
        prepare.PAGE,
        results.PAGE,
        picture.PAGE,
        log.PAGE,
        results.EVENINGS_PAGE,
        paper.PAGE,
    ),
    (people.FORM, *pis.FORMS, prepare.FORM, roster.FORM, *screen_list.FORMS, results.FORM, host.SETTING),
    (log.LOG_FILE, paper.RESULTS_FILE),
    (
        player.routes,
        phone_table.routes,
        people.routes,
        door.routes,
        host.routes,  # last: it has all that is left below `/host`
    ),
    TEMPLATES,
    board.shown_scoreboard,
)

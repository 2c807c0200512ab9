"""The host sees each key of a panel arrive: the beats count presses, the page ticks them off."""

from pathlib import Path

from pi_bunco.devices.protocols import Press
from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.pages.host.frame import HostQuery
from pi_bunco.web.pages.host.health.page import CHECK_S, PANEL_BUTTONS, KeyCheck, shown_health
from pi_bunco.web.site.evening_now import TablePresence
from pi_bunco.web.site.hall_presence import Presences
from pi_bunco.web.site.page import Context
from pi_bunco.wire.messages import Beat
from services.hall import Hall
from web.nights import Night


def check(night: Night, table: int = 3, **tables: TablePresence) -> KeyCheck | None:
    signs = {int(name[1:]): one for name, one in tables.items()}
    return shown_health(night.evening_now(tables=signs), HostQuery(table=table)).keys


def test_a_press_is_counted_in_the_beats_round_or_not(tmp_path: Path) -> None:
    hall = Hall(tmp_path, tables=2)
    hall.open(8)
    table = hall.tables[2]
    for button in ("one", "one", "miss"):
        table.receive(Press(button, hall.clock.now(), 0))
    assert hall.head.referee.log.evening.round is None
    hall.wait(1100)
    beat = hall.head.referee.presence.tables[2].beat
    assert beat is not None
    assert beat.pressed == {"one": 2, "miss": 1}
    hall.close()


def test_a_press_is_ticked_off_when_its_count_grows() -> None:
    signs = Presences(0)
    signs.beat(3, Beat(0, pressed={"one": 4}), 1000)
    assert signs.tables(1000)[3].presses == {}  # it may have been pressed long ago
    signs.beat(3, Beat(0, pressed={"one": 5, "miss": 1}), 2000)
    before = signs.summary(2000)
    assert signs.tables(2500)[3].presses == {"one": 0.5, "miss": 0.5}
    signs.beat(3, Beat(0, pressed={"one": 1}), 3000)  # its program began anew
    assert signs.tables(3000)[3].presses == {"one": 0.0, "miss": 1.0}
    assert signs.summary(3000) != before


def test_the_page_asks_for_the_keys_one_after_the_other() -> None:
    night = Night(12).draw()
    here = TablePresence(online=True, presses={"one": 20.0, "miss": 0.5, "two": CHECK_S + 1})
    shown = check(night, t3=here)
    assert shown == KeyCheck(3, frozenset({"one", "miss"}), frozenset({"miss"}), "two")
    whole = TablePresence(online=True, presses=dict.fromkeys(PANEL_BUTTONS, 9.0))
    assert check(night, t3=whole) == KeyCheck(3, frozenset(PANEL_BUTTONS), frozenset(), "")
    model = shown_health(night.evening_now(tables={3: here}), HostQuery(table=3))
    assert "Table 3: press TWO. 2 of 8 have arrived." in TEMPLATES.render(model, Context(csrf="c"))
    assert "Tisch 3: drücke TWO. 2 von 8 sind angekommen." in TEMPLATES.render(
        model, Context(csrf="c", lang="de")
    )


def test_no_key_is_asked_for_while_it_would_count_or_cannot_arrive() -> None:
    here, away = TablePresence(online=True), TablePresence()
    playing = check(Night(12).draw().begin(), t3=here)
    assert playing is not None
    assert playing.playing
    gone = check(Night(12).draw(), t3=away)
    assert gone is not None
    assert not gone.online
    assert check(Night(12).draw(), t3=TablePresence(online=True, phone=True)) is None
    assert check(Night(12).draw(), table=9, t3=here) is None

import pytest

from pi_bunco.wire import broker

from . import Figure, conductor, crowd, engine, pages, processes, returns, services
from ._visitors import Crowd


@pytest.mark.long
def test_the_benchmarks_with_real_programs_measure_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker, "mosquitto", lambda: None)
    monkeypatch.setitem(broker._FINDERS, "mosquitto", lambda: None)
    for name, count in {"WARM": 1, "BELLS": 2, "STOPS": 1, "FACTS": 400}.items():
        monkeypatch.setattr(services, name, count)
    monkeypatch.setattr(crowd, "BELLS", 1)
    monkeypatch.setattr(returns, "RETURNS", 2)
    monkeypatch.setattr(processes, "IDLE", 0.2)
    for name, count in {"BELLS": 1, "RELAYS": 1, "ROUNDS": 2, "TOLD": 5, "PAINTS": 1, "PLAY_S": 1}.items():
        monkeypatch.setattr(pages, name, count)
    monkeypatch.setattr(pages, "BETWEEN", (0.0, 0.1))
    monkeypatch.setattr(pages, "AFTER_S", 0.5)
    monkeypatch.setattr(pages, "CROWDS", (Crowd(2, 3, 1), Crowd(2, 3, 1, tls=True, limited=True)))
    monkeypatch.setattr(pages, "PATHS", ("/",))
    rows = [*services.rows(1), *crowd.rows(1, tables=4), *returns.rows(1), *processes.rows(1)]
    rows += pages.rows(1)
    assert len({row.what for row in rows}) == len(rows) == 72
    figures = [row for row in rows if isinstance(row, Figure)]
    kinds = ("processor", "CPU")  # counted in hundredths of a second: of so short a time that may be none
    timed = [one for one in figures if one.most != 0 and not any(kind in one.what for kind in kinds)]
    assert not [(one.what, one.value) for one in timed if one.value <= 0]
    counted = [one for one in figures if one.most == 0 and "did not come in" not in one.what]
    assert not [(one.what, one.value) for one in counted if one.value]


@pytest.mark.long
def test_every_table_hears_the_clock_start_and_end_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conductor, "ROUNDS", 1)
    rows = list(conductor.rows(1, tables=4))
    assert len({row.what for row in rows}) == len(rows) == 6


def test_the_engine_s_benchmarks_measure_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "ROLLS", 500)
    monkeypatch.setattr(engine, "EVENINGS", 1)
    rows = list(engine.rows(repeats=1))
    assert len({row.what for row in rows}) == len(rows) == 10
    assert all(row.per_wall_second > 0 and row.ratio > 0 for row in rows)

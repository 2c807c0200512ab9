import pytest

from . import engine


def test_the_engine_s_benchmarks_measure_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "ROLLS", 500)
    monkeypatch.setattr(engine, "EVENINGS", 1)
    rows = list(engine.rows(repeats=1))
    assert len({row.what for row in rows}) == len(rows) == 10
    assert all(row.per_wall_second > 0 and row.ratio > 0 for row in rows)

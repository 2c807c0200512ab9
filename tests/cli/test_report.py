"""`pi-bunco report`: what is on the sheet, as page, PDF and CSV."""

import csv
import re
from pathlib import Path

import pytest

from game.evenings import Play
from pi_bunco.cli import main
from pi_bunco.game import codec
from pi_bunco.game.sheet import result_sheet, score_cards
from pi_bunco.web.pages.paper import sheets


@pytest.fixture
def log(tmp_path: Path) -> Path:
    play = Play("gong", ["abcd", "efgh"], evening__sets=1, end__bunco=False, end__points=None).open()
    play.say("roll", table=1, dice=[1, 1, 1])
    play.say("roll", table=1, dice=[2, 2, 2])
    play.decide("US", "THEM")
    for _ in range(4):
        play.round()
    assert play.say("leave", player="h") is None
    return written(tmp_path / "evening.jsonl", play.round())


def written(path: Path, play: Play) -> Path:
    path.write_bytes(b"\n".join(codec.encode(fact) for fact in play.log))
    return path


def test_a_page_has_everything_and_needs_no_server(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "sheet.html"
    assert main(["report", str(log), "--pot", "60.00", "--title", "Thursday <Bunco>", "-o", str(out)]) == 0
    page = out.read_text("utf-8")
    assert "Thursday &lt;Bunco&gt;" in page
    assert "house rules on Gong, 8 players, 6 rounds, a pot of 60.00" in page
    assert "<strong>a</strong></span><b>24.00</b>" in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "2 throws are too few" in page


def test_a_pdf_is_made(log: Path, tmp_path: Path) -> None:
    pytest.importorskip("weasyprint")
    for arguments in (["-o", "sheet.pdf"], ["--cards", "-o", "cards.pdf"]):
        out = tmp_path / arguments[-1]
        assert main(["report", str(log), *arguments[:-1], str(out)]) == 0
        assert out.read_bytes().startswith(b"%PDF-")
        assert len(out.read_bytes()) > 10_000


def test_a_long_evening_goes_on_with_another_card() -> None:
    play = Play("gong", ["abcd"], evening__sets=5)
    for _ in range(30):
        play.round()
    page = sheets.cards_page(
        score_cards(play.evening), play.evening.rules.card if play.evening.rules else (), ""
    )
    assert [page.count(f">a{part}</h2>") for part in ("", ", 1 of 2", ", 2 of 2", ", 3 of 2")] == [0, 1, 1, 0]
    assert page.count("Together") == 4
    assert page.count('<div class="four">') == 2


def test_the_tables_are_csv(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "sheet.csv"
    assert main(["report", str(log), "--pot", "60.00", "-o", str(out)]) == 0
    rows = list(csv.reader(out.read_text("utf-8").splitlines()))
    assert rows[1] == ["1", "a", "6", "0", "1", "1", "26", ""]
    assert ["Most Buncos", "a", "24.00", "24.00"] in rows
    assert next(row for row in rows if row[1:2] == ["h"])[-1] == "left"
    assert main(["report", str(log), "--cards", "-o", str(out)]) == 0
    rows = list(csv.reader(out.read_text("utf-8").splitlines()))
    assert rows[1] == ["a", "1", "1", "c", "26", "W", "1", "1"]
    assert len(rows) == 1 + 8 * 6


def test_no_name_is_a_formula() -> None:
    play = Play.of([["=1+1", "b", "c", "d"]], "gong").round()
    assert "'=1+1,1,1" in sheets.cards_table(score_cards(play.evening))


def test_there_is_no_sheet_before_the_end() -> None:
    play = Play("gong").round()
    assert result_sheet(play.evening, play.log) is None


def test_a_title_that_is_no_text_is_told(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(log), "--title", "caf\udce9", "-o", "sheet.html"]) == 2
    assert r"'caf\udce9' is not UTF-8" in capsys.readouterr().err


def test_a_running_evening_has_no_results_yet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = written(tmp_path / "log.jsonl", Play("gong").round())
    assert main(["report", str(log), "-o", str(tmp_path / "x.csv")]) == 2
    assert "the evening is not over yet" in capsys.readouterr().err


def test_sheets_follow_the_language_of_the_terminal(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGUAGE", "de")
    for arguments, german in (([], "Meiste Buncos"), (["--cards"], "Zusammen")):
        out = tmp_path / "sheet.html"
        assert main(["report", str(log), *arguments, "-o", str(out)]) == 0
        page = out.read_text("utf-8")
        assert '<html lang="de"' in page
        assert german in page
        assert not re.search(r"Most |Together|round by round|Won<", page)

"""The scoreboard's code for the Wi-Fi: on the screen before the evening, and nowhere else."""

from pathlib import Path

import pytest

from pi_bunco.cli import main
from pi_bunco.web.pages.shared.charts import qr, wifi_name
from web.backends import OPEN, SEATS, START, FakeBackend

CODE = "WIFI:T:WPA;S:Bunco home;P:kept-word;;"


@pytest.mark.parametrize("log", [(), (OPEN,), (OPEN, SEATS)])
def test_both_codes_stand_side_by_side_before_the_evening(
    backend: FakeBackend, log: tuple[object, ...]
) -> None:
    backend.start_with(wifi=CODE)
    backend.head()
    backend.take(*log)  # type: ignore[arg-type]
    page = backend.browser().get("/").text
    for text in ("1. Join the Wi-Fi", "Bunco home", "2. Follow on your phone"):
        assert text in page
    assert str(qr(CODE, "x")).split("<path")[1] in page


def test_the_password_is_in_nothing_else(backend: FakeBackend) -> None:
    backend.start_with(wifi=CODE)
    backend.take(OPEN, SEATS)
    browser = backend.browser()
    pages = [browser.get(path).text for path in ("/me", "/table/1", "/api/board", "/api/evening")]
    backend.take(START)
    pages.append(browser.get("/").text)
    for page in pages:
        assert "Wi-Fi" not in page
        assert "kept-word" not in page


def test_a_page_that_does_not_know_it_shows_its_address_alone(backend: FakeBackend) -> None:
    backend.take(OPEN, SEATS)
    page = backend.browser().get("/").text
    assert "Wi-Fi" not in page
    assert "Follow on your phone" in page


def test_the_name_is_read_from_the_code() -> None:
    assert wifi_name(CODE) == "Bunco home"
    assert wifi_name('WIFI:T:WPA;S:a\\;b\\,c\\:d\\"e\\\\f;P:p\\;w;;') == 'a;b,c:d"e\\f'
    assert wifi_name("WIFI:T:nopass;S:Open;;") == "Open"


def test_a_file_that_holds_none_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "wifi"
    file.write_text("kept-word\n")
    options = ["--broker", "127.0.0.1:1", "--data", str(tmp_path), "--listen", "127.0.0.1:0"]
    assert main(["web", *options, "--wifi-file", str(file)]) == 2
    assert f"wifi_file = {file} holds no text of a Wi-Fi's QR code" in capsys.readouterr().err

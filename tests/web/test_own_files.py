"""Files of the host's own: pictures and logos in the break, sounds of the TVs."""

import pytest
from playwright.sync_api import Page
from starlette.testclient import TestClient

from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.pages.board.model import OwnPictures
from pi_bunco.web.pages.board.page import Wish, shown_scoreboard
from pi_bunco.web.pages.shared.heading import PAGE_MS
from pi_bunco.web.site.own_files import MOST_FILES
from pi_bunco.web.site.page import Context
from web.backends import PIN, FakeBackend
from web.gallery import OWN
from web.nights import Night
from web.test_screen_list import TV, csrf

PNG = b"\x89PNG\r\n\x1a\n picture"
MP3 = b"ID3 sound"


@pytest.fixture
def browser_of_host(backend: FakeBackend) -> TestClient:
    browser = backend.browser()
    browser.post("/host/login", data={"pin": PIN})
    return browser


def send(host: TestClient, use: str, data: bytes, name: str = "") -> int:
    form = {"csrf": csrf(host), "use": use, "name": name}
    return host.post("/host/files", data=form, files={"file": ("IMG_1.jpg", data)}).status_code


def test_a_picture_is_taken_shown_and_deleted(browser_of_host: TestClient, backend: FakeBackend) -> None:
    host = browser_of_host
    assert send(host, "pictures", PNG, "The cake was Ida's") == 303
    (file,) = backend.own_files.of("pictures")
    assert (file.name, file.called) == ("The cake was Ida's.png", "The cake was Ida's")
    answer = backend.browser().get(file.address)
    assert (answer.content, answer.headers["content-type"]) == (PNG, "image/png")
    host.post("/host/files", data={"csrf": csrf(host), "forget": f"pictures/{file.name}"})
    assert backend.own_files.of("pictures") == ()
    assert backend.browser().get(file.address).status_code == 404


def test_only_what_it_says_it_is_is_taken_and_not_without_end(
    browser_of_host: TestClient, backend: FakeBackend
) -> None:
    for use, data in (
        ("pictures", MP3),
        ("logos", b"<svg>"),
        ("start", PNG),
        ("../x", PNG),
        ("pictures", b""),
    ):
        send(browser_of_host, use, data)
    assert not any(backend.own_files.all().values())
    for _ in range(MOST_FILES + 1):
        backend.own_files.put("pictures", "", PNG)
    assert len(backend.own_files.of("pictures")) == MOST_FILES
    assert {one.called for one in backend.own_files.of("pictures")} == {""}


def test_a_file_that_is_not_taken_is_told_with_the_way_on(
    browser_of_host: TestClient, backend: FakeBackend
) -> None:
    host = browser_of_host
    for use, data, why in (
        ("pictures", b"\0\0\0\x24ftypheic", "send a PNG, a JPEG or a WebP."),
        ("start", PNG, "send an MP3, an OGG, a WAV or an M4A."),
    ):
        send(host, use, data)
        assert why in host.get("/host/screens").text
    for _ in range(MOST_FILES):
        backend.own_files.put("logos", "", PNG)
    send(host, "logos", PNG)
    assert f"There are {MOST_FILES} of these already" in host.get("/host/screens").text
    assert backend.own_files.put("minute", "", b"\0\0\0\x20ftypM4A ") is None
    assert backend.own_files.sounds().keys() == {"minute"}


def test_a_sound_that_cannot_be_written_leaves_the_one_before(
    backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    backend.own_files.put("start", "", MP3)
    monkeypatch.setattr("pi_bunco.web.site.own_files.write", full)
    with pytest.raises(OSError, match="No space"):
        backend.own_files.put("start", "", b"OggS")
    assert [one.name for one in backend.own_files.of("sounds")] == ["start.mp3"]


@pytest.mark.parametrize(
    "path", ["/own/pictures/..%2F..%2Fweb.db", "/own/web.db/x", "/own/themes/x/theme.toml"]
)
def test_nothing_else_of_the_folder_is_served(backend: FakeBackend, path: str) -> None:
    backend.own_files.put("pictures", "one", PNG)
    assert backend.browser().get(f"/own/{path}").status_code == 404


def test_upload_needs_a_host(backend: FakeBackend) -> None:
    answer = backend.browser().post("/host/files", data={"use": "start"}, files={"file": ("a", MP3)})
    assert answer.headers["location"] == "/host/login"
    assert backend.own_files.sounds() == {}


def test_a_sound_takes_the_place_of_the_one_before(browser_of_host: TestClient, backend: FakeBackend) -> None:
    send(browser_of_host, "start", MP3, "whatever")
    send(browser_of_host, "start", b"OggS")
    assert [one.name for one in backend.own_files.of("sounds")] == ["start.ogg"]
    told = backend.browser().post("/screen", data=TV).json()["own"]
    assert list(told) == ["start"]
    assert backend.browser().get(told["start"]).content == b"OggS"


def test_the_break_shows_standings_and_pictures_in_turns_and_thanks_the_sponsors() -> None:
    night = Night(12, rules="mybunco").draw().rounds(12)
    scenes = [shown_scoreboard(night.evening_now(10_000 * n + 12_000, own_files=OWN)) for n in range(24)]
    pages = [TEMPLATES.render(one, Context()) for one in scenes]
    breaks = [page for page in pages if "p-break" in page]
    pictures = [("The cake" in page, "/own/pictures/2.jpg" in page, "So far" in page) for page in breaks]
    assert pictures == [
        [(False, False, True), (True, False, False), (False, True, False)][n % 3] for n in range(12)
    ]
    assert all("With thanks to" in page and 'alt="Oak Street Bakery"' in page for page in breaks)


def test_a_screen_shows_the_hosts_pictures_in_turns_and_the_scoreboard_where_there_are_none() -> None:
    night, wish = Night(12, rules="mybunco").draw().rounds(1), Wish(show="pictures")
    shown = [shown_scoreboard(night.evening_now(PAGE_MS * n, own_files=OWN), wish).scene for n in range(4)]
    assert {one.picture for one in shown if isinstance(one, OwnPictures)} == set(OWN["pictures"])
    logos = shown_scoreboard(night.evening_now(own_files={"logos": OWN["logos"]}), wish)
    assert "With thanks to" in TEMPLATES.render(logos, Context())
    assert not isinstance(shown_scoreboard(night.evening_now(), wish).scene, OwnPictures)


@pytest.mark.system("chromium")
def test_a_photograph_is_made_small_before_it_is_sent(host: Page, backend: FakeBackend, place: str) -> None:
    big = host.evaluate(
        """async () => {
          const canvas = Object.assign(document.createElement("canvas"), { width: 4000, height: 3000 });
          const file = await new Promise((done) => canvas.toBlob(done, "image/png"));
          return [...new Uint8Array(await file.arrayBuffer())];
        }"""
    )
    host.goto(f"{place}/host/screens")
    photograph = {"name": "a.png", "mimeType": "image/png", "buffer": bytes(big)}
    host.set_input_files("#own-form [name=file]", photograph)  # type: ignore[arg-type]
    host.click("#own-form button")
    host.wait_for_function("() => document.querySelector('#own-files img')?.complete")
    (file,) = backend.own_files.of("pictures")
    assert file.name == "1.jpg"
    size = host.evaluate(
        "() => { const { naturalWidth, naturalHeight } = document.querySelector('#own-files img');"
        " return [naturalWidth, naturalHeight]; }"
    )
    assert size == [1920, 1440]

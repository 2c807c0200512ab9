"""A page as a screen: it rings after a tap and says so only then, stays lit, and shows the bell."""

import re
from collections.abc import Iterator
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from chromium import PATIENCE
from game.evenings import fact
from pi_bunco.web.site.streams import BELLS, event
from web.backends import SEATS, START, FakeBackend

pytestmark = pytest.mark.system("chromium")

COUNT_TONES = """
    window.tones = 0;
    window.waves = {};
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...args) {
      window.tones++;
      window.waves[this.type] = (window.waves[this.type] ?? 0) + 1;
      return start.apply(this, args);
    };
"""
OPEN = fact(
    "evening", id="e1", rules="gong", players=["Ann", "Bob", "Cat", "Dee"],
    overrides={"after_bell_head": "finish_turn", "after_bell": "finish_turn"},
)  # fmt: skip
TONES, FANFARE = 4, 6
"""Tones of a strike, and of the fanfare."""


@pytest.fixture
def context(browser: Browser, backend: FakeBackend) -> Iterator[BrowserContext]:
    """A screen whose tones are counted; a round is open, and table 1 is a phone."""
    backend.take(OPEN, SEATS, START)
    backend.plays_on_a_phone()
    screen = browser.new_context(screen={"width": 1280, "height": 720})
    screen.set_default_timeout(PATIENCE * 1000)
    screen.add_init_script(COUNT_TONES)
    yield screen
    screen.close()


def until(page: Page, true: str) -> None:
    """Lets the page go on until it is true; the test's bound ends it."""
    while not page.evaluate(true):
        pass


def state(page: Page) -> str | None:
    return page.locator(".soundkey").get_attribute("data-sound")


def test_a_screen_says_that_it_rings_only_once_it_can(
    context: BrowserContext, place: str, backend: FakeBackend
) -> None:
    page = context.new_page()
    page.goto(place)
    key = page.locator(".soundkey")
    expect(key).to_have_text("Silent until somebody taps here", use_inner_text=True)
    key.click()
    expect(key).to_have_text("Sound is on", use_inner_text=True)
    until(page, f"tones === {TONES}")  # the tap's own
    backend.streams.push(BELLS["end"])
    until(page, f"tones === {TONES} * 4")
    page.reload()
    assert state(page) in ("on", "silent")  # as this browser allows; what it says is true either way
    rings = state(page) == "on"
    backend.streams.push(BELLS["start"])
    until(page, f"tones === {4 if rings else 0}")


def test_a_new_screen_tells_of_itself_once_before_all_else(context: BrowserContext, place: str) -> None:
    context.add_init_script("""
        const send = window.fetch;
        window.before_the_answer = window.told = 0;
        window.fetch = async (...of) => {
          if (!window.told) window.before_the_answer++;
          try { return await send(...of); } finally { window.told++; }
        };
    """)
    page = context.new_page()
    page.goto(place)
    page.locator(".soundkey").click()
    until(page, "told > 1")
    assert page.evaluate("before_the_answer") == 1


def test_what_changes_before_the_first_answer_is_told_in_one_word(
    context: BrowserContext, place: str
) -> None:
    page = context.new_page()
    page.add_init_script("""
        const send = window.fetch;
        window.sent = 0;
        window.fetch = async (...of) => {
          if (!window.sent++) await new Promise((answer) => (window.answer = answer));
          return send(...of);
        };
    """)
    page.goto(place)
    until(page, "window.answer !== undefined")
    sent = page.evaluate("""async () => {
        for (let n = 0; n < 3; n++) document.dispatchEvent(new Event("screen"));
        answer();
        while (sent < 2) await new Promise((later) => setTimeout(later));
        return sent;
    }""")
    assert sent == 2


def test_a_screen_whose_first_answer_is_cut_off_goes_on_telling_of_itself(
    context: BrowserContext, place: str
) -> None:
    page = context.new_page()
    page.route("**/screen", lambda route: route.fulfill(body='{"show":'), times=1)
    with page.expect_response("**/screen"):
        page.goto(place)
    for _ in range(2):
        with page.expect_response("**/screen"):
            page.evaluate("document.dispatchEvent(new Event('screen'))")


def test_a_tv_that_was_asked_to_speaks_who_rang_and_who_still_plays(
    context: BrowserContext, place: str, backend: FakeBackend
) -> None:
    page = context.new_page()
    page.add_init_script(
        "speechSynthesis.speak = (speech) => (window.spoken ??= []).push([speech.lang, speech.text])"
    )
    page.goto(place)
    key = page.locator(".soundkey")
    for words in ("Sound is on", "Sound is on, and speaks", "Sound is off", "Sound is on"):
        key.click()
        expect(key).to_have_text(words, use_inner_text=True)
    key.click()
    expect(key).to_have_text("Sound is on, and speaks", use_inner_text=True)
    backend.take(fact("round_close", 5000, epoch=1))
    until(page, "window.spoken?.length > 0")
    assert page.evaluate("window.spoken[0]") == ["en", "The bell has rung: The host rang."]


def test_a_screen_that_was_switched_off_stays_silent(
    context: BrowserContext, place: str, backend: FakeBackend
) -> None:
    page = context.new_page()
    page.goto(place)
    key = page.locator(".soundkey")
    key.click()
    expect(key).to_have_text("Sound is on", use_inner_text=True)
    key.click(click_count=2)
    expect(key).to_have_text("Sound is off", use_inner_text=True)
    page.reload()
    expect(key).to_have_text("Sound is off", use_inner_text=True)


def test_the_first_tap_at_a_phone_table_arms_its_sound(
    context: BrowserContext, place: str, backend: FakeBackend
) -> None:
    page = context.new_page()
    page.goto(f"{place}/table/1/play?code={backend.code()}")
    page.click("button[value=one]")
    until(page, f"tones === {TONES}")
    backend.streams.push(BELLS["end"])
    until(page, f"tones === {TONES} * 4")


def test_a_screen_stays_lit_without_a_secure_page(context: BrowserContext, place: str) -> None:
    page = context.new_page()
    page.add_init_script("Object.defineProperty(navigator, 'wakeLock', { value: undefined })")
    page.goto(place)
    until(page, "document.querySelector('video.awake')?.paused === false")
    until(page, "document.querySelector('video.awake').currentTime > 0")
    seen = page.locator("video.awake").evaluate("v => [v.loop, v.muted, v.getBoundingClientRect().width]")
    assert seen == [True, True, 1280]
    top = "document.elementFromPoint(innerWidth / 2, innerHeight / 2).tagName"
    assert page.evaluate(top) != "VIDEO"


def test_the_bell_is_shown_at_once_to_a_phone_that_plays_on(
    context: BrowserContext, place: str, backend: FakeBackend
) -> None:
    page = context.new_page()
    page.goto(f"{place}/table/1/play?code={backend.code()}")
    rang = page.locator("#rang")
    expect(page.locator("button[value=miss]")).to_be_visible()
    expect(rang).to_be_hidden()
    backend.streams.push(BELLS["end"])
    expect(rang).to_have_text(re.compile(r"^\s*The bell has rung\.\s*$"))
    backend.take(fact("roll", 2000, table=1, call="one", source="hand"))
    backend.take(fact("round_close", 3000), fact("bell", 3040))
    expect(rang).to_contain_text("Ann has the last turn, then this table is done.")
    expect(page.locator("button[value=miss]")).to_contain_text("then this table is done")


def test_a_question_that_the_bell_overtakes_says_so_and_counts_for_its_first_tap(
    context: BrowserContext, place: str, backend: FakeBackend
) -> None:
    page = context.new_page()
    page.goto(f"{place}/table/1/play?code={backend.code()}")
    page.clock.install()
    page.click("button[value=bunco]")
    sheet = page.locator("#ringing")
    expect(sheet).to_contain_text("The bell rings at every table")
    backend.take(fact("round_close", 3000), fact("bell", 3040))
    expect(sheet).to_contain_text("The bell has rung meanwhile")
    expect(sheet).to_be_visible()
    page.clock.run_for(5000)
    with page.expect_request(lambda sent: "bunco" in (sent.post_data or "")) as request:
        sheet.locator("[data-yes]").click()
    expect(sheet).to_be_hidden()
    age = re.search(r"tap=bunco.*&age=(\d+)", unquote(request.value.post_data or ""))
    assert age is not None
    assert int(age[1]) >= 5000


def test_a_tv_tells_of_itself_and_shows_at_once_what_the_host_says(
    context: BrowserContext, place: str, host: Page
) -> None:
    tv = context.new_page()
    with tv.expect_response("**/screen"):
        tv.goto(place)
    host.goto(f"{place}/host/screens")
    row = host.locator(".screens > li").first
    expect(row).to_contain_text("TV 1")
    while state(tv) != "on":
        tv.mouse.click(5, 5)  # its machine may be slow to give it sound
    expect(row).to_contain_text("sound on")
    host.select_option("select[name=show]", "show=standings")
    with tv.expect_navigation():
        host.click(".screenform button:not([name])")
    assert tv.locator("body").get_attribute("data-show") == "show=standings"
    tones = tv.evaluate("tones")
    tv.locator(".soundkey").click()  # the page is new: off or armed, as this browser has it
    tv.evaluate("localStorage.setItem('sound', 'on')")
    tv.mouse.click(5, 5)
    host.click("button[value=test]")
    until(tv, f"tones > {tones}")
    tv.close()
    expect(row).to_contain_text("closed")


@pytest.fixture
def tv(context: BrowserContext, place: str) -> Page:
    """A TV that somebody has tapped, and that has what a screen with sound loads besides."""
    page = context.new_page()
    page.add_init_script(
        "const loaded = (event) => { window.shows ||= /show.js$/.test(event.target.src); };"
        "document.addEventListener('load', loaded, true);"
    )
    page.goto(place)
    while state(page) != "on":
        page.mouse.click(5, 5)
    until(page, "window.shows")
    return page


def test_a_tv_sounds_as_the_host_says_and_is_quiet_in_the_quiet_hours(
    tv: Page, host: Page, place: str, backend: FakeBackend
) -> None:
    host.goto(f"{place}/host/screens")
    host.select_option("select[name=pack]", "horn")
    with tv.expect_response("**/screen"):
        host.click("button[value=sounds]")
    host.click("button[value=test]")
    until(tv, f"waves.sawtooth === {TONES}")
    tv.route("**/screen", lambda route: route.fulfill(json={"show": None, "sounds": "horn 0"}))
    with tv.expect_response("**/screen"):
        backend.streams.push(BELLS["test"])
    until(tv, f"waves.sawtooth === 2 * {TONES}")
    backend.streams.push(BELLS["end"])
    backend.take(fact("round_close", 2000, epoch=1))
    expect(tv.locator("main.AfterBell")).to_be_visible()
    assert tv.evaluate("waves.sawtooth") == 2 * TONES


def test_a_bunco_has_a_fanfare_once_and_what_was_there_before_has_none(
    tv: Page, backend: FakeBackend
) -> None:
    backend.take(fact("roll", 2000, table=1, dice=[1, 1, 1], source="dice"))
    until(tv, f"waves.triangle === {FANFARE}")
    backend.take(fact("roll", 3000, table=1, dice=[1, 2, 3], source="dice"))
    expect(tv.locator("#t1 .bunco, #t1.bunco")).to_have_count(0)
    assert tv.evaluate("waves.triangle") == FANFARE


def test_the_last_minute_of_a_round_sounds_softly(tv: Page, backend: FakeBackend) -> None:
    backend.take(fact("pace", 2000, play_s=180, move_s=60))
    time = tv.locator("#until time")
    expect(time).to_have_attribute("data-step", "end")
    ends = int(time.get_attribute("data-until") or 0)
    while not tv.evaluate("waves.triangle"):  # the stream's own clock may come between
        for left in (60_900, 58_200):  # a busy screen misses a second
            backend.streams.push(event(str(ends - left), "clock"))
    assert tv.evaluate("waves.triangle") == 2


def test_a_screen_that_was_off_for_a_minute_shows_the_right_second_before_anything_comes(
    tv: Page, backend: FakeBackend
) -> None:
    backend.take(fact("pace", 2000, play_s=180, move_s=60))
    time = tv.locator("#until time")
    expect(time).to_have_attribute("data-step", "end")
    ends = int(time.get_attribute("data-until") or 0)
    words = "document.querySelector('#until time').textContent"
    by_server = shown = time.text_content()
    tv.clock.install()
    while shown == by_server:  # the stream's own clock may come between
        while time.text_content() != "2:30":
            backend.streams.push(event(str(ends - 150_000), "clock"))
        tv.clock.fast_forward(60_000)
        until(tv, f"{words} !== '2:30'")
        shown = time.text_content()
    assert shown == "1:30"


@pytest.mark.parametrize(
    ("width", "height", "sound"), [(390, 844, "off"), (844, 390, "off"), (800, 480, "silent")]
)
def test_a_phone_that_follows_the_board_is_no_tv_of_the_hall(
    browser: Browser, place: str, width: int, height: int, sound: str
) -> None:
    context = browser.new_context(screen={"width": width, "height": height})
    page = context.new_page()
    page.goto(place)
    expect(page.locator(".soundkey")).to_have_attribute("data-sound", sound)
    context.close()

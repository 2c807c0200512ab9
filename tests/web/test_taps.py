"""The script of a phone table in a real browser: it keeps taps, sends them, loses none."""

from collections.abc import Callable
from datetime import datetime, timedelta
from urllib.parse import unquote_plus

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from web.backends import OPEN, SEATS, START, FakeBackend

pytestmark = pytest.mark.system("chromium")


@pytest.fixture
def place(port: int, backend: FakeBackend) -> str:
    """A round is open and table 1 is a phone: where its page is."""
    backend.take(OPEN, SEATS, START)
    backend.plays_on_a_phone()
    return f"http://127.0.0.1:{port}/table/1/play"


def joined(phone: BrowserContext, place: str, backend: FakeBackend) -> Page:
    page = phone.new_page()
    page.goto(f"{place}?code={backend.code()}")
    return page


@pytest.fixture
def page(phone: BrowserContext, place: str, backend: FakeBackend) -> Page:
    """The page of a phone that has given the code."""
    return joined(phone, place, backend)


def tapped(backend: FakeBackend) -> list[str]:
    return [what for _, _, what, _ in backend.phones[1].taps]


def tap(page: Page, what: str) -> None:
    page.click(f"button[name=tap][value={what}]:visible")


def until(page: Page, true: Callable[[], bool]) -> None:
    """Lets the page's requests come until it is true; the test's bound ends it."""
    while not true():
        page.evaluate("0")


def test_two_windows_of_one_phone_lose_no_tap(
    phone: BrowserContext, place: str, backend: FakeBackend
) -> None:
    one, two = joined(phone, place, backend), joined(phone, place, backend)
    phone.set_offline(True)
    tap(one, "one")
    tap(two, "two")
    tap(one, "miss")
    expect(one.locator("#keeps")).to_contain_text("3")
    late: list[Route] = []
    one.route("**/tap", lambda route: late.append(route))
    two.route("**/tap", lambda route: route.continue_() if not backend.phones[1].taps else route.abort())
    phone.set_offline(False)
    until(two, lambda: bool(backend.phones[1].taps))
    until(one, lambda: bool(late))
    late[0].continue_()  # the other window has sent it too
    one.unroute("**/tap")
    two.unroute("**/tap")
    for page in (one, two):
        expect(page.locator("#keeps")).to_be_hidden()
    sent = {seq: what for _, seq, what, _ in backend.phones[1].taps}
    assert [sent[seq] for seq in sorted(sent)] == ["one", "two", "miss"]


def test_the_first_throw_of_a_round_is_undone_without_a_network(page: Page, phone: BrowserContext) -> None:
    undo = page.locator("button[value=undo]")
    expect(undo).to_be_hidden()
    phone.set_offline(True)
    tap(page, "two")
    expect(undo).to_have_text("Undo Ann: Two")
    tap(page, "undo")
    expect(undo).to_be_hidden()


def test_a_phone_whose_network_is_back_says_nothing_more(page: Page, phone: BrowserContext) -> None:
    phone.set_offline(True)
    expect(page.locator("#keeps")).to_contain_text("this phone keeps what you tap")
    phone.set_offline(False)
    expect(page.locator("#keeps")).to_be_hidden()


def test_a_phone_that_keeps_taps_of_another_evening_can_type_the_new_code(
    page: Page, phone: BrowserContext, backend: FakeBackend
) -> None:
    phone.set_offline(True)
    tap(page, "one")
    backend.controller.folded.begin("e2")
    phone.set_offline(False)
    field = page.locator("input[name=code]")
    expect(field).to_be_visible()
    field.fill(backend.code("e2"))
    with page.expect_request("**/tap") as request:
        page.keyboard.press("Enter")
    assert "round=e1.1" in unquote_plus(request.value.post_data or "")


def test_a_double_tap_is_one_throw(page: Page, backend: FakeBackend) -> None:
    page.clock.install()
    page.clock.pause_at(datetime.now() + timedelta(hours=1))
    page.dblclick("button[value=one]")
    page.clock.run_for(400)
    tap(page, "two")
    until(page, lambda: tapped(backend)[-1:] == ["two"])
    assert tapped(backend) == ["one", "two"]


def test_a_tap_says_of_which_round_it_is(page: Page) -> None:
    with page.expect_request("**/tap") as request:
        tap(page, "two")
    assert "round=e1.1" in unquote_plus(request.value.post_data or "")


def test_a_key_that_was_pressed_says_what_it_does_now(page: Page, backend: FakeBackend) -> None:
    miss = page.locator("button[value=miss]")
    expect(miss).to_contain_text("the dice go to Bob")
    tap(page, "miss")
    table = backend.phones[1].table
    assert table is not None
    table.seat = 1
    backend.changes.changed()
    expect(miss).to_contain_text("the dice go to Cat")
    expect(miss).to_be_focused()


def test_dice_that_were_chosen_stay_until_they_are_sent(
    phone: BrowserContext, place: str, backend: FakeBackend
) -> None:
    joined(phone, place, backend)
    page = phone.new_page()
    page.goto(f"{place}?mode=dice")
    page.check("input[name=die1][value='3']", force=True)
    page.check("input[name=die2][value='5']", force=True)
    table = backend.phones[1].table
    assert table is not None
    table.seat = 1
    backend.changes.changed()
    expect(page.locator("#turnline")).to_contain_text("Bob")
    page.check("input[name=die3][value='5']", force=True)
    with page.expect_request("**/tap"):
        page.click("button.enter")
    expect(page.locator(":checked")).to_have_count(0)
    until(page, lambda: bool(backend.phones[1].taps))
    # A slow machine sends it twice.
    assert {seq: dice for _, seq, _, dice in backend.phones[1].taps} == {1: (3, 5, 5)}


def test_an_answer_that_never_comes_has_the_phone_say_so_and_send_again(
    page: Page, backend: FakeBackend
) -> None:
    page.clock.install()
    silent: list[Route] = []
    page.route("**/tap", lambda route: silent.append(route))
    with page.expect_request("**/tap"):
        tap(page, "one")
    page.clock.fast_forward(9000)
    expect(page.locator("#keeps")).to_contain_text("1 throw is kept")
    page.unroute("**/tap")
    page.clock.fast_forward(3000)
    expect(page.locator("#keeps")).to_be_hidden()
    assert tapped(backend) == ["one"]


def test_all_that_a_phone_kept_goes_at_once(page: Page, phone: BrowserContext, backend: FakeBackend) -> None:
    phone.set_offline(True)
    for what in ("one", "two", "miss"):
        tap(page, what)
    with page.expect_request("**/tap") as request:
        phone.set_offline(False)
    expect(page.locator("#keeps")).to_be_hidden()
    assert tapped(backend) == ["one", "two", "miss"]
    sent = unquote_plus(request.value.post_data or "")
    assert all(f"tap={what}&" in sent for what in ("one", "two", "miss"))


def test_a_phone_that_hears_the_bell_says_so(page: Page) -> None:
    with page.expect_request("**/tap") as request:
        page.evaluate("document.dispatchEvent(new CustomEvent('bell', { detail: 'end' }))")
    assert unquote_plus(request.value.post_data or "") == "kept=[]"


def test_an_open_page_is_sent_what_is_new_alone_and_all_of_it_where_it_goes_by_itself(
    phone: BrowserContext, place: str, backend: FakeBackend
) -> None:
    page = phone.new_page()
    page.add_init_script(
        """window.morphs = [];
        document.addEventListener("morphed", () => morphs.push("morphed"));
        document.addEventListener("linked", () => morphs.push("linked"));"""
    )
    page.goto(f"{place}?code={backend.code()}")
    until(page, lambda: page.evaluate("morphs.length > 0"))
    page.evaluate("document.dispatchEvent(new CustomEvent('stale'))")
    until(page, lambda: page.evaluate("morphs.includes('morphed')"))
    assert page.evaluate("morphs.indexOf('morphed')") >= 3

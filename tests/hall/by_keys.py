"""A browser without a mouse: whatever a test clicks or fills is reached by Tab and arrows."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

MOST_KEYS = 200
HAS_FOCUS = "one => one === document.activeElement"
OF_THE_SAME_CHOICE = """one => {
    const focus = document.activeElement;
    const radios = [one, focus].every(({type}) => type === "radio");
    return radios && one.name === focus.name && one.form === focus.form;
}"""


def reach(place: Locator) -> None:
    """Moves the focus to it, and sees that the focus is seen."""
    for _ in range(MOST_KEYS):
        if place.evaluate(HAS_FOCUS):
            assert place.evaluate("one => getComputedStyle(one).outlineStyle") != "none", "an unseen focus"
            return
        place.page.keyboard.press("ArrowDown" if place.evaluate(OF_THE_SAME_CHOICE) else "Tab")
    raise AssertionError(f"no key leads to {place}")


def click(place: Locator, **_: Any) -> None:
    """Enter, once it may be pressed."""
    expect(place.first).to_be_enabled()
    reach(place.first)
    place.page.keyboard.press("Enter")


def fill(place: Locator, value: str, **_: Any) -> None:
    """Types over what is there."""
    reach(place.first)
    place.page.keyboard.press("Control+A")
    place.page.keyboard.press("Delete")
    place.page.keyboard.insert_text(value)


def without_a_mouse(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on every page of the test is used by keys alone."""
    for by_keys in (click, fill):
        monkeypatch.setattr(Locator, by_keys.__name__, by_keys)
        monkeypatch.setattr(Page, by_keys.__name__, _of_a_page(by_keys))


def _of_a_page(by_keys: Callable[..., None]) -> Callable[..., None]:
    return lambda page, selector, *more, **_: by_keys(page.locator(selector), *more)

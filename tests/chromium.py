"""Debian's Chromium for the tests, which wait for what it shows as long as a busy machine takes."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, expect, sync_playwright

PATIENCE = 120.0
"""Seconds in which what is awaited must happen; only a broken test waits that long."""
OPTIONS = ("--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-background-networking")
expect.set_options(timeout=PATIENCE * 1000)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a screen."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=list(OPTIONS), timeout=PATIENCE * 1000
        )
        yield browser
        browser.close()

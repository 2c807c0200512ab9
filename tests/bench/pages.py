"""The cost of the pages with a whole hall looking: phone tables that tap, a phone for everybody, TVs.

Bell to page, tap to one's own phone, processor time for a bell, memory over an evening, a router's reboot,
and the head's own bell meanwhile; beside a bare starlette page that sends as many bytes to as many. Each
device has an address of its own in 127.0.0.0/8. Tables 1 to 4 have dice and are played over MQTT, so that the
bell is the head's alone. `python -m tests.bench.pages TABLES PHONES TVS [tls] [unit]` measures one crowd,
without anything what a first visit loads.
"""

import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct, json

from pi_bunco.web.site.certificate import self_signed

from . import Figure, services, spread
from ._browsers import Device
from ._hall import BUNCO, MISS, WAIT, Hall, Program, bells, hall, unit, weighed
from ._show import show
from ._visitors import (
    HOST,
    TELLERS,
    Crowd,
    Devices,
    Pages,
    asked,
    free_port,
    let_in,
    page,
    source,
    visitors,
)

BELLS = 8
RELAYS = 20
"""Bells of the head that are timed without a page, and as many with the crowd."""
APART = (0.3, 0.6)  # s from one thing to the next meanwhile
PLAY_S = 24.0
"""Seconds of taps."""
AFTER_S = 3.0
"""Seconds in which a bell must be on all pages, and the time that its processor seconds are counted."""
BETWEEN = (2.0, 4.0)  # s of taps before a bell
ROUNDS = 6
TOLD = 400  # facts that each of them tells in a round
PAINTS = 5
PATHS = ("/", "/me", "/table/1", "/table/5/play")  # of the pages whose first paint is measured
PAINTED = """() => new Promise(painted => new PerformanceObserver(list => {
    for (const one of list.getEntriesByName("first-contentful-paint")) painted(one.startTime);
}).observe({ type: "paint", buffered: true }))"""
FIRST_KB = 70.0
SETTLED_MS = 500.0
"""Milliseconds after a page's load in which typefaces and the like still come."""


CROWDS = (
    Crowd(60, 300, 20),
    Crowd(60, 300, 20, tls=True),
    Crowd(300, 1200, 20, limited=True),
    Crowd(300, 1200, 20, tls=True, limited=True),
)


def rows(_repeats: int) -> Iterator[Figure]:
    """The pages' benchmarks."""
    for crowd in CROWDS:
        yield from of_crowd(crowd)
    if shutil.which("chromium"):
        yield from first_visits()


def of_crowd(crowd: Crowd) -> Iterator[Figure]:
    """All figures of a crowd."""
    with ExitStack() as stack:
        one = stack.enter_context(hall())
        one.cast.open(TELLERS + crowd.tables)
        services.bells(one, services.WARM, Random(1))
        alone, _ = services.bells(one, RELAYS, Random(1), APART)
        cert = self_signed(one.folder, [HOST]) if crowd.tls else None
        pages = stack.enter_context(page(one, crowd, cert))
        port = pages.port
        weight = weighed("web") if crowd.limited else ()
        browsers = stack.enter_context(Devices(one.folder / "browsers.log", port, crowd.tls, weight))
        one.cast.start()
        all_ = visitors(one, port, crowd)
        opened = browsers.call("open", all_)
        one.cast.cancel()
        name = f"{crowd.tables}+{crowd.phones}+{crowd.tvs}{' TLS' if crowd.tls else ''}"
        most = float(unit("TasksMax")[0])
        yield Figure(
            f"{name}: pages that do not open, of {len(all_)}", len(all_) - opened["open"], "", most=0.0
        )
        yield from taps(one, browsers, name)
        bell = bells_to_pages(one, browsers, pages)
        yield from bell.rows(name, crowd)
        browsers.call("play")
        seen, _ = services.bells(one, RELAYS, Random(1), APART)
        browsers.call("rest")
        what = f"{name}: roll to bell, median"
        yield Figure(what, seen.median, "ms", "without pages", seen.median / alone.median, most_ratio=1.05)
        back = browsers.call("reboot")
        yield Figure(f"{name}: not back after a router's reboot", len(all_) - back["open"], "", most=0.0)
        yield Figure(f"{name}: all back after a router's reboot", back["took_ms"] / 1000, "s", most=2.0)
        yield Figure(f"{name}: threads of the page service", pages.threads, "", most=most)
        yield from evening(one, pages, crowd, name)
    yield from bare(crowd, bell, name)


def taps(one: Hall, browsers: Devices, name: str) -> Iterator[Figure]:
    """Times until a tap is answered and on the screen of its own phone; whether all are in the journal."""
    one.cast.start()
    before, cpu, began = journaled(one), browsers.cpu, time.perf_counter()
    browsers.call("play")
    time.sleep(PLAY_S)
    played = browsers.call("rest", True)
    busy = (browsers.cpu - cpu) / (time.perf_counter() - began)
    done = played["statuses"].get("204", 0)
    failed = sum(played["statuses"].values()) - done
    kept = waited_for(lambda: min(journaled(one) - before, done), done)
    one.cast.cancel()
    answers, shown = (spread(played[key] or [WAIT * 1000]) for key in ("answers_ms", "shown_ms"))
    yield Figure(f"{name}: tap to answer, p50", answers.median, "ms")
    yield Figure(f"{name}: tap to answer, p99", answers.p99, "ms")
    yield Figure(f"{name}: tap to own phone, p50", shown.median, "ms")
    yield Figure(f"{name}: tap to own phone, p99 of {len(played['shown_ms'])}", shown.p99, "ms", most=150.0)
    yield Figure(f"{name}: taps not taken, of {done + failed}", failed, "", most=0.0)
    yield Figure(f"{name}: taken taps that are not in the journal", done - kept, "", most=0.0)
    yield Figure(f"{name}: CPU of the measuring devices", 100 * busy, "% of a core")


class Rang(Struct):
    """Milliseconds from each bell to each page and to the picture after it, and what that took."""

    bells: list[float] = []
    pictures: list[float] = []
    missed: int = 0
    bytes: int = 0
    """Of an average page."""
    cpu: list[float] = []
    idle: float = 0.0

    def rows(self, name: str, crowd: Crowd) -> Iterator[Figure]:
        """The figures."""
        bells, pictures = spread(self.bells), spread(self.pictures or [AFTER_S * 1000])
        yield Figure(f"{name}: bell to page, p50", bells.median, "ms")
        yield Figure(f"{name}: bell to page, p99 of {len(self.bells)}", bells.p99, "ms", most=crowd.bell_ms)
        yield Figure(f"{name}: bells that did not come in {AFTER_S:g} s", self.missed, "", most=0.0)
        yield Figure(f"{name}: bell to picture, p99", pictures.p99, "ms")
        yield Figure(f"{name}: processor time of a bell", spread(self.cpu).median, "s", most=0.3)
        yield Figure(f"{name}: CPU of the pages when nobody taps", 100 * self.idle, "% of a core")

    def add(self, at: float, came: dict[str, list[float]]) -> None:
        """Notes the times at which pages got the bell at `at`."""
        self.bells += [when - at if when else AFTER_S * 1000 for when in came["bells"]]
        self.pictures += [when - at for when in came["pictures"] if when]
        self.missed += came["bells"].count(0.0)
        self.bytes = round(sum(came["bytes"]) / max(len(came["bytes"]), 1))


def bells_to_pages(one: Hall, browsers: Devices, pages: Pages) -> Rang:
    """Times until the relay's bell is on every page, and the processor time of that."""
    rang, random = Rang(), Random(1)
    time.sleep(AFTER_S)  # for what the last round's end has them draw
    before = pages.cpu
    time.sleep(AFTER_S)
    rang.idle = (pages.cpu - before) / AFTER_S
    for _ in range(BELLS):
        one.cast.start()
        browsers.call("play")
        time.sleep(random.uniform(*BETWEEN))
        browsers.call("mark")
        before, began = pages.cpu, time.perf_counter()
        one.ring(one.cast.envelope(1, BUNCO))
        at: float = json.decode(bells(one.folder).read_bytes().splitlines()[-1])["t"]
        browsers.call("rest")
        time.sleep(AFTER_S)
        rang.cpu.append(pages.cpu - before - rang.idle * (time.perf_counter() - began))
        rang.add(at, browsers.call("bell"))
        one.cast.cancel()
    return rang


def bare(crowd: Crowd, measured: Rang, name: str) -> Iterator[Figure]:
    """The same bells and as many bytes from a bare page to as many."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        port = free_port()
        cert = self_signed(folder, [HOST]) or () if crowd.tls else ()
        program = stack.enter_context(Program(folder / "fan.log", "-m", "tests.bench._fan", str(port), *cert))
        browsers = stack.enter_context(Devices(folder / "browsers.log", port, crowd.tls))
        path = f"/stream?bytes={measured.bytes}"
        browsers.call("open", [Device(path, "", source(k)) for k in range(crowd.devices)])
        rang = Rang()
        for _ in range(BELLS):
            browsers.call("mark")
            before = program.cpu
            with asked(port, crowd.tls, "POST", "/fan") as answer:
                at = float(answer.read())
            time.sleep(AFTER_S)
            rang.cpu.append(program.cpu - before)
            rang.add(at, browsers.call("bell"))
    ours, theirs = spread(measured.bells).p99, spread(rang.bells).p99
    beside = f"a bare page, {measured.bytes} bytes each"
    yield Figure(f"{name}: bell to page, p99, beside a bare page", ours, "ms", beside, ours / theirs)
    cpu, least = spread(measured.cpu).median, spread(rang.cpu).median
    yield Figure(f"{name}: processor time of a bell, beside a bare page", cpu, "s", beside, cpu / least)


def evening(one: Hall, pages: Pages, crowd: Crowd, name: str) -> Iterator[Figure]:
    """The memory of the page service over an evening with all pages open."""
    memory, share, behind = list[float](), list[float](), list[float]()
    for _ in range(ROUNDS):
        play(one, TELLERS + crowd.tables)
        began = time.perf_counter()
        waited_for(lambda: in_step(pages.port, crowd.tls), True)
        behind.append(time.perf_counter() - began)
        memory.append(pages.memory)
        share.append(pages.share)
    first, last = share[0], share[-1]
    yield Figure(f"{name}: pages behind {TELLERS * TOLD} facts of a few seconds", max(behind), "s")
    what = f"{name}: memory after {ROUNDS} rounds (PSS)"
    yield Figure(what, last, "MB", "after the first", last / first, most=crowd.memory_mb, most_ratio=1.05)
    yield Figure(f"{name}: of that the page service", pages.programs[0].share, "MB")
    first, last = memory[0], memory[-1]
    yield Figure(f"{name}: what both share counted twice (RSS)", last, "MB", "after the first", last / first)


def play(one: Hall, tables: int) -> None:
    """A round in which some tables tell many facts, and all have a result."""
    one.cast.start()
    assert one.cast.round
    face = one.cast.round.round
    miss = MISS | {"dice": (face % 6 + 1, (face + 1) % 6 + 1, face % 6 + 1)}
    told = [[one.cast.envelope(n, miss) for _ in range(TOLD)] for n in range(1, TELLERS + 1)]
    services.acknowledged(one, told)
    one.cast.do("round_end")
    for number in range(1, tables + 1):
        one.cast.do("decide", table=number, winner="US")


def in_step(port: int, tls: bool) -> bool:
    """True if the page knows all that the head knows."""
    try:
        with asked(port, tls, "GET", "/healthz") as answer:
            return answer.status == 200
    except OSError:
        return False


def journaled(one: Hall) -> int:
    """The number of facts in the journal that came from phone tables."""
    with closing(sqlite3.connect(f"file:{one.folder}/head/journal.db?mode=ro", uri=True)) as journal:
        found: int = journal.execute(
            "SELECT count(*) FROM facts WHERE origin_table > ?", (TELLERS,)
        ).fetchone()[0]
    return found


def waited_for(look: Callable[[], int], wanted: int) -> int:
    """The result of `look` once it is `wanted`, or at the end of all patience."""
    end = time.monotonic() + WAIT
    while (seen := look()) != wanted and time.monotonic() < end:
        time.sleep(0.05)
    return seen


def first_visits() -> Iterator[Figure]:
    """The bytes of a page that a browser never saw, and the time until Chromium shows something of it."""
    from playwright.sync_api import sync_playwright

    crowd = Crowd(1, 0, 0)
    with hall() as one:
        one.cast.open(TELLERS + crowd.tables)
        with page(one, crowd) as pages, sync_playwright() as playwright:
            one.cast.start()
            cookie = let_in(one, pages.port, False, TELLERS + 1).partition("=")
            options = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
            chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=options)
            times: dict[str, list[float]] = {path: [] for path in ("/healthz", *PATHS)}
            loaded = dict.fromkeys(times, 0.0)
            for _ in range(PAINTS):
                for path, found in times.items():
                    sizes = list[float]()
                    context = chromium.new_context()
                    context.add_cookies([{"name": cookie[0], "value": cookie[2], "url": f"http://{HOST}"}])
                    tab = context.new_page()
                    session = context.new_cdp_session(tab)
                    session.on("Network.loadingFinished", partial(add, sizes))
                    session.send("Network.enable")
                    tab.goto(f"http://{HOST}:{pages.port}{path}", wait_until="commit")
                    found.append(tab.evaluate(PAINTED))
                    tab.wait_for_load_state("load")
                    tab.wait_for_timeout(SETTLED_MS)
                    loaded[path] = sum(sizes)
                    context.close()
            chromium.close()
    plain = spread(times.pop("/healthz")).median
    for path, found in times.items():
        yield Figure(f"first visit of {path}", loaded[path] / 1000, "kB", most=FIRST_KB)
        first = spread(found).median
        yield Figure(f"first paint of {path}", first, "ms", "a line of text", first / plain, most=1000.0)


def add(sizes: list[float], loaded: dict[str, Any]) -> None:
    """One more thing is loaded; Chromium says how many bytes that took."""
    sizes.append(loaded["encodedDataLength"])


if __name__ == "__main__":
    words = sys.argv[1:]
    if words:
        tables, phones, tvs = (int(one) for one in words if one.isdecimal())
        show(of_crowd(Crowd(tables, phones, tvs, "tls" in words, "unit" in words)))
    else:
        show(first_visits())

"""What the pages cost: the head's bell with open scoreboards, memory over an evening, first paint."""

import http.client
import selectors
import shutil
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from random import Random

from . import Figure, services, spread
from ._hall import MISS, WAIT, Hall, Program, hall, service

SCOREBOARDS = 200
CROWDS = (12, 300)  # tables of the evenings whose memory is measured
TELLERS = 4  # tables that tell facts
ROUNDS = 6
TOLD = 600  # facts that each of them tells in a round
PAINTS = 5
PATHS = ("/", "/me", "/table/1")  # of the pages whose first paint is measured
PAINTED = """() => new Promise(painted => new PerformanceObserver(list => {
    for (const one of list.getEntriesByName("first-contentful-paint")) painted(one.startTime);
}).observe({ type: "paint", buffered: true }))"""


def rows(_repeats: int) -> Iterator[Figure]:
    """The pages' benchmarks."""
    yield from watched()
    for tables in CROWDS:
        yield from evening(tables)
    if shutil.which("chromium"):
        yield from paints()


def watched() -> Iterator[Figure]:
    """The bell with open scoreboards."""
    with hall() as one:
        one.cast.open(3)
        random = Random(1)
        services.bells(one, services.WARM, random)
        alone, _ = services.bells(one, services.BELLS, random)
        with page(one) as (program, port):
            began = program.memory
            with readers(port, ["/stream"] * SCOREBOARDS):
                services.bells(one, services.WARM, random)
                seen, _ = services.bells(one, services.BELLS, random)
                after = program.memory
    without = "the same without a page"
    what = f"bell with {SCOREBOARDS} open scoreboards"
    yield Figure(f"{what}: median", seen.median, "ms", without, seen.median / alone.median, most_ratio=2.0)
    yield Figure(f"{what}: p99", seen.p99, "ms", without, seen.p99 / alone.p99, most=20.0)
    yield Figure(
        f"memory of the page service with {SCOREBOARDS} scoreboards",
        after,
        "MB",
        "without",
        after / began,
        80.0,
    )


@contextmanager
def page(one: Hall) -> Iterator[tuple[Program, int]]:
    """A page service, and its port."""
    port = free_port()
    with service("web", one.folder / "web", one.address, "--listen", f"127.0.0.1:{port}") as program:
        yield program, port


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


def evening(tables: int) -> Iterator[Figure]:
    """The page service's memory over an evening with readers of all kinds."""
    paths = ["/stream"] * 20 + ["/me/stream"] * 10 + ["/api/events"] * 5
    paths += [f"/table/{number}/stream" for number in range(1, min(tables, 10) + 1)]
    memory = []
    with hall() as one:
        one.cast.open(tables)
        with page(one) as (program, port), readers(port, paths):
            for earlier in range(0, ROUNDS * TOLD, TOLD):
                play(one, tables, earlier)
                in_step(port)
                memory.append(program.memory)
    first, last = memory[0], memory[-1]
    facts = (ROUNDS - 1) * TOLD * TELLERS
    what, of = f"memory of the page service, {tables} tables", "after the first round"
    yield Figure(f"{what}, after {ROUNDS} rounds", last, "MB", of, last / first, most=80.0)
    yield Figure(f"{what}, more with each fact", max(last - first, 0.001) * 1000 / facts, "kB")


def play(one: Hall, tables: int, earlier: int) -> None:
    """A round in which some tables tell many facts, and all have a result."""
    one.cast.start()
    assert one.cast.round
    face = one.cast.round.round
    miss = MISS | {"dice": (face % 6 + 1, (face + 1) % 6 + 1, face % 6 + 1)}
    told = [[one.cast.envelope(n, miss) for _ in range(TOLD)] for n in range(1, TELLERS + 1)]
    services.acknowledged(one, told, earlier)
    one.cast.do("round_end")
    for number in range(1, tables + 1):
        one.cast.do("decide", table=number, winner="US")


def in_step(port: int) -> None:
    """Waits until the page knows all that the head knows."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT)
        with closing(link):
            link.request("GET", "/healthz")
            if link.getresponse().status == 200:
                return
    raise RuntimeError("the page stays behind the head")


def paints() -> Iterator[Figure]:
    """How soon Chromium shows something of a page that it never saw; all that it loads is its own."""
    from playwright.sync_api import sync_playwright

    with hall() as one, page(one) as (_, port), sync_playwright() as playwright:
        one.cast.open(3)
        one.cast.start()
        options = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=options)
        times: dict[str, list[float]] = {path: [] for path in ("/healthz", *PATHS)}
        for _ in range(PAINTS):
            for path, found in times.items():
                context = chromium.new_context()
                tab = context.new_page()
                tab.goto(f"http://127.0.0.1:{port}{path}", wait_until="commit")
                found.append(tab.evaluate(PAINTED))
                context.close()
        chromium.close()
    plain = spread(times.pop("/healthz")).median
    for path, found in times.items():
        first = spread(found).median
        yield Figure(f"first paint of {path}", first, "ms", "a line of text", first / plain, most=1000.0)


@contextmanager
def readers(port: int, paths: Sequence[str]) -> Iterator[None]:
    """Browsers that show these pages and read all that is sent to them."""
    links = [socket.create_connection(("127.0.0.1", port)) for _ in paths]
    for link, path in zip(links, paths, strict=True):
        link.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        assert link.recv(12) == b"HTTP/1.1 200"
    ended = threading.Event()
    reader = threading.Thread(target=_read, args=(links, ended), daemon=True)
    reader.start()
    try:
        yield
    finally:
        ended.set()
        reader.join()
        for link in links:
            link.close()


def _read(links: list[socket.socket], ended: threading.Event) -> None:
    with selectors.DefaultSelector() as readable:
        for link in links:
            readable.register(link, selectors.EVENT_READ)
        while not ended.is_set():
            for key, _ in readable.select(0.05):
                key.fileobj.recv(1 << 16)  # type: ignore[union-attr]

"""What open scoreboards cost: the head's bell with them and without, and the page service's memory."""

import selectors
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from . import Figure, services
from ._hall import Hall, Program, hall, service

SCOREBOARDS = 200
REQUEST = b"GET /stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def rows(_repeats: int) -> Iterator[Figure]:
    """The pages' benchmarks."""
    with hall() as one:
        one.cast.open(3)
        random = Random(1)
        services.bells(one, services.WARM, random)
        alone, _ = services.bells(one, services.BELLS, random)
        with page(one) as (program, port):
            began = program.memory
            with scoreboards(port, SCOREBOARDS):
                services.bells(one, services.WARM, random)
                watched, _ = services.bells(one, services.BELLS, random)
                after = program.memory
    without = "the same without a page"
    what = f"bell with {SCOREBOARDS} open scoreboards"
    yield Figure(
        f"{what}: median", watched.median, "ms", without, watched.median / alone.median, most_ratio=2.0
    )
    yield Figure(f"{what}: p99", watched.p99, "ms", without, watched.p99 / alone.p99, most=20.0)
    yield Figure("start of the page service", program.started, "s", most=1.0)
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
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    with service("web", one.folder / "web", one.address, "--listen", f"127.0.0.1:{port}") as program:
        yield program, port


@contextmanager
def scoreboards(port: int, count: int) -> Iterator[None]:
    """So many browsers that show the scoreboard and read all that it sends."""
    links = [socket.create_connection(("127.0.0.1", port)) for _ in range(count)]
    for link in links:
        link.sendall(REQUEST)
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

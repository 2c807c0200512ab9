"""The least that event streams cost in Python, to compare with: a bare starlette page.

`GET /stream?bytes=N` is a stream; `POST /fan` sends each a bell and a picture of `N` bytes, at once.
"""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from pi_bunco.runtime.clock import SystemClock
from pi_bunco.runtime.serving import allow_many

BACKLOG = 2048
clock = SystemClock()
fanned = asyncio.Event()


async def stream(request: Request) -> Response:
    return StreamingResponse(events(int(request.query_params["bytes"])), media_type="text/event-stream")


async def events(size: int) -> AsyncIterator[bytes]:
    picture = b"event: page\ndata: %s\n\n" % (b"x" * size)
    yield picture
    while True:
        await fanned.wait()
        yield b"event: bell\ndata: end\n\n"
        yield picture


async def fan(_request: Request) -> Response:
    """Fans out; answers when (ms of the machine's clock) it began."""
    global fanned
    began, before, fanned = clock.now(), fanned, asyncio.Event()
    before.set()
    return PlainTextResponse(f"{began}")


if __name__ == "__main__":
    allow_many()
    app = Starlette(routes=[Route("/stream", stream), Route("/fan", fan, methods=["POST"])])
    listening = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=BACKLOG)
    cert, key = sys.argv[2:] or (None, None)
    config = uvicorn.Config(
        app,
        http="h11",
        loop="asyncio",
        ws="none",
        lifespan="off",
        log_level="error",
        ssl_certfile=cert,
        ssl_keyfile=key,
    )
    print("ready", flush=True)
    uvicorn.Server(config).run([listening])

"""New Pis at the page: what they are answered, and the host's tap, which the head's authority carries out."""

import asyncio
import os
import sys
from pathlib import Path

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pi_bunco.enrol import protocol, reasons
from pi_bunco.enrol.desk import AtTheDesk, Desk, PiThatAsks
from pi_bunco.enrol.protocol import Bytes, JoiningEquipment, Signature, SignRequest, TurnedDown
from pi_bunco.reason import Reason
from pi_bunco.runtime.clock import Clock
from pi_bunco.web.site.changes import Changes

SIGNED_WITHIN_S = 25.0
MAX_ANSWER_BYTES = 1 << 20
"""Of an answer; a copy of a hall with 800 tables has a quarter of that."""


class JoiningPis:
    """The Pis that ask the head of `hall`; `authority` is the socket of who signs, None where nobody does."""

    def __init__(self, hall: str, authority: Path | None, clock: Clock, random: Bytes = os.urandom) -> None:
        self._hall, self._authority, self._clock, self._random = hall, authority, clock, random
        self._desk = Desk(hall, None, random)
        self._known = authority is None
        self._one_at_a_time = asyncio.Lock()

    def now(self) -> AtTheDesk:
        """All that a host is to know of them."""
        return self._desk.now(self._clock.now())

    def known(self) -> list[tuple[str, str]]:
        """The ids of those that wait, and how far each is that is to have keys typed."""
        return [(pi.id, pi.keys.state if pi.keys else "") for pi in self.now().asking]

    async def answer(self, data: bytes) -> bytes:
        """The answer to a Pi, as it travels."""
        if not self._known:
            signature = await self._signature(SignRequest())
            if not signature.ca:
                return protocol.encoded(TurnedDown(signature.why))
            if not self._known:
                self._desk, self._known = Desk(self._hall, signature.ca, self._random), True
        return protocol.encoded(self._desk.answer(data, self._clock.now()))

    async def take_in(self, id: str, table: int, plays: JoiningEquipment) -> Reason | None:
        """Has exactly this request made the account of `table`; why not, if so."""
        pi = self._asking(id)
        if pi is None or pi.request is None:
            return reasons.PiHasGone()
        if pi.keys and pi.keys.pending:
            return reasons.KeysNotTyped()
        signature = await self._signature(SignRequest(table, pi.request.password_hash))
        if signature.why:
            return signature.reason_why
        self._desk.take_in(pi, table, plays, self._clock.now())
        return None

    def ask_for_keys(self, id: str) -> Reason | None:
        """The host is about to type keys at this Pi, which has no screen; why not, if so."""
        pi = self._asking(id)
        if pi is None:
            return reasons.PiHasGone()
        self._desk.ask_for_keys(pi, self._clock.now())
        return None

    def _asking(self, id: str) -> PiThatAsks | None:
        return next((one for one in self.now().asking if one.id == id), None)

    async def copy(self) -> bytes | Reason:
        """A sealed copy of the hall; why there is none, if so."""
        signature = await self._signature(SignRequest(copy=True))
        return signature.copy or signature.reason_why

    def send_away(self, id: str) -> None:
        """The Pi is not of this hall."""
        self._desk.send_away(id)

    async def _signature(self, request: SignRequest) -> Signature:
        async with self._one_at_a_time:
            try:
                async with asyncio.timeout(SIGNED_WITHIN_S):
                    return await _signed(self._authority, request)
            except (OSError, TimeoutError, ValueError):
                return Signature.refused(reasons.AuthoritySilent())


async def _signed(authority: Path | None, request: SignRequest) -> Signature:
    if sys.platform == "win32" or authority is None:
        raise ConnectionRefusedError
    reader, writer = await asyncio.open_unix_connection(authority, limit=MAX_ANSWER_BYTES)
    try:
        writer.write(msgspec.json.encode(request) + b"\n")
        await writer.drain()
        return msgspec.json.decode(await reader.readline(), type=Signature)
    finally:
        writer.close()


def routes(pis: JoiningPis, changes: Changes) -> list[Route]:
    """The route for a Pi that asks: `POST /join`."""

    async def join(request: Request) -> Response:
        before = pis.known()
        answer = await pis.answer(await request.body())
        if pis.known() != before:
            changes.changed()
        return Response(answer, media_type="application/json")

    return [Route("/join", join, methods=["POST"])]

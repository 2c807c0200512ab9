"""The pages of phone tables: the code that lets a phone in, and its taps."""

import asyncio
import hashlib
import re
import secrets
from math import inf
from typing import Any, cast

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from pi_bunco.reason import Reason
from pi_bunco.table.phones.socket_messages import TAP_NAMES, Tap, TapName
from pi_bunco.table.reasons import TapOfAnotherRound
from pi_bunco.web.pages.phone_table.model import PhonePage, shown_phone
from pi_bunco.web.site.app import App, Page
from pi_bunco.web.site.forms import fields, forms_in
from pi_bunco.web.site.guard import allow_taps, sender
from pi_bunco.web.site.login import Tries
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.phone_link import NotSaved, Phone
from pi_bunco.web.site.reasons import (
    CodeNeeded,
    FormUnreadable,
    HasEquipment,
    HeadNotYetThere,
    NoPhoneTable,
    NotLetIn,
    NotThere,
    RolloffNeedsFaces,
    SeatsAre,
    TapNotSaved,
    ThrowNeedsFaces,
)
from pi_bunco.web.site.streams import reload_page
from pi_bunco.web.site.viewer import ENTRY_MODES, MODE, STREAM, Viewer, remember, viewer
from pi_bunco.wire.messages import Command
from pi_bunco.words.sentences import sentences

SPOKEN = ("turn", "rolloff", "unroll")
"""Taps that are the head's to carry out: whose turn it is, and what is rolled between rounds."""
DIE_FIELDS = ("die1", "die2", "die3")
FACES = ("1", "2", "3", "4", "5", "6")
COOKIE = "bunco_table%d"
"""The cookie of a phone that has given a table's code."""
SAVED_S = 3.0
"""Seconds in which a tap must be on disk; the phone sends it again otherwise."""
MAX_PHONES_SEEN = 2000
"""Phones of which it is known when they gave a sign last, the latest."""
_BOOT = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_MOST_SEQ = 2**53 - 1
_DAY_S = 86_400


class PlayPages:
    """The routes below `/table/N/play`."""

    def __init__(self, state: PageState, site: App) -> None:
        self._state = state
        self._site = site
        self._tries = Tries()
        self._sign_at: dict[str, float] = {}
        """Per phone when it last told all that it kept (ms of the clock): no other tap is older."""

    def routes(self) -> list[Route]:
        """All of them."""
        play = "/table/{number:int}/play"
        return [
            Route(play, self._page, methods=["GET"]),
            Route(f"{play}/stream", self._page, methods=["GET"]),
            Route(play, self._code, methods=["POST"]),
            Route("/table/{number:int}/tap", self._tap, methods=["POST"]),
        ]

    async def _page(self, request: Request) -> Response:
        number = request.path_params["number"]
        phones = self._state.backend.phone_link
        if not await phones.there(number):
            if not self._has_equipment(number):
                raise NotThere(NoPhoneTable(number))
            if request.url.path.endswith(STREAM):
                return reload_page()
            raise NotThere(HasEquipment(number))
        if key := request.query_params.get("key"):
            right = self._state.codes.right_key(key, self._state.controller.folded.id, number)
            return self._admitted(request, number) if right else _wrong(number)
        if code := request.query_params.get("code"):
            return self._let_in(request, number, code)
        if (mode := request.query_params.get("mode")) in ENTRY_MODES:
            answer = RedirectResponse(request.url.path, 303)
            remember(answer, MODE, mode)
            return answer
        viewer, as_stream = self._viewer(request, number), request.url.path.endswith(STREAM)
        if viewer.admitted:
            phones.seen(number)
        return self._site.show(viewer, as_stream, phones.looking(number) if viewer.admitted else None)

    def _has_equipment(self, number: int) -> bool:
        """True if the table is there as a device that is no phone of this page."""
        state = self._state
        there = state.controller.presences.tables(state.backend.clock.now()).get(number)
        return there is not None and there.online

    def _viewer(self, request: Request, number: int) -> Viewer:
        """The viewer of a phone table's page, who may play or not."""
        evening, plain = self._state.controller.folded.id, viewer(request)
        admitted = evening if self._phone(request, number) else ""
        return replace(plain, admitted=admitted, wrong=plain.first("wrong"))

    def _phone(self, request: Request, number: int) -> str:
        """Name of the phone that has given the code of this evening's table; "" for none."""
        cookie = request.cookies.get(COOKIE % number)
        return self._state.codes.phone(cookie, self._state.controller.folded.id, number)

    async def _code(self, request: Request) -> Response:
        number = request.path_params["number"]
        if not await self._state.backend.phone_link.there(number):
            raise NotThere(NoPhoneTable(number))
        return self._let_in(request, number, (await fields(request)).get("code", ""))

    def _let_in(self, request: Request, number: int, code: str) -> Response:
        state, evening = self._state, self._state.controller.folded.id
        address, now = sender(request), state.backend.clock.now()
        try:
            self._tries.check(address, now)
        except NotLetIn as error:
            raise NotThere(error.reason, 403) from error
        if not state.codes.right(code, evening, number):
            self._tries.wrong(address, now)
            return _wrong(number)
        return self._admitted(request, number)

    def _admitted(self, request: Request, number: int) -> Response:
        state, evening = self._state, self._state.controller.folded.id
        state.backend.phone_link.seen(number)
        answer = RedirectResponse(f"/table/{number}/play", 303)
        cookie = state.codes.cookie(evening, number, request.cookies.get(COOKIE % number, ""))
        if not self._phone(request, number):  # it could not tap anything before
            self._note_sign(state.codes.phone(cookie, evening, number), state.backend.clock.now())
        answer.set_cookie(
            COOKIE % number,
            cookie,
            max_age=_DAY_S,
            path=f"/table/{number}",
            httponly=True,
            samesite="strict",
        )
        return answer

    async def _tap(self, request: Request) -> Response:
        number = request.path_params["number"]
        phones = self._state.backend.phone_link
        await phones.there(number)
        phone = phones.running.get(number)
        if phone is None and not self._state.controller.folded.id:
            return self._site.refusal(request, 503, HeadNotYetThere())
        if phone is None:
            raise NotThere(NoPhoneTable(number))
        sent_by = self._phone(request, number)
        if not sent_by:
            return self._site.refusal(request, 403, CodeNeeded())
        phones.seen(number)
        allow_taps(request)
        form = await fields(request)
        now = self._state.backend.clock.now()
        oldest = now - self._sign_at.get(sent_by, -inf)
        taken, refused = 0, list[Reason]()
        for one in forms_in(form["kept"]) if "kept" in form else [form]:
            try:
                why = await self._done(phone, number, one, sent_by, oldest)
            except (TimeoutError, NotSaved):
                answer = self._site.refusal(request, 503, TapNotSaved())
                break
            taken, refused = taken + 1, [*refused, *why]
        else:
            self._note_sign(sent_by, now)
            answer = self._refused(request, number, *refused) if refused else _taken(request, number)
        answer.headers["x-state"], answer.headers["x-taken"] = phone.name, str(taken)
        return answer

    def _note_sign(self, phone: str, now: float) -> None:
        self._sign_at[phone] = max(now, self._sign_at.pop(phone, now))
        if len(self._sign_at) > MAX_PHONES_SEEN:
            del self._sign_at[next(iter(self._sign_at))]

    async def _done(
        self, phone: Phone, number: int, form: dict[str, str], by: str, oldest: float
    ) -> tuple[Reason, ...]:
        """Has a tap done that was made `oldest` ms ago at most; the reasons if it is refused for good.

        `NotSaved` or `TimeoutError` if it is to be sent again.
        """
        form = _of_phone(form, by)
        if form.get("tap") in SPOKEN:
            if form.get("round", "") not in ("", phone.round):
                return (TapOfAnotherRound(),)
            return await self._ask(number, form)
        tap = _read(form, number)
        if isinstance(tap, Reason):
            return (tap,)
        tap = replace(tap, phone=by, age=int(min(tap.age, oldest)))
        why = await asyncio.wait_for(phone.tap(tap), SAVED_S)
        return (why,) if why else ()

    def _refused(self, request: Request, number: int, *why: Reason) -> Response:
        words = sentences(self._viewer(request, number).lang)
        return PlainTextResponse(" ".join(map(words.of, why)) + "\n", 409)

    async def _ask(self, number: int, form: dict[str, str]) -> tuple[Reason, ...]:
        """Sends a tap that is the head's to judge as a command of this table, once for each tap."""
        command = head_command(number, form)
        if isinstance(command, Reason):
            return (command,)
        boot, seq = form.get("mark_boot", ""), form.get("mark_seq", "")
        named = _BOOT.fullmatch(boot) and seq.isdecimal()
        id = f"web-{boot[:32]}-{seq[:17]}" if named else f"web-{secrets.token_hex(8)}"
        done = await self._state.backend.ask(Command(id, *command, f"table {number}"))
        return () if done.done else tuple(done.why)


def _of_phone(form: dict[str, str], phone: str) -> dict[str, str]:
    """The form with the phone's own mark, so that taps of two phones are told apart."""
    boot = form.get("mark_boot", "")
    if not _BOOT.fullmatch(boot):
        return form
    return form | {"mark_boot": hashlib.sha256(f"{phone} {boot}".encode()).hexdigest()[:24]}


def _wrong(number: int) -> Response:
    return RedirectResponse(f"/table/{number}/play?wrong=1", 303)


def _taken(request: Request, number: int) -> Response:
    if "application/json" in request.headers.get("accept", ""):
        return Response(status_code=204)
    return RedirectResponse(f"/table/{number}/play", 303)


def head_command(number: int, form: dict[str, str]) -> tuple[str, dict[str, Any]] | Reason:
    """The command of a tap that the head is asked, with its arguments; or what is wrong with it."""
    if form.get("tap") == "unroll":
        return "undo", {"table": number}
    if form.get("tap") == "turn":
        seat = form.get("seat", "")
        if seat not in ("A", "B", "C", "D"):
            return SeatsAre()
        return "turn", {"table": number, "seat": seat}
    faces = [form[name] for name in DIE_FIELDS if form.get(name)]
    names = [form[name] for name in ("who1", "who2", "who3") if form.get(name)]
    if not faces or any(face not in FACES for face in faces) or len(names) not in (1, len(faces)):
        return RolloffNeedsFaces()
    each = [[int(face)] for face in faces] if len(names) == len(faces) else [[int(face) for face in faces]]
    group = form.get("group", "")
    args = {"table": number, "for": form.get("for", "")[:64], "dice": dict(zip(names, each, strict=True))}
    return "rolloff", args | ({"group": int(group)} if group.isdecimal() and len(group) < 4 else {})


def _read(form: dict[str, str], number: int) -> Tap | Reason:
    """The tap at table `number` that the form has, or what is wrong with it."""
    boot, seq, what = form.get("mark_boot", ""), form.get("mark_seq", ""), form.get("tap", "")
    if not boot and not seq:  # a browser without scripts, which sends a form once
        boot, seq = f"form-{secrets.token_hex(6)}", "1"
    if not _BOOT.fullmatch(boot) or not seq.isdecimal() or not 0 < int(seq[:17]) <= _MOST_SEQ:
        return FormUnreadable("a tap carries mark_boot and mark_seq, the phone's own name for it")
    if what not in TAP_NAMES:
        return FormUnreadable(f"{what[:32]!r} is no tap: {', '.join(sorted(TAP_NAMES))} are")
    given = form.get("dice") or ",".join(form[name] for name in DIE_FIELDS if form.get(name))
    faces = tuple(given.split(",")) if what in ("dice", "faceoff") else ()
    wanted = {"dice": 3, "faceoff": 2}.get(what, 0)
    if len(faces) != wanted or any(face not in FACES for face in faces):
        return ThrowNeedsFaces(wanted) if wanted else FormUnreadable(f"{what} has no dice")
    age, round_ = form.get("age", "")[:12], form.get("round", "")[:100]
    age_ms = int(age) if age.isdecimal() else 0
    return Tap(number, boot, int(seq), cast(TapName, what), tuple(map(int, faces)), round_, age=age_ms)


def _model(state: PageState, viewer: Viewer, path: "re.Match[str]") -> PhonePage | None:
    number = int(path[1])
    play = state.play(number, viewer)
    return None if play is None else shown_phone(state.evening_now(), number, play)


def routes(state: PageState, site: App) -> list[Route]:
    """The code that lets a phone in, and its taps."""
    return PlayPages(state, site).routes()


PAGE = Page("/table/([1-9][0-9]{0,2})/play", _model)

"""Fields of a page's form, and the host's command that they make."""

import re
from collections.abc import Mapping
from email.message import Message
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from starlette.requests import Request

from pi_bunco.web.site.reasons import FormUnreadable
from pi_bunco.wire.arguments import ArgumentError, arguments
from pi_bunco.wire.commands import COMMANDS

ARG = "arg."
MAX_FIELDS = 5000
"""The most fields that a form has."""


class Fields(dict[str, str]):
    """The fields of a form, the last of a name; of a file its text, and its bytes in `files`."""

    files: Mapping[str, bytes] = {}


async def fields(request: Request) -> Fields:
    """The fields of a form, or of a JSON object of texts. `ArgumentError`."""
    body = await request.body()
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        if kind == "application/json":
            return Fields(msgspec.json.decode(body, type=dict[str, str]))
        if kind == "multipart/form-data":
            return _parts(body, request.headers["content-type"])
        if kind == "application/x-www-form-urlencoded":
            return _encoded(body.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise ArgumentError(FormUnreadable(str(error))) from error
    raise ArgumentError(FormUnreadable(f"it is {kind or 'of no type'}, which no form is"))


def forms_in(text: str) -> list[Fields]:
    """The forms in a field that holds several, a JSON list of them as a browser encodes each."""
    try:
        return list(map(_encoded, msgspec.json.decode(text, type=list[str])))
    except ValueError as error:
        raise ArgumentError(FormUnreadable(str(error))) from error


def _encoded(text: str) -> Fields:
    return Fields(parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS))


def _parts(body: bytes, content_type: str) -> Fields:
    """The fields of a form with files; nothing of one that was not chosen."""
    heads = Message()
    heads["content-type"] = content_type
    boundary = heads.get_boundary()
    if not boundary:
        raise ValueError("its parts have no boundary")
    found = {}
    for part in (b"\r\n" + body).split(f"\r\n--{boundary}".encode())[1:-1]:
        head, _, content = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        name = re.search(rb'name="([^"]*)"', head)
        if name is None:
            raise ValueError("a part has no name")
        if content or b"filename=" not in head:
            found[name[1].decode()] = content
    form = Fields({name: file_text(content) for name, content in found.items()})
    form.files = found
    return form


def file_text(data: bytes) -> str:
    """The text of a file, in the encodings that spreadsheets write."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def back(given: str, otherwise: str) -> str:
    """The path of ours to go back to; anything that could lead elsewhere is not taken."""
    ours = given.startswith("/") and not given.startswith(("//", "/\\")) and given.isprintable()
    return given if ours and len(given) <= 500 else otherwise


def command(form: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
    """The command of a form and its checked arguments; `ArgumentError`."""
    name = form.get("command", "")
    try:
        args = msgspec.json.decode(form.get("args") or "{}", type=dict[str, Any])
    except (ValueError, RecursionError) as error:
        raise ArgumentError(FormUnreadable(f"args is no JSON object: {error}")) from error
    for key, value in form.items():
        if key.startswith(ARG) and value.strip():
            _put(args, key.removeprefix(ARG).split("."), value.strip())
    return name, _checked(name, args)


def _put(args: dict[str, Any], path: list[str], value: str) -> None:
    """Puts a text to its place: a list is an object of its places until all are there."""
    for key in path[:-1]:
        inner = args.setdefault(key, {})
        if not isinstance(inner, dict):
            raise ArgumentError(FormUnreadable(f"{key} has a value already"))
        args = inner
    args[path[-1]] = value


def _checked(name: str, args: dict[str, Any]) -> dict[str, Any]:
    plain = {key: _listed(value) for key, value in args.items()}
    kind = COMMANDS.get(name)
    if kind is not None:
        try:
            known = msgspec.to_builtins(msgspec.convert(plain, kind, strict=False))
            return {key: value for key, value in known.items() if value is not None}
        except msgspec.ValidationError:
            pass  # what is wrong is worded better by the strict reading
    arguments(name, plain)
    return plain


def _listed(value: Any) -> Any:
    if isinstance(value, dict) and value and all(str(key).isdecimal() for key in value):
        return [_listed(value[key]) for key in sorted(value, key=int)]
    return {key: _listed(one) for key, one in value.items()} if isinstance(value, dict) else value

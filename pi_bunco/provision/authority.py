"""The head's authority: it alone gives a Pi that joins its account at the broker; the page only asks it.

`joined` beside the password file keeps the accounts of Pis that joined, each with the hash that the head's
card had for it: a card that comes later takes such an account away only where it brings another hash.
"""

import os
from collections.abc import Mapping
from functools import partial

import msgspec
from msgspec import Struct

from pi_bunco.enrol import reasons
from pi_bunco.enrol.protocol import Signature, SignRequest, is_password_hash
from pi_bunco.errors import BuncoError
from pi_bunco.provision.hall_copy import sealed
from pi_bunco.provision.system import BROKER, Content, Step, System, carry_out, content, write
from pi_bunco.reason import InEnglish, Reason
from pi_bunco.wire.topics import table_node

JOINED = "broker/joined"
"""The file, below `/etc/pi-bunco`; a hash of a drawn password is no secret."""


class NotTakenInError(BuncoError):
    """No account is given, because of `why`."""

    def __init__(self, why: Reason) -> None:
        self.why = why
        super().__init__(why.english())


class JoinedAccount(Struct, frozen=True):
    """The hash of a Pi's password, and that of the card (or "") in whose place it stands."""

    password_hash: str
    instead: str = ""


def parsed(text: str) -> dict[str, JoinedAccount]:
    """The accounts by node, of lines `table3:HASH:HASH`; what is no such line is passed over."""
    lines = [line.split(":") for line in text.splitlines()]
    good = [line for line in lines if len(line) == 3 and is_password_hash(line[1])]
    return {node: JoinedAccount(found, instead) for node, found, instead in good}


def dumped(joined: Mapping[str, JoinedAccount]) -> str:
    """The text of the file."""
    return "".join(f"{node}:{one.password_hash}:{one.instead}\n" for node, one in joined.items())


def hashes(passwd: str) -> dict[str, str]:
    """The hashes of a password file, by account."""
    return dict(line.split(":", 1) for line in passwd.splitlines() if ":" in line)


def with_joined(passwd: str, joined: Mapping[str, JoinedAccount]) -> tuple[str, dict[str, JoinedAccount]]:
    """A card's password file with the accounts that joined since, and those of them that still count."""
    card = hashes(passwd)
    kept = {node: one for node, one in joined.items() if card.get(node, "") == one.instead}
    both = card | {node: one.password_hash for node, one in kept.items()}
    return "".join(f"{node}:{found}\n" for node, found in both.items()), kept


def answered(system: System, data: bytes) -> Signature:
    """Does what one line of the page asks for; the account is on the disk and at the broker then."""
    try:
        request = msgspec.json.decode(data, type=SignRequest)
    except (msgspec.DecodeError, RecursionError):
        return _signature(system, reasons.JoinUnreadable())
    if request.copy:
        return _copy(system)
    if request.password_hash is None:
        return _signature(system)
    try:
        carry_out(_steps(system, table_node(request.table), request.password_hash), lambda _: None)
    except NotTakenInError as error:
        return _signature(system, error.why)
    except (BuncoError, OSError) as error:
        return _signature(system, InEnglish(str(error)))
    return _signature(system)


def _copy(system: System) -> Signature:
    joined = content(system.places.config / JOINED)
    try:
        made = sealed(system.places.state / "hall", joined.data.decode() if joined else "", os.urandom)
    except FileNotFoundError:
        return Signature.refused(reasons.MadeOnLaptop())
    return Signature(copy=made)


def _signature(system: System, why: Reason | None = None) -> Signature:
    ca = content(system.places.config / "ca.pem")
    if ca is None:
        return Signature.refused(why or reasons.NoneTakenInHere())
    text = ca.data.decode("ascii", "replace")
    return Signature.refused(why, text) if why else Signature(text)


def _steps(system: System, node: str, password_hash: str) -> list[Step]:
    """Keeps the account, gives it to the broker, and throws out who had it before."""
    passwd, kept = (content(system.places.config / name) for name in ("broker/passwd", JOINED))
    if passwd is None or (system.places.secrets / "table" / node).exists():
        raise NotTakenInError(
            reasons.TableOfHead(node.removeprefix("table")) if passwd else reasons.NoneTakenInHere()
        )
    now, joined = hashes(passwd.data.decode()), parsed(kept.data.decode() if kept else "")
    before = joined.get(node, JoinedAccount("", now.get(node, "")))
    joined[node] = JoinedAccount(password_hash, before.instead)
    now[node] = password_hash
    text = "".join(f"{name}:{found}\n" for name, found in now.items())
    steps = [
        *write(system.places.config / JOINED, Content(dumped(joined).encode(), 0o644), "Keep the account"),
        *write(system.places.broker / "passwd", Content(text.encode(), passwd.mode), "Give it to the broker"),
    ]
    verb = "restart" if node in hashes(passwd.data.decode()) else "reload"
    apply = partial(system.tell, verb, BROKER)
    return (
        [*steps, Step(f"{verb.capitalize()} {BROKER}", apply)] if steps and system.trying(BROKER) else steps
    )


def adopted(system: System, files: Mapping[str, str]) -> dict[str, str]:
    """A card's files, with the accounts that joined since, or that its laptop kept a copy of.

    Of another authority's card nothing of before counts.
    """
    passwd = files.get("broker/passwd")
    if passwd is None:
        return dict(files)
    found, ca = (content(system.places.config / name) for name in (JOINED, "ca.pem"))
    same = ca is None or files.get("ca.pem", ca.data.decode()) == ca.data.decode()
    joined = parsed(files.get(JOINED, "")) | parsed(found.data.decode() if found and same else "")
    text, kept = with_joined(passwd, joined)
    if not kept and found is None:
        return {name: one for name, one in files.items() if name != JOINED}
    return {**files, "broker/passwd": text, JOINED: dumped(kept)}

"""The way to the broker: the network, TLS and its certificates."""

import socket
import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.doctor.findings import Finding, fault, fine, skipped, warning
from pi_bunco.wire.address import AddressError, BrokerAddress

STEP_TIMEOUT_S = 3.0
_ANY_TIME = ssl.VerifyFlags(0x200000)
"""OpenSSL's X509_V_FLAG_NO_CHECK_TIME: the dates are looked at here, so that they can be told."""
_OTHER_NAME, _OTHER_CA = (62, 64), (2, 18, 19, 20, 21)
"""OpenSSL's X509_V_ERR_* for a name that differs, and for a signer that is not known."""
_WARN_BEFORE_S = 30 * 86_400.0
_START = "sudo systemctl restart pi-bunco-broker"
_AGAIN = "Bring this Pi's file of pi-bunco provision to its boot partition again."


class Dates(Struct, frozen=True):
    """The begin and the end (seconds since 1970) of the certificate `of` something."""

    of: str
    begins: float
    ends: float


class Reached(Struct, frozen=True):
    """The way to a broker: `why` it ends, with the mend, or `hidden` from this user; the dates shown.

    `passed` is why it was not found at the first of its places.
    """

    why: str = ""
    mend: str = ""
    hidden: bool = False
    dates: tuple[Dates, ...] = ()
    passed: str = ""


def find(address: BrokerAddress, seconds: float = STEP_TIMEOUT_S) -> tuple[BrokerAddress, Reached]:
    """The first place where the broker answers; the first of all and why not there, if it is nowhere."""
    missed: list[tuple[BrokerAddress, Reached]] = []
    for place in address.places():
        reached = reach(place, seconds)
        if not reached.why:
            return place, replace(reached, passed=missed[0][1].why) if missed else reached
        missed.append((place, reached))
    return missed[0]


def reach(address: BrokerAddress, seconds: float = STEP_TIMEOUT_S) -> Reached:
    """Knocks at the broker, with TLS where that is set, and sends nothing."""
    try:
        link = _connected(address, seconds)
    except OSError as error:
        return Reached(*_unreached(address, error), hidden=isinstance(error, PermissionError))
    with closing(link):
        try:
            return Reached(dates=_shown(address, link))
        except AddressError as error:
            return Reached(f"{error}.", _AGAIN)
        except OSError as error:
            return Reached(*_distrusted(address, error))


def _connected(address: BrokerAddress, seconds: float) -> socket.socket:
    if not address.unix:
        return socket.create_connection((address.host, address.port), seconds)
    link = socket.socket(socket.AF_UNIX)
    try:
        link.settimeout(seconds)
        link.connect(address.host)
    except OSError:
        link.close()
        raise
    return link


def _shown(address: BrokerAddress, link: socket.socket) -> tuple[Dates, ...]:
    """The dates of the broker's certificate, which is checked but for these; nothing without TLS."""
    context = address.tls()
    if context is None:
        return ()
    context.verify_flags |= _ANY_TIME
    with context.wrap_socket(link, server_hostname=address.host) as wrapped:
        shown = wrapped.getpeercert()
    return (_dates("of the broker", shown),) if shown else ()


def _unreached(address: BrokerAddress, error: OSError) -> tuple[str, str]:
    on = "Is the head's Pi switched on, and on the same network?"
    match error:
        case socket.gaierror():
            text = f"Nothing on this network has the name {address.host}."
            return text, f"{on} Use its address in numbers."
        case FileNotFoundError() | ConnectionRefusedError() if address.unix:
            return f"The broker does not run: nothing answers at {address}.", _START
        case PermissionError():
            return f"this user may not go to the broker at {address}: sudo pi-bunco doctor", ""
        case ConnectionRefusedError():
            text = f"There is a machine at {address.host}, but no broker at {address}."
            return text, f"{_START} (on the head)"
        case TimeoutError():
            return f"Nothing answers at {address}.", f"{on} Is {address.host} still its address?"
    return f"The broker at {address} cannot be reached: {error.strerror or error}.", on


def _distrusted(address: BrokerAddress, error: OSError) -> tuple[str, str]:
    code = getattr(error, "verify_code", 0)
    if code in _OTHER_NAME:
        text = (
            f"The broker at {address} has a certificate, but not for the name {address.name or address.host}."
        )
        return text, f"Set server_name in [broker] to the name in the certificate (pi-bunco-head). {_AGAIN}"
    if code in _OTHER_CA:
        text = f"The broker at {address} was provisioned apart from this Pi: {address.ca} did not sign it."
        return text, _AGAIN
    if isinstance(error, TimeoutError):
        return f"The broker at {address} does not answer by TLS.", _START
    why = getattr(error, "verify_message", None) or getattr(error, "reason", None) or error.strerror or error
    text = f"The broker at {address} has no TLS that this Pi can use ({why})."
    return text, "Is the port right? It is 8883 for tables."


def read_ca(file: Path) -> tuple[Dates, ...]:
    """The dates of the certificates in the file; nothing if it holds none, which the broker's check tells."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(file)
    except OSError:
        return ()
    return tuple(_dates(f"in {file}", one) for one in context.get_ca_certs())


def _dates(of: str, certificate: Mapping[str, object]) -> Dates:
    begins, ends = (ssl.cert_time_to_seconds(str(certificate[key])) for key in ("notBefore", "notAfter"))
    return Dates(of, begins, ends)


def judge(places: Sequence[tuple[BrokerAddress, Reached]], now: float) -> Iterator[Finding]:
    """The broker at each of the places, and its certificates at `now`."""
    for place, reached in places:
        yield judge_reached(place, reached)
        dates = (*(read_ca(Path(place.ca)) if place.ca else ()), *reached.dates)
        yield from (judge_dates(one, now) for one in dates)
    if all(place.ca is None for place, _ in places):
        yield skipped("certificate", "this machine goes to its broker without TLS")


def judge_reached(address: BrokerAddress, reached: Reached) -> Finding:
    """The broker at one address."""
    if reached.hidden:
        return skipped("broker", reached.why)
    if reached.why:
        return fault("broker", reached.why, reached.mend)
    passed = f" ({reached.passed.rstrip('.')}; that does no harm.)" if reached.passed else ""
    return fine("broker", f"It answers at {address}{' by TLS' if address.ca else ''}.{passed}")


def judge_dates(dates: Dates, now: float) -> Finding:
    """A certificate at `now` (seconds since 1970)."""
    begins, ends = (
        datetime.fromtimestamp(one, UTC).strftime("%d %B %Y") for one in (dates.begins, dates.ends)
    )
    if now < dates.begins:
        text = f"The certificate {dates.of} counts from {begins} only: the clock of this machine is wrong."
        return fault("certificate", text, "Set the clock: sudo date -s 'YYYY-MM-DD HH:MM'.")
    if now > dates.ends:
        mend = "Make new ones with pi-bunco provision; if the clock of this machine is wrong, set that."
        return fault("certificate", f"The certificate {dates.of} ended on {ends}.", mend)
    if now > dates.ends - _WARN_BEFORE_S:
        text = f"The certificate {dates.of} ends on {ends}."
        return warning("certificate", text, "Make new ones with pi-bunco provision in time.")
    return fine("certificate", f"The certificate {dates.of} counts until {ends}.")

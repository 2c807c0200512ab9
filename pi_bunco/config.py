"""The settings of the services, from the config file and the command line, which wins.

Every mistake is told at once, each with its place, its value and how to mend it. A password comes from a
file of its own and is in no text that anybody could print.
"""

import os
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, inspect

from pi_bunco import validator
from pi_bunco.devices.kinds import (
    BELL_KINDS,
    DICE_KINDS,
    DISPLAY_KINDS,
    LIGHTS_KINDS,
    PANEL_KINDS,
    Kinds,
)
from pi_bunco.devices.protocols import DeviceError
from pi_bunco.errors import ProblemsError
from pi_bunco.log.entry import END
from pi_bunco.reason import Reason
from pi_bunco.validator import Declared, either
from pi_bunco.wire.address import AddressError, BrokerAddress
from pi_bunco.wire.topics import HEAD, PROBE, NodeName
from pi_bunco.words.catalogue import LANGUAGES

DEFAULT = Path("/etc/pi-bunco/pi-bunco.toml")
"""The config file that is read where none is named and this one exists."""
DEVICES: Mapping[str, Kinds[Any]] = {
    "dice": DICE_KINDS,
    "panel": PANEL_KINDS,
    "lights": LIGHTS_KINDS,
    "bell": BELL_KINDS,
    "display": DISPLAY_KINDS,
}
"""The settings that name a kind of device; kinds are loaded where one is given, or their words are asked."""
_WITHOUT_LINES = (None, "virtual", "none")


def _is(description: str, **extra: Any) -> Meta:
    """A setting in words; `extra` may have its `option` and `metavar`, and tell that it is a `path`."""
    return Meta(description=description, extra=extra or None)


_TABLES = r"[1-9][0-9]{0,2}(\.\.[1-9][0-9]{0,2})?"
AnyText = Annotated[str, Meta(pattern=rf"^[^\0]+{END}")]
File = Annotated[AnyText, Meta(extra={"path": True, "metavar": "FILE"})]
FolderSetting = Annotated[AnyText, Meta(extra={"path": True, "metavar": "DIR"})]
HallSetting = Annotated[NodeName, _is("the name of the hall, of a-z, 0-9 and -")]
NumberSetting = Annotated[
    int,
    Meta(ge=1, le=1000),
    _is("the table's number, a whole number from 1 (the head table) to 1000", metavar="N"),
]
GpioSetting = Annotated[
    str,
    Meta(pattern=rf"^(gpiod(:/[\s\S]+)?|rpigpio|mock){END}"),
    _is("what drives the GPIO lines, gpiod, gpiod:/dev/CHIP, rpigpio or mock"),
]
Encoding = Annotated[
    str,
    Meta(pattern=rf"^(bus|led7){END}"),
    _is("how GPIO dice tell their faces, bus (a dice box) or led7"),
]
SettleMs = Annotated[
    float,
    Meta(ge=100, le=5000),
    _is("the ms, 100 to 5000, for which a led7 die that settled is unchanged"),
]
SecondsSetting = Annotated[
    float,
    Meta(ge=0, le=86_400),
    _is("the seconds, 0 to 86400, after which the head confirms for a table", metavar="SECONDS"),
]
Phones = Annotated[
    str,
    Meta(pattern=rf"^({_TABLES}(,{_TABLES})*)?{END}"),
    _is("the tables that are phones, such as 4,5; with 1..3,5..12 as many of them as play", metavar="N,N"),
]
PhonesPlace = Annotated[
    AnyText,
    _is("where page and phones meet, a path (or HOST:PORT of this machine)", metavar="PATH|HOST:PORT"),
]
Language = Annotated[
    str,
    Meta(pattern=rf"^({'|'.join(LANGUAGES)}){END}"),
    _is(f"the language of the display, {either(LANGUAGES)}"),
]
Pins = Annotated[dict[str, Any], _is("what is wired otherwise, a table for each line, as in [pins.bell]")]
Limits = Annotated[bool, _is("true, or false for a virtual bell without limits", option="--no-bell-limits")]
BrokerPlace = Annotated[
    AnyText,
    _is(
        "where the broker is, HOST:PORT (or several, with commas) or unix:/PATH",
        option="--broker",
        metavar="HOST:PORT|unix:PATH",
    ),
]
ServerName = Annotated[
    NodeName, _is("the name in the broker's certificate, of a-z, 0-9 and -", metavar="NAME")
]
SecretsFolder = Annotated[FolderSetting, _is("the folder with the nodes' passwords, such as table/table2")]


class ConfigError(ProblemsError):
    """Settings that cannot be."""


class BrokerSettings(Struct, frozen=True):
    """The address of the broker and the account to go there as."""

    address: BrokerPlace | None = None
    user: Annotated[NodeName, _is("a user name at the broker, of a-z, 0-9 and -")] | None = None
    password_file: Annotated[File, _is("the file that holds the password")] | None = None
    ca: Annotated[File, _is("the certificate file of who signs the broker's")] | None = None
    cert: Annotated[File, _is("the certificate file of this node")] | None = None
    key: Annotated[File, _is("the key file of this node")] | None = None
    server_name: ServerName | None = None
    secrets: SecretsFolder | None = None


class Config(Struct, frozen=True):
    """Every setting there is; None where there is no default."""

    hall: HallSetting = "home"
    number: NumberSetting | None = None
    data: Annotated[FolderSetting, _is("the folder where the service keeps what it knows")] | None = None
    dice: str = "virtual"
    panel: str | None = None
    lights: str = "virtual"
    bell: str = "virtual"
    bell_limits: Limits = True
    auto_confirm: SecondsSetting = 60.0
    listen: Annotated[AnyText, _is("where the web page is served, HOST:PORT", metavar="HOST:PORT")] | None = (
        None
    )
    pin_file: Annotated[File, _is("the file that holds the host's PIN")] | None = None
    broker: BrokerSettings = BrokerSettings()
    gpio: GpioSetting = "gpiod"
    encoding: Encoding = "bus"
    settle_ms: SettleMs = 1200.0
    display: str = "none"
    pins: Pins = {}
    tls_cert: Annotated[File, _is("the certificate file of the host's page")] | None = None
    tls_key: Annotated[File, _is("the key file of that certificate")] | None = None
    phones: Phones = ""
    phones_at: PhonesPlace | None = None
    language: Language = "en"
    wifi_file: Annotated[File, _is("the file that holds the text of the Wi-Fi's QR code")] | None = None

    @property
    def wired(self) -> frozenset[str]:
        """The groups of lines at the header that are used, as `devices.pins` names them."""
        chosen = {key: getattr(self, key) for key in DEVICES}
        kinds = [DEVICES[key].find(word)[0] for key, word in chosen.items() if word not in _WITHOUT_LINES]
        return frozenset(group for kind in kinds for group in kind.lines(self.encoding))

    def address(self, node: str) -> BrokerAddress:
        """The broker for `node`, which is also the user where only a password is given.

        Raises `ConfigError` for what cannot be used, files included.
        """
        broker, password = self.broker, None
        problems: list[str] = []
        try:
            password = _secret(broker.password_file or _kept(broker.secrets, node))
        except ConfigError as error:
            problems += error.problems
        user = node if broker.user is None and password is not None else broker.user
        files = {"ca": broker.ca, "cert": broker.cert, "key": broker.key, "name": broker.server_name}
        try:
            address = BrokerAddress.parse(broker.address or "", user=user, password=password, **files)
            address.tls()
        except AddressError as error:
            problems.append(f"broker: {error}")
        if problems:
            raise ConfigError(problems)
        return address


class Secret(str):
    """A text that is shown to nobody by accident."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"


def load(given: Mapping[str, Any], file: Path | None = None, needs: Iterable[str] = ()) -> Config:
    """The settings `given` on the command line on top of those in `file`, or in `DEFAULT` if that exists.

    `given` and `needs` name settings as `settings` does. Raises `ConfigError` with everything that is wrong.
    """
    path = file or (DEFAULT if DEFAULT.exists() else None)
    table: dict[str, Any] = {}
    problems: list[str] = []
    try:
        table = validator.read(path) if path else table
    except ProblemsError as error:
        problems = [f"the config file {problem}" for problem in error.problems]
    return settle(given, table, path, needs, problems)


def settle(
    given: Mapping[str, Any],
    table: Mapping[str, Any],
    path: Path | None,
    needs: Iterable[str] = (),
    problems: Iterable[str] = (),
) -> Config:
    """As `load`, on top of `table`, the content of the file `path`; a path in it begins at its folder.

    `problems` are told with those that are found.
    """
    read = validator.flat(table, settings())
    for key, value in read.items():
        if path and key in settings() and isinstance(value, str) and value and "path" in _extra(key):
            read[key] = str(path.parent / value)
    values, wrong = declared().check(read, f"{path}: ")
    chosen, wrong_options = checked(given)
    problems = [*problems, *(one.english() for one in (*wrong, *wrong_options))]
    problems += [
        f"{option(key)} is missing, and {key} in {path or 'a config file'}; it is {meaning(key)}"
        for key in needs
        if key not in read and key not in given
    ]
    values |= chosen
    config = msgspec.convert(validator.nested(values), Config)
    if "broker.address" in values:
        try:
            config.address("nobody")
        except ConfigError as error:
            problems += error.problems
    if config.wired or config.pins:
        from pi_bunco.devices import pins

        try:
            pins.plan(config.pins, config.wired)
        except pins.PinsError as error:
            problems += error.problems
    if problems:
        raise ConfigError(problems)
    return config


@cache
def settings() -> Mapping[str, Any]:
    """The name of every setting, `broker.address` for one in a table, with its type."""
    return dict(validator.keys(Config))


def meaning(key: str) -> str:
    """The setting in a phrase."""
    return DEVICES[key].words if key in DEVICES else validator.expected(settings()[key], {})


def option(key: str) -> str:
    """The option of the setting on the command line."""
    return str(_extra(key).get("option") or f"--{key.rpartition('.')[2].replace('_', '-')}")


def metavar(key: str) -> str:
    """The value of that option, as the help shows it."""
    return str(_extra(key).get("metavar") or option(key).rpartition("-")[2].upper())


@cache
def _extra(key: str) -> Mapping[str, Any]:
    kind = inspect.type_info(settings()[key])
    kinds = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    return next((one.extra for one in kinds if isinstance(one, inspect.Metadata) and one.extra), {})


def checked(given: Mapping[str, str]) -> tuple[dict[str, Any], list[Reason]]:
    """The settings of a command line that are right, and a reason for each that is not."""

    def spelled(key: str, value: Any) -> str:
        text = str(value)
        return f"{option(key)} {text if text.isprintable() else validator.shown(text)}"

    return declared().check(given, spelled=spelled, strict=False)


@cache
def declared() -> Declared:
    """All settings, to check what a file gives."""
    return Declared("a setting", settings(), meaning, _known)


def _known(key: str, value: Any) -> Any:
    """The value of a setting; `msgspec.ValidationError` for a word that is no kind of its device."""
    if key in DEVICES:
        try:
            DEVICES[key].find(msgspec.convert(value, str))
        except DeviceError as error:
            raise msgspec.ValidationError(str(error)) from error
    return value


def service_of(node: str) -> str:
    """The service that the password of `node` belongs to: `table`, `head` or another."""
    if node == PROBE:
        return HEAD
    return node.rstrip("0123456789").partition("-")[0]


def credential(name: str) -> Path | None:
    """The file that systemd hands this service as `secrets/NAME`, None if it does not: `systemd.exec(5)`."""
    given = os.environ.get("CREDENTIALS_DIRECTORY")
    path = Path(given, f"secrets_{name}") if given else None
    return path if path is not None and os.access(path, os.R_OK) else None


def _kept(secrets: str | None, node: str) -> str | None:
    """The password file of `node`, if it has one: systemd hands a service its own, root sees all."""
    if (handed := credential(node)) is not None:
        return str(handed)
    places = (Path(secrets, service_of(node), node), Path(secrets, node)) if secrets else ()
    return next((str(place) for place in places if os.access(place, os.R_OK)), None)


def _secret(file: str | None) -> Secret | None:
    if file is None:
        return None
    try:
        secret = Secret(Path(file).read_text("utf-8").rstrip("\r\n"))
    except OSError as error:
        raise ConfigError([f"broker.password_file = {file} cannot be read: {error.strerror}"]) from error
    except UnicodeDecodeError as error:
        raise ConfigError([f"broker.password_file = {file} holds no text in UTF-8"]) from error
    if not secret:
        raise ConfigError([f"broker.password_file = {file} is empty; write the password into it"])
    return secret

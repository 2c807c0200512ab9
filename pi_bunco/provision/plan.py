"""The plan of a hall as a host wants it, checked; what is not given stays as it was."""

import re
import zoneinfo
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from pi_bunco.config import ConfigError, checked
from pi_bunco.provision.addresses import OWN_ADDRESS, OWN_NAME, TLS_PORT, findable, fixed
from pi_bunco.wire.topics import HOST_CLI, host_node

HEAD_ADDRESS = "pi-bunco-head.local"
"""The head's address if none is given: its Pi's name by mDNS, good in any network and for any number."""
MAX_HALL_TABLES = 800
"""The largest hall: the broker takes 900 connections from the network, and a few of them are of leavers."""
GPIO = "gpio"
SERIAL = "serial"
"""A dice box at whatever USB socket."""
PAD = "keypad"
"""A number pad at whatever USB socket."""
TableEquipment = Literal["gpio", "usb", "ordinary", "phone"]
_SETTINGS = {"hall", "dice", "panel", "lights", "bell"}
_KINDS = ("usb", "ordinary", "phone")
COUNTRIES = frozenset(
    re.findall(
        "..",
        "ADAEAFAGAIALAMAOAQARASATAUAWAXAZBABBBDBEBFBGBHBIBJBLBMBNBOBQBRBSBTBVBWBYBZCACCCDCFCGCHCICKCLCMCNCOCR"
        "CUCVCWCXCYCZDEDJDKDMDODZECEEEGEHERESETFIFJFKFMFOFRGAGBGDGEGFGGGHGIGLGMGNGPGQGRGSGTGUGWGYHKHMHNHRHTHU"
        "IDIEILIMINIOIQIRISITJEJMJOJPKEKGKHKIKMKNKPKRKWKYKZLALBLCLILKLRLSLTLULVLYMAMCMDMEMFMGMHMKMLMMMNMOMPMQ"
        "MRMSMTMUMVMWMXMYMZNANCNENFNGNINLNONPNRNUNZOMPAPEPFPGPHPKPLPMPNPRPSPTPWPYQARERORSRURWSASBSCSDSESGSHSI"
        "SJSKSLSMSNSOSRSSSTSVSXSYSZTCTDTFTGTHTJTKTLTMTNTOTRTTTVTWTZUAUGUMUSUYUZVAVCVEVGVIVNVUWFWSYEYTZAZMZW",
    )
)
"""The codes of ISO 3166-1: without one of them the radio stays off."""
_ZONE = re.compile(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+){0,2}")
_KEY = re.compile(r"(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp\d+|sk-[\w@.-]+) [A-Za-z0-9+/=]+( [^\n]*)?")
_CHANNELS = range(1, 14)
_FEWER_CHANNELS = {"US", "CA", "MX", "TW", "CO", "PA", "PR"}
"""Countries whose 2.4 GHz band ends with channel 11: on 12 or 13 the Wi-Fi would not come up."""
_NAME_BYTES = 32
"""Of a Wi-Fi's name (IEEE 802.11, SSID)."""
_HOST = re.compile(r"[a-z0-9-]{1,20}")


class Plan(Struct, frozen=True, forbid_unknown_fields=True):
    """A hall: its tables 1 to `tables`, where its head is, what each table plays with, and its network.

    `usb`, `ordinary` and `phone` name tables; the others have dice at the header. Those in `keypad` have a
    number pad as their panel, and ordinary dice unless `usb` names them. `wifi` is the network that
    the Pis join ("" for a cable); with `own_wifi` the head's Pi makes it. `ssh_key` is a public key. `hosts`
    are the names of those who give commands from laptops of their own. With `laptop` the head is
    no Pi: `pi-bunco hall` runs on the machine `head`.
    """

    tables: int
    hall: str = "home"
    head: str = ""
    head_table: bool = True
    dice: str = GPIO
    panel: str = GPIO
    lights: str = GPIO
    bell: str = GPIO
    usb: tuple[int, ...] = ()
    ordinary: tuple[int, ...] = ()
    phone: tuple[int, ...] = ()
    keypad: tuple[int, ...] = ()
    wifi: str = ""
    own_wifi: bool = False
    wpa3: bool = False
    country: str = ""
    channel: int = 6
    timezone: str = "Etc/UTC"
    ssh_key: str = ""
    hosts: tuple[str, ...] = ()
    laptop: bool = False

    @property
    def counted(self) -> str:
        """The number of tables, in words."""
        return "1 table" if self.tables == 1 else f"{self.tables} tables"

    @property
    def at(self) -> str:
        """The head's name or number in the network."""
        return self.head or (OWN_NAME if self.own_wifi else HEAD_ADDRESS)

    @property
    def address(self) -> str:
        """The broker for tables, `HOST:PORT`: by name, then at the head's fixed numbers."""
        named = [f"[{one}]" if ":" in one else one for one in self.at.split(",")]
        radio = [OWN_ADDRESS] if self.own_wifi else [fixed(self.hall, "radio", 0).ip] if self.wifi else []
        numbers = [] if self.laptop else [*radio, fixed(self.hall, "cable", 0).ip]
        return ",".join(f"{place}:{TLS_PORT}" for place in (*named, *numbers))

    @property
    def page(self) -> str:
        """The address of the page for phones."""
        return f"http://[{self.at}]" if ":" in self.at else f"http://{self.at}"

    @property
    def head_number(self) -> int:
        """The table on the head's own Pi, 0 for none."""
        return int(self.head_table and not self.laptop and 1 not in self.phone)

    @property
    def alone(self) -> tuple[int, ...]:
        """The tables that have a Pi of their own."""
        elsewhere = {*self.phone, self.head_number}
        return tuple(number for number in range(1, self.tables + 1) if number not in elsewhere)

    def plays(self, number: int) -> TableEquipment:
        """The kind of dice and panel of a table."""
        listed: dict[TableEquipment, tuple[int, ...]] = {
            "usb": self.usb,
            "ordinary": (*self.ordinary, *self.keypad),
            "phone": self.phone,
        }
        return next((kind for kind, numbers in listed.items() if number in numbers), "gpio")

    @property
    def wifi_name(self) -> str:
        """The name of the Wi-Fi that phones join, "" if none is known."""
        return self.access_point if self.own_wifi else self.wifi

    @property
    def access_point(self) -> str:
        """The name of a Wi-Fi of the hall's own."""
        return f"Bunco {self.hall}"


def numbers(text: str) -> tuple[int, ...]:
    """The tables in `1-3,7`, sorted; `ValueError` for anything else."""
    found = set[int]()
    for part in filter(None, text.replace(" ", "").split(",")):
        first, dash, last = part.partition("-")
        if int(last or first) > MAX_HALL_TABLES or (dash and int(last) < int(first)):
            raise ValueError
        found.update(range(int(first), int(last) + 1) if dash else (int(first),))
    return tuple(sorted(found))


def planned(asked: Mapping[str, Any], before: Plan | None) -> Plan:
    """The plan `before` with the fields of `Plan` that were `asked` for; `ConfigError` has all mistakes."""
    problems = [*_problems(asked, before), *_changes(asked, before)]
    if problems:
        raise ConfigError(problems)
    hosts = {*(before.hosts if before else ()), *asked.get("hosts", ())}
    asked = {**_other_network(asked), **asked, "hosts": tuple(sorted(hosts))}
    plan = msgspec.structs.replace(before, **asked) if before else Plan(**asked)
    if problems := [*_plays_twice(plan), *_network(plan)]:
        raise ConfigError(problems)
    return plan


def _other_network(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that end one kind of network where the other is asked for."""
    return ({"own_wifi": False} if asked.get("wifi") else {}) | (
        {"wifi": ""} if asked.get("own_wifi") else {}
    )


def _problems(asked: Mapping[str, Any], before: Plan | None) -> Iterator[str]:
    tables = asked.get("tables", 1)
    if not 1 <= tables <= MAX_HALL_TABLES:
        span = f"1 (the head table) to {MAX_HALL_TABLES}"
        yield f"--tables {tables} is not allowed; it must be a whole number from {span}"
    head = asked.get("head", HEAD_ADDRESS)
    laptop = asked.get("laptop", before is not None and before.laptop)
    if not all(map(findable, head.split(",") if laptop else [head])):
        yield f"--head {head} is not allowed; it must be the name or number of the head's Pi, without a port"
    wrong = checked({name: asked[name] for name in sorted(_SETTINGS & asked.keys())})[1]
    yield from (one.english() for one in wrong)
    for host in asked.get("hosts", ()):
        if not _HOST.fullmatch(host) or host_node(host) == HOST_CLI:
            yield (
                f"--host {host} is not allowed; it must be a name of at most 20 of a-z, 0-9 and -, and not"
                " cli, which is the head's Pi itself"
            )
    if (zone := asked.get("timezone")) and not is_zone(zone):
        yield f"--timezone {zone} is not allowed; it must be a name such as Europe/Berlin"
    if (key := asked.get("ssh_key")) and not _KEY.fullmatch(key):
        yield "--ssh-key holds no public key: it is one line that begins with ssh-ed25519 or ssh-rsa"


def is_zone(name: str) -> bool:
    """True for a time zone, as far as this machine knows them."""
    known = zoneinfo.available_timezones()
    return _ZONE.fullmatch(name) is not None and (name in known or not known)


def _plays_twice(plan: Plan) -> Iterator[str]:
    """Problems with tables that are named where they cannot be."""
    for kind in (*_KINDS, PAD):
        for number in getattr(plan, kind):
            if not 1 <= number <= plan.tables:
                yield f"--{kind} {number} is not allowed; there are tables 1 to {plan.tables}"
    for number in range(1, plan.tables + 1):
        kinds = [f"--{kind}" for kind in _KINDS if number in getattr(plan, kind)]
        kinds += [f"--{PAD}"] if number in plan.keypad and number in plan.phone else []
        if len(kinds) > 1:
            yield f"table {number} is named with {' and '.join(kinds)}; leave one of them out"


def _network(plan: Plan) -> Iterator[str]:
    if plan.laptop and not plan.head:
        yield "--head is missing: the name or number of the laptop that runs pi-bunco hall"
    if plan.laptop and plan.own_wifi:
        yield "--own-wifi needs a Pi as the head; the laptop's tables join a Wi-Fi that is there: --wifi NAME"
    if plan.own_wifi and plan.wifi:
        yield f"--wifi {plan.wifi} and --own-wifi cannot be both; leave one of them out"
    if (plan.wifi or plan.own_wifi) and plan.country not in COUNTRIES:
        yield (
            f"--country {plan.country or 'is missing; it'} must be the two letters of the country, such as"
            " DE or GB: the radio stays off without it"
        )
    if len(plan.wifi.encode()) > _NAME_BYTES:
        yield f"--wifi {plan.wifi} is not allowed; the name of a Wi-Fi has at most {_NAME_BYTES} bytes"
    if plan.own_wifi and len(plan.access_point) > _NAME_BYTES:
        yield (
            f"--hall {plan.hall} is too long for --own-wifi: the name of its Wi-Fi, {plan.access_point}, may"
            f" have at most {_NAME_BYTES} letters; take a shorter name for the hall, in another folder"
        )
    last = 11 if plan.country in _FEWER_CHANNELS else _CHANNELS[-1]
    if plan.own_wifi and not 1 <= plan.channel <= last:
        yield f"--channel {plan.channel} is not allowed; it must be a whole number from 1 to {last}"


def _changes(asked: Mapping[str, Any], before: Plan | None) -> Iterator[str]:
    """Problems with changes that are impossible once the cards are made, and with an empty plan."""
    if before is None:
        if "tables" not in asked:
            yield "--tables is missing; say how many tables play, for example --tables 12"
        return
    if asked.get("hall", before.hall) != before.hall:
        yield f"this folder is that of hall {before.hall}; make another one for hall {asked['hall']}"
    if asked.get("tables", before.tables) < before.tables:
        yield f"this folder has {before.tables} tables already; a card that nobody uses does no harm"
    if asked.get("laptop", before.laptop) != before.laptop:
        where = "a laptop" if before.laptop else "a Pi"
        yield f"the head is {where} in this folder; make another folder to change that"
    if asked.get("head_table", before.head_table) != before.head_table:
        where = "on the head's Pi" if before.head_table else "on a Pi of its own"
        yield f"table 1 runs {where} in this folder; make another folder to change that"

"""The secrets of a hall: accounts at the broker with their rights, log key, PIN, the Wi-Fi's password."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from random import Random
from typing import Literal, get_args

from msgspec import Struct

from pi_bunco.enrol.protocol import draw_password, password_hash
from pi_bunco.wire.messages import CHANNELS
from pi_bunco.wire.topics import HEAD, HOST_CLI, PHONES, PREFIX, PROBE, WEB, host_node, table_node

OWN = (HEAD, PROBE, HOST_CLI, WEB, PHONES)
"""The accounts on the head's Pi beside those of tables; `probe` asks whether there is another head."""
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""None that is mistaken for another on paper."""
CARD_EVENINGS = 10_000
"""Evenings that a head's card counts before it would reach the base of the next one."""
_LOG_KEY_BYTES, _PIN_DIGITS, _WIFI_PASSWORD_LETTERS = 32, 6, 12
_UP = tuple(one.leaf for one in CHANNELS if one.direction == "up")
"""The leaves that a node can publish: by any others a stolen card could fill the broker's memory."""
_OF_TABLES = tuple(leaf for leaf in _UP if leaf != "command")
"""The leaves that a table publishes; the other is the one that `probe` does."""
Verb = Literal["read", "write", "readwrite", "deny"]
RIGHTS: Mapping[str, tuple[str, Sequence[tuple[Verb, str]]]] = {
    HEAD: ("The head reads and writes everything in its hall.", [("readwrite", "#")]),
    WEB: ("The page shows which tables are there.", [("read", "+/up/status"), ("read", "+/up/beat")]),
    PHONES: (
        "The phones' process speaks for all tables that phones play.",
        [*(("write", f"+/up/{leaf}") for leaf in _OF_TABLES), ("read", "+/down/#")],
    ),
    PROBE: (
        "Whoever asks for another head asks, and does nothing else.",
        [("deny", f"{PROBE}/up/{leaf}") for leaf in _OF_TABLES],
    ),
}
"""Rights of an account beside those of every node, by the topics below the hall, and why."""


class Account(Struct, frozen=True, forbid_unknown_fields=True):
    """A password and the salt (base64) of its hash; shown to nobody by accident."""

    password: str
    salt: str

    def __repr__(self) -> str:
        return "Account('***')"


def draw_account(random: Random) -> Account:
    """A new account."""
    return Account(*draw_password(random.randbytes))


class Secrets(Struct, frozen=True, forbid_unknown_fields=True):
    """`log_key` has 64 hex digits; `heads` counts the cards that were made for the head before this one."""

    log_key: str
    pin: str
    wifi: str = ""
    heads: int = 0

    def __repr__(self) -> str:
        return "Secrets('***')"

    @property
    def log_key_file(self) -> str:
        """The key and the base of the evenings' running number, above which this head's card counts."""
        return f"{self.log_key} {self.heads * CARD_EVENINGS}\n"


def draw_secrets(random: Random) -> Secrets:
    """New secrets; the password is for a Wi-Fi of the hall's own."""
    return Secrets(
        random.randbytes(_LOG_KEY_BYTES).hex(),
        "".join(random.choices("0123456789", k=_PIN_DIGITS)),
        draw_wifi_password(random),
    )


def draw_wifi_password(random: Random) -> str:
    """A new one for a Wi-Fi of the hall's own."""
    return "".join(random.choices(LETTERS, k=_WIFI_PASSWORD_LETTERS))


def completed(
    accounts: Mapping[str, Account],
    tables: int,
    replaced: Collection[str],
    random: Random,
    hosts: Iterable[str] = (),
) -> dict[str, Account]:
    """All accounts of a hall: new ones for those that are new or `replaced`, the others as they were."""
    names = (*OWN, *map(host_node, hosts), *map(table_node, range(1, tables + 1)))
    return {
        name: accounts[name] if name in accounts and name not in replaced else draw_account(random)
        for name in names
    }


def passwd(accounts: Mapping[str, Account]) -> str:
    """The password file."""
    return "".join(
        f"{name}:{password_hash(account.password, account.salt)}\n" for name, account in accounts.items()
    )


def acl(hall: str) -> str:
    """The access rules of wire/README.md for one hall; mosquitto puts the account's name for `%u`."""
    place = f"{PREFIX}/{hall}"
    writes, reads = _node_topics("%u")
    rules = [
        "# A node writes only below its own up/, and reads its own down/ and what goes to all; in its own"
        " status it\n# would see another node of its name.",
        *(f"pattern write {place}/{topic}" for topic in writes),
        *(f"pattern read {place}/{topic}" for topic in reads),
    ]
    for name, (why, more) in RIGHTS.items():
        rules += ["", f"# {why}", f"user {name}", *(f"topic {verb} {place}/{topic}" for verb, topic in more)]
    return "".join(f"{rule}\n" for rule in rules)


def _node_topics(node: str) -> tuple[list[str], list[str]]:
    """Topics of the hall that every node writes and reads."""
    return [f"{node}/up/{leaf}" for leaf in _UP], [f"{node}/up/status", f"{node}/down/#", "all/#"]


def users(accounts: Mapping[str, Account], hall: str) -> str:
    """The same rules as the list of users of nats-server, one a line; a topic's `/` is `.` there."""
    listed = (
        {"user": name, "password": account.password, "permissions": _permissions(name, hall)}
        for name, account in accounts.items()
    )
    return "".join(f"  {json.dumps(user)}\n" for user in listed)


def _permissions(name: str, hall: str) -> dict[str, dict[str, list[str]]]:
    more = RIGHTS[name][1] if name in RIGHTS else ()
    given = {verb: [topic for one, topic in more if one == verb] for verb in get_args(Verb)}
    writes, reads = _node_topics(name)
    writes = given["readwrite"] or [one for one in writes if one not in given["deny"]] + given["write"]

    def allowed(topics: list[str]) -> dict[str, list[str]]:
        signs = str.maketrans("/+#", ".*>")
        return {"allow": [f"{PREFIX}/{hall}/{topic}".translate(signs) for topic in topics]}

    return {"publish": allowed(writes), "subscribe": allowed(reads + given["read"] + given["readwrite"])}

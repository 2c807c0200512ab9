"""A new Pi asks the heads that it finds, and keeps what the broker of one of them has proved to be true."""

import contextlib
import ssl
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import paho.mqtt.client as paho
from msgspec import Struct
from paho.mqtt.enums import CallbackAPIVersion

from pi_bunco.enrol import protocol
from pi_bunco.enrol.keys import JoiningPanel
from pi_bunco.errors import ProvisionError
from pi_bunco.provision import addresses, adopt
from pi_bunco.provision.addresses import BROKER_NAME, OWN_ADDRESS, TLS_PORT
from pi_bunco.provision.cards import device_settings
from pi_bunco.provision.handover import Handover, PiSettings, dump
from pi_bunco.provision.plan import GPIO, HEAD_ADDRESS
from pi_bunco.provision.system import CommandLine, Completed, Step, System, command
from pi_bunco.runtime import files
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.topics import table_node

HEADS = (HEAD_ADDRESS, OWN_ADDRESS)
"""Addresses of a head that mDNS does not tell of: by its name, and in a Wi-Fi of the hall's own."""
HEAD_SERVICE = "_pi-bunco._tcp"
"""The kind of service that a head tells by mDNS (`systemd/pi-bunco-announce.service`)."""
ASK_EVERY_S = 2.0
MAX_UNANSWERED = 15
"""Questions without an answer after which the Pi begins anew."""
TURN_S = 300.0
"""Time after which a Pi turns to the next of several heads; so it shows no more words in an hour."""
LOOK_EVERY_S = 60.0
"""Between two looks whether there are several heads by now; a look takes a second from the blinks."""
NEXT_HEAD = protocol.TurnedDown("Nobody has taken this Pi in at that head: it asks the next one.")
MAX_LET_IN_TRIES = 10
"""Tries to be let in by the broker, which reads its accounts again just now."""
_HTTP_TIMEOUT_S, _BROKER_TIMEOUT_S, _BROWSE_TIMEOUT_S = 5.0, 10.0, 10.0
_MOST_BYTES = 16_384


class NewTable(Struct, frozen=True):
    """The result of joining: the head that the Pi asked, its answer, and the Pi's own password."""

    head: str
    offer: protocol.Offer
    attempt: protocol.Attempt
    joined: protocol.Joined


class Means(Struct, frozen=True):
    """The Pi's means: finds heads, asks one (`OSError` if it is not there), tries its broker ("": let in).

    `show` has the words and blinks of an attempt, `wait` takes seconds, at `panel` keys may be typed.
    """

    find: Callable[[], Sequence[str]]
    ask: Callable[[str, protocol.JoinQuestion], protocol.Reply]
    let_in: Callable[[NewTable], str]
    say: Callable[[str], None]
    show: Callable[[str, tuple[str, str], tuple[int, ...]], None]
    wait: Callable[[float], None]
    random: protocol.Bytes
    panel: JoiningPanel


class _Heads:
    """Heads of this network that have not sent this Pi away; a look by mDNS does not always name all."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self._sentence = ""
        self._seen = dict[str, None]()
        self.away = set[str]()

    def look(self) -> list[str]:
        """Addresses at which heads may be."""
        self._find()
        return [head for head in self._seen or HEADS if head not in self.away]

    def _find(self) -> Sequence[str]:
        found = self._means.find()
        self._seen |= dict.fromkeys(found)
        return found

    def several(self) -> bool:
        """Reports if mDNS names more than one head."""
        named = sorted(set(self._find()) - self.away)
        self.say(
            f"{len(named)} heads are in this network, at {' and '.join(named)}: this Pi asks one after"
            " the other, five minutes each. The host of a hall that it is not for sends it away."
            if len(named) > 1
            else ""
        )
        return len(named) > 1

    def say(self, sentence: str) -> None:
        """Says the sentence, if it is new."""
        if sentence and sentence != self._sentence:
            self._means.say(sentence)
        self._sentence = sentence


def join(means: Means, label: str) -> NewTable:
    """Asks until a host has tapped; one head at a time. `ProvisionError` if each has sent this Pi away."""
    network, turns, attempts = _Heads(means), dict[str, int](), 0
    while True:
        heads = sorted(network.look(), key=lambda head: turns.get(head, 0))
        if not heads:
            raise ProvisionError("every head has sent this Pi away; it asks again at its next start")
        attempt = protocol.draw_attempt(means.random)
        head, offer = _first_answer(means, heads, attempt.hello(label))
        if offer is None:
            network.say(f"No head answers at {' or '.join(heads)}: is it switched on, and in this network?")
            means.wait(ASK_EVERY_S)
            continue
        turns[head] = max(turns.values(), default=0) + 1
        answer = _attempt(means, head, attempt, offer, network.several)
        if isinstance(answer, NewTable):
            return answer
        means.say(answer.why)
        if not answer.again:
            network.away.add(head)
        elif answer is not NEXT_HEAD:
            means.wait(protocol.retry_after_s(attempts))
            attempts += 1


def _first_answer(
    means: Means, heads: Sequence[str], hello: protocol.JoinHello
) -> tuple[str, protocol.Reply | None]:
    for head in heads:
        with contextlib.suppress(OSError):
            return head, means.ask(head, hello)
    return "", None


def _attempt(
    means: Means, head: str, attempt: protocol.Attempt, offer: protocol.Reply, several: Callable[[], bool]
) -> NewTable | protocol.TurnedDown:
    """One attempt at one head, to its end; where there are `several` heads the next has its turn."""
    if not isinstance(offer, protocol.Offer):
        return (
            offer
            if isinstance(offer, protocol.TurnedDown)
            else protocol.TurnedDown(f"The head at {head} makes no sense.")
        )
    questions, silent = 0, 0
    while silent < MAX_UNANSWERED:
        try:
            reply = means.ask(head, means.panel.completed(offer, attempt.request()))
        except OSError:
            silent += 1
            means.wait(ASK_EVERY_S)
            continue
        silent = 0
        match reply:
            case protocol.Undecided():
                if questions == 0:
                    means.show(offer.hall, *protocol.shown(offer, attempt.request()))
                looks = questions % (LOOK_EVERY_S / ASK_EVERY_S) == 0
                if looks and several() and questions >= TURN_S / ASK_EVERY_S:
                    return NEXT_HEAD
                questions += 1
                means.wait(ASK_EVERY_S)
            case protocol.Joined():
                return _let_in(means, NewTable(head, offer, attempt, reply))
            case _:
                return (
                    reply
                    if isinstance(reply, protocol.TurnedDown)
                    else protocol.TurnedDown(f"{head} makes no sense.")
                )
    return protocol.TurnedDown("The head answers no more: this Pi asks anew, with other words.")


def _turned_down(reply: protocol.Reply, else_why: str) -> protocol.TurnedDown:
    return reply if isinstance(reply, protocol.TurnedDown) else protocol.TurnedDown(else_why)


def _let_in(means: Means, new: NewTable) -> NewTable | protocol.TurnedDown:
    why = ""
    for _ in range(MAX_LET_IN_TRIES):
        why = means.let_in(new)
        if not why:
            return new
        means.wait(ASK_EVERY_S)
    return protocol.TurnedDown(
        f"This Pi was to be table {new.joined.table}, and the broker does not let it in: {why}."
        " It asks anew, with other words."
    )


def heads_by_mdns(run: Callable[[CommandLine, float], Completed] = command) -> list[str]:
    """Addresses of this network's heads from avahi; each head once, however many addresses it has."""
    browse = ("avahi-browse", "--resolve", "--parsable", "--terminate", HEAD_SERVICE)
    rows = [line.split(";") for line in run(browse, _BROWSE_TIMEOUT_S).out.splitlines()]
    named = {row[3]: f"{row[7]}:{row[8]}" for row in rows if row[0] == "=" and row[2] == "IPv4"}
    return [named[name].removesuffix(":80") for name in sorted(named)]


def ask_by_http(head: str, question: protocol.JoinQuestion) -> protocol.Reply:
    """The answer of the head, `HOST` or `HOST:PORT`; `OSError` if nobody is there."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(f"http://{head}/join", protocol.encoded(question))
    try:
        with opener.open(request, timeout=_HTTP_TIMEOUT_S) as answer:
            return protocol.reply(answer.read(_MOST_BYTES))
    except (urllib.error.HTTPError, msgspec.DecodeError):
        return protocol.TurnedDown(
            f"The head at {head} knows nothing of joining: give it the package of this Pi."
        )


def broker_lets_in(port: int = TLS_PORT) -> Callable[[NewTable], str]:
    """Tries the head's broker as the table, by the certificate that is in the words; why not, "" if so."""

    def tried(new: NewTable) -> str:
        node = table_node(new.joined.table)
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as ca:
            ca.write(new.offer.ca)
            ca.flush()
            place = BrokerAddress.parse(
                f"{new.head.partition(':')[0]}:{port}",
                user=node,
                password=new.attempt.password,
                ca=ca.name,
                name=BROKER_NAME,
            )
            try:
                return _connected(place, node)
            except ssl.SSLError as error:
                return f"its certificate is not the one of the words ({error.reason})"
            except (OSError, ValueError) as error:
                return str(error)

    return tried


def _connected(place: BrokerAddress, node: str) -> str:
    codes: list[Any] = []
    client = paho.Client(CallbackAPIVersion.VERSION2, node, protocol=paho.MQTTv5)
    client.on_connect = lambda _client, _data, _flags, code, _properties: codes.append(code)
    client.username_pw_set(place.user, place.password)
    client.tls_set_context(place.tls())
    client.connect(place.host, place.port)
    until = time.monotonic() + _BROKER_TIMEOUT_S
    while not codes and time.monotonic() < until:
        client.loop(0.1)
    client.disconnect()
    if not codes:
        return "it does not answer"
    return str(codes[0]) if codes[0].is_failure else ""


def handed_over(new: NewTable, port: int = TLS_PORT) -> Handover:
    """The handover that a card of this table would have had."""
    number, host = new.joined.table, new.head.partition(":")[0]
    always = (HEAD_ADDRESS, str(addresses.fixed(new.offer.hall, "cable", 0).ip))
    hosts = dict.fromkeys((host, *always)) if port == TLS_PORT else (host,)
    broker = addresses.outside(",".join(f"{one}:{port}" for one in hosts))
    devices = device_settings(number, new.joined.plays, GPIO, GPIO, GPIO)
    secrets = {f"secrets/table/{table_node(number)}": f"{new.attempt.password}\n"}
    return Handover(
        PiSettings("table", number, new.offer.hall),
        {"hall": new.offer.hall, "broker": broker, **devices},
        {"ca.pem": new.offer.ca, **secrets},
    )


def kept(system: System) -> Path:
    """The file that has all that a Pi has joined with, until it is taken over; whole or not there."""
    return system.places.state / "joined.toml"


def keep(system: System, given: Handover) -> None:
    """Puts it on the card; from then on this Pi is that table, whenever the power goes."""
    kept(system).parent.mkdir(parents=True, exist_ok=True)
    files.write(kept(system), dump(given).encode())


def steps(system: System) -> tuple[list[Step], str] | None:
    """Steps that are left to become the table that this Pi has joined as; None where nothing is kept."""
    path = kept(system)
    given = adopt.read(path) if path.exists() else None
    if given is None:
        return None
    found, last = adopt.adoption(system, path, given)
    return [*found, *last], str(given.device)


def check_is_no_head(system: System) -> None:
    """`ProvisionError` on a Pi that would lose what it is."""
    if (system.places.roles / "head").exists():
        raise ProvisionError("this Pi is the head of a hall: another Pi asks it, on that one run this")

"""`pi-bunco update`: a table's Pi takes the newer version that its head hands out; a timer runs it."""

import argparse
import time
import urllib.error
import urllib.request
from functools import partial

from pi_bunco.cli.parser import add_root, need_root, say, value
from pi_bunco.provision import settings
from pi_bunco.provision.system import System
from pi_bunco.provision.update import MAX_BYTES, update
from pi_bunco.wire.address import BrokerAddress

TIMEOUT_S = 20.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options: the address of the head's page, and the system."""
    value(parser, "--page", "HOST[:PORT]", "the head's page (default: where its broker is)")
    add_root(parser)


def run(options: argparse.Namespace) -> int:
    """Takes it, if there is one and no evening is open; `UpdateError` if it cannot be used."""
    need_root("update", options.root)
    system = System(options.root.absolute())
    try:
        version = update(system, partial(fetched, pages(system, options.page)), time.sleep)
    except OSError as error:
        say(f"The head hands nothing out now ({error}).")
        return 0
    say(f"This Pi has version {version} now." if version else "The head has nothing newer.")
    return 0


def pages(system: System, given: str | None) -> list[str]:
    """The places where the head's page may be."""
    broker = settings.read(system.places.settings).get("broker", {})
    places = BrokerAddress.parse(str(broker.get("address", "localhost"))).places()
    return [given] if given else [place.host for place in places if not place.unix]


def fetched(places: list[str], name: str) -> bytes:
    """The file `name` from the first page that answers; `OSError` if none does."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    why: OSError = FileNotFoundError("no head is known")
    for place in places:
        try:
            with opener.open(f"http://{place}/package/{name}", timeout=TIMEOUT_S) as answer:
                return bytes(answer.read(MAX_BYTES))
        except urllib.error.HTTPError:
            raise
        except OSError as error:
            why = error
    raise why

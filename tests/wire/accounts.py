"""A mosquitto that knows its users, whose names are their client ids, as on a Pi."""

import subprocess

from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.broker import Broker
from wire.test_access import add


def only(broker: Broker, *users: str) -> None:
    """From now on the broker lets in these users only; each has its name as its password."""
    words = broker.config.with_name("words")
    words.touch(0o600)
    for user in users:
        subprocess.run(["mosquitto_passwd", "-b", str(words), user, user], check=True, capture_output=True)
    config = broker.config.read_text("utf-8")
    broker.config.write_text(config.replace("allow_anonymous true", "allow_anonymous false"), "utf-8")
    add(broker, f"password_file {words}", "use_username_as_clientid true")


def account(broker: Broker, user: str) -> BrokerAddress:
    return BrokerAddress.parse(broker.address, user=user, password=user)

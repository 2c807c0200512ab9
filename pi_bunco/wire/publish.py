"""A message on its way out, as an effect that a service asks for."""

import logging

from msgspec import Struct

from pi_bunco.wire.client import Client
from pi_bunco.wire.gate import encode
from pi_bunco.wire.messages import Payload
from pi_bunco.wire.topics import WireError

log = logging.getLogger(__name__)


class Publish(Struct, frozen=True):
    """`message` for `topic`; None takes a retained message away."""

    topic: str
    message: Payload | None
    qos: int = 0
    retain: bool = False


def send(client: Client, publish: Publish) -> bool:
    """Hands the message to the link; False while offline. One that is too large is logged and dropped."""
    try:
        payload = b"" if publish.message is None else encode(publish.message)
    except WireError as error:
        log.error("%s is not published: %s", publish.topic, error)
        return False
    return client.publish(publish.topic, payload, qos=publish.qos, retain=publish.retain)

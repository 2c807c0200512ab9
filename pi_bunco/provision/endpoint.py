"""The doors of the head's broker, as all know them who have to find it."""

import ipaddress
import re

PORT = 8883
"""Where the broker listens for tables, with TLS."""
SOCKET = "unix:/run/pi-bunco-broker/mqtt.sock"
"""Where the services of the head's own Pi find the broker."""
NAME = "pi-bunco-head"
"""The name in the broker's certificate, which tables look for at whatever address."""
OWN_NAME, OWN_ADDRESS = "bunco.home", "10.43.0.1"
"""The head's name and number in a Wi-Fi of the hall's own."""
CONFIG = "/etc/pi-bunco"
"""Where settings, certificates and secrets are, for those on the Pi itself."""
_HOST = re.compile(r"(?=.*[A-Za-z])[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")


def findable(host: str) -> bool:
    """Whether it may be a Pi's name or number; a mistyped number, `192.168.8`, is no name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return _HOST.fullmatch(host) is not None
    return True


def inside() -> dict[str, str]:
    """The settings of the broker for the head's own Pi."""
    return {"address": SOCKET, "secrets": f"{CONFIG}/secrets"}


def outside(address: str) -> dict[str, str]:
    """The settings of the broker for a table's Pi; `address` is the head's, `HOST:PORT`."""
    tls = {"ca": f"{CONFIG}/ca.pem", "server_name": NAME}
    return {"address": address, **tls, "secrets": f"{CONFIG}/secrets"}

"""The addresses of the head's broker, for all who have to find it."""

import ipaddress
import re
import zlib
from typing import Literal

TLS_PORT = 8883
"""The broker's port for tables, with TLS."""
SOCKET = "unix:/run/pi-bunco-broker/mqtt.sock"
"""The broker's address for the services of the head's own Pi."""
BROKER_NAME = "pi-bunco-head"
"""The name in the broker's certificate, which tables look for at whatever address."""
OWN_NAME, OWN_ADDRESS = "bunco.home", "10.43.0.1"
"""The head's name and number in a Wi-Fi of the hall's own."""
_RANGES = {"cable": 43, "radio": 44}
"""The fixed numbers of the Pis are 10.43.* on a cable, and 10.44.* in a Wi-Fi that they join."""
_FIRST, _LAST, _PLACES = 4, 251, 200
"""The head's number is 1 to 200 in one of these blocks of 256, and those of its tables follow."""
CONFIG = "/etc/pi-bunco"
"""The folder of settings, certificates and secrets on a Pi."""
_HOST = re.compile(r"(?=.*[A-Za-z])[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")


def findable(host: str) -> bool:
    """True for what may be a Pi's name or number; a mistyped number, `192.168.8`, is no name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return _HOST.fullmatch(host) is not None
    return True


def fixed(hall: str, link: Literal["cable", "radio"], number: int) -> ipaddress.IPv4Interface:
    """The number that a table's Pi, or the head's for 0, has beside any that it is given in the network.

    By it tables find the head where names are not answered, and without anybody who gives numbers. It follows
    from the hall's name, so that two halls in one network hardly ever have one number: NetworkManager leaves
    a Pi without any network whose number another has. The first blocks are left to a Wi-Fi of the hall's own.
    All are one network, so that a Pi that does not know its hall yet reaches the head by any number.
    """
    block, place = divmod(zlib.crc32(hall.encode()) % ((_LAST + 1 - _FIRST) * _PLACES), _PLACES)
    first = ipaddress.IPv4Address(f"10.{_RANGES[link]}.{_FIRST + block}.{1 + place}")
    return ipaddress.IPv4Interface(f"{first + number}/16")


def inside() -> dict[str, str]:
    """The settings of the broker for the head's own Pi."""
    return {"address": SOCKET, "secrets": f"{CONFIG}/secrets"}


def outside(address: str) -> dict[str, str]:
    """The settings of the broker for a table's Pi; `address` is the head's, `HOST:PORT`, or several."""
    tls = {"ca": f"{CONFIG}/ca.pem", "server_name": BROKER_NAME}
    return {"address": address, **tls, "secrets": f"{CONFIG}/secrets"}

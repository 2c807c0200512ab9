"""`-m pi_bunco.runtime.broker_watch COMMAND` becomes the broker, and tells systemd as long as it answers.

mosquitto 2.0 feeds no watchdog. So a second process of the unit asks it for a connection, again and again:
any answer will do, and "not authorised" is one, so that who asks needs no account.
"""

import os
import socket
import sys
import time
from pathlib import Path

from pi_bunco.runtime.systemd import notify, watchdog_ms

SOCKET_FILE = Path("/run/pi-bunco-broker/mqtt.sock")
_CONNECT = bytes((0x10, 12, 0, 4)) + b"MQTT" + bytes((4, 2, 0, 0, 0, 0))
"""MQTT 3.1.1, chapter 3.1: a clean session of a client without a name."""
_CONNACK = 0x20


def answers(path: Path, within_s: float) -> bool:
    """True if a broker at this socket answers who knocks; each step may take `within_s`."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knock:
            knock.settimeout(within_s)
            knock.connect(os.fspath(path))
            knock.sendall(_CONNECT)
            return knock.recv(4)[:1] == bytes((_CONNACK,))
    except OSError:
        return False


def watch(path: Path, every_s: float) -> None:
    """For ever: systemd hears that the broker works, whenever it has answered."""
    while True:
        time.sleep(every_s)
        if answers(path, every_s):
            notify("WATCHDOG=1")


def main() -> None:
    """Becomes the command of the arguments, watched over where systemd asks for it."""
    watched = watchdog_ms()
    if watched and os.fork() == 0:
        watch(SOCKET_FILE, watched / 4000)
    os.execv(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()

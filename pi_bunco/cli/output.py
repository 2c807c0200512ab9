"""What the commands print for programs."""

import sys
from typing import Any

import msgspec


def print_json(plain: Any) -> None:
    """Prints one JSON value on a line, in UTF-8 whatever the locale is."""
    sys.stdout.flush()
    sys.stdout.buffer.write(msgspec.json.encode(plain) + b"\n")
    sys.stdout.buffer.flush()

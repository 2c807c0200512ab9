import errno
import socket

import pytest

from pi_bunco.web.site import server


def test_the_addresses_are_read_in_a_sandbox_without_netlink(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a hotspot without internet no route leads out, and the page's unit allows no netlink."""

    def refused() -> None:
        raise OSError(errno.EAFNOSUPPORT, "Address family not supported by protocol")

    monkeypatch.setattr(socket, "if_nameindex", refused)
    assert all("." in address and not address.startswith("127.") for address in server._addresses())

"""The head hands a package to the tables, and to nobody anything else of its folder."""

from web.backends import OPEN, FakeBackend
from web.served import answer, get


def test_tables_are_handed_the_package_while_no_evening_is_open(backend: FakeBackend, port: int) -> None:
    packages = backend.settings.packages
    assert packages is not None
    for name in ("offer.deb", "offer.deb.sig"):
        assert b" 404 " in answer(port, get(f"/package/{name}"))
        (packages / name).write_bytes(b"given: " + name.encode())
        assert answer(port, get(f"/package/{name}")).endswith(b"given: " + name.encode())
    assert (packages / "web.db").exists()
    for name in ("web.db", "../package/web.db", "%2e%2e%2fweb.db"):
        assert b" 404 " in answer(port, get(f"/package/{name}"))
    backend.take(OPEN)
    assert b" 404 " in answer(port, get("/package/offer.deb"))

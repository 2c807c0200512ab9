"""The page's own certificate: a browser that trusts it gets the login under TLS."""

import os
import ssl
import tracemalloc
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from pi_bunco.web.site.certificate import self_signed
from pi_bunco.web.site.connections import Connections
from pi_bunco.web.site.server import Endpoint
from web.served import HOST, connected, served


async def hello(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse(scope["scheme"])(scope, receive, send)


def test_the_page_makes_a_certificate_once_and_serves_under_it(tmp_path: Path) -> None:
    files = self_signed(tmp_path, ["bunco.local", HOST])
    assert files is not None
    assert self_signed(tmp_path, ["other"]) == files
    assert Path(files[1]).stat().st_mode & 0o777 == 0o600
    trusted = ssl.create_default_context(cafile=files[0])
    with served(hello, Connections(), Endpoint(HOST, 0, *files)) as port:
        assert httpx.get(f"https://{HOST}:{port}/", verify=trusted).text == "https"


@pytest.mark.parametrize("name", ["page.crt", "page.key"])
def test_a_file_that_a_power_cut_left_empty_is_made_anew(tmp_path: Path, name: str) -> None:
    self_signed(tmp_path, [HOST])
    (tmp_path / name).write_bytes(b"")
    files = self_signed(tmp_path, [HOST])
    assert files is not None
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(*files)


def test_what_the_page_is_opened_with_survives_a_power_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = set[int]()
    monkeypatch.setattr(os, "fsync", lambda file: synced.add(os.fstat(file).st_ino))
    files = self_signed(tmp_path, [HOST])
    assert files is not None
    assert {Path(file).stat().st_ino for file in files} <= synced


def test_tls_of_version_1_2_has_suites_with_authentication_alone(tmp_path: Path) -> None:
    files = self_signed(tmp_path, [HOST])
    assert files is not None
    client = ssl.create_default_context(cafile=files[0])
    client.maximum_version = ssl.TLSVersion.TLSv1_2
    with served(hello, Connections(), Endpoint(HOST, 0, *files)) as port:
        with client.wrap_socket(connected(port), server_hostname=HOST) as link:
            suite = link.cipher()
            assert suite is not None
            assert "GCM" in suite[0]
        client.set_ciphers("ECDHE+AES:!AESGCM:!AESCCM")
        with connected(port) as plain, pytest.raises(ssl.SSLError):
            client.wrap_socket(plain, server_hostname=HOST)


def test_a_page_that_is_open_with_tls_takes_no_buffer_of_a_quarter_megabyte(tmp_path: Path) -> None:
    files = self_signed(tmp_path, [HOST])
    assert files is not None
    client = ssl.create_default_context(cafile=files[0])
    tracemalloc.start()
    try:
        with served(hello, Connections(), Endpoint(HOST, 0, *files)) as port, ExitStack() as opened:
            before, _ = tracemalloc.get_traced_memory()
            for _ in range(8):
                opened.enter_context(client.wrap_socket(connected(port), server_hostname=HOST))
            after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 8 * 128 * 1024

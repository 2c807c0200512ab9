"""A certificate of the page's own, for a hall that has given it none: no PIN crosses a network in the clear.

Nobody vouches for it, so a browser asks once whether to go on; it keeps a listener out all the same.
"""

import ipaddress
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pi_bunco.runtime import files

if TYPE_CHECKING:
    from cryptography import x509

FROM, UNTIL = datetime(1970, 1, 1, tzinfo=UTC), datetime(2069, 12, 31, tzinfo=UTC)
"""A Pi without a clock starts in the past."""


def self_signed(folder: Path, names: Iterable[str]) -> tuple[str, str] | None:
    """The files of certificate and key in `folder`, made if there are none, for these names and addresses.

    What is empty was left so by a power cut. None where the library that makes them is missing (the extra
    `provision`).
    """
    cert, key = folder / "page.crt", folder / "page.key"
    if not all(file.exists() and file.stat().st_size for file in (cert, key)):
        try:
            made = _made(list(names))
        except ImportError:
            return None
        files.write(key, made[1])
        files.write(cert, made[0])
    return str(cert), str(key)


def _made(names: list[str]) -> tuple[bytes, bytes]:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "pi-bunco page")])
    others = [_address(one) or x509.DNSName(one) for one in names]
    cert = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(FROM)
        .not_valid_after(UNTIL)
        .add_extension(x509.SubjectAlternativeName(others), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    return cert.public_bytes(pem), key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)


def _address(text: str) -> "x509.IPAddress | None":
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return None

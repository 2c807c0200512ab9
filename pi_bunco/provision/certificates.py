"""The hall's own certificate authority and the broker's certificate, which any clock finds valid.

A Pi without a battery or an internet starts in the past; one with an empty battery may be anywhere. So both
are valid from the first second that a Pi can have, to the date that RFC 5280 (4.1.2.5) has for "no end".
"""

from collections.abc import Set
from datetime import UTC, datetime

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from msgspec import Struct

from pi_bunco.provision.addresses import BROKER_NAME

FROM = datetime(1970, 1, 1, tzinfo=UTC)
UNTIL = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
_USES = (
    *("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement"),
    *("key_cert_sign", "crl_sign", "encipher_only", "decipher_only"),
)


class Certificates(Struct, frozen=True):
    """The authority's certificate and key, and the broker's, as PEM; the keys are shown to nobody."""

    ca: str
    ca_key: str
    cert: str
    key: str

    def __repr__(self) -> str:
        return "Certificates('***')"


def made(hall: str) -> Certificates:
    """A new authority for the hall, and a certificate for its broker (EC P-256)."""
    ca_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    issuer = _name(f"pi-bunco {hall}")
    ca = _signed(
        (issuer, ca_key.public_key()),
        (issuer, ca_key),
        x509.BasicConstraints(ca=True, path_length=0),
        {"key_cert_sign", "crl_sign"},
    )
    cert = _signed(
        (_name(BROKER_NAME), key.public_key()),
        (issuer, ca_key),
        x509.BasicConstraints(ca=False, path_length=None),
        {"digital_signature"},
        x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]),
        x509.SubjectAlternativeName([x509.DNSName(BROKER_NAME)]),
    )
    return Certificates(_pem(ca), _key_pem(ca_key), _pem(cert), _key_pem(key))


_PACKAGE = b"pi-bunco package\n"
"""Stands before what is signed, so that no other signature of the authority's passes for one of a package."""


def vouch(ca_key: str, package: bytes) -> bytes:
    """The authority's signature of a package; every Pi of its hall knows the key that it is checked with."""
    key = serialization.load_pem_private_key(ca_key.encode(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    return key.sign(_PACKAGE + package, ec.ECDSA(hashes.SHA256()))


def vouched(ca: str, package: bytes, signature: bytes) -> bool:
    """True if the authority with that certificate has signed the package."""
    key = x509.load_pem_x509_certificate(ca.encode()).public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey)
    try:
        key.verify(signature, _PACKAGE + package, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    return True


def _signed(
    subject: tuple[x509.Name, ec.EllipticCurvePublicKey],
    issuer: tuple[x509.Name, ec.EllipticCurvePrivateKey],
    constraints: x509.BasicConstraints,
    uses: Set[str],
    *more: x509.ExtensionType,
) -> x509.Certificate:
    """A certificate with the ids of both keys, which a strict check (Python 3.13) needs."""
    (name, key), (issuer_name, issuer_key) = subject, issuer
    number = x509.random_serial_number()
    builder = x509.CertificateBuilder(issuer_name, name, key, number, FROM, UNTIL)
    ids = (
        x509.SubjectKeyIdentifier.from_public_key(key),
        x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()),
    )
    for critical in (constraints, x509.KeyUsage(**{use: use in uses for use in _USES})):
        builder = builder.add_extension(critical, critical=True)
    for extension in (*ids, *more):
        builder = builder.add_extension(extension, critical=False)
    return builder.sign(issuer_key, hashes.SHA256())


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def _key_pem(key: ec.EllipticCurvePrivateKey) -> str:
    form, bare = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, form, bare).decode()

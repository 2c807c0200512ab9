"""The hall's own certificate authority and the broker's certificate, which any clock finds valid.

A Pi without a battery or an internet starts in the past; one with an empty battery may be anywhere. So both
are valid from the first second that a Pi can have, to the date that RFC 5280 (4.1.2.5) has for "no end".
"""

from datetime import UTC, datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from msgspec import Struct

from pi_bunco.provision.addresses import NAME

FROM = datetime(1970, 1, 1, tzinfo=UTC)
UNTIL = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
_NO_USE = dict.fromkeys(
    (
        "digital_signature",
        "content_commitment",
        "key_encipherment",
        "data_encipherment",
        "key_agreement",
        "key_cert_sign",
        "crl_sign",
        "encipher_only",
        "decipher_only",
    ),
    False,
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
    ca = _authority(issuer, ca_key)
    cert = _server(issuer, ca_key, key.public_key())
    return Certificates(_pem(ca), _key_pem(ca_key), _pem(cert), _key_pem(key))


def _authority(name: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    uses = x509.KeyUsage(**(_NO_USE | {"key_cert_sign": True, "crl_sign": True}))
    return (
        _begun(name, name, key.public_key(), key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(uses, critical=True)
        .sign(key, hashes.SHA256())
    )


def _server(
    issuer: x509.Name, issuer_key: ec.EllipticCurvePrivateKey, key: ec.EllipticCurvePublicKey
) -> x509.Certificate:
    uses = x509.KeyUsage(**(_NO_USE | {"digital_signature": True}))
    return (
        _begun(_name(NAME), issuer, key, issuer_key)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(uses, critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .sign(issuer_key, hashes.SHA256())
    )


def _begun(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    issuer_key: ec.EllipticCurvePrivateKey,
) -> x509.CertificateBuilder:
    """The common part of both, with the ids of both keys, which a strict check (Python 3.13) needs."""
    return (
        x509.CertificateBuilder(issuer, subject, key, x509.random_serial_number(), FROM, UNTIL)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False
        )
    )


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def _key_pem(key: ec.EllipticCurvePrivateKey) -> str:
    form, bare = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, form, bare).decode()

"""The files of a hall: accounts, certificates, one for each Pi, and those that a second run keeps."""

import stat
import subprocess
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
import tomli_w
from cryptography import x509
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.config import load, service_of
from pi_bunco.enrol.protocol import HASH_ROUNDS
from pi_bunco.provision import accounts, certificates, handover, labels
from pi_bunco.provision.accounts import Account, Secrets
from pi_bunco.provision.handover import PiSettings
from pi_bunco.provision.plan import Plan
from provision.halls import card, provisioned, tree


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("hall") / "out"
    provisioned(out, tables=12)
    return out


def test_each_pi_has_a_file_with_its_own_secret_and_no_other(out: Path) -> None:
    everybodys = {name: card(out, name).files for name in ("head", *(f"table{n}" for n in range(2, 13)))}
    secrets = {name: [path for path in files if "secrets" in path] for name, files in everybodys.items()}
    own = [
        *("secrets/head/head", "secrets/head/probe", "secrets/host/host-cli", "secrets/web/web"),
        "secrets/phones/phones",
        *("secrets/table/table1", "secrets/head/log-key", "secrets/web/pin"),
    ]
    assert secrets == {"head": own} | {f"table{n}": [f"secrets/table/table{n}"] for n in range(2, 13)}
    assert not (out / "table1").exists()
    words = [files[path] for name, files in everybodys.items() for path in secrets[name]]
    assert len(set(words)) == len(words) == 19
    assert {len(word.strip()) for word in words} == {32, 66, 6}  # 192 bits; the log key; the PIN


def test_the_files_are_what_a_pi_takes(out: Path) -> None:
    for file in out.glob("*/pi-bunco.toml"):
        given = handover.read(file)
        assert given is not None
        assert handover.parse(handover.dump(given)) == given
    assert card(out, "head").device == PiSettings("head", 1, "home")
    assert card(out, "table7").device == PiSettings("table", 7, "home")
    assert set(card(out, "table7").files) == {"ca.pem", "secrets/table/table7"}


@pytest.mark.parametrize("name", ["head", "table7"])
def test_the_settings_are_what_the_services_take(out: Path, tmp_path: Path, name: str) -> None:
    given = card(out, name)
    for path, text in given.files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    settings = tomli_w.dumps(given.settings).replace("/etc/pi-bunco", str(tmp_path))
    (tmp_path / "pi-bunco.toml").write_text(settings, "utf-8")
    config = load({}, tmp_path / "pi-bunco.toml", ("number", "broker.address"))
    for node in ("head", "probe", "host-cli", "table1") if name == "head" else ("table7",):
        address = config.address(node)
        assert (address.user, address.password) == (
            node,
            given.files[f"secrets/{service_of(node)}/{node}"][:-1],
        )
    assert (config.dice, config.panel, config.lights) == ("gpio", "gpio", "gpio")
    assert config.bell == ("gpio" if name == "head" else "virtual")
    assert str(address) == (
        "unix:/run/pi-bunco-broker/mqtt.sock" if name == "head" else "pi-bunco-head.local:8883"
    )


def test_nobody_else_on_the_laptop_sees_a_secret(out: Path) -> None:
    assert not {str(one) for one in out.rglob("*") if one.stat().st_mode & 0o077}
    assert stat.S_IMODE(out.stat().st_mode) == 0o700
    assert stat.S_IMODE((out / "ca/ca-key.pem").stat().st_mode) == 0o600


def test_printed_and_readable_files_have_no_secret(out: Path) -> None:
    names = ("labels.html", "first-night.html", "README.txt")
    public = "".join((out / name).read_text("utf-8") for name in names)
    public += "".join(file.read_text("utf-8") for file in out.glob("*/user-data"))
    hall = tomllib.loads((out / "hall.toml").read_text("utf-8"))
    kept = hall["accounts"]
    assert len(kept) == 17
    assert not [name for name in ("log_key", "pin", "wifi") if hall["secrets"][name] in public]
    assert hall["secrets"]["pin"] in (out / "host.html").read_text("utf-8")
    assert not [name for name, account in kept.items() if account["password"] in public]
    assert "PRIVATE KEY" not in public


def test_a_host_who_follows_the_text_has_all_on_the_card_before_the_first_start(out: Path) -> None:
    text = (out / "README.txt").read_text("utf-8")
    steps = ["Write Raspberry Pi OS", "bootfs", "Copy all that is in", "switch it on", "does the rest"]
    assert sorted(steps, key=text.index) == steps


def test_the_authoritys_key_stays_on_the_laptop(out: Path) -> None:
    key = (out / "ca/ca-key.pem").read_text("ascii").splitlines()[1]
    assert [name for name, content in tree(out).items() if key.encode() in content] == ["ca/ca-key.pem"]
    server = (out / "ca/key.pem").read_text("ascii").splitlines()[1]
    found = {name for name, content in tree(out).items() if server.encode() in content}
    assert found == {"ca/key.pem", "head/pi-bunco.toml"}


# Accounts and certificates.


@pytest.mark.system("mosquitto_passwd")
@given(password=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=40))
def test_the_hash_is_the_one_of_mosquitto_passwd(
    tmp_path_factory: pytest.TempPathFactory, password: str
) -> None:
    file = tmp_path_factory.getbasetemp() / "words"
    subprocess.run(["mosquitto_passwd", "-c", "-b", str(file), "table1", password], check=True)
    line = file.read_text("ascii")
    _, seven, iterations, salt, _ = line.strip().split("$")
    assert (seven, int(iterations)) == ("7", HASH_ROUNDS)
    assert accounts.passwd({"table1": Account(password, salt)}) == line


def test_passwords_depend_on_nothing_but_the_random() -> None:
    one, same, other = (accounts.completed({}, 3, (), Random(seed)) for seed in (1, 1, 2))
    assert one == same
    assert not {account.password for account in one.values()} & {
        account.password for account in other.values()
    }
    assert list(one) == ["head", "probe", "host-cli", "web", "phones", "table1", "table2", "table3"]
    assert "password" not in repr(one) + str(one["head"])
    assert one["head"].password not in repr(one)


@given(tables=st.integers(1, 30), more=st.integers(0, 5), gone=st.sets(st.integers(1, 30)))
def test_only_what_is_new_or_replaced_is_drawn(tables: int, more: int, gone: set[int]) -> None:
    before = accounts.completed({}, tables, (), Random(1))
    after = accounts.completed(before, tables + more, {f"table{n}" for n in gone}, Random(2))
    new = {name for name, account in after.items() if before.get(name) != account}
    numbers = {n for n in range(1, tables + more + 1) if n in gone or n > tables}
    assert new == {f"table{n}" for n in numbers}


def test_the_rules_are_the_protocols(out: Path) -> None:
    rules = [line for line in card(out, "head").files["broker/acl"].splitlines() if line and line[0] != "#"]
    assert rules == [
        *(
            f"pattern write bunco/v1/home/%u/up/{leaf}"
            for leaf in ("fact", "status", "beat", "clock", "log_request", "log", "command")
        ),
        "pattern read bunco/v1/home/%u/up/status",
        "pattern read bunco/v1/home/%u/down/#",
        "pattern read bunco/v1/home/all/#",
        "user head",
        "topic readwrite bunco/v1/home/#",
        "user web",
        "topic read bunco/v1/home/+/up/status",
        "topic read bunco/v1/home/+/up/beat",
        "user phones",
        *(
            f"topic write bunco/v1/home/+/up/{leaf}"
            for leaf in ("fact", "status", "beat", "clock", "log_request", "log")
        ),
        "topic read bunco/v1/home/+/down/#",
        "user probe",
        *(
            f"topic deny bunco/v1/home/probe/up/{leaf}"
            for leaf in ("fact", "status", "beat", "clock", "log_request", "log")
        ),
    ]


@pytest.mark.system("openssl")
@pytest.mark.parametrize("second", [0, 1, 1_000_000_000, 4_102_444_800, 7_258_118_400])
def test_the_certificate_stands_a_strict_check_at_any_time(tmp_path: Path, second: int) -> None:
    made = certificates.made("home")
    (tmp_path / "ca").write_text(made.ca, "ascii")
    (tmp_path / "cert").write_text(made.cert, "ascii")
    check = [
        "openssl",
        "verify",
        "-x509_strict",
        "-purpose",
        "sslserver",
        "-verify_hostname",
        "pi-bunco-head",
    ]
    found = subprocess.run(
        [*check, "-attime", str(second), "-CAfile", tmp_path / "ca", tmp_path / "cert"],
        capture_output=True,
        check=False,
    )
    assert found.stdout.endswith(b"cert: OK\n"), found.stderr


def test_the_certificate_has_one_name_and_one_use() -> None:
    made = certificates.made("home")
    cert = x509.load_pem_x509_certificate(made.cert.encode())
    ca = x509.load_pem_x509_certificate(made.ca.encode())
    names = cert.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["pi-bunco-head"]
    assert len(names) == 1
    assert not cert.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    cert.verify_directly_issued_by(ca)
    for one in (cert, ca):
        assert one.not_valid_before_utc == datetime(1970, 1, 1, tzinfo=UTC)
        assert one.not_valid_after_utc.year == 9999
    assert "KEY" not in repr(made)


# Labels.


@pytest.mark.parametrize(("tables", "head_table", "count"), [(12, True, 12), (12, False, 13), (1, True, 1)])
def test_a_label_for_each_pi(tables: int, head_table: bool, count: int) -> None:
    plan = Plan(tables, hall="barn", head_table=head_table)
    sheet = labels.sheets(plan, Secrets("", ""))["labels.html"]
    assert sheet.count("<article>") == sheet.count("<svg ") == count
    assert "http:" not in sheet.replace("http://www.w3.org/2000/svg", "")  # needs nothing else
    assert "<script" not in sheet
    last = list(labels.labels(plan))[-1]
    if tables > 1:
        assert (last.large, last.folder) == ("12", "table12")
        assert last.code == "Bunco hall barn: table 12. Its head is at pi-bunco-head.local"


def test_a_label_shows_a_strange_name_as_it_is() -> None:
    sheets = labels.sheets(Plan(2, hall="<b>x"), Secrets("", ""))
    assert not any("<b>x" in sheet for sheet in sheets.values())

"""`pi-bunco doctor`: its exit status, its JSON, and what a bug report does not tell."""

import base64
import gzip
import io
import json
import tarfile
from contextlib import closing
from pathlib import Path
from random import Random
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cards import card as disk
from cli.processes import head, run, table
from doctor.machines import Pi
from logs import logged
from pi_bunco.cli import main
from pi_bunco.config import Config
from pi_bunco.doctor import bundle, stores
from pi_bunco.doctor.bundle import REDACTED, Redaction, known, redacted_settings, secret_pieces
from pi_bunco.doctor.examine import Subject
from pi_bunco.doctor.findings import Finding
from pi_bunco.doctor.stores import STORE_KINDS
from pi_bunco.game import codec, facts
from pi_bunco.log.backup import Home
from pi_bunco.log.journal import Journal
from pi_bunco.provision import handover
from pi_bunco.provision.places import Places
from pi_bunco.provision.provision import provision
from pi_bunco.runtime.store import connect
from pi_bunco.runtime.writer import Reports
from pi_bunco.wire.broker import Broker
from provision.halls import card, provisioned

PEOPLE = ("Ann", "Bob", "Anna", "Zoë", "Eve")
PRINTED = st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="'\"")
QUIET = Reports(lambda _: None, lambda why: pytest.fail(why))
Said = pytest.CaptureFixture[str]


def test_a_hall_that_is_well(broker: Broker, tmp_path: Path) -> None:
    with head(broker, tmp_path / "h") as one, table(broker, tmp_path / "t", 1) as two:
        assert "ready" in one.ready()
        assert "ready" in two.ready()
        said = run("doctor", "--broker", broker.address, "--data", tmp_path / "h", "--json")
    assert said.returncode == 0, said.stdout
    told = json.loads(said.stdout)
    assert set(told) == {"ok", "findings"}
    assert told["ok"] is True
    assert all(set(one) == {"check", "level", "text", "mend"} for one in told["findings"])
    levels = {one["check"]: one["level"] for one in told["findings"]}
    assert {levels[check] for check in ("broker", "login", "head", "tables", "stores", "card speed")} == {
        "ok"
    }


def test_a_broker_that_is_gone_is_a_fault(capsys: Said) -> None:
    assert main(["doctor", "--broker", "127.0.0.1:1"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("This stops a night:\n  broker: There is a machine at 127.0.0.1, but no broker")
    assert "    -> " in said
    assert "login: skipped: the broker is not reached" in said


def test_a_full_card_is_not_mended_by_being_root(tmp_path: Path, capsys: Said) -> None:
    with disk(tmp_path / "card") as full:
        (full.path / "head").mkdir()
        full.fill()
        assert main(["doctor", "--data", str(full.path), "--json"]) == 1
    found = {one["check"]: one for one in json.loads(capsys.readouterr().out)["findings"]}
    assert found["disk space"]["level"] == "fault"
    assert found["card speed"]["text"].endswith("(No space left on device).")


def test_the_help_says_what_programs_can_rely_on(capsys: Said) -> None:
    with pytest.raises(SystemExit):
        main(["doctor", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert "Exit status: 0 if nothing stops a night, 1 if something does, 2" in told
    assert '{"ok": true, "findings": [{"check", "level", "text", "mend"}]}' in told


# What is not told.


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    """The head's Pi of a provisioned hall, whose log and stores have secrets in them."""
    made = tmp_path / "hall"
    provisioned(made)
    pi = Pi(tmp_path / "pi")
    for path, text in card(made, "head").files.items():
        pi.put(f"etc/pi-bunco/{path}", text)
    pi.put("boot/firmware/pi-bunco.toml", (made / "table3/pi-bunco.toml").read_text())
    everything = secrets(tmp_path)
    pi.put("etc/pi-bunco/pi-bunco.toml", f'number = 1\nbell_pin = "hunter22"\n# {everything[0]}\n')
    pi.says["journalctl"] = "".join(f"Nov 20 pi mosquitto: Ann said {one}\n" for one in everything)
    pi.says["systemctl"] = f"pi-bunco-head.service {everything[0]}\n"
    home = Home(pi.machine.places.state, True, STORE_KINDS)
    (home.folder / "head").mkdir(parents=True)
    journal = Journal(home.folder / "head/journal.db", QUIET)
    journal.append(logged(1, "e", facts.EveningOpen(0, "gong", PEOPLE[:4], id="e")))
    journal.append(logged(2, "e", codec.decode(b'{"kind":"substitute","t":1,"out":"Bob","in":"Eve"}')))
    journal.warn(1000, f"Zoë typed {everything[1]}, and Anna saw it")
    assert journal.close(30) == []
    return Subject(pi.machine, stores.read_settings({}, None, pi.machine), home)


def secrets(tmp_path: Path) -> list[str]:
    """Every secret of the head's Pi and of the card that was not taken."""
    found: list[str] = []
    for name in ("head", "table3"):
        for path, text in card(tmp_path / "hall", name).files.items():
            if path.startswith("secrets/"):
                found.append(text.strip())
            elif path == "broker/passwd":
                found += [line.partition(":")[2] for line in text.splitlines()]
            elif path == "broker/key.pem":
                found += [line for line in text.splitlines() if not line.startswith("-")]
    assert len(found) > 10
    return found


def written(subject: Subject, tmp_path: Path, with_names: bool = False) -> dict[str, str]:
    """The files of the archive; what is told of them is on disk."""
    file = tmp_path / "report.tar.gz"
    finding = Finding("head", "warning", f"The head says: Ann has {secrets(tmp_path)[2]}.")
    bundle.write(file, bundle.collect(subject, [finding], with_names))
    raw = gzip.decompress(file.read_bytes())
    for secret in [*secrets(tmp_path), "hunter22"]:
        for form in (secret, quote(secret, safe="")):
            assert form.encode() not in raw
            assert form.encode() not in file.read_bytes()
    with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
        return {
            one.name.partition("/")[2]: found.read().decode()
            for one in archive
            if (found := archive.extractfile(one))
        }


def test_no_secret_leaves_the_pi(subject: Subject, tmp_path: Path) -> None:
    files = written(subject, tmp_path)
    assert set(files) == {
        "config.txt", "doctor.json", "journal.txt", "settings.toml", "stores.json", "units.txt",
        "versions.txt", "warnings.json",
    }  # fmt: skip
    assert files["journal.txt"].count("mosquitto: player 1 said [secret]") == len(secrets(tmp_path))
    assert 'bell_pin = "[secret]"' in files["settings.toml"]
    assert json.loads(files["stores.json"])["head/journal.db"]["evenings"] == {"e": 2}
    assert "pi-bunco" in files["versions.txt"]
    assert json.loads(files["doctor.json"])["findings"][0]["text"] == "The head says: player 1 has [secret]."


def test_players_are_numbers_unless_they_may_be_told(subject: Subject, tmp_path: Path) -> None:
    told = json.loads(written(subject, tmp_path)["warnings.json"])[0]["text"]
    assert told == "player 4 typed [secret], and player 3 saw it"
    whole = "".join(written(subject, tmp_path).values())
    assert not any(f"{name} " in whole for name in PEOPLE)
    told = json.loads(written(subject, tmp_path, with_names=True)["warnings.json"])[0]["text"]
    assert told == "Zoë typed [secret], and Anna saw it"


def test_check_that_cannot_run_is_left_out(subject: Subject, tmp_path: Path) -> None:
    """A folder in place of a file is as unreadable, to root too."""
    (subject.machine.places.broker / "key.pem").unlink()
    (subject.machine.places.broker / "key.pem").mkdir()
    files = bundle.collect(subject, [Finding("head", "warning", "The head says: x.")], False)
    assert files["journal.txt"] == files["units.txt"] == bundle._LEFT_OUT.encode()
    assert json.loads(files["warnings.json"]) == []
    assert json.loads(files["doctor.json"])["findings"] == []


def test_a_damaged_store_hides_names_so_the_words_are_left_out(subject: Subject) -> None:
    assert subject.home
    path = subject.home.folder / "head/journal.db"
    path.write_bytes(path.read_bytes()[:5000])
    places = subject.machine.places
    assert not known(places, Config(), subject.home, with_names=False).whole
    assert known(places, Config(), subject.home, with_names=True).whole


@pytest.mark.parametrize("value", ["x'7b'", "x'ff'", "'[]'", "'{\"players\": 3}'"])
@pytest.mark.parametrize("place", ["facts SET fact", "kept SET value"])
def test_a_row_that_is_damaged_does_not_keep_the_report_from_being_made(
    subject: Subject, value: str, place: str
) -> None:
    assert subject.home
    kind, path = next(subject.home.stores())
    with closing(connect(path, kind.schema)) as connection:
        connection.execute("INSERT INTO kept VALUES ('view', x'7b7d')")
        connection.execute(f"UPDATE {place} = CAST({value} AS {'TEXT' if 'fact' in place else 'BLOB'})")
    assert "settings.toml" in bundle.collect(subject, [], with_names=False)


def test_the_settings_of_a_named_file_are_secrets_too(tmp_path: Path) -> None:
    pi = Pi(tmp_path)
    pin = pi.put("pin", "4711\n")
    assert "4711" in known(pi.machine.places, Config(pin_file=str(pin)), None, False).secrets


def test_the_password_in_a_wifis_code_is_a_secret(tmp_path: Path) -> None:
    pi = Pi(tmp_path)
    code = pi.put("wifi", "WIFI:T:WPA;S:Bunco home;P:well\\;hidden;;\n")
    found = known(pi.machine.places, Config(wifi_file=str(code)), None, False).secrets
    assert {"well;hidden", "well\\;hidden"} <= set(found)


@given(st.text(PRINTED, min_size=8), st.text(PRINTED))
def test_a_password_is_not_told_in_another_form(password: str, user: str) -> None:
    """Such as within an address, or as HTTP has it."""
    assume(":$" not in password and "-----" not in password)
    told = Redaction(tuple(secret_pieces(f"{password}\n")), whole=True).text
    coded = f"{user}:{password}".encode()
    for one in (
        password,
        f"http://host/?user={quote(user)}&key={quote_plus(password)}",
        f"mqtt://{quote(user, safe='')}:{quote(password, safe='')}@host:1883",
        json.dumps({user: password}),
        repr(coded),
        password.encode().hex(),
        base64.b64encode(coded).decode(),
        base64.urlsafe_b64encode(coded).decode(),
    ):
        assert REDACTED in told(one)
        assert password not in told(one).replace(REDACTED, "")


def test_a_password_in_an_address_is_not_told_though_nobody_knows_it() -> None:
    text = "cannot reach mqtt://table7:hunter22@192.168.8.10:8883 (http://192.168.8.10:80/a@b)"
    told = "cannot reach mqtt://[secret]@192.168.8.10:8883 (http://192.168.8.10:80/a@b)"
    assert Redaction(()).text(text) == told
    assert redacted_settings(text) == told


def test_the_log_key_is_a_secret_without_its_base_too(tmp_path: Path) -> None:
    pi, key = Pi(tmp_path), "ab" * 32
    pi.put("etc/pi-bunco/secrets/head/log-key", f"{key} 10000\n")
    found = known(pi.machine.places, Config(), None, False)
    assert found.text(f"key {key}, base 10000") == f"key {REDACTED}, base 10000"


@pytest.mark.parametrize("cut", ["", "\nbroken"])
def test_a_file_for_a_pi_that_is_damaged_keeps_its_secrets_too(tmp_path: Path, cut: str) -> None:
    provisioned(tmp_path / "out")
    places = Places(tmp_path / "root")
    places.boot.mkdir(parents=True)
    places.handover.write_text((tmp_path / "out/table7/pi-bunco.toml").read_text() + cut)
    (password,) = (one for path, one in card(tmp_path / "out", "table7").files.items() if "secrets" in path)
    found = known(places, Config(), None, False)
    assert found.text(password.strip()) == REDACTED
    assert found.text("table 7 of hall home") == "table 7 of hall home"


@given(st.lists(st.text(min_size=4), min_size=1), st.lists(st.text(min_size=1), max_size=5), st.text())
def test_no_secret_is_told_in_any_text(hidden: list[str], names: list[str], text: str) -> None:
    redaction = Redaction(tuple(hidden), tuple(dict.fromkeys(names)))
    told = redaction.text(text.join(["", *hidden, ""]))
    for secret in hidden:
        assert secret not in told or secret in "[secret]" or any(secret in f"player {n}" for n in range(6))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('password = "x y"', 'password = "[secret]"'),
        ("  web_pin='1234'", '  web_pin="[secret]"'),
        ('password_file = "/etc/secret"', 'password_file = "/etc/secret"'),
        ('secrets = "/etc/pi-bunco/secrets"', 'secrets = "/etc/pi-bunco/secrets"'),
        ("[pins.bell]\npin = 11", "[pins.bell]\npin = 11"),
        ('hall = "home"', 'hall = "home"'),
        ("web_pin = 1234 # mine", 'web_pin = "[secret]"'),
        (
            'broker = {user = "x", password = "/a\\"b", ca = "/c"}',
            'broker = {user = "x", password = "[secret]", ca = "/c"}',
        ),
        ('"token" = """a\nb"""\nhall = "x"', '"token" = "[secret]"\nhall = "x"'),
    ],
)
def test_settings_keep_all_but_passwords(text: str, told: str) -> None:
    assert redacted_settings(text) == told


def test_a_whole_provisioned_folder_has_no_secret_that_is_not_known(tmp_path: Path) -> None:
    """All that the host's laptop made for one Pi is found again on that Pi."""
    made = provision(tmp_path / "hall", {"tables": 2}, (), Random(1))
    assert made is not None
    found = handover.read(tmp_path / "hall/table2/pi-bunco.toml")
    assert found is not None
    pi = Pi(tmp_path / "pi")
    pi.put("boot/firmware/pi-bunco.toml", handover.dump(found))
    (password,) = [text.strip() for path, text in found.files.items() if path.startswith("secrets/")]
    assert password in known(pi.machine.places, Config(), None, False).secrets


def test_the_bundle_is_written_whole_or_not_at_all(tmp_path: Path, capsys: Said) -> None:
    file = tmp_path / "b.tar.gz"
    assert main(["doctor", "--bundle", str(file), "--data", str(tmp_path)]) == 0
    assert "look into it before you send it on" in capsys.readouterr().out
    assert [one.name for one in tmp_path.iterdir()] == ["b.tar.gz"]
    assert main(["doctor", "--bundle", str(tmp_path / "no/b.tar.gz")]) == 2

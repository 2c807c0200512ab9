"""Files of cloud-init on a card beside `pi-bunco.toml`, and the way by which they get there."""

import errno
import json
import subprocess
from ipaddress import IPv4Interface, ip_network
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, Literal
from unittest.mock import Mock

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.cli import main
from pi_bunco.cli.provision import timezone
from pi_bunco.errors import ProvisionError
from pi_bunco.provision import accounts, bootfs, labels, seed
from pi_bunco.provision.addresses import OWN_ADDRESS, fixed
from pi_bunco.provision.handover import PiSettings
from pi_bunco.provision.plan import MAX_HALL_TABLES, Plan, numbers
from pi_bunco.provision.provision import provision
from pi_bunco.provision.seed import quoted
from pi_bunco.runtime import files
from provision.halls import card

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0 ann@laptop"


def user_data(plan: Plan, number: int) -> Any:
    text = seed.seeds(plan, "", number)["user-data"]
    assert text.startswith("#cloud-config\n")
    return yaml.safe_load(text)


def nets(plan: Plan, number: int) -> Any:
    return yaml.safe_load(seed.seeds(plan, "swordfish", number)["network-config"])["network"]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_quoted_text_is_read_as_it_was_meant(text: str) -> None:
    assert yaml.safe_load(f"{quoted(text)}: {quoted(text)}") == {text: text}


def test_the_first_start_sets_name_and_lets_nobody_in() -> None:
    found = user_data(Plan(3, timezone="Europe/Berlin"), 2)
    assert found["hostname"] == "pi-bunco-table2"
    assert (found["ssh_pwauth"], found["disable_root"]) == (False, True)
    (user,) = found["users"]
    assert user["lock_passwd"]
    assert not [name for name in user if "passwd" in name and name != "lock_passwd"]
    assert "ssh_authorized_keys" not in user
    script = "/boot/firmware/pi-bunco-first-start.sh"
    assert found["bootcmd"] == [f"[ ! -e {script} ] || sh {script} begin disable Europe/Berlin"]
    assert seed.SCRIPT in seed.seeds(Plan(3), "", 2)


def test_only_a_key_that_was_given_opens_ssh() -> None:
    found = user_data(Plan(3, ssh_key=KEY), 0)
    assert found["hostname"] == "pi-bunco-head"
    assert found["users"][0]["ssh_authorized_keys"] == [KEY]
    assert found["bootcmd"][0].endswith("begin enable Etc/UTC")


def test_each_time_a_card_is_written_it_is_another_instance(tmp_path: Path) -> None:
    """Also where nothing has changed: what a power cut left half is done anew then."""
    found = set()
    for turn in range(2):
        provision(tmp_path / "hall", {"tables": 2}, (), Random(turn))
        found.add(yaml.safe_load((tmp_path / "hall/table2/meta-data").read_text())["instance-id"])
    card = boot(tmp_path / "bootfs")
    for turn in range(2):
        bootfs.put(tmp_path / "hall/table2", card, Random(10 + turn))
        found.add(yaml.safe_load((card / "meta-data").read_text())["instance-id"])
    assert len(found) == 4
    assert all(id.startswith("pi-bunco-home-pi-bunco-table2-") for id in found)


def plans() -> list[Plan]:
    """Every kind of network."""
    found = [Plan(3)]
    for wifi, own, wpa3 in product(("", 'Ann"s: \\Wi-Fi ü'), (False, True), (False, True)):
        if bool(wifi) != own:
            found.append(Plan(3, wifi=wifi, own_wifi=own, wpa3=wpa3, country="DE"))
    return found


def test_the_heads_own_wifi_is_an_access_point_and_the_tables_join_it() -> None:
    plan = Plan(3, own_wifi=True, country="DE", channel=11)
    head = nets(plan, 0)
    assert head["renderer"] == "NetworkManager"
    assert head["wifis"]["wlan0"] == {
        "optional": True,
        "regulatory-domain": "DE",
        "addresses": ["10.43.0.1/24"],
        "access-points": {
            "Bunco home": {
                "mode": "ap",
                "band": "2.4GHz",
                "channel": 11,
                "networkmanager": {
                    "passthrough": {
                        "wifi-security.proto": "rsn",
                        "wifi-security.pairwise": "ccmp",
                        "wifi-security.group": "ccmp",
                    }
                },
                "auth": {"key-management": "psk", "password": "swordfish"},
            }
        },
    }
    table = nets(plan, 2)["wifis"]["wlan0"]
    assert table["dhcp4"]
    assert "mode" not in table["access-points"]["Bunco home"]
    assert "addresses" not in table
    assert plan.address == "bunco.home:8883,10.43.0.1:8883,10.43.30.193:8883"
    assert plan.page == "http://bunco.home"
    hosts = [one for one in user_data(plan, 2)["write_files"] if one.get("append")]
    assert [one["content"] for one in hosts] == ["10.43.0.1 bunco.home\n"]


def test_in_any_network_the_tables_know_a_fixed_number_of_the_head() -> None:
    for plan, links in (
        (Plan(3), {"ethernets": "eth0"}),
        (Plan(3, wifi="Church", country="DE"), {"ethernets": "eth0", "wifis": "wlan0"}),
        (Plan(3, own_wifi=True, country="DE"), {"ethernets": "eth0", "wifis": "wlan0"}),
    ):
        head, table = (nets(plan, n) for n in (0, 2))
        places = [place.rpartition(":")[0] for place in plan.address.split(",")]
        assert not places[0][0].isdigit()
        for kind, name in links.items():
            link = IPv4Interface(head[kind][name]["addresses"][0])
            assert str(link.ip) in places[1:]
            for other in table[kind][name].get("addresses", ()):
                assert IPv4Interface(other).network == link.network
        assert len(places) == 1 + len(links)


def test_no_two_pis_have_one_fixed_number() -> None:
    kinds: tuple[Literal["cable"], Literal["radio"]] = ("cable", "radio")
    found = [fixed("home", kind, number) for kind in kinds for number in range(MAX_HALL_TABLES + 1)]
    assert len({one.ip for one in found}) == len(found)
    assert len({one.network for one in found}) == len(kinds)
    halls = {fixed(f"home-{number}", "cable", 0) for number in range(1000, 10_000)}
    assert len(halls) > 8000  # one of 50,000 pairs of halls has one number
    assert max(one.ip for one in halls) + MAX_HALL_TABLES in next(iter(halls)).network
    assert len({one.network for one in halls}) == 1  # who does not know the hall yet reaches every head
    own = ip_network(f"{OWN_ADDRESS}/24", strict=False)
    assert not [one for one in (*found, *halls) if one.ip in own]


def test_a_phone_reads_the_wifi_from_the_sheet() -> None:
    plan = Plan(3, wifi='a;b,c:d"e\\f', country="DE")
    assert seed.wifi_code(plan, "p;w") == 'WIFI:T:WPA;S:a\\;b\\,c\\:d\\"e\\\\f;P:p\\;w;;'


def test_the_pages_get_the_wifis_code_and_no_table_does(tmp_path: Path) -> None:
    provision(tmp_path, {"tables": 2, "own_wifi": True, "country": "DE"}, (), Random(1))
    code = card(tmp_path, "head").files["secrets/web/wifi"]
    assert code.startswith("WIFI:T:WPA;S:Bunco home;P:")
    assert not any("wifi" in path for path in card(tmp_path, "table2").files)


def test_what_each_table_plays_with(tmp_path: Path) -> None:
    asked = {"tables": 5, "usb": (2,), "ordinary": (3,), "phone": (4, 1)}
    provision(tmp_path, asked, (), Random(1))
    head = card(tmp_path, "head")
    assert head.device == PiSettings("head", 0, "home")
    assert head.settings["phones"] == "4,1"
    assert {"secrets/phones/phones", "secrets/web/web", "secrets/web/pin"} <= head.files.keys()
    assert card(tmp_path, "table2").settings["dice"] == "serial"
    assert card(tmp_path, "table3").settings["dice"] == "none"
    assert card(tmp_path, "table5").settings["dice"] == "gpio"
    assert not (tmp_path / "table4").exists()
    assert "A phone plays at these tables, which need no card: 4, 1." in (tmp_path / "README.txt").read_text()


def boot(folder: Path) -> Path:
    """A boot partition as Raspberry Pi OS has it."""
    folder.mkdir()
    for name in (*bootfs.SIGNS, "meta-data", "network-config", "user-data"):
        (folder / name).touch()
    return folder


def test_a_card_gets_all_and_is_read_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deb = tmp_path / "pi-bunco_1.0_all.deb"
    deb.write_bytes(b"!<arch>")
    card = boot(tmp_path / "bootfs")
    words = ["provision", "--out", str(tmp_path / "hall"), "--tables", "2", "--packages", str(deb)]
    assert main([*words, "--card", str(card), "--only", "table2"]) == 0
    assert "7 files are on" in capsys.readouterr().out
    names = {str(file.relative_to(card)) for file in card.rglob("*") if file.is_file()}
    assert names == {
        *bootfs.SIGNS,
        *(
            "meta-data",
            "network-config",
            "user-data",
            "pi-bunco.toml",
            seed.SCRIPT,
            "pi-bunco/pi-bunco_1.0_all.deb",
            "pi-bunco/pi-bunco_1.0_all.deb.sig",
        ),
    }


def test_a_card_never_has_two_packages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card, out = boot(tmp_path / "bootfs"), str(tmp_path / "a hall")
    for version in ("1.0", "0.9"):
        deb = tmp_path / f"pi-bunco_{version}_all.deb"
        deb.write_bytes(b"!<arch>")
        words = ["provision", "--out", out, "--tables", "2", "--packages", str(deb)]
        assert main([*words, "--card", str(card), "--only", "head"]) == 0
    left = sorted(file.name for file in (card / "pi-bunco").iterdir())
    assert left == ["pi-bunco_0.9_all.deb", "pi-bunco_0.9_all.deb.sig"]
    capsys.readouterr()
    for name in ("meta-data", "user-data"):
        (card / name).unlink()
    assert main(["provision", "--out", out, "--card", str(card), "--only", "head"]) == 2
    assert "from before October 2025" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["none", "full", "bad", "locked"])
def test_a_card_that_cannot_be_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    folder = tmp_path / "table2"
    folder.mkdir()
    (folder / "user-data").write_text("#cloud-config")
    card = boot(tmp_path / "bootfs")
    if kind == "none":
        (card / "cmdline.txt").unlink()
    if kind == "full":
        monkeypatch.setattr(bootfs, "_FREE_BYTES", 2**60)
    if kind == "bad":
        monkeypatch.setattr(files, "write", lambda path, data: path.write_bytes(data[:-1]))
    if kind == "locked":
        locked = OSError(errno.EROFS, "Read-only file system")
        monkeypatch.setattr(files, "write", Mock(side_effect=locked))
    words = {
        "none": "has no cmdline.txt",
        "full": "MB left",
        "bad": "does not hold user-data",
        "locked": "Read-only file system; push the small switch",
    }
    with pytest.raises(ProvisionError, match=words[kind]):
        bootfs.put(folder, card, Random(1))


def test_the_time_zone_is_the_laptops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TZ", raising=False)
    (tmp_path / "localtime").symlink_to("/usr/share/zoneinfo/Europe/Vienna")
    assert timezone(tmp_path / "localtime").endswith("Vienna")
    assert timezone(tmp_path / "nothing") == "Etc/UTC"
    (tmp_path / "strange").symlink_to("/usr/share/zoneinfo/posixrules/x")
    assert timezone(tmp_path / "strange") == "Etc/UTC"
    monkeypatch.setenv("TZ", "America/New_York")
    assert timezone(tmp_path / "nothing") == "America/New_York"


@pytest.mark.parametrize(("text", "found"), [("", ()), ("3", (3,)), ("7-9, 2", (2, 7, 8, 9))])
def test_tables_are_named_as_people_do(text: str, found: tuple[int, ...]) -> None:
    assert numbers(text) == found


def test_the_first_night_is_the_same_text_on_paper_and_in_the_folder() -> None:
    plan = Plan(3, own_wifi=True, country="DE", phone=(3,))
    page = labels.sheets(plan, accounts.draw_secrets(Random(1)))["first-night.html"]
    text = labels.night_text(plan)
    steps = [step for part in labels.first_night(plan) for step in part.steps]
    assert len(steps) > 10
    for step in steps:
        assert step in " ".join(text.split())
        assert step.replace("'", "&#39;").replace("--", "-\u2060-\u2060") in page  # no line ends in an option
    assert "Bunco home" in page
    assert "http://bunco.home/host on your phone" in page
    assert "http://10.43.0.1 in place of" in page
    assert "the router shows for pi-bunco-head" in " ".join(labels.night_text(Plan(3)).split())


def test_who_throws_ordinary_dice_is_told_to_press_what_they_show() -> None:
    def steps(**plays: Any) -> str:
        return " ".join(step for part in labels.first_night(Plan(3, **plays)) for step in part.steps)

    assert "press what the dice show" not in steps()
    assert "The table counts." in steps(ordinary=(1,))
    assert "At these tables: 1, 3, press what the dice show" in steps(ordinary=(1,), keypad=(3,))
    assert "your page names it when it is there" in steps(keypad=(3,))
    alone = steps(ordinary=(1, 2, 3))
    assert "At each table press what" in alone
    assert "The table counts." not in alone
    assert "number pad" not in alone


def test_the_hosts_page_has_wifi_address_and_pin() -> None:
    found = accounts.draw_secrets(Random(1))
    page = labels.sheets(Plan(3, own_wifi=True, country="DE"), found)["host.html"]
    for word in ("Bunco home", found.wifi, "http://bunco.home", found.pin):
        assert word in page
    assert page.count("<svg") == 3
    guests, _, alone = page.partition('class="alone"')
    assert "http://bunco.home/host" in alone
    assert found.pin in alone
    assert found.pin not in guests
    assert found.wifi in guests
    assert len(found.pin) == 6
    assert json.dumps(found.wifi).isascii()


@pytest.mark.system("sh", "dpkg")
@pytest.mark.parametrize(
    "versions",
    [
        ("0.1.0+9.gabcdef1", "0.1.0+10.g0abcdef"),
        ("0.1.0", "0.1.0+1.gabcdef1"),
        ("0.9.0", "0.10.0"),
        ("1.0.0~rc1", "1.0.0"),
    ],
    ids=str,
)
def test_of_two_packages_on_a_card_the_higher_version_counts(
    versions: tuple[str, str], tmp_path: Path
) -> None:
    files = [tmp_path / f"pi-bunco_{version}_all.deb" for version in versions]
    for file in files:
        file.touch()
    for order in (files, files[::-1]):
        assert newest(*order) == str(files[1])
    assert newest(tmp_path / "pi-bunco_*_all.deb") == ""


def newest(*found: Path) -> str:
    script = Path(seed.__file__).with_name("templates") / "first-start.sh"
    done = subprocess.run(["sh", script, "newest", *found], check=True, capture_output=True, text=True)
    return done.stdout.strip()

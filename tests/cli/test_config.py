import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco import config
from pi_bunco.config import BrokerSettings, Config, ConfigError, Secret, load, meaning, option, settings
from pi_bunco.errors import BuncoError
from pi_bunco.wire.commands import MOST_TABLES

WHOLE = """\
hall = "barn"
number = 2
data = "/var/lib/pi-bunco"
dice = "serial:/dev/serial/by-id/dice"
panel = "gpio"
lights = "gpio"
bell = "virtual:/tmp/rings"
bell_limits = false
auto_confirm = 30
listen = "127.0.0.1:8000"
pin_file = "/etc/pi-bunco/pin"
[broker]
address = "127.0.0.1:1884"
user = "table2"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "pi-bunco.toml"


def problems(file: Path | None, *needs: str, **given: str) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        load(given, file, needs)
    assert isinstance(caught.value, BuncoError)
    assert isinstance(caught.value, ValueError)
    return caught.value.problems


def test_everything_can_be_in_the_file(file: Path) -> None:
    file.write_text(WHOLE)
    assert load({}, file) == Config(
        "barn", 2, "/var/lib/pi-bunco", "serial:/dev/serial/by-id/dice", "gpio", "gpio", "virtual:/tmp/rings",
        False, 30.0, "127.0.0.1:8000", "/etc/pi-bunco/pin", BrokerSettings("127.0.0.1:1884", "table2"),
    )  # fmt: skip


def test_the_command_line_wins_and_the_rest_stays(file: Path) -> None:
    file.write_text(WHOLE)
    found = load({"number": "7", "broker.address": "unix:/run/broker", "auto_confirm": "0.5"}, file)
    assert (found.number, found.auto_confirm, found.broker.address) == (7, 0.5, "unix:/run/broker")
    assert (found.hall, found.broker.user) == ("barn", "table2")


def test_every_table_of_the_largest_hall_can_have_its_number(file: Path) -> None:
    file.write_text(WHOLE)
    assert load({"number": str(MOST_TABLES)}, file).number == MOST_TABLES


def test_the_default_file_is_read_where_it_exists(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "DEFAULT", file)
    assert load({}) == Config()
    file.write_text('hall = "barn"')
    assert load({}) == Config("barn")


def test_all_that_is_wrong_is_told_at_once_with_its_place(file: Path) -> None:
    file.write_text('hal = "x"\nnumber = "two"\nauto_confirm = nan\n[broker]\nadress = "x"\nuser = "Ann B"\n')
    assert problems(file, "data", "broker.address", dice="bones") == (
        f"{file}: hal is not a setting; did you mean hall?",
        f'{file}: number = "two" is not allowed; it must be {meaning("number")}',
        f"{file}: auto_confirm = nan is not allowed; it must be {meaning('auto_confirm')}",
        f"{file}: broker.adress is not a setting; did you mean broker.address?",
        f'{file}: broker.user = "Ann B" is not allowed; it must be {meaning("broker.user")}',
        f"--dice bones is not allowed; it must be {meaning('dice')}",
        f"--data is missing, and data in {file}; it is {meaning('data')}",
        f"--broker is missing, and broker.address in {file}; it is {meaning('broker.address')}",
    )


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('broker = "127.0.0.1"', "broker is not a setting; did you mean broker.address?"),
        ('address = "127.0.0.1"', "address is not a setting; did you mean broker.address?"),
        ('[hall]\nname = "barn"', 'hall = {"name":"barn"} is not allowed; it must be the name of the hall'),
        ("[brokr]\nkey = 1", "brokr.key is not a setting; did you mean broker.key?"),
        ("qqqq = 1", "qqqq is not a setting; there are hall, number, data"),
        ("number = true", "number = true is not allowed"),
        ("number = 1001", "number = 1001 is not allowed"),
        ('dice = "serial:"', 'dice = "serial:" is not allowed'),
        ('hall = "barn\\n"', "is not allowed; it must be the name of the hall"),
        ("data = 1979-05-27", "data = "),
        ("hall = ", "is no TOML"),
    ],
)
def test_config_mistake_says_what_is_meant(text: str, meant: str, file: Path) -> None:
    file.write_text(text)
    (problem,) = problems(file)
    assert problem.startswith((f"{file}: ", f"the config file {file} "))
    assert meant in problem


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    assert problems(tmp_path / "no.toml") == (
        f"the config file {tmp_path}/no.toml cannot be read: No such file or directory",
    )


def test_the_broker_and_its_files_are_tried(file: Path) -> None:
    file.write_text('[broker]\naddress = "a b"\npassword_file = "/none"\nca = "/none"\n')
    assert problems(file) == (
        "broker.password_file = /none cannot be read: No such file or directory",
        "broker: 'a b' is no broker address: HOST:PORT or unix:/PATH is",
    )
    file.write_text('[broker]\naddress = "h"\nca = "/none"\n')
    assert problems(file) == ("broker: /none: No such file or directory",)
    file.write_text('[broker]\naddress = "h"\nkey = "/none"\n')
    assert "three files: ca, cert and key" in problems(file)[0]


def test_a_password_is_shown_to_nobody(file: Path, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("hunter2 \n")
    found = load({"broker.address": "h:1", "broker.password_file": str(tmp_path / "password")})
    address = found.address("table3")
    assert (address.user, address.password) == ("table3", "hunter2 ")
    assert "hunter2" not in f"{found!r} {found} {address!r} {address}"
    assert load({"broker.address": "h:1", "broker.user": "ann"}).address("table3").user == "ann"


def test_an_empty_or_binary_password_is_none(tmp_path: Path) -> None:
    for content, why in ((b"\n", "is empty"), (b"\xff", "no text in UTF-8")):
        (tmp_path / "password").write_bytes(content)
        given = {"broker.address": "h", "broker.password_file": str(tmp_path / "password")}
        with pytest.raises(ConfigError, match=why):
            load(given)


def test_a_secret_is_the_text_itself_but_for_its_repr() -> None:
    assert Secret("a") == "a"
    assert Secret("a").encode() == b"a"
    assert repr([Secret("a")]) == "['***']"


def test_every_setting_has_a_meaning_and_an_option() -> None:
    assert set(settings()) >= {"hall", "number", "broker.address", "listen", "pin_file"}
    assert len({option(key) for key in settings()}) == len(settings())
    assert all(meaning(key) for key in settings())
    assert (option("broker.address"), option("broker.password_file")) == ("--broker", "--password-file")


@given(st.dictionaries(st.sampled_from(sorted(settings())), st.text()))
def test_any_words_on_the_command_line_are_taken_or_refused(given: dict[str, str]) -> None:
    try:
        load(given)
    except ConfigError as error:
        told = error.problems
    else:
        told = ()
    wrong = [key for key, value in given.items() if problems_of(key, value, None)]
    assert [one.partition(" ")[0] for one in told if one.startswith("--")] == [option(key) for key in wrong]


SCALARS: Any = (
    st.text(st.characters(codec="ascii", exclude_categories=["Cc"])) | st.integers(-9, 9) | st.booleans()
)
VALUES: Any = SCALARS | st.lists(SCALARS, max_size=3)
KEYS = [*sorted(key for key in settings() if "." not in key), "hal", "Number", "x"]


@given(st.dictionaries(st.sampled_from(KEYS), VALUES))
def test_any_file_is_taken_or_every_wrong_line_told(
    tmp_path_factory: pytest.TempPathFactory, table: dict[str, Any]
) -> None:
    file = tmp_path_factory.getbasetemp() / "any.toml"
    file.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items()))
    wrong = [key for key, value in table.items() if not taken(key, value)]
    if wrong:
        told = problems(file)
        assert [one.split(": ")[1].split(" ")[0] for one in told] == wrong
    else:
        assert isinstance(load({}, file), Config)


def taken(key: str, value: Any) -> bool:
    """True if the one setting alone is taken, as a service would get it."""
    return key in settings() and not problems_of(key, value, Path("x"))


def problems_of(key: str, value: Any, path: Path | None) -> list[str]:
    checked = config.checked({key: value}) if path is None else config.declared().check({key: value})
    return [one.english() for one in checked[1]]


def test_every_file_that_is_named_begins_at_the_settings_folder(file: Path) -> None:
    file.write_text('pin_file = "pin"\nwifi_file = "wifi"\n')
    found = load({}, file)
    assert (found.pin_file, found.wifi_file) == (str(file.parent / "pin"), str(file.parent / "wifi"))

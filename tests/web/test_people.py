"""Guests tell that they are here; the host's list takes them, once each."""

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.game import facts
from pi_bunco.game.codec import decode
from pi_bunco.head.reasons import LogsOfClosedEvenings
from pi_bunco.log.entry import ReplicaClaim
from pi_bunco.runtime.writer import Reports
from pi_bunco.web.site.guests import MOST_ASKING, GuestBook
from pi_bunco.web.site.hall_presence import Presences
from pi_bunco.web.site.login import Login
from pi_bunco.web.site.page_store import EveningSummary, jsonl
from pi_bunco.wire.messages import HeadStatus, Status
from web.backends import OPEN, PIN, SEATS, FakeBackend
from web.test_host_pages import logged_in

QUIET = Reports(lambda _: None, lambda _: None)


def listed(backend: FakeBackend, names: str) -> None:
    browser, token = logged_in(backend)
    browser.post("/host/prepare", data={"csrf": token, "names": names, "do": "count"})


def states(backend: FakeBackend) -> dict[str, str | None]:
    return {one.name: one.state for one in backend.guests.people.values()}


def test_a_guest_who_is_on_the_list_is_here_by_one_tap(backend: FakeBackend) -> None:
    listed(backend, "Ann\nBob\nGus 19:00")
    assert states(backend) == {"Ann": "coming", "Bob": "coming", "Gus": "late"}
    phone = backend.browser()
    assert ">Bob<" in phone.get("/me").text
    phone.post("/me", data={"name": "bob"})
    assert states(backend)["Bob"] == "here"
    assert "You are here, Bob" in phone.get("/me").text
    assert "Bob" in backend.browser().get("/").text


def test_a_guest_with_a_long_name_is_the_one_on_the_list(backend: FakeBackend) -> None:
    name = "Maria-Magdalena " + "von der Wiesenthal " * 3 + "B."
    listed(backend, name)
    backend.browser().post("/me", data={"name": name})
    assert states(backend) == {name: "here"}


def test_a_guest_who_is_not_on_the_list_asks_and_the_host_takes_or_merges(backend: FakeBackend) -> None:
    listed(backend, "Kate\nBob")
    phone, other = backend.browser(), backend.browser()
    phone.post("/me", data={"name": "Kat"})
    other.post("/me", data={"name": "Zoë\u202e"})
    browser, token = logged_in(backend)
    page = browser.get("/host/people").text
    assert "Kat" in page
    kate, kat, zoe = (backend.guests.of(name) for name in ("Kate", "Kat", "Zoë"))
    assert kate
    assert kat
    assert zoe
    assert (kat.asks, zoe.asks) == (True, True)
    browser.post("/host/people", data={"csrf": token, "id": kat.id, "as": kate.id})
    browser.post("/host/people", data={"csrf": token, "id": zoe.id, "take": "1"})
    assert states(backend) == {"Kate": "here", "Bob": "coming", "Zoë": "here"}
    assert list(backend.archive.kept["draft"]["names"]) == ["Kate", "Bob", "Zoë"]
    assert "You are here, Kate" in phone.get("/me").text


def test_a_whole_party_at_the_door_is_seen_on_every_page_of_the_host_and_taken_in_by_one_tap(
    backend: FakeBackend,
) -> None:
    names = ["Ann", "Bob", "Carla"]
    for name in names:
        backend.browser().post("/me", data={"name": name})
    browser, token = logged_in(backend)
    assert "at the door: </span>3" in browser.get("/host").text
    assert "3 people are at the door" in browser.get("/host/prepare").text
    page = browser.get("/host/people").text
    assert "Take in all 3" in page
    assert "The same" not in page, "nobody is on the list"
    browser.post("/host/people", data={"csrf": token, "take": "all"})
    assert states(backend) == dict.fromkeys(names, "here")
    assert list(backend.archive.kept["draft"]["names"]) == names
    assert "at the door" not in browser.get("/host").text


def test_who_comes_late_and_plays_already_is_here_without_a_refusal(backend: FakeBackend) -> None:
    listed(backend, "Ann\nBob\nCat\nDee 23:59")
    backend.take(OPEN, SEATS)
    browser, token = logged_in(backend)
    dee = backend.guests.of("Dee")
    assert dee
    browser.post("/host/people", data={"csrf": token, "id": dee.id, "to": "here"})
    assert states(backend)["Dee"] == "here"
    assert "arrive" not in [one.command for one in backend.commands]
    browser.post("/host/people", data={"csrf": token, "id": dee.id, "to": "left"})
    assert backend.commands[-1].args == {"player": "Dee"}


def test_after_the_evening_everybody_is_expected_anew(backend: FakeBackend) -> None:
    listed(backend, "Ann\nBob 19:00")
    backend.browser().post("/me", data={"name": "Ann"})
    backend.browser().post("/me", data={"name": "Somebody"})
    browser, token = logged_in(backend)
    browser.post("/host/command", data={"csrf": token, "command": "evening_close"})
    assert states(backend) == {"Ann": "coming", "Bob": "coming"}
    assert not any(one.at for one in backend.guests.people.values())
    assert not backend.archive.kept["draft"]["late"]


def test_a_joke_fills_no_list(backend: FakeBackend) -> None:
    phone = backend.browser()
    for n in range(MOST_ASKING):
        backend.guests.arrive(f"X{n}", 0)
    assert phone.post("/me", data={"name": "One more"}).status_code == 429
    assert len(backend.guests.people) == MOST_ASKING


def test_nothing_is_kept_of_whom_the_host_deletes(tmp_path: Path) -> None:
    backend = FakeBackend(tmp_path)
    listed(backend, "Ann\nQuentin Quillfeather")
    browser, token = logged_in(backend)
    guest = backend.guests.of("Quentin Quillfeather")
    assert guest
    browser.post("/host/people", data={"csrf": token, "id": guest.id, "forget": "1"})
    backend.guests.close()
    again = GuestBook(tmp_path / "people.db", QUIET)
    assert [one.name for one in again.people.values()] == ["Ann"]
    assert "Quentin Quillfeather" not in backend.archive.kept["draft"]["names"]
    again.close()
    backend.archive.close()


def test_the_bytes_of_a_deleted_name_are_in_no_file_of_the_store_while_it_is_open(tmp_path: Path) -> None:
    backend = FakeBackend(tmp_path)
    listed(backend, "\n".join(["Ann", "Quentin Quillfeather", *(f"Guest {n}" for n in range(60))]))
    browser, token = logged_in(backend)
    guest = backend.guests.of("Quentin Quillfeather")
    assert guest
    browser.post("/host/people", data={"csrf": token, "id": guest.id, "to": "here"})
    written(backend)
    assert files_with(tmp_path, b"Quillfeather")
    browser.post("/host/people", data={"csrf": token, "id": guest.id, "forget": "1"})
    written(backend)
    assert files_with(tmp_path, b"Quillfeather") == []
    backend.guests.close()
    backend.archive.close()


ANNS_EVENING = EveningSummary("e0", 0.0, "", "gong", ("Ann", "Bob", "Cat", "Dee"), 1, ("Ann",))
ANNS_LOG = [
    facts.EveningOpen(0, "gong", ("Ann", "Bob", "Cat", "Dee"), id="e0"),
    facts.Seating(1, (("Ann", "Bob", "Cat", "Dee"),), by="Bob"),
]


def deletes_ann(backend: FakeBackend) -> str:
    """The page that a host sees behind it."""
    backend.archive.archive(ANNS_EVENING, jsonl(ANNS_LOG))
    listed(backend, "Ann\nBob")
    written(backend)
    browser, token = logged_in(backend)
    ann = backend.guests.of("Ann")
    assert ann
    form = {"csrf": token, "id": ann.id, "forget": "1", "kept": "1"}
    to = browser.post("/host/people", data=form).headers["location"]
    written(backend)
    return browser.get(to).text


def test_who_is_deleted_has_a_made_up_name_in_past_evenings(backend: FakeBackend) -> None:
    page = deletes_ann(backend)
    assert "Bob" in page
    assert "Ann" not in page
    (command,) = [one for one in backend.commands if one.command == "name_delete"]
    pseudonym = command.args["pseudonym"]
    assert command.args["names"] == ("Ann",)
    (summary,) = backend.archive.evenings()
    assert (summary.players[0], summary.champions) == (pseudonym, (pseudonym,))
    opening, seating = (backend.archive.log("e0") or b"").splitlines()
    assert b"Ann" not in opening + seating
    assert decode(seating) == replace(ANNS_LOG[1], tables=((pseudonym, "Bob", "Cat", "Dee"),))


def test_nothing_is_deleted_while_the_logs_cannot_be_written_anew(backend: FakeBackend) -> None:
    backend.refuse(LogsOfClosedEvenings())
    assert "Ann" in deletes_ann(backend)
    assert states(backend) == {"Ann": "coming", "Bob": "coming"}
    assert backend.archive.evenings() == [ANNS_EVENING]


def test_the_pis_that_may_have_a_deleted_name_are_listed_until_they_say_that_it_is_gone() -> None:
    def born(rewritten: int) -> Status:
        return Status("online", "s", "1", "b", replica=ReplicaClaim("e1", 1, 0, 9, "0" * 32, rewritten))

    presences = Presences(0)
    for table, rewritten in ((1, 3), (2, 2), (3, 3), (7, 0)):
        presences.status(table, born(rewritten), 0, retained=False)
    assert presences.with_old_logs() == ()
    presences.head_status(HeadStatus("online", "h", rewritten={"e1": 1, "e2": 2}), 0)
    assert presences.with_old_logs() == (2,)
    presences.status(2, born(3), 60_000, retained=False)
    assert presences.with_old_logs() == ()


def files_with(folder: Path, text: bytes) -> list[str]:
    return [one.name for one in sorted(folder.iterdir()) if text in one.read_bytes()]


def written(backend: FakeBackend) -> None:
    """Waits until the stores have all on disk: the second call is of a later commit."""
    for store in (backend.guests, backend.archive, backend.portraits) * 2:
        done = threading.Event()
        store.writer.put(Then(done.set))
        assert done.wait(10)


class Then(Struct):
    """Calls back from within the commit."""

    call: Callable[[], object]

    def write(self, _connection: sqlite3.Connection) -> None:
        self.call()


def test_only_a_host_changes_the_list(backend: FakeBackend) -> None:
    listed(backend, "Ann")
    ann = backend.guests.of("Ann")
    assert ann
    form = {"id": ann.id, "to": "left", "csrf": Login(PIN).csrf("x")}
    assert backend.browser().post("/host/people", data=form).headers["location"] == "/host/login"
    assert states(backend) == {"Ann": "coming"}


ACTS = st.lists(
    st.tuples(st.sampled_from(("arrive", "list", "merge", "take", "forget", "over")), st.integers(0, 5)),
    max_size=25,
)
NAMES = ("Ann", "ann", "Bob", "Kat", "Kate", "Zoë")


@given(ACTS)
def test_nobody_is_there_twice_and_a_restart_changes_nothing(acts: list[tuple[str, int]]) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder) / "people.db"
        book = GuestBook(path, QUIET)
        for now, (act, n) in enumerate(acts):
            ids = list(book.people) or [""]
            match act:
                case "arrive":
                    book.arrive(NAMES[n], now)
                case "list":
                    book.listed(NAMES[2 : 2 + n], {}, now)
                case "merge":
                    book.merge(ids[n % len(ids)], ids[-1], now)
                case "take":
                    book.take(ids[n % len(ids)])
                case "forget":
                    book.forget(ids[n % len(ids)])
                case "over":
                    book.evening_over()
            names = [one.name.casefold() for one in book.people.values()]
            assert len(names) == len(set(names))
        assert book.close(10.0) == []
        again = GuestBook(path, QUIET)
        assert again.people == book.people
        assert list(again.people) == list(book.people)
        again.close()


def test_who_is_not_on_the_list_stays_with_the_hall_and_comes_back_by_one_tap(backend: FakeBackend) -> None:
    listed(backend, "Ann\nBob 19:00")
    backend.browser().post("/me", data={"name": "Bob"})
    browser, token = logged_in(backend)
    browser.post("/host/command", data={"csrf": token, "command": "evening_close"})
    listed(backend, "Ann\nCat")
    assert states(backend) == {"Ann": "coming", "Bob": None, "Cat": "coming"}
    bob = backend.guests.of("Bob")
    assert bob
    assert [visit.at for visit in bob.visits] == [backend.sources().unix_s()]
    assert ">Bob<" not in backend.browser().get("/me").text
    assert "last here on" in browser.get("/host/people").text
    browser.post("/host/people", data={"csrf": token, "id": bob.id, "to": "coming"})
    assert states(backend)["Bob"] == "coming"
    assert backend.archive.kept["draft"]["names"] == ("Ann", "Cat", "Bob")


def test_who_is_of_the_hall_but_not_expected_asks_at_the_door(backend: FakeBackend) -> None:
    listed(backend, "Ann\nBob")
    listed(backend, "Ann")
    backend.browser().post("/me", data={"name": "bob"})
    bob = backend.guests.of("Bob")
    assert bob
    assert (bob.state, bob.asks) == ("here", True)


def test_names_of_a_wrong_list_are_deleted_together(backend: FakeBackend) -> None:
    listed(backend, "Ann\nB0b")
    listed(backend, "Ann\nBob")
    browser, token = logged_in(backend)
    browser.post("/host/people", data={"csrf": token, "strangers": "1"})
    assert states(backend) == {"Ann": "coming", "Bob": "coming"}

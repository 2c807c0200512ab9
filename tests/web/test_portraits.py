"""A guest's picture: on this machine alone, shown to the host and to themselves, deleted by one key."""

from pathlib import Path

from starlette.testclient import TestClient

from disks import StepWriter
from pi_bunco.web.site.portraits import JPEG, MAX_PICTURE_BYTES, Portraits
from web.backends import FakeBackend
from web.test_host_pages import logged_in
from web.test_people import QUIET, listed, states, written

PICTURE = JPEG + b"a face that nobody else has" * 40


def guest(backend: FakeBackend, name: str = "Ann") -> TestClient:
    phone = backend.browser()
    phone.post("/me", data={"name": name})
    return phone


def sends(phone: TestClient, picture: bytes = PICTURE) -> int:
    return phone.post("/me/portrait", content=picture, headers={"content-type": "image/jpeg"}).status_code


def files_with_the_face(folder: Path) -> list[str]:
    return [one.name for one in sorted(folder.iterdir()) if b"a face that" in one.read_bytes()]


def at(folder: Path) -> FakeBackend:
    backend = FakeBackend(folder)
    listed(backend, "Ann\nBob")
    return backend


def close(backend: FakeBackend) -> None:
    for store in (backend.guests, backend.portraits, backend.archive):
        store.close()


def test_a_guest_and_the_host_see_it_and_nobody_else(backend: FakeBackend) -> None:
    listed(backend, "Ann\nBob")
    ann, bob = guest(backend), guest(backend, "Bob")
    assert 'id="portrait"' in ann.get("/me").text
    assert sends(ann) == 303
    written(backend)
    assert "Delete the picture" in ann.get("/me").text
    assert ann.get("/me/portrait").content == PICTURE
    assert bob.get("/me/portrait").status_code == 404
    (id,) = backend.portraits.ids
    host, _ = logged_in(backend)
    assert host.get(f"/host/portrait?id={id}").content == PICTURE
    assert bob.get(f"/host/portrait?id={id}").headers["location"] == "/host/login"
    assert f"/host/portrait?id={id}" in host.get(f"/host/people?who={id}").text


def test_portrait_is_seen_before_it_is_on_disk(tmp_path: Path) -> None:
    portraits = Portraits(tmp_path / "portraits.db", QUIET, StepWriter)
    assert portraits.put("g1", PICTURE)
    assert portraits.of("g1") == PICTURE
    portraits.delete("g1")
    assert portraits.of("g1") is None


def test_too_large_picture_is_refused(backend: FakeBackend) -> None:
    listed(backend, "Ann")
    ann = guest(backend)
    assert sends(ann, b"<svg onload=alert(1)>") == 400
    assert sends(ann, JPEG + b"x" * MAX_PICTURE_BYTES) == 400
    assert sends(ann, JPEG + b"x" * (2 * MAX_PICTURE_BYTES)) == 413
    assert sends(backend.browser()) == 404
    assert backend.portraits.ids == set()


def test_a_key_of_the_guest_or_of_the_host_leaves_no_byte_of_it(tmp_path: Path) -> None:
    backend = at(tmp_path)
    ann = guest(backend)
    (id,) = [one.id for one in backend.guests.people.values() if one.name == "Ann"]
    host, token = logged_in(backend)
    for form, browser, path in (
        ({}, ann, "/me/portrait"),
        ({"csrf": token, "id": id, "no_portrait": "1"}, host, "/host/people"),
        ({"csrf": token, "id": id, "forget": "1"}, host, "/host/people"),
    ):
        assert sends(ann) == 303
        written(backend)
        assert files_with_the_face(tmp_path) != []
        browser.post(path, data=form)
        written(backend)
        assert files_with_the_face(tmp_path) == []
    assert states(backend) == {"Bob": "coming"}
    close(backend)


def test_it_goes_along_where_the_host_says_who_somebody_is_and_stays_over_a_restart(tmp_path: Path) -> None:
    backend = at(tmp_path)
    anne = guest(backend, "Anne")
    assert sends(anne) == 303
    written(backend)
    ids = {one.name: one.id for one in backend.guests.people.values()}
    host, token = logged_in(backend)
    host.post("/host/people", data={"csrf": token, "id": ids["Anne"], "as": ids["Ann"]})
    assert backend.portraits.ids == {ids["Ann"]}
    close(backend)
    again = Portraits(tmp_path / "portraits.db", QUIET)
    assert again.of(ids["Ann"]) == PICTURE
    again.close()

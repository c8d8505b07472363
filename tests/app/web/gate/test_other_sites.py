"""Other sites neither read nor write the memory: each scene in a real Chromium, with the user signed in beside it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from chatmem.app.admin.accounts import add
from tests.app.web.conftest import PASSWORDS, Served, loaded, served
from tests.app.web.gate.elsewhere import ATTACK, FORM, FRAME, certificate, site, tls_proxy
from tests.effort import times

NAME = "memory.home.example"
SECRET = "Her harbour code is 4711."
STILL_IN = "() => fetch('/config').then(answer => answer.status)"
"""What the page's own script is answered by the page."""


@dataclass(frozen=True)
class Scene:
    """A page whose user is there, at `url`, and what another site finds out about it."""

    place: Served
    url: str
    user: str

    def facts(self) -> list[str]:
        return [row.fact for row in self.place.store.facts.all(self.place.store.users.get(self.user).id)]

    def attacked_from(self, window: Any, elsewhere: str) -> str:
        """Sends everything that a script at `elsewhere` can; what it got to see."""
        window.goto(f"{elsewhere}/")
        told = str(window.evaluate(ATTACK, self.url))
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            window.goto(f"{elsewhere}/")
            with window.expect_navigation():
                window.evaluate(FORM, [self.url, kind])
            told += window.content()
        window.goto(f"{elsewhere}/")
        window.evaluate(FRAME, self.url)
        told += "".join(frame.url for frame in window.frames[1:] if frame.query_selector("gradio-app, form"))
        time.sleep(0.5)  # what was planted is there by now
        return told

    def holds(self, window: Any, elsewhere: str) -> None:
        told = self.attacked_from(window, elsewhere)
        assert "4711" not in told and "event_id" not in told, told
        assert self.url not in told and '"user":"ana"' not in told and "auth_required" not in told, told
        assert "heard" not in told and "WebSocket open" not in told and "script loaded" not in told, told
        assert self.facts() == [SECRET], told


def sign_in(window: Any, url: str, name: str, password: str) -> None:
    window.goto(url)
    window.fill("input[name=username]", name)
    window.fill("input[name=password]", password)
    window.click("button")
    loaded(window)


@pytest.fixture(scope="module")
def pem(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def behind_tls(tmp_path_factory: pytest.TempPathFactory, pem: Path) -> Iterator[Scene]:
    """A page that people sign in to, behind a proxy that takes the TLS away."""
    folder = tmp_path_factory.mktemp("tls")
    for name, password in PASSWORDS.items():
        add(folder / "users.json", name, password)
    for place in served(folder, NAME):
        with tls_proxy(urlsplit(place.url).port or 0, pem) as port:
            yield Scene(place, f"https://{NAME}:{port}", "ana")


@pytest.fixture(scope="module")
def signed_in(behind_tls: Scene, profile: Any) -> Iterator[Any]:
    """A tab in which Ana is signed in there."""
    with closing(profile.new_page()) as tab:
        sign_in(tab, behind_tls.url, "ana", PASSWORDS["ana"])
        yield tab


@pytest.fixture
def home(behind_tls: Scene, profile: Any, signed_in: Any) -> Iterator[tuple[Scene, Any]]:
    """That page with Ana signed in, and a second tab of her browser."""
    with closing(profile.new_page()) as other:
        remember(behind_tls)
        yield behind_tls, other
    assert signed_in.evaluate(STILL_IN) == 200, "nothing was tried on her who was signed out"


@pytest.fixture(scope="module")
def opened(local: Served, profile: Any) -> Iterator[Any]:
    """A tab with the page of one local user."""
    with closing(profile.new_page()) as tab:
        tab.goto(local.url)
        loaded(tab)
        yield tab


@pytest.fixture
def open_page(local: Served, profile: Any, opened: Any) -> Iterator[tuple[Scene, Any]]:
    """The page of one local user who needs no password, open in one tab, and a second tab."""
    scene = Scene(local, local.url, "me")
    with closing(profile.new_page()) as other:
        remember(scene)
        yield scene, other
    assert opened.evaluate(STILL_IN) == 200


def remember(scene: Scene) -> None:
    scene.place.forget(scene.user)
    store = scene.place.store
    store.facts.remember(store.users.get(scene.user).id, "Ana", "harbour", SECRET)


def test_a_foreign_site_to_which_the_browser_sends_cookies(home: tuple[Scene, Any], pem: Path) -> None:
    scene, tab = home
    with site(pem) as port:
        scene.holds(tab, f"https://evil.example:{port}")


def test_a_sibling_subdomain(home: tuple[Scene, Any], pem: Path) -> None:
    scene, tab = home
    with site(pem) as port:
        scene.holds(tab, f"https://blog.home.example:{port}")


def test_another_port_of_the_same_host_over_plain_http(home: tuple[Scene, Any]) -> None:
    scene, tab = home
    with site() as port:
        scene.holds(tab, f"http://{NAME}:{port}")


def test_another_port_of_the_same_host_with_tls(home: tuple[Scene, Any], pem: Path) -> None:
    scene, tab = home
    with site(pem) as port:
        scene.holds(tab, f"https://{NAME}:{port}")


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "evil.example", "evil.localhost"][:: times(1, 2)])
def test_another_port_of_this_machine_and_any_site_where_nobody_signs_in(
    open_page: tuple[Scene, Any], name: str
) -> None:
    scene, tab = open_page
    with site() as port:
        scene.holds(tab, f"http://{name}:{port}")


def test_a_name_that_is_made_to_lead_here(open_page: tuple[Scene, Any]) -> None:
    """DNS rebinding: to the browser the attacker's page and this server are one origin."""
    scene, tab = open_page
    with site() as port:
        tab.goto(f"http://rebound.example:{port}/")
        rebound = f"http://rebound.example:{urlsplit(scene.url).port}"
        tab.route("**/attack", lambda route: route.fulfill(body="<title>x</title>", content_type="text/html"))
        tab.goto(f"{rebound}/attack")
        told = str(tab.evaluate(ATTACK, rebound))
    assert "4711" not in told and "event_id" not in told and scene.facts() == [SECRET], told


def test_who_follows_a_link_from_elsewhere_is_signed_in_all_the_same(home: tuple[Scene, Any], pem: Path) -> None:
    """The browser sends no cookie with the first step, so the page makes a second."""
    scene, tab = home
    with site(pem) as port:
        tab.goto(f"https://evil.example:{port}/")
        tab.evaluate("(url) => { location.href = url; }", f"{scene.url}/?session=987654")
        loaded(tab)
        tab.wait_for_function("document.querySelector('#chat')?.innerText.includes('There is no session 987654')")

"""What the stub sites share: content that can be reset, accounts, sessions, a login form, routes."""

from __future__ import annotations

import html
import re
import threading
from collections.abc import Callable
from itertools import count
from typing import Any, ClassVar, Self

from .server import HttpServer, Request, Response

View = Callable[..., Response]


def route(method: str, pattern: str) -> Callable[[View], View]:
    """Marks a method as what answers ``method`` on paths that match ``pattern``; named groups become its arguments."""

    def mark(view: View) -> View:
        view.route = (method, re.compile(pattern))  # type: ignore[attr-defined]
        return view

    return mark


class Site:
    """Started by ``with``. Subclasses have routes, :meth:`initial` and, where there is a login, ``accounts`` and ``login``."""

    name: ClassVar[str]
    """As in the task files."""
    title: ClassVar[str]
    base: ClassVar[str] = ""
    """Where it begins: the dashboard's address ends in ``/admin``."""
    accounts: ClassVar[dict[str, str]] = {}
    """Passwords by username."""
    login: ClassVar[str] = ""
    """The path of its login form; empty: everybody may see everything."""
    fields: ClassVar[tuple[str, str]] = ("username", "password")
    cookie: ClassVar[str] = ""
    """Name of the session's cookie; empty: one that no other site has."""
    open_paths: ClassVar[str] = "$^"
    """What those who are not logged in may see besides: a regular expression."""

    def __init__(self, *, session_seconds: int | None = None) -> None:
        """``session_seconds``: after so long the cookie of a login expires."""
        self._server = HttpServer(self._answer)
        self._session_seconds = session_seconds
        self._numbers = count(1)
        self._lock = threading.Lock()
        self.requests: list[Request] = []
        self.resets = 0
        self.state: dict[str, Any] = {}
        self.sessions: dict[str, str] = {}
        self.reset()
        self.resets = 0

    def initial(self) -> dict[str, Any]:
        """The content of a fresh site."""
        return {}

    def reset(self) -> None:
        """Content and sessions as they were at first."""
        self.state, self.sessions, self.resets = self.initial(), {}, self.resets + 1

    @property
    def url(self) -> str:
        """As given to the world."""
        return self._server.address + self.base

    @property
    def logins(self) -> int:
        """How often somebody logged in."""
        return sum(bool(request.form.get(self.fields[1])) for request in self.requests if request.method == "POST")

    def start(self) -> None:
        self._server.start()

    def stop(self) -> None:
        """Goes away, in the middle of whatever it does. :meth:`start` brings it back at the same address."""
        self._server.stop()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def expire(self) -> None:
        """Ends every session, as after a while, or when an agent signs out."""
        self.sessions.clear()

    def page(self, title: str, body: str, *, script: str = "") -> Response:
        """A whole page around ``body``."""
        code = f"<script>{script}</script>" if script else ""
        return Response(
            f"<!doctype html><html><head><title>{html.escape(title)}</title></head><body><main>{body}</main>{code}</body></html>"
        )

    def to(self, path: str, status: int = 302, *headers: tuple[str, str]) -> Response:
        """A redirect within the site."""
        return Response("", status, (("Location", self.base + path), *headers))

    def form(self, action: str, body: str, button: str, *, attributes: str = "") -> str:
        """A form that posts to a path of the site."""
        return f'<form method="post" action="{self.base}{action}" {attributes}>{body}<button>{button}</button></form>'

    def user(self, request: Request) -> str | None:
        """Who asks."""
        return self.sessions.get(request.cookies.get(self._cookie, ""))

    @property
    def _cookie(self) -> str:
        return self.cookie or f"{self.name}_session"

    def _answer(self, request: Request) -> Response:
        with self._lock:
            self.requests.append(request)
            path = request.path.removeprefix(self.base) or "/"
            if self.login and path == self.login and request.method == "POST" and self.fields[1] in request.form:
                return self._log_in(request)
            allowed = not self.login or path == self.login or re.match(self.open_paths, path) or self.user(request)
            if not allowed:
                return self.refused()
            for view in self._views():
                method, pattern = view.route  # type: ignore[attr-defined]
                if method == request.method and (found := pattern.fullmatch(path)):
                    return view(request, **found.groupdict())
            if path == self.login:
                return self.login_page()
            return Response("<h1>404: there is no such page</h1>", 404)

    def _views(self) -> list[View]:
        return [getattr(self, name) for name in dir(type(self)) if hasattr(getattr(type(self), name), "route")]

    def refused(self) -> Response:
        """For those who are not logged in."""
        return self.to(self.login)

    def login_page(self, problem: str = "") -> Response:
        username, password = self.fields
        body = (
            f'<p>{problem}</p><label>Name <input name="{username}"></label>'
            f'<label>Password <input type="password" name="{password}"></label>'
        )
        return self.page(f"{self.title}: sign in", self.form(self.login, body, "Sign in"))

    def _log_in(self, request: Request) -> Response:
        username, password = (request.form.get(field, "") for field in self.fields)
        if self.accounts.get(username) != password:
            return self.login_page("Wrong name or password.")
        token = f"{self.name}-{next(self._numbers)}"
        self.sessions[token] = username
        age = "" if self._session_seconds is None else f"; Max-Age={self._session_seconds}"
        return self.to("/", 302, ("Set-Cookie", f"{self._cookie}={token}; Path=/{age}"))

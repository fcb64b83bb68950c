"""The browser reaches nothing but the sites it may, tells no secrets, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from stub_sites.server import HttpServer, Response

from agentgym_rl.environments.web.browser import BrowserSettings, run, session


@pytest.fixture
def elsewhere():
    """A server that no session may reach, and what it was asked."""
    asked = []

    def answer(request):
        asked.append(request.path)
        return Response("<title>Elsewhere</title>")

    server = HttpServer(answer)
    server.start()
    yield server.address, asked
    server.stop()


@pytest.mark.parametrize(
    "page",
    [
        "<img src='{}/x.png'>",
        "<script src='{}/x.js'></script>",
        "<link rel=stylesheet href='{}/x.css'>",
        "<iframe src='{}/x'></iframe>",
        "<script>fetch('{}/x').catch(() => 0)</script>",
        "<script>navigator.sendBeacon('{}/x', 'all')</script>",
        "<script>new WebSocket('{}/x'.replace('http', 'ws'))</script>",
        "<script>new Worker(URL.createObjectURL(new Blob([\"importScripts('{}/x')\"])))</script>",
        "<meta http-equiv=refresh content='0; url={}/x'>",
    ],
)
def test_nothing_else_is_reached(visit, elsewhere, page):
    address, asked = elsewhere
    view, _ = visit("<button>a</button>" + page.format(address))
    assert asked == []
    assert view.title != "Elsewhere"


def test_what_was_blocked_is_told(visit, elsewhere, on, pages):
    address, asked = elsewhere
    _, (outcome,) = visit(f"<title>Here</title><a href='{address}/x'>Away</a>", on("link", "Away"))
    assert f"A request to '{address}/x' was blocked: only {pages.host} may be reached." in outcome.notes
    assert asked == []


@pytest.mark.parametrize(
    "url", ["http://example.com/", "file:///etc/passwd", "javascript:alert(1)", "chrome://version", "ftp://x/"]
)
def test_addresses_that_an_agent_may_not_go_to(visit, url, pages):
    view, (outcome,) = visit("<title>Here</title>", f"goto [{url}]")
    assert outcome.notes == (f"{url!r} can't be loaded: only {pages.host} may be reached.",)
    assert outcome.view.url == view.url


def test_redirects_to_other_names_are_not_followed(pages, visit):
    port = pages.host.split(":")[1]
    pages.answers["/away"] = Response("", 302, (("Location", f"http://localhost:{port}/secret"),))
    pages.answers["/secret"] = "<title>Secret</title>"
    _, (outcome,) = visit("<title>Here</title>", f"goto [{pages.url('/away')}]")
    assert "/secret" not in pages.paths()
    assert outcome.view.title != "Secret"


@pytest.mark.parametrize(
    "page",
    [
        "<img src=/away>",
        "<iframe src=/away></iframe>",
        "<script>fetch('/away', { mode: 'no-cors' }).catch(() => 0)</script>",
        "<script>open('/away')</script>",
        "<script>new Worker('/away')</script>",
    ],
)
def test_redirects_to_other_ports_are_not_followed(pages, visit, elsewhere, page):
    address, asked = elsewhere
    pages.answers["/away"] = Response("", 302, (("Location", f"{address}/x"),))
    visit("<button>a</button>" + page, "scroll [down]", "scroll [up]", "scroll [down]")
    assert "/away" in pages.paths()
    assert asked == []


def test_where_a_redirect_would_have_led_is_told(pages, visit, elsewhere):
    address, asked = elsewhere
    pages.answers["/away"] = Response("", 302, (("Location", f"{address}/x"),))
    _, (outcome,) = visit("<title>Here</title>", f"goto [{pages.url('/away')}]")
    assert f"A request to '{address}/x' was blocked" in outcome.view.text
    assert asked == []


def test_a_setting_lists_further_hosts(visit, elsewhere, pages, on):
    address, asked = elsewhere
    _, (outcome,) = visit(
        f"<a href='{address}/x'>Away</a>", on("link", "Away"), hosts=(pages.host, address.removeprefix("http://"))
    )
    assert outcome.view.title == "Elsewhere"
    assert asked == ["/x"]


def test_cookies_are_a_sessions_own(pages):
    pages.answers["/"] = Response("<title>Here</title>", headers=(("Set-Cookie", "who=me"),))
    pages.answers["/who"] = lambda request: Response(f"<title>{request.cookies.get('who')}</title>")

    async def who(first):
        async with session(BrowserSettings(hosts=(pages.host,))) as opened:
            for path in first:
                await opened.goto(pages.url(path))
            return (await opened.observe()).title

    assert run(who(["/", "/who"])) == "me"
    assert run(who(["/who"])) == "None"


def test_passwords_are_dots(visit, on):
    page = "<form><input type=password aria-label=Pin></form>"
    _, (outcome,) = visit(page, on("textbox", "Pin", "type", "hunter2", "0"))
    assert "hunter2" not in outcome.view.text
    assert "value: '•••••••'" in outcome.view.text


_CHILD = """
import json, sys
from pathlib import Path
from agentgym_rl.environments.web.browser import BrowserSettings, open_session, run
opened = run(open_session(BrowserSettings()))
profiles = [str(path) for path in Path(sys.argv[1]).iterdir()]
print(json.dumps([opened._browser.process, profiles]), flush=True)
if sys.argv[2] == "wait":
    sys.stdin.read()
"""


@pytest.mark.slow
@pytest.mark.parametrize("end", ["exit", "kill"])
def test_nothing_stays_behind_when_a_process_ends(tmp_path, end):
    child = subprocess.Popen(
        [sys.executable, "-c", _CHILD, str(tmp_path), "exit" if end == "exit" else "wait"],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with child:
        assert child.stdout is not None
        browser, profiles = json.loads(child.stdout.readline())
        assert profiles
        if end == "kill":
            child.send_signal(signal.SIGKILL)
        child.wait(60)
    _until(lambda: not _alive(browser))
    _until(lambda: not [path for path in profiles if Path(path).exists()])


@pytest.mark.slow
def test_profile_folders_are_private(tmp_path):
    child = subprocess.run(
        [
            sys.executable,
            "-c",
            _CHILD.replace("print(", "import os; profiles = [os.stat(path).st_mode for path in profiles]; print("),
            str(tmp_path),
            "exit",
        ],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    modes = json.loads(child.stdout)[1]
    assert modes
    assert all(stat.S_IMODE(mode) & 0o077 == 0 for mode in modes)


def _alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def _until(holds, seconds=60.0):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)  # another process ends when it ends; nothing tells of it

"""Actions, keys, hosts and programs as text: no browser."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_rl.environments.web.browser import Command, NoBrowser, find_chromium, read_command
from agentgym_rl.environments.web.browser.hosts import check_hosts, elsewhere, is_allowed, resolver_rules, suspects
from agentgym_rl.environments.web.browser.keys import key_problem, named_key


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("click [12]", Command("click", 12)),
        (" hover [ 3 ]\n", Command("hover", 3)),
        ("type [3] [red shoes] [1]", Command("type", 3, "red shoes", True)),
        ("type [3] [red shoes] [0]", Command("type", 3, "red shoes", False)),
        ("type [3] [red shoes]", Command("type", 3, "red shoes", True)),
        ("type [3] [a [b] c] [press_enter_after=0]", Command("type", 3, "a [b] c", False)),
        ("type [3] [two\nlines] [0]", Command("type", 3, "two\nlines", False)),
        ("press [Control+a]", Command("press", text="Control+a")),
        ("scroll [down]", Command("scroll", text="down")),
        ("scroll [direction=up]", Command("scroll", text="up")),
        ("new_tab", Command("new_tab")),
        ("tab_focus [1]", Command("tab_focus", 1)),
        ("close_tab", Command("close_tab")),
        ("goto [http://shop/a?b=c]", Command("goto", text="http://shop/a?b=c")),
        ("go_back", Command("go_back")),
        ("go_forward", Command("go_forward")),
        ("stop [N/A]", Command("stop", text="N/A")),
        ("stop", Command("stop")),
    ],
)
def test_actions_are_read(text, command):
    assert read_command(text) == command


@pytest.mark.parametrize(
    "text", ["", "click", "click [x]", "click [1] [2]", "scroll [sideways]", "press []", "press [[]", "stop it"]
)
def test_what_is_no_action(text):
    assert read_command(text) is None


@given(st.text())
def test_any_text_is_an_action_or_none(text):
    assert read_command(text) is None or isinstance(read_command(text), Command)


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("enter", "Enter"),
        ("ctrl+A", "Control+a"),
        ("Control+Shift+T", "Control+Shift+T"),
        ("A", "A"),
        ("+", "+"),
        ("ctrl++", "Control++"),
        ("arrow_down", "ArrowDown"),
        ("esc", "Escape"),
        ("F5", "F5"),
    ],
)
def test_keys(written, key):
    assert named_key(written) == key
    assert key_problem(written) is None


@pytest.mark.parametrize("written", ["Foo", "Hyper+a", "ab", "é"])
def test_keys_that_there_are_not(written):
    problem = key_problem(written)
    assert problem is not None
    assert problem.startswith("There is no key ")


ALLOWED = [
    ("http://shop:7000/a", ("shop:7000",), True),
    ("http://shop:7001/a", ("shop:7000",), False),
    ("http://shop:7001/a", ("shop",), True),
    ("https://shop/", ("shop:443",), True),
    ("http://shop/", ("shop:443",), False),
    ("http://shop.evil.com/", ("shop",), False),
    ("http://evilshop/", ("shop",), False),
    ("http://shop@evil/", ("shop",), False),
    ("http://SHOP/", ("shop",), True),
    ("ws://shop:7000/", ("shop:7000",), True),
    ("ftp://shop/", ("shop",), False),
    ("file:///etc/passwd", ("shop",), False),
    ("http://[::1]:80/", ("[::1]:80",), True),
    ("http://shop:99999/", ("shop",), False),
]


@pytest.mark.parametrize(("url", "hosts", "allowed"), ALLOWED)
def test_hosts(url, hosts, allowed):
    assert is_allowed(url, hosts) == allowed


@pytest.mark.parametrize(
    ("url", "hosts", "allowed"), [row for row in ALLOWED if row[0].startswith(("http", "ws")) and "99999" not in row[0]]
)
def test_what_is_blocked_is_what_is_not_allowed(url, hosts, allowed):
    assert (elsewhere(hosts).match(url) is None) == allowed


@pytest.mark.parametrize("host", ["http://shop", "Shop", "shop/path", "", "shop:port", "*"])
def test_hosts_that_are_none(host):
    with pytest.raises(ValueError, match="write it in lower case as host or host:port"):
        check_hosts([host])


def test_names_that_the_browser_may_look_up():
    assert resolver_rules(("shop:7000", "forum")) == "MAP * ~NOTFOUND, EXCLUDE shop, EXCLUDE forum"


def program(folder, name):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


PORTS = st.integers(1, 65535)


@given(st.sets(PORTS, min_size=1, max_size=3), PORTS, st.sampled_from(["http", "https", "ws"]))
def test_other_ports_are_suspected_and_allowed_ones_are_not(allowed, port, scheme):
    hosts = [f"shop.test:{each}" for each in allowed]
    default = {"http": 80, "https": 443, "ws": 80}[scheme]
    for url in {f"{scheme}://shop.test:{port}/x", *([f"{scheme}://shop.test/x"] if port == default else [])}:
        suspected = any(fnmatchcase(url, pattern) for pattern in suspects(hosts))
        assert suspected == (not is_allowed(url, hosts))


def test_a_host_without_a_port_has_no_other_ports():
    assert suspects(["shop.test"]) == []


def test_the_program_is_the_one_given_then_the_variables_then_the_lightest(tmp_path):
    one, two = program(tmp_path / "a", "mine"), program(tmp_path / "b", "theirs")
    full, light = program(tmp_path / "bin", "chromium"), program(tmp_path / "bin", "chromium-headless-shell")
    environment = {"AGENTGYM_RL_CHROMIUM": str(two), "PATH": str(tmp_path / "bin")}
    assert find_chromium(str(one), environment) == one
    assert find_chromium(None, environment) == two
    assert find_chromium(None, {"PATH": str(tmp_path / "bin")}) == light
    light.unlink()
    assert find_chromium(None, {"PATH": str(tmp_path / "bin")}) == full


def test_playwrights_own_browser(tmp_path):
    own = program(tmp_path / "chromium_headless_shell-1200" / "chrome-linux", "headless_shell")
    program(tmp_path / "chromium_headless_shell-1100" / "chrome-linux", "headless_shell")
    assert find_chromium(None, {"PATH": "", "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)}) == own


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({}, "no browser: install Debian's"),
        ({"AGENTGYM_RL_CHROMIUM": "/no/such"}, "no browser at '/no/such' .AGENTGYM_RL_CHROMIUM.: install"),
    ],
)
def test_no_browser_names_the_ways_out(tmp_path, environment, message):
    with pytest.raises(NoBrowser, match=message):
        find_chromium(None, {"PATH": "", "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path), **environment})

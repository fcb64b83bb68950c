"""Logins are kept, renewed before they expire and made again when a site no longer takes them; they show no password."""

import time

import pytest
from stub_sites import Dashboard, Forge, Forum
from stub_sites.playing import played
from stub_sites.task_lists import original, written

from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.web.browser import BrowserSettings, run
from agentgym_rl.environments.web.webarena.accounts import Account, read_accounts, without_passwords
from agentgym_rl.environments.web.webarena.logins import LoginRefused, Logins, merged
from agentgym_rl.environments.web.webarena.sites import Replica

ACCOUNTS = read_accounts(environment={})


def _state(logins, site, account=None):
    return run(logins.state(Replica(site.name, site.url), account or ACCOUNTS[site.name], BrowserSettings()))


def test_a_login_is_kept_until_the_site_no_longer_takes_it(make, tmp_path):
    file = written(tmp_path / "mine.json", [original(1, ["gitlab"], url="__GITLAB__/dashboard/todos")])
    with Forge() as forge:
        world = make(sites={"gitlab": forge.url}, evaluators="original", task_file=file)
        script = ["click [link 'To-Do List']", "stop []"]
        assert [played(world, "mine-1", script)[0] for _ in range(2)] == [1.0, 1.0]
        assert forge.logins == 1
        forge.expire()
        assert played(world, "mine-1", script)[0] == 1.0
        assert forge.logins == 2


@pytest.mark.slow
def test_sites_whose_logins_overwrite_each_other_are_named(make, tmp_path):
    class OneForge(Forge):
        cookie = "PHPSESSID"

    class OneForum(Forum):
        cookie = "PHPSESSID"

    file = written(tmp_path / "mine.json", [original(1, ["gitlab", "reddit"], url="__REDDIT__/forums")])
    settings = {"evaluators": "original", "task_file": file}
    with OneForge() as forge, OneForum() as forum:
        world = make(sites={"gitlab": forge.url, "reddit": forum.url}, **settings)
        with pytest.raises(
            EnvironmentFault, match=r"on the same host: give them different host names, such as 127\.0\.0\.1 and"
        ):
            world.reset(options={"task": "mine-1"})
        world = make(sites={"gitlab": forge.url.replace("127.0.0.1", "localhost"), "reddit": forum.url}, **settings)
        world.reset(options={"task": "mine-1"})
        assert "byteblaze" in world.step("goto [http://gitlab.com/-/profile]")[0]


def test_it_is_renewed_before_it_expires():
    now = time.time()
    logins = Logins(clock=lambda: now)
    with Forum(session_seconds=3600) as forum:
        _state(logins, forum)
        now += 2900
        _state(logins, forum)
        assert forum.logins == 1
        now += 200  # 500 seconds are left
        _state(logins, forum)
        assert forum.logins == 2


@pytest.mark.parametrize("kind", [Dashboard, Forge])
def test_an_account_that_is_refused_is_named_without_its_password(kind):
    with kind() as site, pytest.raises(LoginRefused) as refused:
        _state(Logins(), site, Account("somebody", "my-secret"))
    name = site.name
    assert str(refused.value) == (
        f"webarena: {name} at {site.url} refuses the login of 'somebody': set ${name.upper()}_USERNAME and "
        f"${name.upper()}_PASSWORD, or the accounts file"
    )


def test_states_of_several_sites_are_one():
    states = [{"cookies": [1], "origins": []}, {}, {"cookies": [2], "origins": [3]}]
    assert merged(states) == {"cookies": [1, 2], "origins": [3]}


def test_accounts_come_from_variables_or_a_file(tmp_path):
    assert read_accounts(environment={})["gitlab"].username == "byteblaze"
    file = tmp_path / "accounts.yaml"
    file.write_text("gitlab: {username: me, password: mine}")
    accounts = read_accounts(
        str(file), {"WA_REDDIT_USERNAME": "you", "REDDIT_PASSWORD": "yours", "GITLAB_PASSWORD": "other"}
    )
    assert (accounts["gitlab"], accounts["reddit"]) == (Account("me", "other"), Account("you", "yours"))
    assert "other" not in repr(accounts)
    assert without_passwords("me, other and yours", accounts) == "me, •••••• and ••••••"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gitlab: {username: me, password: sesame", "is not YAML"),
        ("- sesame", "must map sites to username and password"),
        (
            "ebay: {username: me, password: sesame}",
            "has an unknown site 'ebay'; known: shopping, shopping_admin, gitlab, reddit",
        ),
        ("gitlab: {user: me, password: sesame}", "gitlab needs username and password, and nothing else"),
    ],
)
def test_account_files_that_are_refused_are_not_quoted(tmp_path, text, message):
    file = tmp_path / "accounts.yaml"
    file.write_text(text)
    with pytest.raises(ValueError, match=message) as refused:
        read_accounts(str(file), {})
    assert "sesame" not in str(refused.value)

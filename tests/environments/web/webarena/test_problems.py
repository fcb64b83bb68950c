"""What is wrong is told in one line, with the site and the way out, before any episode; what goes wrong later is a fault."""

import logging

import pytest
from stub_sites import ControlService, Forum, Map
from stub_sites.playing import number_of, played
from stub_sites.task_lists import original, written

from agentgym_rl.environments.errors import EnvironmentFault, ResetNeeded
from agentgym_rl.environments.web.browser import NoBrowser
from agentgym_rl.environments.web.webarena import WebArena
from agentgym_rl.environments.web.webarena.errors import SiteProblem, VerifiedMissing

_POST = original(
    1,
    ["reddit"],
    start="__REDDIT__/f/gaming/1/post",
    pages=[("__REDDIT__/f/gaming/1/post", "", {"must_include": ["hello"]})],
)


@pytest.fixture
def settings(tmp_path):
    tasks = [_POST, original(2, ["map"], url="__MAP__/search"), original(3, ["gitlab"], url="__GITLAB__/dashboard/todos")]
    return {"evaluators": "original", "task_file": written(tmp_path / "mine.json", tasks)}


def _refused(error, settings, **more):
    with pytest.raises(error) as refused:
        WebArena(**{**settings, **more})
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_no_site_and_sites_that_do_not_answer(settings):
    assert "no site is given: set sites={shopping: " in _refused(ValueError, settings)
    with Forum() as forum:
        pass
    said = _refused(SiteProblem, settings, sites={"reddit": forum.url})
    assert said == (
        f"webarena: reddit: {forum.url} does not answer (nothing listens there): start the site, or correct $REDDIT or sites.reddit"
    )


def test_wrong_addresses(settings):
    with Forum() as forum, Map() as map:
        said = _refused(SiteProblem, settings, sites={"reddit": map.url})
        assert said.startswith(
            f"webarena: reddit: {map.url}/login answers with status 404, so it is not the reddit site: correct"
        )
        said = _refused(SiteProblem, settings, sites={"map": forum.url})
        assert "shows no 'OpenStreetMap', so it is not the map site: correct $MAP or sites.map" in said


def test_a_login_that_is_refused(settings, addresses, monkeypatch):
    monkeypatch.setenv("GITLAB_USERNAME", "somebody")
    monkeypatch.setenv("WA_GITLAB_PASSWORD", "my-secret")
    said = _refused(SiteProblem, settings, sites={"gitlab": addresses["gitlab"]})
    assert said.startswith(
        f"webarena: gitlab at {addresses['gitlab']} refuses the login of 'somebody': set $GITLAB_USERNAME"
    )
    assert "my-secret" not in said


def test_no_browser_and_no_package(settings, addresses):
    assert "no browser at '/nowhere'" in _refused(NoBrowser, settings, sites=addresses, browser="/nowhere")
    said = _refused(VerifiedMissing, {}, sites=addresses)
    assert said == "webarena needs webarena-verified==1.2.3 in an environment of its own: agentgym-rl doctor web --install"


def test_a_site_that_is_killed_is_a_fault(make, settings):
    with Forum() as forum:
        world = make(sites={"reddit": forum.url}, **settings)
        observation, _ = world.reset(options={"task": "mine-1"})
        forum.stop()
        with pytest.raises(EnvironmentFault, match=f"webarena: reddit: {forum.url} does not answer"):
            world.step("goto [http://reddit.com/forums]")
        with pytest.raises(ResetNeeded):
            world.step("stop []")
        with pytest.raises(EnvironmentFault, match=r"reddit"):
            world.reset(options={"task": "mine-1"})
        forum.start()
        world.reset(options={"task": "mine-1"})
        forum.stop()
        with pytest.raises(EnvironmentFault, match="does not load for the evaluation"):
            world.step("stop []")
        forum.start()
        earned, *_ = played(world, "mine-1", ["type [textbox 'Comment'] [hello] [0]", "click [button 'Post']", "stop []"])
        assert earned == 1.0
    assert number_of("heading 'A post about games'", observation)


def test_changed_sites_are_reset_before_the_next_episode(make, settings):
    script = ["type [textbox 'Comment'] [hello] [0]", "click [button 'Post']", "stop []"]
    with Forum() as forum, ControlService(forum) as control:
        world = make(sites={"reddit": {"url": forum.url, "control": control.url}}, **settings)
        assert played(world, "mine-1", ["stop []"])[0] == 0.0
        assert forum.resets == 0
        assert played(world, "mine-1", script)[0] == 1.0
        assert forum.resets == 0
        earned, _, seen = played(world, "mine-1", ["stop []"])
        assert (earned, forum.resets) == (0.0, 1)
        assert "hello" not in seen[0]
        assert "MarvelsGrantMan136" not in seen[0]


@pytest.mark.slow
def test_episodes_at_once_have_replicas_of_their_own_that_look_alike(make, settings):
    with Forum() as one, Forum() as other:
        worlds = [make(sites={"reddit": [one.url, other.url]}, wait_seconds=0.01, **settings) for _ in range(3)]
        first, second = (world.reset(options={"task": "mine-1"})[0] for world in worlds[:2])
        assert first == second
        with pytest.raises(EnvironmentFault, match=r"no replica of reddit got free within 0.01 s \(2 there\)"):
            worlds[2].reset(options={"task": "mine-1"})
        comment, post = (number_of(element, first) for element in ("textbox 'Comment'", "button 'Post'"))
        worlds[0].step(f"type [{comment}] [hello] [0]")
        observation = worlds[0].step(f"click [{post}]")[0]
        assert "hello" in observation
        assert sorted(len(site.state["posts"][1]["comments"]) for site in (one, other)) == [2, 3]
        worlds[0].step("stop []")
        worlds[2].reset(options={"task": "mine-1"})


def test_other_sites_are_out_of_reach(make, settings, sites):
    with Forum() as other:
        world = make(sites={"reddit": sites["reddit"].url, "gitlab": sites["gitlab"].url}, **settings)
        world.reset(options={"task": "mine-1"})
        sites["gitlab"].requests.clear()
        for address in (other.url, sites["gitlab"].url, "http://gitlab.com/", "http://example.org/", "file:///etc/passwd"):
            observation, *_, info = world.step(f"goto [{address}]")
            assert "can't be loaded: only reddit.com may be reached" in observation
            assert info["understood"]
        assert other.requests == sites["gitlab"].requests == []


def test_passwords_are_neither_observed_nor_logged(make, settings, caplog):
    caplog.set_level(logging.DEBUG)
    with Forum() as forum:
        forum.state["biography"] = "my password is test1234"
        world = make(sites={"reddit": forum.url}, **settings)
        world.reset(options={"task": "mine-1"})
        observation, *_ = world.step("goto [http://reddit.com/user/MarvelsGrantMan136]")
        assert "my password is ••••••" in observation
        _, _, _, _, info = world.step("stop [test1234]")
        assert "test1234" not in str(info) + caplog.text
        assert not [token for token in forum.sessions if token in observation + str(info) + caplog.text]

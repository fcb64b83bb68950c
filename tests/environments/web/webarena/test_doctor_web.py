"""``agentgym-rl doctor web`` names each site and the way out."""

import json

import pytest
import yaml
from stub_sites import Forge, Forum
from stub_sites.task_lists import original, written

from agentgym_rl.cli.app import run as cli
from agentgym_rl.environments.web.webarena.checkup import ranges


@pytest.fixture
def doctor(capsys, tmp_path):
    """Runs it with settings; the exit code, the checks by name, and what it printed to stderr."""
    kinds = [["map"], ["reddit"], ["gitlab"], ["reddit"], ["shopping"]]
    tasks = [original(number, kind, answers={"exact_match": "x"}) for number, kind in enumerate(kinds)]
    file = written(tmp_path / "mine.json", tasks)

    def run(**settings):
        settings = {"evaluators": "original", "task_file": file, **settings}
        words = [
            f"{name}={yaml.safe_dump(value, default_flow_style=True, width=10_000).splitlines()[0]}"
            for name, value in settings.items()
        ]
        code = cli(["doctor", "web", "--json", *words])
        printed = capsys.readouterr()
        found = json.loads(printed.out)["checks"] if printed.out else []
        return code, {one["name"]: (one["state"], one["said"]) for one in found}, printed.err

    return run


def test_each_site_is_named(doctor, addresses, monkeypatch):
    with Forum() as gone:
        pass
    monkeypatch.setenv("WA_GITLAB_PASSWORD", "my-secret")
    with Forge() as forge:
        code, found, _ = doctor(sites={"map": addresses["map"], "reddit": gone.url, "gitlab": forge.url})
    assert code == 1
    assert found["browser"][0] == "ok"
    assert found["map"][0] == "ok"
    assert "can't be reset: give sites.map.control or .reset" in found["map"][1]
    assert found["reddit"] == (
        "failed",
        f"{gone.url} does not answer (nothing listens there): start the site, or correct $REDDIT or sites.reddit",
    )
    assert found["gitlab"][0] == "failed"
    assert "refuses the login of 'byteblaze': set $GITLAB_USERNAME" in found["gitlab"][1]
    assert found["shopping"][0] == "missing"
    assert "set $SHOPPING or $WA_SHOPPING, or sites.shopping" in found["shopping"][1]
    assert found["webarena-verified"][0] == "failed"
    assert "agentgym-rl doctor web --install" in found["webarena-verified"][1]
    assert found["tasks"] == ("ok", "4 of mine can be played; 1 left out for no address of shopping: 4")
    assert "my-secret" not in str(found)


def test_a_site_that_is_fine(doctor, addresses):
    _, found, _ = doctor(sites={"reddit": {"url": addresses["reddit"], "control": addresses["map"]}})
    assert found["reddit"][0] == "failed"
    assert f"its control service at {addresses['map']} does not answer (status 404): publish its port" in found["reddit"][1]
    _, found, _ = doctor(sites={"reddit": {"url": addresses["reddit"], "reset": "true"}})
    assert found["reddit"][0] == "ok"
    assert found["reddit"][1].endswith("logged in as MarvelsGrantMan136, can be reset")


def test_bad_use(doctor, capsys):
    assert doctor(site={})[::2] == (2, "error: environment 'webarena' has no setting 'site'; nearest: sites, items\n")
    code, _, said = doctor(sites={"ebay": "http://h:1"})
    assert (code, said.startswith("error: environment 'webarena': there is no site 'ebay'")) == (2, True)
    assert cli(["doctor", "webb"]) == 2
    assert "there is no topic 'webb'; known: web" in capsys.readouterr().err


def test_ranges():
    assert ranges((3, 1, 2, 7, 9, 8)) == "1-3, 7-9"
    assert ranges((5,)) == "5"

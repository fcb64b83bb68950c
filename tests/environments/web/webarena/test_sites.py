"""Where the sites are: settings and variables of either spelling, any subset, several replicas, and what is refused."""

import pytest

from agentgym_rl.environments.web.webarena.addresses import Addresses, host_of
from agentgym_rl.environments.web.webarena.sites import read_sites


def _urls(given, environment=None):
    return {site: [one.url for one in replicas] for site, replicas in read_sites(given, environment or {}).items()}


def test_variables_of_either_spelling_and_any_subset():
    variables = {"SHOPPING": "http://a:7770/", "WA_REDDIT": "http://a:9999 , http://b:9999", "WA_SHOPPING": "http://c:1"}
    assert _urls(None, variables) == {"shopping": ["http://a:7770"], "reddit": ["http://a:9999", "http://b:9999"]}
    assert _urls(None, {}) == {}


def test_settings_come_before_variables_and_leave_sites_out():
    variables = {"SHOPPING": "http://a:7770", "MAP": "http://a:3000"}
    assert _urls({"shopping": ["http://x:1", "http://y:1"], "map": None}, variables) == {
        "shopping": ["http://x:1", "http://y:1"]
    }


def test_replicas_have_their_own_control_service_or_a_command():
    sites = read_sites(
        {
            "gitlab": {"url": ["http://a:1", "http://b:1"], "control": ["http://a:2", "http://b:2"]},
            "reddit": {"url": "http://a:3", "reset": "renew {site}"},
            "map": "http://a:4",
        },
        {},
    )
    assert [one.control for one in sites["gitlab"]] == ["http://a:2", "http://b:2"]
    assert [sites[name][0].resettable for name in ("gitlab", "reddit", "map")] == [True, True, False]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("http://a:1", "sites must map names to addresses"),
        ({"shop": "http://a:1"}, "there is no site 'shop'; known: shopping, shopping_admin, map, gitlab, reddit, wikipedia"),
        ({"shopping": "a:7770"}, "sites.shopping must be like http://host:7770, not 'a:7770'"),
        ({"shopping": "http://a:x"}, "sites.shopping must be like http://host:7770, not 'http://a:x'"),
        ({"shopping": []}, "sites.shopping must be an address or a list of addresses, not []"),
        ({"shopping": "http://me:secret@a:1"}, "sites.shopping has credentials in its address"),
        ({"map": {"url": "http://a:1", "port": 2}}, "sites.map has no field 'port'; known: url, control, reset"),
        ({"map": {"url": ["http://a:1", "http://b:1"], "control": "http://a:2"}}, "2 addresses and 1 control addresses"),
        ({"map": {"url": "http://a:1", "control": "http://a:2", "reset": "x"}}, "both control and reset"),
        ({"map": {"url": "http://a:1", "reset": ""}}, "sites.map.reset must be a command"),
        ({"map": "http://a:1", "reddit": "http://a:1/"}, "http://a:1 is given for map and for reddit"),
    ],
)
def test_what_is_refused(given, message):
    with pytest.raises(ValueError, match="environment 'webarena'") as refused:
        read_sites(given, {})
    assert message in str(refused.value)
    assert "secret" not in str(refused.value)


def test_a_wrong_variable_is_named():
    with pytest.raises(ValueError, match=r"\$WA_MAP must be like"):
        read_sites(None, {"WA_MAP": "localhost"})


def test_addresses_are_shown_by_the_usual_names_and_meant_as_they_are():
    addresses = Addresses({"shopping": "http://h:7770", "shopping_admin": "http://h:7780/admin", "reddit": "http://h:77"})
    assert addresses.shown("at http://h:7770/a, http://h:7780/admin/b and http://h:77.") == (
        "at http://onestopmarket.com/a, http://luma.com/admin/b and http://reddit.com."
    )
    assert addresses.shown("h:7770 and http://h:777") == "onestopmarket.com and http://h:777"
    assert addresses.meant("goto [http://LUMA.com/admin/c]") == "goto [http://h:7780/admin/c]"
    assert addresses.filled("__SHOPPING_ADMIN__/x __SHOPPING__") == "http://h:7780/admin/x http://h:7770"
    assert addresses.hosts == ("h:7770", "h:7780", "h:77")
    assert [host_of(url) for url in ("https://A/b", "http://a", "http://[::1]:8/")] == ["a:443", "a:80", "[::1]:8"]

"""Which tasks can be played, the split of our own, published ids."""

import json
from collections import Counter

import pytest
from stub_sites.task_lists import original, written

from agentgym_rl.environments.task_set import SPLITS
from agentgym_rl.environments.web.webarena import WebArena
from agentgym_rl.environments.web.webarena.task_list import published_number

_SITES = {"map": "http://h:1", "gitlab": "http://h:2", "reddit": "http://h:3"}
_KINDS = [["map"]] * 4 + [["gitlab"]] * 3 + [["reddit"]] * 2 + [["gitlab", "reddit"]]


@pytest.fixture
def settings(tmp_path):
    tasks = [
        original(
            number, _KINDS[number // 5 % 10], answers={"fuzzy_match": ["a"]} if number % 50 == 0 else {"exact_match": "a"}
        )
        for number in range(400)
    ]
    for task in tasks:
        task["intent_template_id"] = task["task_id"] // 5
    return {"sites": _SITES, "evaluators": "original", "task_file": written(tmp_path / "list.json", tasks)}


def _split(settings, split, **more):
    return WebArena.tasks(split, **{**settings, **more})


def test_splits_are_disjoint_whole_and_have_the_same_shares_of_every_site(settings):
    sets = {split: _split(settings, split) for split in SPLITS}
    ids = [task.id for tasks in sets.values() for task in tasks]
    assert len(ids) == len(set(ids)) == 392
    for split, share in (("train", 0.7), ("validation", 0.1), ("test", 0.2)):
        counts = Counter(tuple(task.data["sites"]) for task in sets[split])
        for sites, whole in ((("map",), 160), (("gitlab",), 120), (("reddit",), 80), (("gitlab", "reddit"), 40)):
            assert abs(counts[sites] - share * whole) <= 6, (split, sites)


def test_a_template_is_spread_over_the_splits(settings):
    test = {task.data["template"] for task in _split(settings, "test")}
    train = {task.data["template"] for task in _split(settings, "train")}
    assert len(test) >= 60
    assert test <= train


def test_the_split_does_not_depend_on_which_sites_there_are(settings):
    few = _split(settings, "test", sites={"map": "http://h:1"})
    every = _split(settings, "test")
    assert [task.id for task in few] == [task.id for task in every if task.data["sites"] == ["map"]]


def test_categories_and_two_site_tasks_are_marked(settings):
    tasks = _split(settings, "train")
    assert set(tasks.categories) == {"Maps", "GitLab", "Reddit"}
    both = [task for task in tasks if task.data["several_sites"]]
    assert both
    assert all(task.category == "GitLab" and task.data["sites"] == ["gitlab", "reddit"] for task in both)


def test_tasks_left_out_have_names_and_reasons(settings):
    assert WebArena.left_out(**settings) == {"no judge": [f"list-{number}" for number in range(0, 400, 50)]}
    without = WebArena.left_out(**{**settings, "sites": {"map": "http://h:1", "gitlab": "http://h:2"}})
    assert len(without["no address of reddit"]) == 120
    judged = {**settings, "judge": {"model": "m", "base_url": "http://h:9"}}
    assert WebArena.left_out(**judged) == {}
    with pytest.raises(ValueError, match=r"the sites given \(shopping\) have no task"):
        _split(settings, "test", sites={"shopping": "http://h:1"})
    with pytest.raises(ValueError, match=r"no site is given: set sites=\{shopping: "):
        _split(settings, "test", sites={})


def test_published_ids_are_accepted(settings, tmp_path):
    tasks = _split(settings, "train")
    number = tasks[0].data["number"]
    for name in (f"webarena_{number}", f"agentgym:{number}", f"agentgym:webarena_{number}", f"list-{number}"):
        assert tasks[name] is tasks[0]
    assert published_number("webarena_x") is None
    ids = tmp_path / "test.json"
    ids.write_text(json.dumps([{"item_id": "webarena_7"}, "webarena_1", 3]))
    given = {"test": str(ids), "train": [9, 7]}
    assert [task.data["number"] for task in _split(settings, "test", items=given)] == [1, 3, 7]
    assert [task.data["number"] for task in _split(settings, "train", items=given)] == [9]
    assert {1, 3, 7, 9}.isdisjoint(task.data["number"] for task in _split(settings, "validation", items=given))


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ({"tests": [1]}, "items has no split 'tests'"),
        ({"test": [1000]}, "items has 1000, which list.json has not"),
        ({"test": ["x"]}, "items has x: write a number"),
        ({"test": "/nowhere.json"}, "items: /nowhere.json can't be read"),
        ({"test": 5}, "items needs lists"),
    ],
)
def test_item_lists_that_are_refused(settings, items, message):
    with pytest.raises(ValueError, match="environment 'webarena'") as refused:
        _split(settings, "test", items=items)
    assert message in str(refused.value)


def test_the_form_of_the_other_evaluators_is_named(settings):
    with pytest.raises(ValueError, match="is in the form of evaluators=original: set that"):
        _split(settings, "test", evaluators="verified")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"evaluators": "best"}, "evaluators must be verified or original, not 'best'"),
        ({"reset": "never"}, "reset must be changed or always"),
        ({"tokens": 5}, "tokens must be a whole number, 100 or more"),
        ({"share": 1}, "share must be true or false"),
        ({"wait_seconds": 0}, "wait_seconds must be seconds above 0"),
        ({"hosts": "a"}, "hosts must be a list"),
        ({"judge": {"model": "m"}}, "judge lacks base_url"),
        ({"judge": {"model": "m", "url": "x"}}, "judge has no field 'url'"),
        ({"evaluators": "verified", "judge": {"model": "m", "base_url": "http://x"}}, "judge must be left out"),
        (
            {"share": True, "sites": {"map": {"url": "http://h:1", "reset": "x"}}},
            "share must be false where a site is reset",
        ),
    ],
)
def test_settings_that_are_refused(settings, setting, message):
    with pytest.raises(ValueError, match="environment 'webarena'") as refused:
        _split(settings, "test", **setting)
    assert message in str(refused.value)

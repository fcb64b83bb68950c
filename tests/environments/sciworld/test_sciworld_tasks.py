"""Tasks, splits, categories and published ids; none of this needs Java."""

import os
import subprocess
import sys

import pytest

import agentgym_rl
from agentgym_rl.environments.errors import UnknownTask
from agentgym_rl.environments.sciworld import SciWorld
from agentgym_rl.environments.sciworld.kinds import ALL, BENCHMARK
from agentgym_rl.environments.sciworld.task_list import variations

COLUMNS = {
    "Measure": ["2-1", "2-2", "2-3"],
    "Test-Cond": ["3-3", "3-4"],
    "Find": ["4-1", "4-2", "4-3", "4-4"],
    "Chem-Mix": ["6-1", "6-2", "6-3"],
    "Lifespan": ["7-1", "7-2", "7-3"],
}


def test_there_are_30_kinds_and_7207_tasks_in_disjoint_splits():
    assert len(ALL) == 30
    counts = {split: len(agentgym_rl.tasks("sciworld", split, kinds="all")) for split in ("train", "validation", "test")}
    assert counts == {"train": 3592, "validation": 1796, "test": 1819}
    ids = [task.id for split in counts for task in agentgym_rl.tasks("sciworld", split, kinds="all")]
    assert len(set(ids)) == 7207


def test_the_benchmark_has_23_kinds_4639_tasks_and_five_columns():
    assert len(BENCHMARK) == 23
    assert sum(kind.variations for kind in BENCHMARK) == 4639
    for column, numbers in COLUMNS.items():
        assert [kind.number for kind in ALL if kind.category == column] == numbers
    tasks = agentgym_rl.tasks("sciworld", "test")
    assert set(COLUMNS) < set(tasks.categories)
    assert {task.category for task in tasks.filter("Find")} == {"Find"}


@pytest.mark.parametrize(
    ("published", "id"),
    [
        ("agentgym:0", "boil/0"),
        ("agentgym:29", "boil/29"),
        ("agentgym:30", "melt/0"),
        ("agentgym:119", "change-the-state-of-matter-of/29"),
        ("agentgym:660", "measure-melting-point-known-substance/0"),
        ("agentgym:2340", "test-conductivity-of-unknown-substances/4"),
        ("agentgym:4139", "chemistry-mix/3"),
        ("agentgym:4638", "identify-life-stages-2/9"),
    ],
)
def test_published_ids_are_known(published, id):
    found = [tasks[published] for split in ("train", "validation", "test") if published in (tasks := SciWorld.tasks(split))]
    assert [task.id for task in found] == [id]


@pytest.mark.parametrize("id", ["agentgym:4639", "agentgym:-1", "agentgym:007", "agentgym:", "agentgym:٣"])
def test_other_numbers_are_not(id):
    assert SciWorld.tasks("train").get(id) is None
    with pytest.raises(UnknownTask):
        SciWorld.tasks("train")[id]


def test_listing_tasks_starts_no_java():
    code = (
        "import sys, agentgym_rl; agentgym_rl.tasks('sciworld', 'train', kinds='all'); agentgym_rl.make('sciworld').close();"
        "assert not {'torch'} & set(sys.modules); from agentgym_rl.environments.sciworld import java;"
        "assert java._Shared.java is None"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


def test_the_lists_are_the_simulator_s(running):
    """If this fails, another version of the package has other tasks, and ids no longer mean what they did."""
    interface = running._library.make_interface()
    names = list(interface.getTaskNames())
    assert set(names) >= {kind.name for kind in ALL}
    assert {kind.name: int(interface.getTaskMaxVariations(kind.name)) for kind in ALL} == {
        kind.name: kind.variations for kind in ALL
    }


@pytest.mark.parametrize("kind", [ALL[0], ALL[6], ALL[21], ALL[22]], ids=lambda kind: kind.name)
def test_splits_are_the_simulator_s(running, kind):
    interface = running._library.make_interface()
    interface.load(kind.name, 0, "", False)
    theirs = {
        "train": interface.getVariationsTrain(),
        "validation": interface.getVariationsDev(),
        "test": interface.getVariationsTest(),
    }
    assert {split: list(found) for split, found in theirs.items()} == {
        split: list(variations(kind.variations, split)) for split in theirs
    }


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"kinds": ["find-animals"]}, "unknown kind 'find-animals'; nearest: find-animal"),
        ({"kinds": []}, "kinds is empty"),
        ({"kinds": 4}, 'kinds must be a name, a list of names, or "all", not 4'),
        ({"simplifications": "teleport"}, "unknown simplification 'teleport'; nearest: teleportAction"),
        ({"simplifications": 1}, "simplifications must be"),
        ({"simplifications": "noElectricalAction", "kinds": ["3-1"]}, "would do nothing"),
        ({"moves": 0}, "moves must be a whole number, 1 or more, not 0"),
        ({"moves": True}, "moves must be"),
        ({"admissible": "some"}, 'admissible must be "useful" or "all", not \'some\''),
    ],
)
def test_other_settings_are_refused(options, said):
    with pytest.raises(ValueError, match=said):
        agentgym_rl.make("sciworld", **options)
    with pytest.raises(ValueError, match=said):
        agentgym_rl.tasks("sciworld", "test", **options)

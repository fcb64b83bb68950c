import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

import agentgym_rl
from agentgym_rl.environments import registry
from agentgym_rl.environments.errors import MissingExtra, UnknownEnvironment
from agentgym_rl.environments.textcraft import TextCraft

WORLD = """
from agentgym_rl.environments.protocol import Environment
from agentgym_rl.environments.task_set import Task, TaskSet

class Echo(Environment):
    id = "echo"
    summary = "says it again"
    instructions = "say something"
    action_schema = ()

    def __init__(self, times: int = 1):
        super().__init__(times=times)
        self.times = times

    @classmethod
    def tasks(cls, split, **settings):
        return TaskSet([Task(f"{split}-{settings.get('times', 1)}", "echo", split, "all")])

    def _begin(self, task):
        return task.id, self._info(False)

    def _act(self, action):
        return action * self.times, float(action == "bye"), action == "bye", False, self._info(action == "bye")

    def _info(self, success):
        return {"score": float(success), "success": success, "understood": True, "state_key": None}

not_a_world = 3

class NeedsMore(Echo):
    def __init__(self):
        import a_package_nobody_has
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A world in a module in the working directory, which is not on the path."""
    (tmp_path / "my_echo_world.py").write_text(WORLD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    yield "my_echo_world"
    sys.modules.pop("my_echo_world", None)


def test_registered_worlds_are_made():
    assert {"textcraft", "babyai"} <= set(registry.registered())
    world = agentgym_rl.make("textcraft", distractors=3)
    assert type(world) is TextCraft
    assert world.settings == {"distractors": 3, "scenes": 1}
    assert agentgym_rl.tasks("textcraft", split="test")[0].split == "test"
    assert agentgym_rl.tasks("textcraft")[0].split == "train"


def test_a_class_of_a_module_in_the_working_directory(module):
    world = agentgym_rl.make(f"{module}:Echo", times=2)
    assert world.reset()[0] == "train-2"
    assert world.reset(options={"task": "test-2"})[0] == "test-2"
    assert world.step("bye")[:3] == ("byebye", 1.0, True)
    assert [task.id for task in agentgym_rl.tasks(f"{module}:Echo", "test", times=2)] == ["test-2"]


@pytest.mark.parametrize(
    ("id", "message"),
    [
        ("textcarft", "unknown environment 'textcarft'; nearest: textcraft; or give package.module:Class"),
        ("", f"unknown environment ''; nearest: {', '.join(registry.registered())}; or give package.module:Class"),
        ("no_such_module:World", "environment 'no_such_module:World': there is no module 'no_such_module'"),
        ("agentgym_rl.nothing:World", "environment 'agentgym_rl.nothing:World': there is no module 'agentgym_rl.nothing'"),
        ("my_echo_world:Ecko", "environment 'my_echo_world:Ecko': module 'my_echo_world' has no 'Ecko'"),
        ("my_echo_world:", "environment 'my_echo_world:': give it as package.module:Class"),
        ("..my:Echo", "environment '..my:Echo': give it as package.module:Class"),
        (":Echo", "environment ':Echo': give it as package.module:Class"),
        ("https://textcraft", "environment 'https://textcraft': give a served one as http://HOST:PORT/ENV"),
        (
            "http://host:port/textcraft",
            "environment 'http://host:port/textcraft': give a served one as http://HOST:PORT/ENV",
        ),
    ],
)
@pytest.mark.usefixtures("module")
def test_unknown_environments(id, message):
    for call in (agentgym_rl.make, agentgym_rl.tasks, registry.environment_class):
        with pytest.raises(UnknownEnvironment) as caught:
            call(id)
        assert str(caught.value) == message


def test_what_is_no_world(module):
    with pytest.raises(TypeError, match="'my_echo_world:not_a_world' is not a subclass of"):
        agentgym_rl.make(f"{module}:not_a_world")


def test_an_unknown_setting_names_the_nearest():
    with pytest.raises(ValueError, match="environment 'textcraft' has no setting 'distractor'; nearest: distractors"):
        agentgym_rl.make("textcraft", distractor=3)
    with pytest.raises(ValueError, match="has no setting 'distractor'"):
        agentgym_rl.tasks("textcraft", distractor=3)


def test_an_unknown_split():
    with pytest.raises(ValueError, match="unknown split 'dev'; known: train, validation, test"):
        agentgym_rl.tasks("textcraft", "dev")


def test_a_missing_extra_names_the_install(monkeypatch):
    for name in [name for name in sys.modules if name.startswith(("agentgym_rl.environments.babyai", "minigrid"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "minigrid", None)
    with pytest.raises(MissingExtra) as caught:
        agentgym_rl.make("babyai").reset(seed=0)
    assert "pip install 'agentgym-rl[babyai]'" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_package_of_an_unpackaged_world(module):
    with pytest.raises(MissingExtra, match="needs a_package_nobody_has: pip install 'a_package_nobody_has'"):
        agentgym_rl.make(f"{module}:NeedsMore")


def test_entry_points_of_other_packages(monkeypatch):
    mine = EntryPoint("mine", "agentgym_rl.environments.textcraft:TextCraft", registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda **_: [mine])
    assert registry.registered() == ["mine"]
    assert type(agentgym_rl.make("mine")) is TextCraft


def test_importing_the_package_and_listing_worlds_imports_nothing_heavy():
    program = (
        "import sys, agentgym_rl; assert 'gymnasium' not in sys.modules;"
        "from agentgym_rl.environments.registry import registered; registered();"
        "assert not {'torch', 'minigrid', 'transformers'} & set(sys.modules);"
        "agentgym_rl.make('textcraft').reset(seed=0);"
        "assert not {'torch', 'minigrid', 'transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_unknown_names_of_the_package():
    with pytest.raises(AttributeError, match="no attribute 'mke'"):
        agentgym_rl.mke  # noqa: B018
    assert {"make", "tasks", "train", "evaluate"} <= set(dir(agentgym_rl))

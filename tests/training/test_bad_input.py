"""What bad input gets: one or two lines that name it and the way out, exit code 2, and nothing lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch

import agentgym_rl
from agentgym_rl.agents.models.errors import ModelError
from agentgym_rl.agents.models.load import load_model
from agentgym_rl.agents.rollout.faults import TooManyFaults
from agentgym_rl.agents.settings import ModelSettings, TinyModelSettings
from agentgym_rl.cli.errors import explain_error
from agentgym_rl.config import ConfigError
from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.protocol import Environment
from agentgym_rl.environments.task_set import Split, Task, TaskSet
from agentgym_rl.records.errors import DiskFull, RecordError, RunExists
from agentgym_rl.records.metrics import MetricsFile
from agentgym_rl.training.api import dry_run
from agentgym_rl.training.callbacks import Callback, Metrics
from agentgym_rl.training.learner import learner as learner_module
from agentgym_rl.training.learner.learner import NotFinite


class Crate(Environment):
    """A world with flaws to choose: no list of actions, no tasks, faults."""

    id = "crate"
    summary = "flawed"
    instructions = "Open it."
    action_schema = ()

    def __init__(self, lists: bool = True, faulty: str = "", empty: bool = False) -> None:
        super().__init__(lists=lists, faulty=faulty, empty=empty)
        self.lists, self.faulty = lists, faulty

    gone: ClassVar[bool] = False
    """Every reset of every instance is a fault."""

    @classmethod
    def tasks(cls, split: Split, **settings: Any) -> TaskSet:
        if split == "train" and settings.get("empty"):
            return TaskSet(())
        kinds = ("wood", "iron") if split == "test" else ("wood",)
        return TaskSet(Task(f"{split}-{n}", "crate", split, kinds[n % len(kinds)]) for n in range(20))

    def _begin(self, task: Task) -> tuple[str, Any]:
        if self.gone or self.faulty == task.split or (self.faulty == "some" and int(task.id.partition("-")[2]) % 3 == 0):
            raise EnvironmentFault("the server is gone")
        return "A crate.", self._info(False)

    def _act(self, action: str) -> tuple[str, float, bool, bool, Any]:
        if self.faulty == "step":
            raise ValueError("no such drawer")
        won = action == "open"
        return "Hm.", float(won), won, False, self._info(won)

    def _info(self, won: bool) -> Any:
        return {"score": float(won), "success": won, "understood": True, "state_key": None}

    def admissible_actions(self) -> list[str] | None:
        return ["open", "kick"] if self.lists else None


WORLD = f"{__name__}:Crate"


def crate(**options: Any) -> str:
    shown = ", ".join(f"{key}: {str(value).lower() if isinstance(value, bool) else value}" for key, value in options.items())
    return f"environment={{id: '{WORLD}', options: {{{shown}}}}}"


def refused(error: BaseException, code: int = 2) -> str:
    """The message the command line would print, checked for its exit code and length."""
    assert isinstance(error, Exception)
    told = explain_error(error)
    assert told is not None, error
    assert told[1] == code
    assert told[0].count("\n") <= 1
    return told[0]


def test_a_context_too_small_for_the_first_observation(small_settings: Callable[..., Any], tmp_path: Path) -> None:
    shape = "model.tiny={vocabulary: 400, hidden: 32, layers: 2, heads: 4, context: 64}"
    with pytest.raises(ConfigError) as caught:
        agentgym_rl.train(small_settings(tmp_path, shape))
    message = refused(caught.value)
    assert "model.path=tiny, textcraft: task " in message
    assert "with the first observation the context takes" in message
    assert "room for 62: take a model with a longer context" in message.replace("room for 63", "room for 62")
    assert not (tmp_path / "small" / "config.yaml").exists()
    agentgym_rl.train(small_settings(tmp_path, "run.steps=1"))  # the name is not used up


def test_a_window_smaller_than_the_first_observation(small_settings: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"first observation .* raise agent\.window\.tokens, or take a model"):
        agentgym_rl.train(small_settings(tmp_path, "agent.window.tokens=64"))


def test_one_long_task_among_short_ones_is_no_reason_to_stop(small_settings: Callable[..., Any], tmp_path: Path) -> None:
    """It ends as ``context`` and is counted."""
    settings = small_settings(
        tmp_path,
        "environment={id: textcraft}",
        "model.tiny={vocabulary: 400, hidden: 32, layers: 2, heads: 4, context: 300}",
        "run.steps=2",
    )
    agentgym_rl.train(settings)


def test_a_world_without_admissible_actions(small_settings: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        agentgym_rl.train(small_settings(tmp_path, crate(lists=False)))
    assert "the world lists no admissible actions: use agent.action_space=free" in refused(caught.value)


def test_a_world_that_tells_no_states(small_settings: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        agentgym_rl.train(small_settings(tmp_path, crate(), "algorithm={name: gigpo}"))
    message = refused(caught.value)
    assert "algorithm.advantage.estimator=gigpo" in message
    assert f"environment.id={WORLD} tells no state_key" in message


def test_a_format_without_a_place_for_thoughts(small_settings: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        agentgym_rl.train(small_settings(tmp_path, "agent.thought_tokens=8"))
    assert "the raw format has no place for a thought: set agent.thought_tokens=0" in refused(caught.value)


@pytest.fixture
def made() -> Any:
    """A model made from scratch."""
    shape = TinyModelSettings(hidden=32, layers=1, vocabulary=300)
    return load_model(ModelSettings(path="tiny", tiny=shape), torch.device("cpu"), texts=["a"])


def test_a_model_without_tokenizer_or_template(small_settings: Callable[..., Any], made: Any, tmp_path: Path) -> None:
    """The run and its dry run say the same."""
    folder = tmp_path / "model"
    settings = small_settings(tmp_path, f"model={{path: {folder}}}", "agent.template=chat")

    def says(words: str) -> None:
        for start in (dry_run, agentgym_rl.train):
            with pytest.raises(ModelError) as caught:
                start(settings)
            assert words in refused(caught.value)

    says(f"model.path='{folder}': no such folder; give a Hugging Face folder")
    made.model.save_pretrained(folder)
    says(f"model.path='{folder}': no usable tokenizer")
    made.tokenizer.save_pretrained(folder)
    (folder / "chat_template.jinja").unlink()
    says(f"model.path={folder}: the tokenizer has no chat template: use agent.template=transcript")
    (folder / "model.safetensors").rename(tmp_path / "weights")
    says(f"model.path='{folder}': no usable weights")
    (tmp_path / "weights").rename(folder / "model.safetensors")
    (folder / "config.json").write_text('{"model_type": "t5", "architectures": ["T5ForConditionalGeneration"]}')
    says(f"model.path='{folder}': no usable weights (Unrecognized configuration class")


def test_a_folder_that_cannot_be_written(small_settings: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordError) as caught:
        agentgym_rl.train(small_settings(tmp_path / "file"))
    assert "small: cannot be written" in refused(caught.value)
    assert "choose another folder with run.root=FOLDER" in refused(caught.value)


def test_a_name_that_is_taken(straight: Path, small_settings: Callable[..., Any]) -> None:
    with pytest.raises(RunExists) as caught:
        agentgym_rl.train(small_settings(straight.parent))
    assert "add --resume" in refused(caught.value)
    assert "run.name=NAME" in refused(caught.value)


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("environment.categories=[depth-9]", "unknown category 'depth-9'; known: depth-1"),
        ("environment.categories=[]", "environment.categories=[]: should have at least 1 item"),
        ("environment.stages=[[depth-1], []]", "environment.stages.1=[]: should have at least 1 item"),
        ("environment.mix=[{id: textcraft, categories: []}]", "environment.mix.0.categories=[]"),
        ("evaluation.categories=[]", "evaluation.categories=[]: should have at least 1 item"),
        ("evaluation.categories=[depth-9]", "unknown category 'depth-9'"),
        (
            "environment.stages=[[depth-1]]",
            "environment.stages has 1 lists of categories for the 2 entries of horizon.turns",
        ),
        ("batch.mini_batches=5", "batch.mini_batches=5 is more than batch.groups=3"),
        ("batch.group_size=1", "batch.group_size=1 gives algorithm.advantage.estimator=grpo nothing to compare"),
        ("rollout.temperature=0", "rollout.temperature=0 samples no alternatives"),
        ("run.device=quantum", "run.device='quantum': should be auto, cpu, cuda, cuda:NUMBER or mps"),
        ("run.device=cud", "should be auto, cpu, cuda, cuda:NUMBER or mps; did you mean cuda?"),
        ("run.device=cuda:99", "run.device='cuda:99' is not to be had here"),
        ("optimizer.learning_rate=1e400", "override optimizer.learning_rate=1e400: should be a finite number"),
        ("environment.options={depth: 3}", "depth"),
    ],
)
def test_settings_that_cannot_be_meant(
    small_settings: Callable[..., Any], tmp_path: Path, override: str, words: str
) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011
        agentgym_rl.train(small_settings(tmp_path, override))
    assert words in refused(caught.value)
    assert not (tmp_path / "small" / "config.yaml").exists()


def test_nothing_to_train_on(small_settings: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="unknown category 'iron'; known: wood"):  # only held-out tasks have it
        agentgym_rl.train(small_settings(tmp_path, f"environment={{id: '{WORLD}', categories: [iron]}}"))
    with pytest.raises(ConfigError, match=f"environment.id={WORLD} has no task to train on"):
        agentgym_rl.train(small_settings(tmp_path, crate(empty=True)))


@pytest.fixture
def folder(made: Any, tmp_path: Path) -> str:
    """An override to a saved model: a ``tiny`` one would read texts of a world that fails."""
    made.model.save_pretrained(tmp_path / "model")
    made.tokenizer.save_pretrained(tmp_path / "model")
    return f"model={{path: {tmp_path / 'model'}}}"


def test_a_world_that_fails_stops_the_run_with_the_causes(
    small_settings: Callable[..., Any], folder: str, tmp_path: Path
) -> None:
    with pytest.raises(TooManyFaults) as caught:
        agentgym_rl.train(small_settings(tmp_path, crate(faulty="test"), folder))
    assert "evaluation (untrained): 8 of 8 episodes were lost" in refused(caught.value, code=1)
    with pytest.raises(TooManyFaults) as caught:
        agentgym_rl.train(small_settings(tmp_path, crate(faulty="train"), folder, name="other"))
    assert "step 1: 12 of 12 episodes" in refused(caught.value, code=1)
    assert "12 × the server is gone" in refused(caught.value, code=1)


def test_a_world_that_fails_at_times_is_borne_where_that_is_allowed(
    small_settings: Callable[..., Any], folder: str, tmp_path: Path
) -> None:
    summary = agentgym_rl.train(
        small_settings(
            tmp_path, crate(faulty="some"), folder, "rollout.max_fault_rate=0.9", "run.steps=3", "evaluation.tasks=6"
        )
    )
    assert summary["steps"] == 3
    lines = MetricsFile(tmp_path / "small" / "metrics.jsonl").read()
    assert sum(line["groups/lost"] for line in lines) > 0
    assert all(line["episodes/faults"] >= 4 * line["groups/lost"] for line in lines)  # replaced, and counted


def test_a_world_that_fails_while_the_tokenizer_is_made(small_settings: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(TooManyFaults) as caught:
        agentgym_rl.train(small_settings(tmp_path, crate(faulty="step")))
    message = refused(caught.value, code=1)
    assert "model.path=tiny makes its tokenizer: task train-0 was lost to faults: " in message
    assert "step raised ValueError: no such drawer" in message


HANGS = """
import time
from agentgym_rl.environments.protocol import Environment
from agentgym_rl.environments.task_set import Task, TaskSet

class Hangs(Environment):
    id = "hangs"
    summary = "never begins"
    instructions = "Wait."
    action_schema = ()

    @classmethod
    def tasks(cls, split, **settings):
        return TaskSet(Task(f"{split}-{n}", "hangs", split, "all") for n in range(20))

    def _begin(self, task):
        time.sleep(600)

    def _act(self, action):
        raise AssertionError
"""


@pytest.mark.parametrize("tiny", [True, False])
def test_a_world_that_hangs_in_its_process_ends_the_run(
    small_settings: Callable[..., Any], folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiny: bool
) -> None:
    (tmp_path / "hanging.py").write_text(HANGS)
    monkeypatch.syspath_prepend(tmp_path)
    world = "environment={id: 'hanging:Hangs', runner: process, reset_seconds: 0.2}"
    settings = small_settings(tmp_path, world, "rollout.retries=1", *([] if tiny else [folder]))
    with pytest.raises(TooManyFaults) as caught:
        agentgym_rl.train(settings)
    message = refused(caught.value, code=1)
    assert message.startswith("the texts of hanging:Hangs" if tiny else "the first turns of hanging:Hangs: ")
    assert "reset took longer than 0.2 s" in message
    assert not (tmp_path / "small" / "config.yaml").exists()


class After(Callback):
    """Does something after a step."""

    def __init__(self, step: int, do: Callable[[], None]) -> None:
        self.step, self.do = step, do

    def on_step(self, metrics: Metrics) -> None:
        if metrics["step"] == self.step:
            self.do()


@pytest.mark.parametrize(("every", "when"), [(0, "step 3: 12 of 12"), (2, "evaluation (step 2): 6 of 6")])
def test_a_world_that_begins_to_fail_costs_no_step(
    small_settings: Callable[..., Any],
    folder: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    every: int,
    when: str,
) -> None:
    settings = small_settings(
        tmp_path,
        *(crate(), folder, "run.steps=4", "checkpoint.every=10", "evaluation.tasks=6", f"evaluation.every={every}"),
    )
    with monkeypatch.context() as patch:
        after = After(2, lambda: patch.setattr(Crate, "gone", True))
        with pytest.raises(TooManyFaults) as caught:
            agentgym_rl.train(settings, callbacks=[after])
    message = refused(caught.value, code=1)
    assert when in message
    assert f"step 2 is saved in {tmp_path / 'small' / 'checkpoints' / '2'}: " in message
    assert "go on with --resume" in message
    firsts: list[int] = []
    counted = After(3, lambda: firsts.append(3))
    assert agentgym_rl.train(settings, resume=True, callbacks=[counted])["steps"] == 4
    assert firsts == [3]
    assert [line["step"] for line in MetricsFile(tmp_path / "small" / "metrics.jsonl").read()] == [1, 2, 3, 4]


def test_numbers_that_are_not_finite_are_kept_for_study(
    small_settings: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    original = learner_module.token_log_probs

    def broken(*arguments: Any, **more: Any) -> Any:
        found, entropy = original(*arguments, **more)
        return found * float("nan"), entropy

    settings = small_settings(tmp_path, "run.steps=4", "checkpoint.every=10")
    with monkeypatch.context() as patch:
        after = After(2, lambda: patch.setattr(learner_module, "token_log_probs", broken))
        with pytest.raises(NotFinite) as caught:
            agentgym_rl.train(settings, callbacks=[after])
    message = refused(caught.value, code=1)
    assert "the loss is nan; the weights are those of step 2" in message
    assert f"run.name=NEW model.path={tmp_path / 'small' / 'checkpoints' / '2'}" in message
    (kept,) = (tmp_path / "small").glob("not_finite_*.jsonl.zst")
    assert str(kept) in message
    agentgym_rl.train(settings, resume=True)


def test_a_full_disk_stops_the_run_and_loses_nothing(
    small_settings: Callable[..., Any], straight: Path, same_run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import errno

    from agentgym_rl.training import checkpoints

    calls: list[int] = []
    original = checkpoints.torch.save

    def full(*arguments: Any) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        original(*arguments)

    settings = small_settings(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(checkpoints.torch, "save", full)
        with pytest.raises(DiskFull) as caught:
            agentgym_rl.train(settings)
    assert "checkpoints/4: the disk is full" in refused(caught.value, code=1)
    assert [path.name for path in (tmp_path / "small" / "checkpoints").iterdir()] == ["2"]
    agentgym_rl.train(settings, resume=True)
    same_run(straight, tmp_path / "small")


def test_a_dry_run_says_what_there_would_be(small_settings: Callable[..., Any], tmp_path: Path) -> None:
    found = dry_run(small_settings(tmp_path))
    assert found["tasks"]["textcraft"]["held_out"] == 8
    assert found["tasks"]["textcraft"]["training"][0] > 50
    assert found["episodes"] == {"a_step": 12, "in_all": 72}
    assert found["horizon"] == {"schedule": "stages", "turns": [3, 5]}
    assert found["algorithm"]["name"] == "grpo"
    memory = found["memory"]
    assert memory["fits"] == "yes"
    assert memory["trained_parameters"] == memory["parameters"]
    assert found["clipping"].startswith("idle: one update a step")
    assert "clipping" not in dry_run(small_settings(tmp_path, "batch.mini_batches=2"))
    huge = dry_run(small_settings(tmp_path, "batch.micro_batch_tokens=1000000000"))["memory"]
    assert huge["fits"].startswith("no: ")
    unknown = dry_run(small_settings(tmp_path, "model={path: some-owner/some-model}"))["memory"]
    assert unknown["fits"].startswith("unknown")
    with pytest.raises(ConfigError, match="depth-9"):
        dry_run(small_settings(tmp_path, "environment.categories=[depth-9]"))
    assert not list(tmp_path.iterdir())
    frozen = dry_run(small_settings(tmp_path, "optimizer.train_embeddings=false"))["memory"]
    assert frozen["trained_parameters"] < frozen["parameters"]


def test_the_run_that_is_locked(straight: Path, small_settings: Callable[..., Any], tmp_path: Path) -> None:
    from agentgym_rl.records.errors import RunLocked
    from agentgym_rl.records.run_folder import RunFolder

    shutil.copytree(straight, tmp_path / "small")
    with RunFolder.resume(tmp_path, "small"), pytest.raises(RunLocked) as caught:
        agentgym_rl.train(small_settings(tmp_path), resume=True)
    assert "is training into it" in refused(caught.value)

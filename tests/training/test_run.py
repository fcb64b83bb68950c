"""A whole small run: what its folder holds, and that nothing but settings decides it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

import agentgym_rl
from agentgym_rl.config import load
from agentgym_rl.records.episodes import read_episodes
from agentgym_rl.records.metrics import MetricsFile
from agentgym_rl.training.callbacks import Callback
from agentgym_rl.training.settings import TrainSettings

ALWAYS = """
    step horizon reward/mean score/mean success/mean turns/mean episodes/truncated episodes/not_understood episodes/faults
    groups/zero_variance loss/policy kl/rollout ratio/mean ratio/clipped entropy grad_norm learning_rate tokens/sampled
    tokens/total tokens/computed time/rollout time/update time/step tokens_per_second/rollout tokens_per_second/update
"""


def metrics(folder: Path) -> list[dict[str, Any]]:
    return MetricsFile(folder / "metrics.jsonl").read()


def test_the_folder_holds_what_is_promised(straight: Path) -> None:
    lines = metrics(straight)
    assert [line["step"] for line in lines] == [1, 2, 3, 4, 5, 6]
    for line in lines:
        assert set(ALWAYS.split()) <= set(line)
    assert [line["horizon"] for line in lines] == [3, 3, 3, 5, 5, 5]
    assert [line["step"] for line in lines if "eval/success" in line] == [3, 6]
    config = (straight / "config.yaml").read_text()
    for words in ("# torch: ", "# transformers: ", "# python: ", "# threads: 1", "seed: 0"):
        assert words in config
    assert load(straight / "config.yaml", [], TrainSettings).settings.run.steps == 6
    assert sorted(path.name for path in (straight / "episodes").iterdir()) == [f"{step}.jsonl.zst" for step in range(1, 7)]
    assert {path.name for path in (straight / "eval").iterdir()} == {
        f"{step}{suffix}" for step in (0, 3, 6) for suffix in (".json", ".jsonl.zst")
    }
    assert sorted(path.name for path in (straight / "checkpoints").iterdir()) == ["4", "6"]
    assert (straight / "curve.png").stat().st_size > 1000
    assert not list(straight.rglob("*.partial"))


def test_evaluations_say_the_same_as_the_metrics(straight: Path) -> None:
    for line in metrics(straight):
        if "eval/success" in line:
            report = json.loads((straight / "eval" / f"{line['step']}.json").read_text())
            assert line["eval/success"] == report["overall"]["success"]["value"]
            assert line["eval/score"] == report["overall"]["score"]["value"]
            assert report["step"] == line["step"]
            assert len(report["tasks"]) == 8
            assert {"low", "high"} <= set(report["overall"]["success"])
            assert list(report["categories"]) == ["depth-1"]


def test_episodes_are_recorded_as_they_were_trained_on(straight: Path) -> None:
    for line in metrics(straight):
        episodes = read_episodes(straight / "episodes" / f"{line['step']}.jsonl.zst")
        assert len(episodes) == 12
        assert sum(sum(episode.rewards) for episode in episodes) / 12 == pytest.approx(line["reward/mean"])
        assert {episode.horizon for episode in episodes} == {line["horizon"]}
        assert {episode.policy_version for episode in episodes} == {line["step"] - 1}
        tokens = sum(len(segment) for episode in episodes for segment in episode.segments)
        assert tokens == line["tokens/total"]
        sampled = sum(sum(segment.sampled_mask) for episode in episodes for segment in episode.segments)
        assert sampled == line["tokens/sampled"]
        assert line["tokens/computed"] == line["tokens/computed_rollout"] + line["tokens/computed_update"]
        groups = [[one for one in episodes if one.group == number] for number in range(3)]
        assert all(len({one.task for one in group}) == 1 and len(group) == 4 for group in groups)


def test_the_summary(straight: Path) -> None:
    summary = json.loads((straight / "summary.json").read_text())
    before, after = (json.loads((straight / "eval" / f"{step}.json").read_text()) for step in (0, 6))
    assert summary["before"]["success"] == before["overall"]["success"]["value"]
    assert summary["after"]["success"] == after["overall"]["success"]["value"]
    assert summary["difference"]["mean"] == pytest.approx(summary["after"]["success"] - summary["before"]["success"])
    assert (summary["steps"], summary["tasks"], summary["horizon"]) == (6, 8, 5)
    assert summary["checkpoint"] == str(straight / "checkpoints" / "6")
    assert "before" in summary["episodes"]


def test_nothing_evaluated_is_trained_on(straight: Path) -> None:
    evaluated = {one.task for path in straight.glob("eval/*.zst") for one in read_episodes(path)}
    trained = {one.task for path in straight.glob("episodes/*.zst") for one in read_episodes(path)}
    assert evaluated
    assert evaluated.isdisjoint(trained)
    tasks = {split: agentgym_rl.tasks("textcraft", split=split) for split in ("train", "test")}
    contents = {task.content for task in tasks["train"]}
    assert all(tasks["test"][one].content not in contents for one in evaluated)


class Watcher(Callback):
    def __init__(self) -> None:
        self.said: list[tuple[Any, ...]] = []

    def on_start(self, settings: Any, folder: Path, first_step: int) -> None:  # noqa: ARG002
        self.said.append(("start", folder.name, first_step))

    def on_step(self, metrics: Mapping[str, Any]) -> None:
        self.said.append(("step", metrics["step"]))

    def on_evaluation(self, step: int, report: Mapping[str, Any]) -> None:
        self.said.append(("evaluation", step, report["step"]))

    def on_end(self, summary: Mapping[str, Any]) -> None:
        self.said.append(("end", summary["steps"]))


def test_the_same_settings_give_the_same_run_and_watchers_hear_of_it(
    straight: Path, small_settings: Callable[..., Any], same_run: Any, tmp_path: Path
) -> None:
    watcher = Watcher()
    agentgym_rl.train(small_settings(tmp_path), callbacks=[watcher])
    same_run(straight, tmp_path / "small")
    assert watcher.said == [
        ("start", "small", 1),
        ("evaluation", 0, 0),
        *[("step", step) for step in (1, 2, 3)],
        ("evaluation", 3, 3),
        *[("step", step) for step in (4, 5, 6)],
        ("evaluation", 6, 6),
        ("end", 6),
    ]


def test_evaluating_changes_nothing(straight: Path, small_settings: Callable[..., Any], tmp_path: Path) -> None:
    agentgym_rl.train(small_settings(tmp_path, "evaluation.every=1", "evaluation.samples=2", "evaluation.temperature=0.5"))

    def trained(folder: Path) -> list[dict[str, Any]]:
        untimed = ("time/", "tokens_per_second/", "eval/")
        return [{key: value for key, value in line.items() if not key.startswith(untimed)} for line in metrics(folder)]

    assert trained(tmp_path / "small") == trained(straight)


@pytest.mark.slow
@pytest.mark.parametrize(
    "overrides",
    [
        ["algorithm={name: ppo}", "batch.mini_batches=3", "batch.epochs=2"],
        ["algorithm={name: remax, kl: {coefficient: 0.01}}"],
        ["algorithm={name: gigpo}"],
        ["algorithm={name: reinforce, advantage: {baseline: running}}"],
        ["algorithm={name: dapo}"],
        ["optimizer.lora={rank: 2}", "algorithm={name: grpo, kl: {coefficient: 0.01}}", "optimizer.train_embeddings=false"],
        ["model.dtype=bfloat16", "algorithm={name: grpo, forced_tokens: 0.1, entropy_coefficient: 0.001}"],
        ["rollout.deterministic=false", "environment.runner=thread"],
        ["agent={format: react, action_space: free, template: chat}", "rollout.max_tokens=10", "rollout.top_p=0.9"],
        ["environment={mix: [{id: textcraft, categories: [depth-1]}, {id: babyai, categories: [GoTo], weight: 2}]}"],
        ["horizon={schedule: adaptive, turns: [2, 4], window: 1, success: 0.01}"],
        ["environment.stages=[[depth-1], [depth-1, depth-2]]", "environment.categories=null"],
    ],
    ids=lambda overrides: overrides[0][:40],
)
def test_every_kind_of_run_gets_to_its_end(small_settings: Callable[..., Any], tmp_path: Path, overrides: list[str]) -> None:
    short = ["run.steps=3", "evaluation.every=0", "evaluation.tasks=4", "batch.group_size=3", *overrides]
    if not any(override.startswith("horizon=") for override in overrides):
        short.append("horizon={schedule: stages, turns: [2, 3], every: 1}")
    summary = agentgym_rl.train(small_settings(tmp_path, *short))
    assert summary["steps"] == 3
    lines = metrics(tmp_path / "small")
    assert all(line["grad_norm"] is not None for line in lines)
    if "mix" in overrides[0]:
        assert all("babyai/success/mean" in line for line in lines)
        assert "textcraft/eval/success" in lines[-1]
    if "ppo" in overrides[0]:
        assert "loss/value" in lines[0]
    if "kl:" in "".join(overrides):
        assert "kl/reference" in lines[-1]


def test_the_config_that_ran_is_valid_yaml_of_everything(straight: Path) -> None:
    tree = yaml.safe_load((straight / "config.yaml").read_text())
    assert list(tree) == list(TrainSettings.model_fields)

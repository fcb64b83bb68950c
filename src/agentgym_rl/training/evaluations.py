"""The evaluations of a run: before, during and after, on the same held-out tasks and under the same conditions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from agentgym_rl.agents.engines.protocol import Sampling
from agentgym_rl.agents.rollout.runner import RolloutRunner
from agentgym_rl.evaluation.baselines import evaluate_players
from agentgym_rl.evaluation.evaluate import Conditions, Evaluation, evaluate_actor
from agentgym_rl.evaluation.report import Report, Summary
from agentgym_rl.records.episodes import read_episodes, write_episodes
from agentgym_rl.records.errors import RecordError
from agentgym_rl.records.run_folder import RunFolder
from agentgym_rl.training.callbacks import Callback
from agentgym_rl.training.memory import give_back_memory
from agentgym_rl.training.run_setup import Plan, Policy


class Evaluations:
    """Plays the panel of a run with its policy and writes ``eval/``. Reads weights, changes no training state.

    Each raises :class:`~agentgym_rl.agents.rollout.faults.TooManyFaults` as training does.
    """

    def __init__(
        self, plan: Plan, policy: Policy, runner: RolloutRunner, folder: RunFolder, callbacks: Sequence[Callback]
    ) -> None:
        self._plan = plan
        self._policy = policy
        self._runner = runner
        self._folder = folder
        self._callbacks = callbacks
        evaluation = plan.settings.evaluation
        self.conditions = Conditions(
            split=evaluation.split,
            horizon=plan.evaluation_horizon,
            samples=evaluation.samples,
            temperature=evaluation.temperature,
        )

    def is_done(self, step: int) -> bool:
        """Whether the evaluation after ``step`` steps is on the disk."""
        return self._folder.evaluation(step).exists() and self._folder.evaluation_episodes(step).exists()

    def after_step(self, step: int) -> Evaluation:
        """The evaluation after ``step`` steps; one that is on the disk already is read instead of played again."""
        path, episodes = self._folder.evaluation(step), self._folder.evaluation_episodes(step)
        if self.is_done(step):
            return Evaluation(_read(path), read_episodes(episodes))
        made = self._play(f"step {step}" if step else "untrained", step, free=False)
        write_episodes(episodes, made.trajectories)
        self._folder.write_json(path, made.report.as_dict())
        for callback in self._callbacks:
            callback.on_evaluation(step, made.report.as_dict())
        return made

    def free(self, step: int) -> Report:
        """Success after ``step`` steps when the model may write anything; one episode a task."""
        path = self._free_path(step)
        if path.exists():
            return _read(path)
        report = self._play(f"free, step {step}", step, free=True).report
        self._folder.write_json(path, report.as_dict())
        return report

    def lacks_untrained(self) -> bool:
        """Whether an evaluation of the untrained policy is yet to be played."""
        free = self._plan.settings.evaluation.free
        return not self.is_done(0) or (free and not self._free_path(0).exists())

    def untrained(self) -> tuple[Evaluation, Report | None]:
        """The evaluation of the policy before training, and the one in which it may write anything, where that is asked for."""
        return self.after_step(0), self.free(0) if self._plan.settings.evaluation.free else None

    def _free_path(self, step: int) -> Path:
        return self._folder.path / "eval" / f"free-{step}.json"

    def players(self) -> dict[str, Report]:
        """The players without a model; read instead of played again where they are on the disk already."""
        path = self._folder.path / "eval" / "players.json"
        if path.exists():
            return _read_players(path)
        allowed = self._plan.settings.rollout.max_fault_rate
        evaluations = evaluate_players(self._runner, self._plan.panels, self.conditions, max_fault_rate=allowed)
        reports = {name: evaluation.report for name, evaluation in evaluations.items()}
        self._folder.write_json(path, {name: report.as_dict() for name, report in reports.items()})
        return reports

    def _play(self, name: str, step: int, *, free: bool) -> Evaluation:
        settings, policy = self._plan.settings, self._policy
        rollout = settings.rollout
        give_back_memory()
        agent = settings.agent.model_copy(update={"action_space": "free", "thought_tokens": 0}) if free else settings.agent
        sampling = Sampling(settings.evaluation.temperature, rollout.top_k, rollout.top_p, rollout.max_tokens)
        evaluation = evaluate_actor(
            self._runner,
            policy.actor(agent, sampling, self.conditions.seed),
            self._plan.panels,
            replace(self.conditions, samples=1) if free else self.conditions,
            name=name,
            step=step,
            settings={"action_space": agent.action_space},
            progress=self._progress,
            max_fault_rate=rollout.max_fault_rate,
        )
        policy.engine.release_memory()
        policy.engine.take_counters()
        return evaluation

    def _progress(self, done: int, total: int) -> None:
        for callback in self._callbacks:
            callback.on_progress("evaluation", done, total)


def _read(path: Path) -> Report:
    try:
        return Report.read(path)
    except RecordError as error:
        raise RecordError(f"{error}; put a copy back, or delete it to have it played again") from error


def _read_players(path: Path) -> dict[str, Report]:
    try:
        return {name: Report.from_dict(report) for name, report in json.loads(path.read_text(encoding="utf-8")).items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RecordError(
            f"{path} can't be read ({error}); put a copy back, or delete it to have it played again"
        ) from error


def evaluation_metrics(report: Report) -> dict[str, float | int | None]:
    """``eval/success`` and ``eval/score`` for the line of a step; with several environments each one's own too."""
    values = _metrics(report.overall)
    if len(report.environments) > 1:
        for name, summary in report.environments.items():
            values |= {f"{name}/{key}": value for key, value in _metrics(summary).items()}
    return values


def _metrics(summary: Summary) -> dict[str, float | int | None]:
    return {
        "eval/success": None if summary.success is None else summary.success.value,
        "eval/score": None if summary.score is None else summary.score.value,
    }

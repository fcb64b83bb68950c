"""The report of an evaluation: what was played and how it went. Everything in it follows from the outcomes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from agentgym_rl.evaluation.intervals import Interval, interval
from agentgym_rl.evaluation.metrics import Outcome, mean, mean_avg_at_k, mean_pass_at_k, pass_sizes, task_means
from agentgym_rl.records.atomic import write_atomic
from agentgym_rl.records.errors import RecordError
from agentgym_rl.records.trajectory import Trajectory

_CUT = ("truncated", "horizon", "context")


@dataclass(frozen=True, slots=True)
class Summary:
    """Some outcomes in numbers. Means over tasks of the means of their valid episodes; None where there is none."""

    tasks: int
    """Tasks with a valid episode."""
    episodes: int
    """Valid episodes."""
    faults: int
    """Episodes lost to the infrastructure, in no other number."""
    success: Interval | None
    score: Interval | None
    avg_at: Mapping[str, float | None]
    """Success over the first k episodes of each task, by k."""
    pass_at: Mapping[str, float | None]
    """The chance that one of k episodes succeeds (unbiased), by k."""
    turns: float | None
    """Mean turns an episode."""
    truncated: float | None
    """Share of episodes cut by the horizon, the context or the world's own limit."""
    not_understood: float | None
    """Share of turns whose message or action could not be read."""


def summarize(outcomes: Sequence[Outcome], seed: int = 0) -> Summary:
    """``outcomes`` in numbers; ``seed`` is that of the intervals."""
    valid = [one for one in outcomes if one.valid]
    sizes = pass_sizes(max((one.sample + 1 for one in outcomes), default=1))
    turns = sum(one.turns for one in valid)
    return Summary(
        tasks=len({one.key for one in valid}),
        episodes=len(valid),
        faults=len(outcomes) - len(valid),
        success=interval(task_means(valid, "success"), seed),
        score=interval(task_means(valid, "score"), seed),
        avg_at={str(k): mean_avg_at_k(valid, k) for k in sizes},
        pass_at={str(k): mean_pass_at_k(valid, k) for k in sizes},
        turns=mean(one.turns for one in valid),
        truncated=mean(one.ended in _CUT for one in valid),
        not_understood=sum(one.not_understood for one in valid) / turns if turns else None,
    )


@dataclass(frozen=True)
class Report:
    """The outcomes of one evaluation with the settings that made them.

    :meth:`as_dict` is the content of ``eval/STEP.json``: ``name step settings faults overall environments categories
    tasks``, where ``overall`` and each value of ``environments`` and ``categories`` is a :class:`Summary` and ``tasks``
    lists each task with its episodes.
    """

    name: str
    """What was evaluated: a player's name, a model's folder …"""
    outcomes: Sequence[Outcome]
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Environment, split, tasks, samples, horizon, temperature, seed … (JSON values)."""
    step: int | None = None
    """The step whose weights played; None where that says nothing."""
    faults: Mapping[str, int] = field(default_factory=dict)
    """Each cause of a fault met, retried or not, with how often."""

    @classmethod
    def of(cls, name: str, trajectories: Iterable[Trajectory], settings: Mapping[str, Any], step: int | None = None) -> Self:
        """The report on recorded episodes."""
        records = list(trajectories)
        causes = Counter(cause for one in records for cause in one.faults)
        return cls(name, tuple(map(Outcome.of, records)), settings, step, dict(causes.most_common()))

    @cached_property
    def overall(self) -> Summary:
        return summarize(self.outcomes)

    @cached_property
    def environments(self) -> dict[str, Summary]:
        return self._each(lambda one: one.environment)

    @cached_property
    def categories(self) -> dict[str, Summary]:
        """By category; ``environment/category`` where several environments were played."""
        several = len({one.environment for one in self.outcomes}) > 1
        return self._each(lambda one: f"{one.environment}/{one.category}" if several else one.category)

    def _each(self, label: Callable[[Outcome], str]) -> dict[str, Summary]:
        labels = dict.fromkeys(map(label, self.outcomes))
        return {name: summarize([one for one in self.outcomes if label(one) == name]) for name in labels}

    @property
    def success(self) -> float:
        """Overall success; NaN where every episode was lost."""
        return self.overall.success.value if self.overall.success else float("nan")

    def as_dict(self) -> dict[str, Any]:
        """JSON values; see the class."""
        tasks: dict[str, dict[str, Any]] = {}
        for one in self.outcomes:
            row = {"environment": one.environment, "task": one.task, "category": one.category, "episodes": []}
            episode = asdict(one)
            for key in ("environment", "task", "category"):
                del episode[key]
            tasks.setdefault(one.key, row)["episodes"].append(episode)
        successes, scores = task_means(self.outcomes, "success"), task_means(self.outcomes, "score")
        return {
            "name": self.name,
            "step": self.step,
            "settings": dict(self.settings),
            "faults": dict(self.faults),
            "overall": asdict(self.overall),
            "environments": {name: asdict(one) for name, one in self.environments.items()},
            "categories": {name: asdict(one) for name, one in self.categories.items()},
            "tasks": [{**row, "success": successes.get(key), "score": scores.get(key)} for key, row in tasks.items()],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read :meth:`as_dict` back; numbers are worked out anew from the episodes."""
        outcomes = tuple(
            Outcome(row["environment"], row["task"], row["category"], **episode)
            for row in content["tasks"]
            for episode in row["episodes"]
        )
        return cls(content["name"], outcomes, content["settings"], content["step"], content["faults"])

    def write(self, path: Path) -> None:
        """Write ``eval/STEP.json``, whole or not at all."""
        write_atomic(path, json.dumps(self.as_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n")

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read what :meth:`write` wrote. Raises RecordError naming a file that is missing, damaged or something else."""
        try:
            return cls.from_dict(json.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise RecordError(f"{path}: not readable: {error.strerror or error}") from error
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise RecordError(f"{path} is no report of an evaluation, or a damaged one ({error})") from error

"""What a step says about its episodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentgym_rl.records.trajectory import Trajectory
from agentgym_rl.training.collect import has_no_variance

Values = dict[str, float | int | None]


def episode_metrics(
    groups: Sequence[Sequence[Trajectory]], environments: Iterable[str], left_out: Sequence[Trajectory] = ()
) -> Values:
    """Means over the valid episodes that were sampled (faults are counted and left out); None where there are none.

    Args:
        groups: what the step trains on.
        environments: those of the run. With several each has its own values too, under ``NAME/``.
        left_out: what was played besides: groups that were redrawn, which count like the others, since without them the means
            of a step that redraws groups without variance would be biased; and greedy episodes, of which only faults count.
    """
    names = dict.fromkeys(environments)
    values = _metrics(groups, left_out)
    if len(names) > 1:
        for name in names:
            own = [group for group in groups if group[0].environment == name]
            values |= {
                f"{name}/{key}": value
                for key, value in _metrics(own, [episode for episode in left_out if episode.environment == name]).items()
            }
    return values


def _metrics(groups: Sequence[Sequence[Trajectory]], left_out: Sequence[Trajectory]) -> Values:
    every = [*(episode for group in groups for episode in group), *left_out]
    valid = [episode for episode in every if episode.valid and not episode.extras.get("greedy")]
    turns = [turn for episode in valid for turn in episode.turns]

    def mean(numbers: Sequence[float]) -> float | None:
        return sum(numbers) / len(numbers) if numbers else None

    return {
        "reward/mean": mean([sum(episode.rewards) for episode in valid]),
        "score/mean": mean([episode.score for episode in valid]),
        "success/mean": mean([float(episode.success) for episode in valid]),
        "turns/mean": mean([float(len(episode.turns)) for episode in valid]),
        "episodes/truncated": mean([float(episode.ended in ("horizon", "context")) for episode in valid]),
        "episodes/not_understood": mean([float(not turn.understood) for turn in turns]),
        "episodes/cut_messages": mean([float(turn.stop == "length") for turn in turns]),
        "episodes/faults": sum(not episode.valid for episode in every),
        "episodes/retried": sum(episode.attempt > 0 for episode in valid),
        "episodes/history_rewrites": sum(episode.history_rewrites for episode in valid),
        "episodes/window_drops": sum(episode.window_drops for episode in valid),
        "groups/zero_variance": mean([float(has_no_variance(group)) for group in groups]),
        "tokens/total": sum(len(segment) for episode in valid for segment in episode.segments),
    }

"""Where metrics go besides ``metrics.jsonl``: each tracker is a callback that is sent the same lines."""

from __future__ import annotations

from agentgym_rl.training.callbacks import Callback
from agentgym_rl.training.tracking.errors import TrackerMissing
from agentgym_rl.training.tracking.settings import TrackingSettings

__all__ = ["TrackerMissing", "make_trackers"]


def make_trackers(settings: TrackingSettings) -> list[Callback]:
    """The trackers of ``tracking.to``. Raises :class:`TrackerMissing` before anything has run."""
    return [_make(name) for name in settings.to]


def _make(name: str) -> Callback:
    if name == "tensorboard":
        from agentgym_rl.training.tracking.tensorboard import TensorBoardTracker

        return TensorBoardTracker()
    if name == "wandb":
        from agentgym_rl.training.tracking.wandb import WandbTracker

        return WandbTracker()
    from agentgym_rl.training.tracking.trackio import TrackioTracker

    return TrackioTracker()

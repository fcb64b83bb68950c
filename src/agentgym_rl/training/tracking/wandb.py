"""Weights & Biases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentgym_rl.config import plain
from agentgym_rl.training.callbacks import Callback, Metrics
from agentgym_rl.training.tracking.errors import TrackerMissing
from agentgym_rl.training.tracking.sent import Sent

if TYPE_CHECKING:
    from agentgym_rl.training.settings import TrainSettings


class WandbTracker(Callback):
    """Sends every metric, and the settings, to W&B; a resumed run goes on in the same W&B run."""

    def __init__(self) -> None:
        try:
            import wandb
        except ImportError as error:
            raise TrackerMissing("wandb") from error
        self._wandb = wandb
        self._run: Any = None

    def on_start(self, settings: TrainSettings, folder: Path, first_step: int) -> None:  # noqa: ARG002
        self._sent = Sent(folder / "wandb.json")
        self._run = self._wandb.init(
            project=settings.tracking.project,
            name=settings.run.name,
            id=self._sent.id,
            resume="allow",
            dir=str(folder),
            config=plain(settings),
        )

    def on_step(self, metrics: Metrics) -> None:
        step = int(metrics["step"] or 0)
        sent = {name: value for name, value in metrics.items() if name != "step" and value is not None}
        if self._sent.claim(step):
            self._run.log(sent, step=step)

    def on_end(self, summary: Any) -> None:  # noqa: ARG002
        self._run.finish()

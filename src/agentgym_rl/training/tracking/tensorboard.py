"""TensorBoard: event files in the run's folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentgym_rl.training.callbacks import Callback, Metrics
from agentgym_rl.training.tracking.errors import TrackerMissing

if TYPE_CHECKING:
    from agentgym_rl.training.settings import TrainSettings


class TensorBoardTracker(Callback):
    """Writes every metric as a scalar to ``FOLDER/tensorboard``."""

    def __init__(self) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise TrackerMissing("tensorboard") from error
        self._make = SummaryWriter
        self._writer: Any = None

    def on_start(self, settings: TrainSettings, folder: Path, first_step: int) -> None:  # noqa: ARG002
        # purge_step hides what a stopped process had written of steps that are made again.
        self._writer = self._make(str(folder / "tensorboard"), purge_step=first_step)

    def on_step(self, metrics: Metrics) -> None:
        for name, value in metrics.items():
            if name != "step" and value is not None:
                self._writer.add_scalar(name, value, metrics["step"])
        self._writer.flush()

    def on_end(self, summary: Any) -> None:  # noqa: ARG002
        self._writer.close()

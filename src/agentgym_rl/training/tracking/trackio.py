"""trackio: a local dashboard with W&B's way of logging."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentgym_rl.config import plain
from agentgym_rl.training.callbacks import Callback, Metrics
from agentgym_rl.training.tracking.errors import TrackerMissing
from agentgym_rl.training.tracking.sent import Sent

if TYPE_CHECKING:
    from agentgym_rl.training.settings import TrainSettings


class TrackioTracker(Callback):
    """Sends every metric, and the settings, to trackio; a resumed run goes on under the same name."""

    def __init__(self) -> None:
        try:
            import trackio
        except ImportError as error:
            raise TrackerMissing("trackio") from error
        self._trackio = trackio

    def on_start(self, settings: TrainSettings, folder: Path, first_step: int) -> None:  # noqa: ARG002
        self._sent = Sent(folder / "trackio.json")
        name = f"{settings.run.name}-{self._sent.id}"
        self._trackio.init(project=settings.tracking.project, name=name, resume="allow", config=plain(settings))

    def on_step(self, metrics: Metrics) -> None:
        step = int(metrics["step"] or 0)
        sent = {name: value for name, value in metrics.items() if name != "step" and value is not None}
        if self._sent.claim(step):
            self._trackio.log(sent, step=step)

    def on_end(self, summary: Any) -> None:  # noqa: ARG002
        self._trackio.finish()

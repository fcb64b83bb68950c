"""What a finished run says about itself: the content of ``summary.json``."""

from __future__ import annotations

from typing import TypedDict


class Estimate(TypedDict):
    """Success of one player on the held-out tasks with its 95 % interval."""

    success: float
    low: float
    high: float


class PairedDifference(TypedDict):
    """Success after minus success before on the same tasks, with its 95 % interval."""

    mean: float
    low: float
    high: float


class FreeSuccess(TypedDict):
    """Success with ``agent.action_space=free``."""

    before: float
    after: float


class EpisodePair(TypedDict):
    """One held-out task played before and after training, as text for people."""

    before: str
    after: str


class RunSummary(TypedDict):
    """What :func:`agentgym_rl.train` returns."""

    environment: str
    """The worlds' ids, joined by a comma."""
    tasks: int
    """Held-out tasks that were played before and after."""
    horizon: int
    """Most turns of an evaluated episode."""
    temperature: float
    before: Estimate
    after: Estimate
    difference: PairedDifference
    players: dict[str, float]
    """Success of players without a model on the same tasks: ``random``, ``shortcut:NAME``, ``expert``."""
    free: FreeSuccess | None
    """None unless ``evaluation.free``."""
    episodes: EpisodePair | None
    steps: int
    seconds: float
    """Wall time of this process, evaluations included."""
    peak_memory_bytes: int | None
    """Most memory this process held; None where it cannot be told."""
    folder: str
    checkpoint: str
    """The folder of the last checkpoint, in Hugging Face format."""
    curve: str | None
    """The PNG of the curve; None without matplotlib."""

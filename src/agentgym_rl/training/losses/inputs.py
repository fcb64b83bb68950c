"""What a loss reads and what it returns. A row is an episode; a micro-batch is a slice of rows."""

from __future__ import annotations

from dataclasses import dataclass, field

from torch import Tensor

Tally = tuple[Tensor, Tensor]
"""A metric as (sum, count): tallies of micro-batches add up, their mean is sum / count."""


@dataclass(frozen=True, slots=True)
class LossInputs:
    """Tokens of a micro-batch, all [episodes, tokens]. Any float type; losses compute in float32.

    Entries outside the mask that belongs to them may hold anything, NaN included.
    """

    log_probs: Tensor
    """Of the policy being trained, with gradient."""
    old_log_probs: Tensor
    """The learner's own, from before the update."""
    advantages: Tensor
    mask: Tensor
    """bool: sampled tokens of valid episodes."""
    weights: Tensor
    """Slice of :func:`aggregation_weights` of the whole mini-batch."""
    engine_log_probs: Tensor | None = None
    """What the engine recorded when it sampled."""
    reference_log_probs: Tensor | None = None
    entropy: Tensor | None = None
    """Entropy of the distribution of each token, in nats; with gradient where the loss has an entropy term."""
    forced_log_probs: Tensor | None = None
    """Log-probability of forced tokens without the restriction that forced them, with gradient."""
    forced_mask: Tensor | None = None
    """bool: forced tokens to make likelier, see :func:`forced_mask`."""
    forced_weights: Tensor | None = None
    """Slice of the aggregation weights over the mini-batch's ``forced_mask``."""
    values: Tensor | None = None
    """Of the critic being trained, with gradient."""
    old_values: Tensor | None = None
    """The critic's, from before the update."""
    returns: Tensor | None = None
    """Targets of the critic, from the estimator."""
    value_mask: Tensor | None = None
    """bool: the tokens whose values the estimator used."""
    value_weights: Tensor | None = None
    """Slice of the aggregation weights over the mini-batch's ``value_mask``."""


@dataclass(frozen=True, slots=True)
class LossOutput:
    """A loss and what to report of it."""

    loss: Tensor
    """Scalar. The losses of the micro-batches of a mini-batch add up to that of the mini-batch."""
    terms: dict[str, Tensor] = field(default_factory=dict)
    """The parts of the loss, detached (``loss/policy``, ``loss/kl`` ...); they add up over micro-batches too."""
    metrics: dict[str, Tally] = field(default_factory=dict)
    """Means over tokens, as tallies that add up."""

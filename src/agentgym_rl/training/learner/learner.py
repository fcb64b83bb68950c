"""The learner: forward, loss, backward, update. It knows no algorithm; it follows the resolved one."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from agentgym_rl.agents.models.load import LanguageModel
from agentgym_rl.training.algorithms.algorithm import Algorithm
from agentgym_rl.training.batching.batch import Batch
from agentgym_rl.training.batching.micro_batch import MicroBatch, micro_batches
from agentgym_rl.training.learner.critic import Critic
from agentgym_rl.training.learner.log_probs import hidden_states, token_log_probs
from agentgym_rl.training.learner.lora import adapters_off, add_adapters
from agentgym_rl.training.learner.measure import Measured
from agentgym_rl.training.learner.mini_batch import MiniBatch, make_mini_batch
from agentgym_rl.training.learner.optimizer import Optimizer
from agentgym_rl.training.learner.weights import MasterWeights
from agentgym_rl.training.losses import LossInputs, LossOutput, Tally
from agentgym_rl.training.losses.metrics import add_tallies, means
from agentgym_rl.training.settings import BatchSettings, OptimizerSettings

Progress = Callable[[int, int], None]


class NotFinite(RuntimeError):
    """A loss or gradient is NaN or infinite: the weights are as they were before the step."""


@dataclass(slots=True)
class Update:
    """What an update reports."""

    metrics: dict[str, float] = field(default_factory=dict)
    computed: int = 0
    """Tokens that went through the policy, forward and backward."""


@dataclass(slots=True)
class _Work:
    """What the mini-batches of a step read."""

    batch: Batch
    advantages: Tensor
    returns: Tensor | None
    measured: Measured


@dataclass(slots=True)
class _Sums:
    """What is reported, added up over micro-batches and mini-batches."""

    tallies: list[Mapping[str, Tally]] = field(default_factory=list)
    terms: dict[str, float] = field(default_factory=dict)
    norm: float = 0.0

    def add(self, output: LossOutput) -> None:
        self.tallies.append(output.metrics)
        for name, value in output.terms.items():
            self.terms[name] = self.terms.get(name, 0.0) + float(value)


class Learner:
    """Owns the weights of the policy (and of a critic and a reference, where the algorithm uses them)."""

    def __init__(
        self,
        language_model: LanguageModel,
        algorithm: Algorithm,
        optimizer: OptimizerSettings,
        batch: BatchSettings,
        *,
        temperature: float,
        seed: int = 0,
    ) -> None:
        self.model = language_model.model
        self.algorithm = algorithm
        self._settings = batch
        self._temperature = temperature
        if optimizer.lora is not None:
            add_adapters(self.model, optimizer.lora, seed)
        elif not optimizer.train_embeddings:
            self.model.get_input_embeddings().requires_grad_(False)
        self._lora = optimizer.lora is not None
        self.weights = MasterWeights(self.model, language_model.dtype)
        self.optimizer = Optimizer(self.weights.masters, optimizer)
        self.kl = algorithm.kl_controller()
        self.critic: Critic | None = None
        if algorithm.recipe.critic is not None:
            self.critic = Critic(self.model, algorithm.recipe.critic, optimizer, language_model.dtype)
        self._reference: Any = None
        if algorithm.needs_reference and not self._lora:
            self._reference = copy.deepcopy(self.model).requires_grad_(False)

    def measure(self, batch: Batch, progress: Progress | None = None) -> Measured:
        """What must be known before the update."""
        algorithm, settings, critic = self.algorithm, self._settings, self.critic
        found = Measured()
        sampled = batch.sampled_mask & batch.valid[:, None]
        wanted: dict[str, Tensor] = {}
        if algorithm.needs_reference:
            found.reference = torch.zeros(sampled.shape)
            wanted["policy"] = sampled
        if self._makes_several_updates or (algorithm.needs_reference and algorithm.recipe.kl.placement == "reward"):
            found.old = torch.zeros(sampled.shape)
            wanted["policy"] = sampled
        if critic is not None:
            found.values = torch.zeros(sampled.shape)
            wanted["value"] = batch.action_mask & batch.valid[:, None]
        parts = list(micro_batches(batch, range(len(batch)), wanted, settings.micro_batch_tokens))
        with torch.no_grad():
            for number, micro in enumerate(parts):
                shape = len(micro.episodes), sampled.shape[1]
                if found.old is not None or (critic is not None and not critic.has_body):
                    hidden = hidden_states(self.model, micro.tree)
                    found.computed += len(micro.tree)
                else:
                    hidden = torch.empty(0, device=self.model.device)
                if found.old is not None:
                    found.old[micro.episodes] = self._log_probs(self.model, hidden, micro, shape).cpu()
                if found.reference is not None:
                    found.reference[micro.episodes] = self._reference_log_probs(micro, shape).cpu()
                    found.computed += len(micro.tree)
                if critic is not None and found.values is not None:
                    found.values[micro.episodes] = critic.values(hidden, micro, micro.wanted["value"], shape).cpu()
                    found.computed += len(micro.tree) * critic.has_body
                if progress is not None:
                    progress(number + 1, len(parts))
        return found

    @property
    def _makes_several_updates(self) -> bool:
        return self._settings.epochs * self._settings.mini_batches > 1

    def _log_probs(self, model: Any, hidden: Tensor, micro: MicroBatch, shape: tuple[int, int]) -> Tensor:
        return token_log_probs(model, hidden, micro.wanted["policy"], temperature=self._temperature, shape=shape)[0]

    def _reference_log_probs(self, micro: MicroBatch, shape: tuple[int, int]) -> Tensor:
        model = self.model if self._lora else self._reference
        with adapters_off(model) if self._lora else nullcontext():
            return self._log_probs(model, hidden_states(model, micro.tree), micro, shape)

    def update(
        self,
        batch: Batch,
        advantages: Tensor,
        *,
        step: int,
        returns: Tensor | None = None,
        measured: Measured | None = None,
        progress: Progress | None = None,
    ) -> Update:
        """All epochs and mini-batches of training step ``step`` (from 1).

        ``advantages`` and ``returns`` [episodes, tokens] come from the estimator, ``measured`` from :meth:`measure`.

        Raises:
            NotFinite: the weights are then those of before the step.
        """
        settings = self._settings
        work = _Work(batch, advantages, returns, Measured() if measured is None else measured)
        backup = self.state_dict(copy_tensors=True) if self._makes_several_updates else None
        report = Update()
        groups = sorted(set(batch.groups.tolist()))
        cuts = [groups[number :: settings.mini_batches] for number in range(settings.mini_batches)]
        total = settings.epochs * settings.mini_batches
        sums = _Sums()
        for number in range(total):
            chosen = set(cuts[number % settings.mini_batches])
            rows = [row for row, group in enumerate(batch.groups.tolist()) if group in chosen]
            try:
                report.computed += self._mini_batch(work, rows, step, sums, progress)
            except NotFinite:
                self._clear_gradients()
                if backup is not None:
                    self.load_state_dict(backup)
                raise
        report.metrics = means(add_tallies(sums.tallies))
        report.metrics |= {name: value / total for name, value in sums.terms.items()}
        report.metrics["grad_norm"] = sums.norm / total
        report.metrics["learning_rate"] = self.optimizer.learning_rate(step)
        if self.algorithm.needs_reference and "kl/reference" in report.metrics:
            self.kl.update(report.metrics["kl/reference"], int(batch.valid.sum()))
        return report

    def _mini_batch(self, work: _Work, rows: Sequence[int], step: int, sums: _Sums, progress: Progress | None) -> int:
        """One optimizer update with the episodes ``rows``; the number of tokens computed."""
        critic = self.critic
        critic_only = critic is not None and step <= critic.settings.warmup_steps
        mini = make_mini_batch(self.algorithm, work.batch, rows, work.advantages, critic_only=critic_only)
        parts = list(micro_batches(work.batch, rows, mini.wanted, self._settings.micro_batch_tokens))
        self._clear_gradients()
        for number, micro in enumerate(parts):
            loss = self._loss(work, mini, micro, sums)
            if not bool(torch.isfinite(loss)):
                raise NotFinite(f"step {step}: the loss is {float(loss.detach())}")
            if loss.requires_grad:
                loss.backward()
            self.weights.take_gradients()
            if critic is not None:
                critic.take_gradients()
            if progress is not None:
                progress(number + 1, len(parts))
        norm = self.optimizer.gradient_norm()
        norms = [norm] if critic is None else [norm, critic.gradient_norm()]
        if not all(map(math.isfinite, norms)):
            raise NotFinite(f"step {step}: the gradient norm is {', of the critic '.join(map(str, norms))}")
        if parts and not critic_only:
            self.optimizer.update(step)
            self.weights.publish()
        if parts and critic is not None:
            critic.update(step)
        self._clear_gradients()
        sums.norm += norm
        return sum(len(micro.tree) for micro in parts)

    def _loss(self, work: _Work, mini: MiniBatch, micro: MicroBatch, sums: _Sums) -> Tensor:
        """The loss of a micro-batch, with its gradient."""
        algorithm, batch, measured, critic = self.algorithm, work.batch, work.measured, self.critic
        device = self.model.device
        shape = len(micro.episodes), batch.sampled_mask.shape[1]

        def here(tensor: Tensor) -> Tensor:
            return tensor[micro.episodes].to(device)

        def maybe(tensor: Tensor | None) -> Tensor | None:
            return None if tensor is None else here(tensor)

        with torch.set_grad_enabled(mini.policy is not None):
            hidden = hidden_states(self.model, micro.tree)
        outputs: list[LossOutput] = []
        if mini.policy is not None:
            current, entropy = token_log_probs(
                self.model, hidden, micro.wanted["policy"], temperature=self._temperature, shape=shape
            )
            forced = None
            if mini.forced is not None:
                forced, _ = token_log_probs(self.model, hidden, micro.wanted["forced"], temperature=1.0, shape=shape)
            inputs = LossInputs(
                log_probs=current,
                old_log_probs=current.detach() if measured.old is None else here(measured.old),
                advantages=here(work.advantages),
                mask=here(mini.policy.mask),
                weights=here(mini.policy.weights),
                engine_log_probs=here(batch.engine_log_probs),
                reference_log_probs=maybe(measured.reference),
                entropy=entropy if algorithm.needs_entropy else entropy.detach(),
                forced_log_probs=forced,
                forced_mask=None if mini.forced is None else here(mini.forced.mask),
                forced_weights=None if mini.forced is None else here(mini.forced.weights),
            )
            outputs.append(algorithm.policy_loss(inputs, kl_coefficient=self.kl.coefficient))
        if mini.value is not None and critic is not None:
            values = critic.values(hidden, micro, micro.wanted["value"], shape)
            nothing = torch.zeros_like(values)
            inputs = LossInputs(
                log_probs=nothing,
                old_log_probs=nothing,
                advantages=nothing,
                mask=here(mini.value.mask),
                weights=here(mini.value.weights),
                values=values,
                old_values=maybe(measured.values),
                returns=maybe(work.returns),
                value_mask=here(mini.value.mask),
                value_weights=here(mini.value.weights),
            )
            outputs.append(algorithm.value_loss(inputs))
        for output in outputs:
            sums.add(output)
        return torch.stack([output.loss for output in outputs]).sum()

    def _clear_gradients(self) -> None:
        self.weights.clear_gradients()
        if self.critic is not None:
            self.critic.clear_gradients()

    def state_dict(self, *, copy_tensors: bool = False) -> dict[str, Any]:
        """Weights, optimizer, critic and KL coefficient."""
        state = {
            "weights": self.weights.state(),
            "optimizer": self.optimizer.state_dict(),
            "kl": self.kl.state_dict(),
            "critic": None if self.critic is None else self.critic.state_dict(),
        }
        return copy.deepcopy(state) if copy_tensors else state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from :meth:`state_dict`."""
        self.weights.load(state["weights"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.kl.load_state_dict(state["kl"])
        if self.critic is not None:
            self.critic.load_state_dict(state["critic"])

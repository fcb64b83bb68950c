"""The learner: forward, loss, backward, update. It knows no algorithm; it follows the resolved one."""

from __future__ import annotations

import copy
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
from agentgym_rl.training.learner.optimizer import Optimizer
from agentgym_rl.training.learner.weights import MasterWeights
from agentgym_rl.training.losses import LossInputs, Tally, forced_mask
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
    """What a step's micro-batches read besides the batch: all [episodes of the batch, tokens]."""

    advantages: Tensor
    returns: Tensor | None
    old: Tensor | None = None
    reference: Tensor | None = None
    old_values: Tensor | None = None


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
        if algorithm.needs_critic:
            assert algorithm.recipe.critic is not None
            self.critic = Critic(self.model, algorithm.recipe.critic, optimizer, language_model.dtype)
        self._reference: Any = None
        if algorithm.needs_reference and not self._lora:
            self._reference = copy.deepcopy(self.model).requires_grad_(False)

    def measure(self, batch: Batch, progress: Progress | None = None) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        """What must be known before the update: old log-probs, reference log-probs, values; each [episodes, tokens] or None.

        None where nothing reads them; old log-probs are None too when the update makes a single pass, where they equal the
        current ones.
        """
        algorithm, settings = self.algorithm, self._settings
        reward_kl = algorithm.needs_reference and algorithm.recipe.kl.placement == "reward"
        several = settings.epochs * settings.mini_batches > 1
        sampled = batch.sampled_mask & batch.valid[:, None]
        wanted: dict[str, Tensor] = {}
        if several or reward_kl or algorithm.needs_reference:
            wanted["policy"] = sampled
        if self.critic is not None:
            wanted["value"] = batch.action_mask & batch.valid[:, None]
        old = torch.zeros(batch.sampled_mask.shape) if several or reward_kl else None
        reference = torch.zeros(batch.sampled_mask.shape) if algorithm.needs_reference else None
        values = torch.zeros(batch.sampled_mask.shape) if self.critic is not None else None
        if not wanted:
            return None, None, None
        with torch.no_grad():
            parts = list(micro_batches(batch, range(len(batch)), wanted, settings.micro_batch_tokens))
            for number, micro in enumerate(parts):
                shape = len(micro.episodes), batch.sampled_mask.shape[1]
                needs_hidden = old is not None or (self.critic is not None and self.critic.settings.kind == "head")
                hidden = hidden_states(self.model, micro.tree) if needs_hidden else torch.empty(0, device=self.model.device)
                if old is not None:
                    found, _ = token_log_probs(
                        self.model, hidden, micro.wanted["policy"], temperature=self._temperature, shape=shape
                    )
                    old[micro.episodes] = found.cpu()
                if reference is not None:
                    reference[micro.episodes] = self._reference_log_probs(micro, shape).cpu()
                if values is not None:
                    assert self.critic is not None
                    values[micro.episodes] = self.critic.values(hidden, micro, micro.wanted["value"], shape).cpu()
                if progress is not None:
                    progress(number + 1, len(parts))
        return old, reference, values

    def _reference_log_probs(self, micro: MicroBatch, shape: tuple[int, int]) -> Tensor:
        model = self.model if self._lora else self._reference
        with adapters_off(model) if self._lora else nullcontext():
            hidden = hidden_states(model, micro.tree)
            found, _ = token_log_probs(model, hidden, micro.wanted["policy"], temperature=self._temperature, shape=shape)
        return found

    def update(
        self,
        batch: Batch,
        advantages: Tensor,
        *,
        step: int,
        returns: Tensor | None = None,
        old: Tensor | None = None,
        reference: Tensor | None = None,
        old_values: Tensor | None = None,
        progress: Progress | None = None,
    ) -> Update:
        """All epochs and mini-batches of training step ``step`` (from 1).

        Raises:
            NotFinite: the weights are then those of before the step.
        """
        settings = self._settings
        work = _Work(advantages, returns, old, reference, old_values)
        backup = None
        report = Update()
        tallies: list[Mapping[str, Tally]] = []
        terms: list[dict[str, float]] = []
        norms: list[float] = []
        groups = sorted(set(batch.groups.tolist()))
        cuts = [groups[number :: settings.mini_batches] for number in range(settings.mini_batches)]
        several = settings.epochs * settings.mini_batches > 1
        if several:
            backup = self.state_dict(copy_tensors=True)
        total = settings.epochs * settings.mini_batches
        for number in range(total):
            chosen = set(cuts[number % settings.mini_batches])
            rows = [row for row, group in enumerate(batch.groups.tolist()) if group in chosen]
            try:
                mini = self._mini_batch(batch, rows, work, step, report, progress)
            except NotFinite:
                if backup is not None:
                    self.load_state_dict(backup)
                raise
            tallies += mini[0]
            terms.append(mini[1])
            norms.append(mini[2])
        report.metrics = means(add_tallies(tallies))
        for name in dict.fromkeys(name for part in terms for name in part):
            report.metrics[name] = sum(part.get(name, 0.0) for part in terms) / total
        report.metrics["grad_norm"] = sum(norms) / total
        report.metrics["learning_rate"] = self.optimizer.learning_rate(step)
        if self.algorithm.needs_reference and "kl/reference" in report.metrics:
            self.kl.update(report.metrics["kl/reference"], int(batch.valid.sum()))
        return report

    def _mini_batch(
        self, batch: Batch, rows: Sequence[int], work: _Work, step: int, report: Update, progress: Progress | None
    ) -> tuple[list[Mapping[str, Tally]], dict[str, float], float]:
        algorithm = self.algorithm
        sampled = torch.zeros_like(batch.sampled_mask)
        sampled[rows] = batch.sampled_mask[rows] & batch.valid[rows, None]
        weights = torch.zeros(sampled.shape)
        weights[rows] = algorithm.weights(sampled[rows])
        critic_only = self.critic is not None and step <= self.critic.settings.warmup_steps
        wanted: dict[str, Tensor] = {}
        if not critic_only:
            active = sampled & (work.advantages != 0) if algorithm.skips_zero_advantage else sampled
            wanted["policy"] = active
        forced = forced_weights = None
        if algorithm.needs_forced_tokens and not critic_only:
            forced = torch.zeros_like(sampled)
            forced[rows] = forced_mask(batch.action_mask, batch.sampled_mask, work.advantages, batch.valid)[rows]
            forced_weights = torch.zeros(sampled.shape)
            forced_weights[rows] = algorithm.weights(forced[rows])
            wanted["forced"] = forced
        value_mask = value_weights = None
        if self.critic is not None:
            value_mask = torch.zeros_like(sampled)
            value_mask[rows] = self._value_mask(batch)[rows]
            value_weights = torch.zeros(sampled.shape)
            value_weights[rows] = algorithm.weights(value_mask[rows])
            wanted["value"] = value_mask
        tallies: list[Mapping[str, Tally]] = []
        terms: dict[str, float] = {}
        parts = list(micro_batches(batch, rows, wanted, self._settings.micro_batch_tokens))
        self.weights.clear_gradients()
        for number, micro in enumerate(parts):
            report.computed += len(micro.tree)
            shape = len(micro.episodes), sampled.shape[1]
            hidden = hidden_states(self.model, micro.tree)
            device = hidden.device

            def local(tensor: Tensor | None, micro: MicroBatch = micro, device: torch.device = device) -> Tensor | None:
                return None if tensor is None else tensor[micro.episodes].to(device)

            losses: list[Tensor] = []
            if "policy" in wanted:
                current, entropy = token_log_probs(
                    self.model, hidden, micro.wanted["policy"], temperature=self._temperature, shape=shape
                )
                forced_now = None
                if forced is not None:
                    forced_now, _ = token_log_probs(self.model, hidden, micro.wanted["forced"], temperature=1.0, shape=shape)
                old = local(work.old)
                inputs = LossInputs(
                    log_probs=current,
                    old_log_probs=current.detach() if old is None else old,
                    advantages=_there(local(work.advantages)),
                    mask=_there(local(wanted["policy"])),
                    weights=_there(local(weights)),
                    engine_log_probs=local(batch.engine_log_probs),
                    reference_log_probs=local(work.reference),
                    entropy=entropy if algorithm.needs_entropy else entropy.detach(),
                    forced_log_probs=forced_now,
                    forced_mask=local(forced),
                    forced_weights=local(forced_weights),
                )
                output = algorithm.policy_loss(inputs, kl_coefficient=self.kl.coefficient)
                losses.append(output.loss)
                tallies.append(output.metrics)
                _add_terms(terms, output.terms)
            if self.critic is not None:
                values = self.critic.values(hidden, micro, micro.wanted["value"], shape)
                inputs = LossInputs(
                    log_probs=values,
                    old_log_probs=values,
                    advantages=values,
                    mask=_there(local(value_mask)),
                    weights=_there(local(value_weights)),
                    values=values,
                    old_values=local(work.old_values),
                    returns=local(work.returns),
                    value_mask=local(value_mask),
                    value_weights=local(value_weights),
                )
                output = algorithm.value_loss(inputs)
                losses.append(output.loss)
                tallies.append(output.metrics)
                _add_terms(terms, output.terms)
            loss = torch.stack(losses).sum()
            if not bool(torch.isfinite(loss)):
                self.weights.clear_gradients()
                raise NotFinite(f"step {step}: the loss is {float(loss)}")
            if loss.requires_grad:
                loss.backward()
            self.weights.take_gradients()
            if self.critic is not None:
                self.critic.take_gradients()
            if progress is not None:
                progress(number + 1, len(parts))
        norm = 0.0
        if any(master.grad is not None for master in self.weights.masters.values()):
            norm = self.optimizer.gradient_norm()
            if not norm < float("inf"):
                self.weights.clear_gradients()
                raise NotFinite(f"step {step}: the gradient norm is {norm}")
            if not critic_only:
                self.optimizer.update(step)
                self.weights.publish()
            self.weights.clear_gradients()
        if self.critic is not None:
            self.critic.update(step)
        return tallies, terms, norm

    def _value_mask(self, batch: Batch) -> Tensor:
        from agentgym_rl.training.advantages import AdvantageInputs

        return self.algorithm.value_mask(
            AdvantageInputs(
                rewards=batch.rewards,
                action_mask=batch.action_mask,
                turns=batch.turns,
                groups=batch.groups,
                valid=batch.valid,
            )
        )

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


def _there(tensor: Tensor | None) -> Tensor:
    assert tensor is not None
    return tensor


def _add_terms(terms: dict[str, float], more: Mapping[str, Tensor]) -> None:
    for name, value in more.items():
        terms[name] = terms.get(name, 0.0) + float(value)

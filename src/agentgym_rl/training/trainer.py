"""The training loop: horizon → episodes → advantages → update → records, step by step.

What a step reads is the state at the end of the one before (weights, optimizer, task stream, metrics so far) and numbers
that its own counters name, so a run that is stopped anywhere and resumed repeats the uninterrupted one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from agentgym_rl.agents.engines.protocol import Sampling
from agentgym_rl.agents.rollout.faults import TooManyFaults
from agentgym_rl.agents.rollout.runner import RolloutRunner
from agentgym_rl.environments.errors import TooManyAbandonedThreads
from agentgym_rl.records.episodes import write_episodes
from agentgym_rl.records.run_folder import RunFolder
from agentgym_rl.training.advantages import AdvantageInputs, Advantages
from agentgym_rl.training.batching.batch import Batch, make_batch
from agentgym_rl.training.callbacks import Callback
from agentgym_rl.training.checkpoints import load_state, prune, save_checkpoint
from agentgym_rl.training.collapse import Collapsed, collapse_signals, last_good, new_signals
from agentgym_rl.training.collect import Collected, Collector
from agentgym_rl.training.draws import TaskStream
from agentgym_rl.training.interrupts import Interrupts
from agentgym_rl.training.learner.learner import NotFinite
from agentgym_rl.training.learner.measure import Measured
from agentgym_rl.training.metrics import Values, episode_metrics
from agentgym_rl.training.run_setup import Plan, Policy

_OF_TOKENS = ("loss/policy", "kl/rollout", "ratio/mean", "ratio/clipped", "entropy")
"""Every line has these; null in a step that no token was trained in."""


@dataclass(slots=True)
class _Clock:
    start: float
    rollout: float = 0.0
    update: float = 0.0


class Trainer:
    """Makes steps and saves them. Evaluation, resuming and the summary are around it, in :mod:`agentgym_rl.training.api`."""

    def __init__(
        self, plan: Plan, policy: Policy, runner: RolloutRunner, folder: RunFolder, callbacks: Sequence[Callback]
    ) -> None:
        self.plan = plan
        self.policy = policy
        self.runner = runner
        self.folder = folder
        self.callbacks = callbacks
        settings = plan.settings
        rollout = settings.rollout
        sampling = Sampling(rollout.temperature, rollout.top_k, rollout.top_p, rollout.max_tokens)
        seed = settings.run.seed
        greedy = plan.algorithm.needs_greedy_baseline
        dynamic = plan.algorithm.recipe.dynamic_sampling
        weights = [world.settings.weight for world in plan.worlds]
        self.stream = TaskStream(plan.tasks, weights, seed, [world.settings.skip_solved for world in plan.worlds])
        self.collector = Collector(
            runner=runner,
            actor=policy.actor(settings.agent, sampling, seed),
            stream=self.stream,
            groups=settings.batch.groups,
            group_size=settings.batch.group_size,
            max_fault_rate=rollout.max_fault_rate,
            max_redraws=dynamic.max_redraws if dynamic is not None else 0,
            greedy=policy.actor(settings.agent, replace(sampling, temperature=0.0), seed) if greedy else None,
        )
        self.step = 0
        """The last step made."""
        self.history: list[dict[str, Any]] = []
        """The metrics of all steps made."""
        self._mean_return = 0.0
        self._interrupts = Interrupts()
        self._committed = self._state()
        self._saved = 0

    def _state(self) -> dict[str, Any]:
        return {"stream": self.stream.state_dict(), "mean_return": self._mean_return}

    def resume(self) -> None:
        """Go on from the last checkpoint of the folder, or from the start where there is none; forget what came after it.

        Raises RecordError for a checkpoint that can't be read.
        """
        steps = self.folder.checkpoint_steps()
        if steps:
            checkpoint = load_state(self.folder.checkpoint(steps[-1]))
            self.step = self._saved = int(checkpoint["step"])
            self.policy.learner.load_state_dict(checkpoint["learner"])
            self.stream.load_state_dict(checkpoint["state"]["stream"])
            self._mean_return = float(checkpoint["state"]["mean_return"])
            self._committed = self._state()
            self.policy.engine.weights_changed(self.step)
        self.history = self.folder.rewind(self.step)
        # A stop may have come before that; only now, because a newest one that is damaged would be the only one left.
        prune(self.folder, self.plan.settings.checkpoint.keep)

    @contextmanager
    def saved_when_stopped(self) -> Iterator[None]:
        """Inside, Ctrl-C, SIGTERM and SIGHUP are a KeyboardInterrupt that leaves a checkpoint of the last whole step.

        A second one in the middle of an update leaves the checkpoints that there are: weights may be half changed. What stops
        a step and leaves the weights as they were (TooManyFaults, TooManyAbandonedThreads, NotFinite) leaves a checkpoint
        too, and its message names it and the way on.
        """
        with self._interrupts.installed():
            try:
                yield
                self._interrupts.check()
            except KeyboardInterrupt:
                if not self._interrupts.broke_in:
                    self.save()
                raise
            except (TooManyFaults, TooManyAbandonedThreads, NotFinite) as error:
                if not self.step:
                    raise
                raise type(error)(f"{error}; {self._way_on(error)}") from error

    def _way_on(self, error: Exception) -> str:
        """Save the last whole step and say how to go on from there."""
        path = self.save()
        if isinstance(error, NotFinite):
            advice = f"with a lower optimizer.learning_rate start another run from there: run.name=NEW model.path={path}"
        else:
            advice = "once the cause is mended, go on with --resume"
        return f"step {self.step} is saved in {path}: {advice}"

    def run_to(self, last: int) -> None:
        """Make the steps up to ``last``."""
        while self.step < last:
            self._interrupts.check()
            self._make_step(self.step + 1)

    def note(self, values: Values) -> None:
        """Add ``values`` to the metrics of the last step."""
        self.history[-1] = self.folder.metrics.amend(self.step, values)

    def save(self) -> Path:
        """A checkpoint of the last whole step, unless there is one; its folder."""
        if self._saved < self.step:
            with self._interrupts.held():
                keep = self.plan.settings.checkpoint.keep
                policy = self.policy
                save_checkpoint(
                    self.folder, self.step, policy.learner, policy.language_model.tokenizer, self._committed, keep
                )
                self._saved = self.step
        return self.folder.checkpoint(self.step)

    def _make_step(self, step: int) -> None:
        clock = _Clock(time.perf_counter())
        plan, engine = self.plan, self.policy.engine
        stage = plan.horizon.stage(step, self.history)
        horizon = plan.horizon.at(step, self.history)
        engine.take_counters()
        horizons = [plan.turns_of(world, stage, horizon) for world in plan.worlds]
        collected = self.collector.collect(step, stage, horizons, self._progress("rollout"))
        counters = engine.take_counters()
        engine.release_memory()
        clock.rollout = time.perf_counter() - clock.start
        write_episodes(self.folder.episodes(step), [*collected.trajectories, *collected.left_out])
        with self._interrupts.held():
            started = time.perf_counter()
            batch = make_batch(collected.trajectories)
            metrics: Values = {"step": step, "horizon": horizon}
            metrics |= episode_metrics(collected.groups, [world.settings.id for world in plan.worlds], collected.left_out)
            metrics |= dict.fromkeys(_OF_TOKENS)
            computed = self._learn(batch, collected, step, metrics)
            clock.update = time.perf_counter() - started
            engine.weights_changed(step)
            metrics |= {
                "groups/lost": collected.lost_groups,
                "groups/redrawn": collected.redrawn,
                "tokens/sampled": counters.sampled,
                "tokens/computed": counters.computed + computed,
                "tokens/computed_rollout": counters.computed,
                "tokens/computed_update": computed,
                "time/rollout": clock.rollout,
                "time/update": clock.update,
                "time/step": time.perf_counter() - clock.start,
                "tokens_per_second/rollout": counters.computed / max(clock.rollout, 1e-9),
                "tokens_per_second/update": computed / max(clock.update, 1e-9),
            }
            metrics["collapse/signals"] = len(collapse_signals([*self.history, metrics]))
            self.history.append(self.folder.metrics.append(metrics))
            self.step = step
            self._committed = self._state()
            self._watch_for_collapse()
            if step % plan.settings.checkpoint.every == 0 or step == plan.settings.run.steps:
                self.save()
            for callback in self.callbacks:
                callback.on_step(self.history[-1])

    def _watch_for_collapse(self) -> None:
        """Warn of signals of collapse that began with the last step.

        Raises Collapsed if that is to stop the run; no checkpoint is made of what collapsed.
        """
        for signal in new_signals(self.history):
            for callback in self.callbacks:
                callback.on_message(f"warning: step {self.step}: {signal}: the policy may be collapsing")
        if self.plan.settings.algorithm.stop_on_collapse and self.history[-1]["collapse/signals"]:
            good = last_good(self.folder.checkpoint_steps(), self.step)
            path = None if good is None else self.folder.checkpoint(good)
            raise Collapsed.at(self.step, collapse_signals(self.history), path)

    def _learn(self, batch: Batch, collected: Collected, step: int, metrics: Values) -> int:
        """Advantages and update; adds to ``metrics``. Returns the number of tokens computed."""
        learner, algorithm = self.policy.learner, self.plan.algorithm
        progress = self._progress("update")
        measured = learner.measure(batch, progress)
        advantages = self._advantages(batch, collected, measured)
        try:
            report = learner.update(
                batch,
                advantages.advantages,
                step=step,
                returns=advantages.returns,
                measured=measured,
                progress=progress,
            )
        except NotFinite as error:
            path = self.folder.path / f"not_finite_{step}.jsonl.zst"
            write_episodes(path, batch.trajectories)
            raise NotFinite(
                f"{error}; the weights are those of step {step - 1}; the episodes that made it: {path}"
            ) from error
        metrics |= report.metrics
        returns = batch.rewards.sum(1)[batch.valid]
        if algorithm.needs_running_baseline and len(returns):
            done = step - 1
            self._mean_return = (self._mean_return * done + float(returns.mean())) / step
        return measured.computed + report.computed

    def _advantages(self, batch: Batch, collected: Collected, measured: Measured) -> Advantages:
        algorithm = self.plan.algorithm
        baselines, valid = None, batch.valid.clone()
        if algorithm.needs_greedy_baseline:
            found = [collected.baselines.get(int(group)) for group in batch.groups]
            baselines = torch.tensor([0.0 if baseline is None else baseline for baseline in found])
            valid &= torch.tensor([baseline is not None for baseline in found])  # its greedy episode was lost to a fault
        elif algorithm.needs_running_baseline:
            baselines = torch.full((len(batch),), self._mean_return)
        inputs = AdvantageInputs(
            rewards=batch.rewards,
            action_mask=batch.action_mask,
            turns=batch.turns,
            groups=batch.groups,
            values=measured.values,
            valid=valid,
            truncated=batch.truncated,
            states=batch.states if algorithm.needs_states else None,
            baselines=baselines,
        )
        shaped = algorithm.shape_rewards(
            inputs,
            horizon=torch.tensor([trajectory.horizon for trajectory in batch.trajectories]),
            sampled_mask=batch.sampled_mask,
            log_probs=measured.old,
            reference_log_probs=measured.reference,
            kl_coefficient=self.policy.learner.kl.coefficient,
        )
        return algorithm.estimate(shaped)

    def _progress(self, phase: str) -> Any:
        def report(done: int, total: int) -> None:
            for callback in self.callbacks:
                callback.on_progress(phase, done, total)

        return report

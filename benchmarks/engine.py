"""The local engine against the usual loop, and how many tokens shared prefixes save.

    python benchmarks/engine.py [configs/quickstart.yaml] [KEY=VALUE ...] [--episodes 32] [--rounds 2] [--threads N]

*Against the usual loop.* The local engine plays some training tasks of the config, in groups as in training. The usual
loop then does the same work again: in each turn all live episodes as one left-padded batch, ``model.generate`` (with its
key-value cache inside the turn) as far as the longest message of the turn. It is given the contexts and message lengths of
the recorded episodes, so model, tasks, weights, type and token counts are the same; the worlds' time is part of the
engine's. A message's tokens are those of the record, the forced ones included: what the episode is made of. Rounds
alternate between the two, the best of each counts. Target: 3 times the tokens a second. It is measured with the config's
action space and with free messages, where the engine has no forced tokens to skip.

*Tokens computed.* One step of the config's size at its last horizon. Naive is every token of every episode once: less
than a padded batch computes, and a fraction of what a loop without a cache between turns does. The learner's tree is
counted for all episodes and, as in training, without groups that have no variance. Target: at most 0.35.
"""

from __future__ import annotations

import argparse
import copy
import shlex
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from agentgym_rl.agents.engines.protocol import Sampling
from agentgym_rl.agents.rollout.actor import EpisodeJob
from agentgym_rl.agents.rollout.runner import RolloutRunner
from agentgym_rl.agents.settings import AgentSettings
from agentgym_rl.config import load
from agentgym_rl.records.trajectory import Trajectory
from agentgym_rl.training.batching.batch import make_batch
from agentgym_rl.training.batching.micro_batch import micro_batches
from agentgym_rl.training.collect import has_no_variance
from agentgym_rl.training.draws import TaskStream
from agentgym_rl.training.run_setup import Plan, Policy, load_policy, make_plan, make_runner
from agentgym_rl.training.settings import TrainSettings

SPEED_TARGET = 3.0
TOKENS_TARGET = 0.35


@dataclass(slots=True)
class Message:
    """A recorded message: what the model saw before it, and how long it was."""

    context: list[int]
    tokens: int


def jobs_of(plan: Plan, episodes: int) -> list[EpisodeJob]:
    """Training episodes in groups, as the first step would draw them at the last stage of the schedule."""
    settings = plan.settings
    stream = TaskStream(plan.tasks, [world.settings.weight for world in plan.worlds], settings.run.seed)
    size, stage = settings.batch.group_size, len(settings.horizon.turns) - 1
    draws = [stream.draw(stage) for _ in range(-(-episodes // size))]
    jobs = [
        EpisodeJob(draw.task, draw.seed, group, index, settings.horizon.turns[-1], 1, draw.world)
        for group, draw in enumerate(draws)
        for index in range(size)
    ]
    return jobs[:episodes]


def play(
    policy: Policy, runner: RolloutRunner, plan: Plan, jobs: list[EpisodeJob], agent: AgentSettings
) -> list[Trajectory]:
    """The episodes of ``jobs``; no key or value is left in the engine."""
    rollout = plan.settings.rollout
    sampling = Sampling(rollout.temperature, rollout.top_k, rollout.top_p, rollout.max_tokens)
    played = runner.play(jobs, policy.actor(agent, sampling, plan.settings.run.seed))
    policy.engine.release_memory()
    return played


def messages_by_turn(episodes: list[Trajectory]) -> list[list[Message]]:
    """For each turn the messages of the episodes that were still running."""
    turns: list[list[Message]] = [[] for _ in range(max(len(episode.turns) for episode in episodes))]
    for episode in episodes:
        for segment in episode.segments:
            for turn in sorted(set(segment.turns) - {-1}):
                first = segment.turns.index(turn)
                turns[turn].append(Message(segment.token_ids[:first], segment.turns.count(turn)))
    return turns


@torch.inference_mode()
def usual_loop(model: Any, padding: int, turns: list[list[Message]]) -> int:
    """Generate every turn as one padded batch; the tokens that went through the model, padding included."""
    computed = 0
    for messages in turns:
        width = max(len(message.context) for message in messages)
        length = max(message.tokens for message in messages)
        ids = torch.tensor([[padding] * (width - len(message.context)) + message.context for message in messages])
        mask = torch.tensor([[0] * (width - len(message.context)) + [1] * len(message.context) for message in messages])
        model.generate(
            input_ids=ids.to(model.device),
            attention_mask=mask.to(model.device),
            do_sample=True,
            top_k=0,
            min_new_tokens=length,
            max_new_tokens=length,
            pad_token_id=padding,
        )
        computed += len(messages) * (width + length - 1)
    return computed


@dataclass(slots=True)
class Comparison:
    """One action space: tokens of the messages, and seconds and computed tokens of both."""

    name: str
    tokens: int = 0
    engine_seconds: float = float("inf")
    engine_computed: int = 0
    usual_seconds: float = float("inf")
    usual_computed: int = 0

    @property
    def ratio(self) -> float:
        """Tokens a second of the engine over those of the usual loop."""
        return self.usual_seconds / self.engine_seconds


def compare(
    policy: Policy, runner: RolloutRunner, plan: Plan, agent: AgentSettings, episodes: int, rounds: int
) -> Comparison:
    """Both on the same episodes, which are the same in every round."""
    jobs = jobs_of(plan, episodes)
    tokenizer = policy.language_model.tokenizer
    padding = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id
    usual = copy.deepcopy(policy.language_model.model)
    usual.set_attn_implementation("sdpa")
    short = [replace(job, horizon=1) for job in jobs]
    usual_loop(usual, padding, messages_by_turn(play(policy, runner, plan, short, agent)))  # to warm up
    found = Comparison(agent.action_space)
    for _ in range(rounds):
        policy.engine.take_counters()
        start = time.perf_counter()
        played = play(policy, runner, plan, jobs, agent)
        found.engine_seconds = min(found.engine_seconds, time.perf_counter() - start)
        found.engine_computed = policy.engine.take_counters().computed
        turns = messages_by_turn(played)
        found.tokens = sum(message.tokens for messages in turns for message in messages)
        start = time.perf_counter()
        found.usual_computed = usual_loop(usual, padding, turns)
        found.usual_seconds = min(found.usual_seconds, time.perf_counter() - start)
    return found


def tree_tokens(episodes: list[Trajectory], most: int) -> int:
    """Tokens the learner computes for ``episodes`` in micro-batches of at most ``most`` tokens."""
    batch = make_batch(episodes)
    return sum(len(micro.tree) for micro in micro_batches(batch, range(len(batch)), {"policy": batch.sampled_mask}, most))


def saved(policy: Policy, runner: RolloutRunner, plan: Plan) -> dict[str, tuple[int, int]]:
    """What is counted → tokens computed and naive, for the episodes of one step."""
    settings = plan.settings
    jobs = jobs_of(plan, settings.batch.groups * settings.batch.group_size)
    policy.engine.take_counters()
    played = play(policy, runner, plan, jobs, settings.agent)
    rollout = policy.engine.take_counters().computed
    naive = sum(len(segment) for episode in played for segment in episode.segments)
    size, most = settings.batch.group_size, settings.batch.micro_batch_tokens
    groups = [played[first : first + size] for first in range(0, len(played), size)]
    varied = [episode for group in groups if not has_no_variance(group) for episode in group]
    return {
        "rollout": (rollout, naive),
        "update, all groups": (tree_tokens(played, most), naive),
        "update, groups with variance": (tree_tokens(varied, most) if varied else 0, naive),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", nargs="?", type=Path, default=Path("configs/quickstart.yaml"))
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE")
    parser.add_argument("--episodes", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, help="CPU threads (default: as torch chooses)")
    options = parser.parse_intermixed_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    plan = make_plan(load(options.config, options.overrides, TrainSettings).settings)
    console = Console()
    console.print(f"python benchmarks/engine.py {shlex.join(sys.argv[1:])}".rstrip(), style="bold")
    with make_runner(plan) as runner:
        policy = load_policy(plan)
        agent = plan.settings.agent
        free = agent.model_copy(update={"action_space": "free", "thought_tokens": 0})
        agents = [agent, free] if agent.action_space != "free" else [free]
        table = Table(
            *("actions", "tokens", "engine", "usual", "ratio", "target", "computed", "usual"),
            title=f"{options.episodes} episodes, {plan.settings.model.path}, {policy.language_model.dtype}, "
            f"{torch.get_num_threads()} threads",
        )
        for one in agents:
            found = compare(policy, runner, plan, one, options.episodes, options.rounds)
            table.add_row(
                found.name,
                f"{found.tokens:,}",
                f"{found.tokens / found.engine_seconds:,.0f}/s",
                f"{found.tokens / found.usual_seconds:,.0f}/s",
                f"{found.ratio:.1f}",
                f"{SPEED_TARGET:.1f}",
                f"{found.engine_computed:,}",
                f"{found.usual_computed:,}",
            )
        console.print(table)
        table = Table("tokens", "computed", "naive", "ratio", "target", title="One step of the config")
        for name, (computed, naive) in saved(policy, runner, plan).items():
            table.add_row(name, f"{computed:,}", f"{naive:,}", f"{computed / naive:.3f}", f"{TOKENS_TARGET}")
        console.print(table)


if __name__ == "__main__":
    main()

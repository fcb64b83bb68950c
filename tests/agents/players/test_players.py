"""Players decide by rule alone: reproducible, order-free, and honest about what they can't do."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field, replace

import pytest

from agentgym_rl.agents.players import (
    ExpertPlayer,
    FixedPlayer,
    NullPlayer,
    Player,
    RandomPlayer,
    ShortcutPlayer,
    SpamPlayer,
    UnknownPlayer,
    player_named,
)
from agentgym_rl.agents.rollout.actor import EpisodeJob
from agentgym_rl.environments.protocol import ActionSchema, Transition
from agentgym_rl.environments.task_set import Task
from agentgym_rl.records.trajectory import Trajectory, Turn

JOB = EpisodeJob(task=Task("t-1", "toy", "test", "easy"), seed=5, group=3, index=1, horizon=4)


@dataclass
class Toy:
    """An asynchronous world whose oracle and shortcut say what they were asked."""

    oracle: str | None = "win"
    asked: list[tuple[str, int]] = field(default_factory=list)
    instructions: str = ""
    action_schema: ActionSchema = ()

    async def reset(self, task: Task, seed: int, *, admissible: bool = False) -> Transition:  # noqa: ARG002
        return state()

    async def step(self, action: str, *, admissible: bool = False) -> Transition:  # noqa: ARG002
        return state()

    async def expert_action(self) -> str | None:
        return self.oracle

    async def shortcut_action(self, name: str, seed: int) -> str:
        self.asked.append((name, seed))
        return f"{name}!"

    async def close(self) -> None: ...


def state(*actions: str) -> Transition:
    return Transition("a room", 0.0, False, False, {}, admissible=actions or None)


def act(
    player: Player, at: Transition, *, job: EpisodeJob = JOB, turn: int = 0, world: Toy | None = None, attempt: int = 0
) -> Turn:
    return asyncio.run(player.begin(job, world or Toy(), attempt).act(at, turn))


def test_random_is_uniform_over_the_admissible_actions() -> None:
    at = state("north", "south", "east")
    drawn = Counter(act(RandomPlayer(), at, job=replace(JOB, index=i)).action for i in range(900))
    assert set(drawn) == {"north", "south", "east"}
    assert all(240 <= count <= 360 for count in drawn.values())


def test_random_depends_on_each_counter_and_on_nothing_else() -> None:
    at = state(*(f"go {n}" for n in range(10_000)))
    base = act(RandomPlayer(7), at, turn=2).action
    assert act(RandomPlayer(7), at, turn=2, attempt=1).action == base
    others = [
        act(RandomPlayer(8), at, turn=2),
        act(RandomPlayer(7), at, turn=3),
        *(
            act(RandomPlayer(7), at, turn=2, job=replace(JOB, **{key: 9}))
            for key in ("seed", "group", "index", "step", "world")
        ),
    ]
    assert base not in [turn.action for turn in others]


def test_random_refuses_a_world_that_lists_nothing() -> None:
    with pytest.raises(ValueError, match="toy does not list its admissible actions"):
        act(RandomPlayer(), state())


def test_expert_plays_the_oracle_and_spends_the_turn_where_it_gives_up() -> None:
    turn = act(ExpertPlayer(), state())
    assert (turn.action, turn.message, turn.observation, turn.understood) == ("win", "win", "a room", True)
    lost = act(ExpertPlayer(), state(), world=Toy(oracle=None))
    assert (lost.action, lost.understood) == (None, False)
    assert lost.problem == "the expert player has no action here"


def test_shortcut_asks_the_world_with_a_seed_of_its_own_each_turn() -> None:
    world = Toy()
    actions = [act(ShortcutPlayer("greedy"), state(), turn=turn, world=world).action for turn in (0, 1, 0)]
    assert actions == ["greedy!"] * 3
    assert world.asked[0] == world.asked[2] != world.asked[1]


def test_dishonest_players() -> None:
    assert act(NullPlayer(), state("a")).action == ""
    assert act(FixedPlayer("stop [done]"), state("a")).action == "stop [done]"
    assert act(SpamPlayer(), state("a", "b")).action == "a\nb\na\nb"
    assert act(SpamPlayer(repeats=1), state()).action == "a room"


def test_the_turn_keeps_the_offered_actions_and_the_record_the_players_name() -> None:
    episode = RandomPlayer().begin(JOB, Toy(), 0)
    assert asyncio.run(episode.act(state("a", "b"), 0)).admissible == ["a", "b"]
    record = Trajectory("toy", "t-1", "easy", 5, 3, 1, 4)
    episode.finish(record)
    assert record.extras == {"player": "random"}


@pytest.mark.parametrize("name", ["random", "expert", "null", "spam", "shortcut:craft first", "fixed:stop [x:y]"])
def test_names_round_trip(name: str) -> None:
    assert player_named(name).name == name


def test_only_players_that_need_the_list_ask_for_it() -> None:
    wants = {name: player_named(name).wants_admissible for name in ("random", "spam", "expert", "null", "shortcut:a")}
    assert wants == {"random": True, "spam": True, "expert": False, "null": False, "shortcut:a": False}


def test_unknown_names_get_the_nearest() -> None:
    with pytest.raises(UnknownPlayer, match=r"unknown player 'randm'; did you mean 'random'\?"):
        player_named("randm")
    with pytest.raises(UnknownPlayer, match="known: random, expert"):
        player_named("zzz")

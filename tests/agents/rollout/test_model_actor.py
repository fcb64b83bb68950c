"""A model plays TextCraft: what the engine saw is what is trained on, and what it sampled is all that is trained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from agentgym_rl.agents.chat.choose import choose_renderer
from agentgym_rl.agents.engines.local import LocalEngine
from agentgym_rl.agents.engines.protocol import SampleRequest, SampleResult, Sampling
from agentgym_rl.agents.rollout.actor import EpisodeJob
from agentgym_rl.agents.rollout.model_actor import ModelActor
from agentgym_rl.agents.rollout.runner import RolloutRunner
from agentgym_rl.agents.rollout.worlds import World
from agentgym_rl.agents.settings import AgentSettings, WindowSettings
from agentgym_rl.environments.settings import WorldSettings
from agentgym_rl.records.trajectory import Trajectory


@dataclass
class Recorded:
    """An engine that notes what it was asked and what it answered, by group and episode."""

    engine: LocalEngine
    said: dict[tuple[int, int], list[tuple[list[int], SampleResult]]] = field(default_factory=dict)
    requests: list[SampleRequest] = field(default_factory=list)

    def open(self, group: int) -> int:
        return self.engine.open(group)

    def close(self, session: int) -> None:
        self.engine.close(session)

    async def sample(self, request: SampleRequest) -> SampleResult:
        context = list(request.context)
        result = await self.engine.sample(request)
        self.said.setdefault((request.key.draw, request.key.episode), []).append((context, result))
        self.requests.append(request)
        return result


def play(
    language_model: Any,
    agent: AgentSettings,
    sampling: Sampling,
    *,
    horizon: int = 4,
    context: int = 2048,
    deterministic: bool = True,
    runner: str = "inline",
    concurrency: int = 256,
) -> tuple[list[Trajectory], Recorded]:
    engine = Recorded(LocalEngine(language_model.model, deterministic=deterministic))
    renderer = choose_renderer(agent, language_model.tokenizer, "test")
    actor = ModelActor(engine, renderer, agent, sampling, context=context, seed=1)
    world = World(WorldSettings(id="textcraft", runner=runner))  # type: ignore[arg-type]
    tasks = world.tasks("train").filter("depth-1")
    jobs = [EpisodeJob(tasks[group], 0, group, index, horizon, step=1) for group in range(2) for index in range(3)]
    with RolloutRunner([world], concurrency=concurrency, deterministic=deterministic) as rollouts:
        played = rollouts.play(jobs, actor)
    assert not engine.engine._sessions
    return played, engine


def check_record(trajectory: Trajectory, said: Sequence[tuple[list[int], SampleResult]]) -> None:
    """Every context the engine saw begins a segment, followed by what it sampled; every sampled token is trained once."""
    trained: list[tuple[int, bool, float]] = []
    for segment in trajectory.segments:
        sizes = {
            len(one)
            for one in (segment.token_ids, segment.action_mask, segment.sampled_mask, segment.log_probs, segment.turns)
        }
        assert len(sizes) == 1
        for i, sampled in enumerate(segment.sampled_mask):
            assert segment.action_mask[i] or not sampled
            assert (segment.turns[i] >= 0) == segment.action_mask[i]
            if not sampled:
                assert segment.log_probs[i] == 0
            else:
                trained.append((segment.token_ids[i], sampled, segment.log_probs[i]))
    drawn = [
        (token, True, log_prob)
        for _, result in said
        for token, sampled, log_prob in zip(result.token_ids, result.sampled, result.log_probs, strict=True)
        if sampled
    ]
    assert trained == drawn
    place = 0
    for context, result in said:
        whole = [*context, *result.token_ids]
        while trajectory.segments[place].token_ids[: len(whole)] != whole:
            place += 1  # segments follow one another as requests do
        mask = trajectory.segments[place].action_mask[len(context) : len(whole)]
        assert all(mask)
    assert [len(turn.kept or []) or None for turn in trajectory.turns] == [
        None if turn.kept is None else count or None
        for turn, count in zip(trajectory.turns, sampled_by_turn(trajectory), strict=True)
    ]


def sampled_by_turn(trajectory: Trajectory) -> list[int]:
    counts = [0] * len(trajectory.turns)
    for segment in trajectory.segments:
        for turn, sampled in zip(segment.turns, segment.sampled_mask, strict=True):
            counts[turn] += sampled
    return counts


SAMPLING = Sampling(max_tokens=12)


@pytest.mark.parametrize("template", ["chat", "transcript"])
@pytest.mark.parametrize("action_format", ["raw", "react"])
@pytest.mark.parametrize(
    ("space", "thought"), [("free", 0), ("admissible", 0), ("admissible", 6)], ids=["free", "admissible", "thought"]
)
@pytest.mark.parametrize(
    "window", [None, WindowSettings(turns=2), WindowSettings(tokens=400)], ids=["all", "turns", "tokens"]
)
def test_the_engines_context_is_the_training_prefix(
    make_tiny: Callable[..., Any], template: Any, action_format: Any, space: Any, thought: int, window: WindowSettings | None
) -> None:
    if thought and action_format == "raw":
        with pytest.raises(ValueError, match="the raw format has no place for a thought"):
            play(make_tiny(), AgentSettings(format="raw", action_space=space, thought_tokens=thought), SAMPLING)
        return
    agent = AgentSettings(
        format=action_format,
        action_space=space,
        template=template,
        thought_tokens=thought,
        window=window or WindowSettings(),
    )
    played, engine = play(make_tiny(), agent, SAMPLING)
    assert len(played) == 6
    for trajectory in played:
        check_record(trajectory, engine.said[trajectory.group, trajectory.index])
        assert trajectory.valid
        if space == "admissible":
            assert all(turn.action in (turn.admissible or ()) for turn in trajectory.turns)
            assert all(turn.understood for turn in trajectory.turns)
        if thought:
            assert all(turn.message.startswith("Thought:") for turn in trajectory.turns)
    if window is not None and window.turns:
        assert all(trajectory.window_drops == len(trajectory.segments) - 1 for trajectory in played)
        assert any(trajectory.window_drops for trajectory in played)
    if window is None:
        assert all(len(trajectory.segments) == 1 for trajectory in played)


@pytest.mark.parametrize("family", ["smollm2", "qwen2_5", "qwen3", "llama3", "gemma", "r1"])
@pytest.mark.parametrize("history", [pytest.param("keep", marks=pytest.mark.slow), "template"])
@pytest.mark.parametrize("space", ["free", "admissible"])
def test_every_family_of_templates(
    make_tiny: Callable[..., Any], tokenizer_of: Callable[[str], Any], family: str, history: Any, space: Any
) -> None:
    model = make_tiny(tokenizer=tokenizer_of(family))
    played, engine = play(model, AgentSettings(format="react", history=history, action_space=space), SAMPLING, horizon=3)
    for trajectory in played:
        check_record(trajectory, engine.said[trajectory.group, trajectory.index])
        assert len(trajectory.segments) == 1 + trajectory.history_rewrites
        if history == "keep":
            assert trajectory.history_rewrites == 0


@pytest.mark.parametrize(
    "sampling",
    [Sampling(0.7, max_tokens=8), Sampling(1.0, top_k=5, max_tokens=8), Sampling(1.2, top_p=0.8, max_tokens=8)],
    ids=["temperature", "top-k", "top-p"],
)
def test_what_was_kept_is_recorded(make_tiny: Callable[..., Any], sampling: Sampling) -> None:
    played, engine = play(make_tiny(), AgentSettings(format="raw", template="transcript"), sampling)
    for trajectory in played:
        check_record(trajectory, engine.said[trajectory.group, trajectory.index])
        for turn in trajectory.turns:
            assert (turn.kept is None) == (sampling.top_k == 0 and sampling.top_p == 1)


def test_a_context_without_a_window_ends_the_episode(make_tiny: Callable[..., Any]) -> None:
    agent = AgentSettings(format="raw", template="transcript")
    played, engine = play(make_tiny(), agent, SAMPLING, context=330, horizon=30)
    ended = [trajectory.ended for trajectory in played]
    assert "context" in ended
    for trajectory in played:
        check_record(trajectory, engine.said.get((trajectory.group, trajectory.index), []))
        assert all(len(segment) <= 330 for segment in trajectory.segments)
    windowed, _ = play(
        make_tiny(), agent.model_copy(update={"window": WindowSettings(tokens=330)}), SAMPLING, context=330, horizon=30
    )
    assert all(len(segment) <= 330 for trajectory in windowed for segment in trajectory.segments)
    fits = [one for one, other in zip(windowed, played, strict=True) if other.turns]
    assert all(trajectory.ended != "context" for trajectory in fits)


def test_a_window_leaves_room_for_the_longest_admissible_action(make_tiny: Callable[..., Any]) -> None:
    agent = AgentSettings(format="raw", template="transcript", action_space="admissible", window=WindowSettings(tokens=360))
    played, _ = play(make_tiny(), agent, Sampling(max_tokens=1), context=2048, horizon=40)
    assert all(trajectory.ended != "context" for trajectory in played if trajectory.turns)
    assert any(trajectory.window_drops for trajectory in played)


def test_draws_are_named_by_step_draw_episode_attempt_and_turn(make_tiny: Callable[..., Any]) -> None:
    _, engine = play(make_tiny(), AgentSettings(format="raw", template="transcript"), SAMPLING, horizon=2)
    keys = [request.key for request in engine.requests]
    assert len(set(keys)) == len(keys)
    assert {key.seed for key in keys} == {1}
    assert {key.step for key in keys} == {1}
    assert {(key.draw, key.episode, key.turn) for key in keys} == {
        (g, e, t) for g in range(2) for e in range(3) for t in range(2)
    }


@pytest.mark.parametrize("runner", ["inline", "thread"])
@pytest.mark.parametrize("deterministic", [True, False])
def test_the_same_episodes_in_every_mode(make_tiny: Callable[..., Any], runner: str, deterministic: bool) -> None:
    agent = AgentSettings(format="raw", template="transcript", action_space="admissible")
    wanted, _ = play(make_tiny(), agent, SAMPLING)
    found, _ = play(make_tiny(), agent, SAMPLING, runner=runner, deterministic=deterministic)
    assert [[turn.action for turn in one.turns] for one in found] == [[turn.action for turn in one.turns] for one in wanted]
    if deterministic:
        assert found == wanted  # log-probs too: worlds on threads take their own time, and batches are the same


def test_few_places_and_slow_worlds_repeat_bit_for_bit(make_tiny: Callable[..., Any]) -> None:
    agent = AgentSettings(format="raw", template="transcript", action_space="admissible")
    one, other = (play(make_tiny(), agent, SAMPLING, runner="thread", concurrency=4)[0] for _ in range(2))
    assert one == other


def test_the_policy_version_is_that_of_the_weights(make_tiny: Callable[..., Any]) -> None:
    model = make_tiny()
    engine = LocalEngine(model.model)
    engine.weights_changed(6)
    agent = AgentSettings(format="raw", template="transcript")
    actor = ModelActor(engine, choose_renderer(agent, model.tokenizer, ""), agent, SAMPLING, context=2048, seed=0)
    world = World(WorldSettings(id="textcraft"))
    with RolloutRunner([world]) as runner:
        (played,) = runner.play([EpisodeJob(world.tasks("train")[0], 0, 0, 0, 1)], actor)
    assert played.policy_version == 6


def test_instructions_are_replaced_left_out_and_joined_by_the_formats(make_tiny: Callable[..., Any]) -> None:
    def opening(**settings: Any) -> str:
        model = make_tiny()
        played, _ = play(model, AgentSettings(**settings), SAMPLING, horizon=1)
        return str(model.tokenizer.decode(played[0].segments[0].token_ids))

    assert "Answer in this form" in opening(format="react")
    assert "Answer in this form" not in opening(format="react", action_space="admissible")
    assert "Answer in this form" in opening(format="react", action_space="admissible", thought_tokens=4)
    assert "Do your best." in opening(format="raw", instructions="Do your best.")
    without = opening(format="raw", template="transcript", instructions="")
    assert without.startswith("Crafting commands:")

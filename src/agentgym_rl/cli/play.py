"""``agentgym-rl play``: a person, the oracle, a simple player or a model plays one episode in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from agentgym_rl.cli.console import output, progress

if TYPE_CHECKING:
    from rich.console import Console

    from agentgym_rl.agents.rollout.actor import Actor
    from agentgym_rl.records.trajectory import Trajectory


def command(
    environment: Annotated[str, typer.Argument(help="A world: textcraft, babyai, package.module:Class.", metavar="ENV")],
    settings: Annotated[list[str] | None, typer.Argument(help="Its settings, KEY=VALUE.", metavar="[KEY=VALUE]...")] = None,
    task: Annotated[str | None, typer.Option(help="Play this task id.")] = None,
    split: Annotated[str, typer.Option(help="Draw the task from train, validation or test.")] = "train",
    category: Annotated[str | None, typer.Option(help="Draw the task from this category.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Draws the task, and the chance in the episode.")] = 0,
    turns: Annotated[int, typer.Option(min=1, help="Most turns.")] = 200,
    expert: Annotated[bool, typer.Option("--expert", help="Let the world's oracle play.")] = False,
    player: Annotated[str | None, typer.Option(help="Let a simple player play: random, shortcut:NAME …")] = None,
    model: Annotated[
        str | None, typer.Option(help="Let a model play: a run's folder, a checkpoint, a Hugging Face folder or hub id.")
    ] = None,
    temperature: Annotated[float, typer.Option(min=0, help="Of the model; 0 is greedy.")] = 1.0,
    model_settings: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of the model: agent.format=react …; repeatable.")
    ] = None,
) -> None:
    """Play an episode: you in the terminal, or --expert, --player or --model. In your turn ? lists the admissible actions.

    Example: agentgym-rl play textcraft --split test --seed 3
    """
    from agentgym_rl.agents.players import player_named
    from agentgym_rl.agents.rollout.actor import EpisodeJob
    from agentgym_rl.agents.rollout.runner import RolloutRunner
    from agentgym_rl.agents.rollout.worlds import World
    from agentgym_rl.cli.terminal_player import HELP, InputEnded, InputStopped, Narrated, TerminalPlayer
    from agentgym_rl.cli.world import choose_task, parse_settings
    from agentgym_rl.environments.settings import WorldSettings

    if sum((expert, player is not None, model is not None)) > 1:
        raise typer.BadParameter("give one of --expert, --player and --model")
    if model is None and model_settings:
        raise typer.BadParameter("it would do nothing without --model", param_hint="--set")
    console = output()
    options = parse_settings(settings or [])
    chosen = choose_task(environment, task, split, category, seed, options)
    actor: Actor
    if model is not None:
        actor = _model_actor(model, model_settings or [], temperature, seed)
    elif expert or player:
        actor = player_named(player or "expert", seed)
    else:
        actor = TerminalPlayer(console, lambda: console.input("> "))
    person = isinstance(actor, TerminalPlayer)
    narrated = Narrated(actor, console, echo=not person)
    world = World(WorldSettings(id=environment, options=options, runner="inline"))
    console.print(f"task {chosen.id} ({chosen.category}, {chosen.split})", style="bold")
    if person:
        console.print(HELP, style="dim")
    job = EpisodeJob(task=chosen, seed=seed, group=0, index=0, horizon=turns)
    with RolloutRunner([world], concurrency=1, retries=0) as runner:
        try:
            (trajectory,) = runner.play([job], narrated)
        except InputEnded:
            assert narrated.trajectory is not None
            trajectory = narrated.trajectory
            console.print()
        except InputStopped:
            raise KeyboardInterrupt from None
    _show_end(trajectory, console)


def _model_actor(model: str, overrides: list[str], temperature: float, seed: int) -> Actor:
    """The model as ``eval`` would let it act: as the run says that made it."""
    from agentgym_rl.config import ConfigError
    from agentgym_rl.evaluation.subject import find_subject

    subject = find_subject(model, overrides)
    if subject.kind != "local":
        raise ConfigError(f"--model {model}: should be a run's folder, a checkpoint, a Hugging Face folder or hub id")
    from agentgym_rl.evaluation.models import local_actor

    progress().print(f"loading {subject.name}")
    return local_actor(subject.settings, temperature=temperature, seed=seed)


def _show_end(trajectory: Trajectory, console: Console) -> None:
    from agentgym_rl.evaluation.transcript import printable

    if trajectory.final_observation:
        console.print(printable(trajectory.final_observation))
    verdict = "success" if trajectory.success else "no success"
    console.print(f"{verdict}: score {trajectory.score:g} in {len(trajectory.turns)} turns", style="bold")

"""``agentgym-rl serve``: environments over HTTP."""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agentgym_rl.cli.console import output

if TYPE_CHECKING:
    from agentgym_rl.environments.service.server.settings import ServeSettings


class LogLevel(StrEnum):
    """What is logged at least."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def command(
    environments: Annotated[list[str], typer.Argument(help="Worlds: textcraft, package.module:Class.", metavar="ENV...")],
    option: Annotated[
        list[str] | None, typer.Option(help="A setting of a world, ENV.KEY=VALUE; repeatable. Clients may give others.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; beyond this machine it needs a token.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 is any free one.")] = 8001,
    workers: Annotated[int, typer.Option(min=0, help="Worker processes; 0: in the server's own, without deadlines.")] = 0,
    worker_episodes: Annotated[int | None, typer.Option(min=1, help="Replace a worker after so many episodes.")] = None,
    worker_memory_mib: Annotated[int | None, typer.Option(min=1, help="Replace a worker that holds more.")] = None,
    sessions: Annotated[int, typer.Option(min=1, help="Most open sessions.")] = 2048,
    queue: Annotated[int, typer.Option(min=1, help="Most calls under way.")] = 4096,
    body_bytes: Annotated[int, typer.Option(min=1024, help="Largest request body.")] = 8 << 20,
    lease: Annotated[float, typer.Option(help="Seconds until an unused session is closed.")] = 900.0,
    reset_seconds: Annotated[float, typer.Option(help="Deadline of a reset, in a worker.")] = 60.0,
    step_seconds: Annotated[float, typer.Option(help="Deadline of a step, in a worker.")] = 30.0,
    allow_expert: Annotated[bool, typer.Option("--allow-expert", help="Tell the oracle's actions to whoever asks.")] = False,
    agentgym: Annotated[
        bool,
        typer.Option("--agentgym", help="Speak the format of AgentGym's published servers: one world, textcraft or babyai."),
    ] = False,
    cors_origin: Annotated[list[str] | None, typer.Option(help="Web pages of this origin may call; repeatable.")] = None,
    ssl_certfile: Annotated[Path | None, typer.Option(help="TLS: the certificate chain.")] = None,
    ssl_keyfile: Annotated[Path | None, typer.Option(help="TLS: its key.")] = None,
    log_level: Annotated[LogLevel, typer.Option(help="Of the log on stderr: JSON lines.")] = LogLevel.INFO,
) -> None:
    """Serve environments over HTTP until Ctrl-C. Clients write http://HOST:PORT/ENV for the environment's id.

    The token that clients must send is taken from AGENTGYM_RL_TOKEN, on both sides.

    Example: agentgym-rl serve textcraft babyai --port 8001
    """
    from pydantic import SecretStr, ValidationError

    from agentgym_rl.config.errors import ConfigError
    from agentgym_rl.environments.service.agentgym.app import make_agentgym_app
    from agentgym_rl.environments.service.protocol import TOKEN_VARIABLE
    from agentgym_rl.environments.service.server.app import make_app
    from agentgym_rl.environments.service.server.logs import log_as_json
    from agentgym_rl.environments.service.server.run import serve
    from agentgym_rl.environments.service.server.settings import ServeSettings

    if agentgym and allow_expert:
        raise ConfigError("--allow-expert would do nothing with --agentgym, whose format has no oracle: remove it")
    if agentgym and option:
        raise ConfigError("--option would do nothing with --agentgym, whose worlds have the published settings: remove it")
    token = os.environ.get(TOKEN_VARIABLE)
    try:
        settings = ServeSettings(
            environments=environments,
            options=options_of(environments, option or []),
            host=host,
            port=port,
            workers=workers,
            worker_episodes=worker_episodes,
            worker_memory_mib=worker_memory_mib,
            sessions=sessions,
            queue=queue,
            body_bytes=body_bytes,
            lease=lease,
            reset_seconds=reset_seconds,
            step_seconds=step_seconds,
            allow_expert=allow_expert,
            token=SecretStr(token) if token else None,
            cors_origins=cors_origin or [],
            ssl_certfile=ssl_certfile,
            ssl_keyfile=ssl_keyfile,
        )
    except ValidationError as error:
        raise ConfigError("; ".join(map(said, error.errors()))) from error
    log_as_json(log_level.value)
    try:
        if agentgym:
            serve(settings, output().print, make_agentgym_app)
        else:
            serve(settings, lambda address: _announce(settings, address), make_app)
    except OSError as error:
        raise ConfigError(f"can't listen on {host}:{port}: {error.strerror or error}") from error


def options_of(environments: Sequence[str], words: Sequence[str]) -> dict[str, dict[str, Any]]:
    """``["webarena.share=true"]`` by world. Raises ConfigError: no such world, no value."""
    from agentgym_rl.cli.world import parse_settings
    from agentgym_rl.config.errors import ConfigError

    found: dict[str, list[str]] = {}
    for word in words:
        id = max((id for id in environments if word.startswith(f"{id}.")), key=len, default=None)
        if id is None:
            raise ConfigError(f"--option {word}: write ENV.KEY=VALUE with ENV one of {', '.join(environments)}")
        found.setdefault(id, []).append(word.removeprefix(f"{id}."))
    return {id: parse_settings(settings) for id, settings in found.items()}


def said(error: Any) -> str:
    """One thing that is wrong: in the settings' own words, or with the option before it."""
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    option = str(error["loc"][0]).replace("_", "-")
    return f"--{option}={error['input']}: {error['msg']}"


def _announce(settings: ServeSettings, address: str) -> None:
    """One line a world: what to write for it."""
    for id in settings.environments:
        output().print(f"{address}/{id}")

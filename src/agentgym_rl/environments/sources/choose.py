"""Which source the settings of a world ask for."""

from __future__ import annotations

from agentgym_rl.environments.errors import MissingExtra
from agentgym_rl.environments.service.client.address import is_address, split_address
from agentgym_rl.environments.settings import WorldSettings
from agentgym_rl.environments.sources.local import LocalSource
from agentgym_rl.environments.sources.source import Source
from agentgym_rl.environments.sources.workers import WorkersSource


def source_of(settings: WorldSettings) -> Source:
    """The source. Asks nobody yet.

    Raises:
        MissingExtra: servers need what is not installed.
        UnknownEnvironment: an id that begins like an address and is none.
    """
    if settings.servers:
        return _servers(settings, settings.servers, settings.id)
    if is_address(settings.id):
        server, environment = split_address(settings.id)
        return _servers(settings, [server], environment)
    if settings.workers is not None:
        return WorkersSource(settings, settings.workers)
    return LocalSource(settings)


def _servers(settings: WorldSettings, servers: list[str], environment: str) -> Source:
    try:
        from agentgym_rl.environments.sources.servers import ServersSource
    except ModuleNotFoundError as error:
        what = "pip install 'agentgym-rl[serve]'"
        raise MissingExtra(f"environments on servers need {error.name}: {what}", name=error.name) from error
    return ServersSource(settings, servers, environment)

"""What a server is started with."""

from __future__ import annotations

import ipaddress
import ssl
from typing import Annotated, Self

from pydantic import Field, FilePath, SecretStr, field_validator, model_validator

from agentgym_rl.config.settings import Settings

MEBIBYTE = 1 << 20


class ServeSettings(Settings):
    """Times are in seconds."""

    environments: list[str] = Field(min_length=1)
    """Ids of the worlds."""
    host: str = "127.0.0.1"
    """Address to listen on."""
    port: int = Field(default=8001, ge=0, le=65535)
    """0: any free one."""
    workers: int = Field(default=0, ge=0)
    """Worker processes that share the worlds. 0: worlds run in the server's own process, where a call can't be interrupted."""
    worker_episodes: int | None = Field(default=None, ge=1)
    """Replace a worker after so many episodes."""
    worker_memory_mib: int | None = Field(default=None, ge=1)
    """Replace a worker that holds more."""
    sessions: int = Field(default=2048, ge=1)
    """Most open sessions."""
    queue: int = Field(default=4096, ge=1)
    """Most calls under way; an operation of a batch counts as one."""
    body_bytes: int = Field(default=8 * MEBIBYTE, ge=1024)
    """Largest request body."""
    batch: int = Field(default=1024, ge=1)
    """Most operations in a batch."""
    lease: Annotated[float, Field(gt=0)] = 900.0
    """A session that is not used for so long is closed."""
    create_seconds: float = Field(default=60.0, gt=0)
    """Deadline of opening a session: what a world with new options needs to be looked at."""
    reset_seconds: float = Field(default=60.0, gt=0)
    """Deadline of a reset, in a worker."""
    step_seconds: float = Field(default=30.0, gt=0)
    """Deadline of a step, in a worker."""
    stop_seconds: float = Field(default=20.0, gt=0)
    """A stopping server waits so long for calls under way."""
    allow_expert: bool = False
    """Tell the oracle's next action to whoever asks."""
    token: SecretStr | None = None
    """What clients must send; needed unless the server listens on a loopback address only."""
    cors_origins: list[str] = Field(default_factory=list)
    """Web pages of these origins may call the server."""
    ssl_certfile: FilePath | None = None
    """TLS: the certificate chain."""
    ssl_keyfile: FilePath | None = None
    """TLS: its key."""

    @field_validator("token")
    @classmethod
    def _token_is_sendable(cls, token: SecretStr | None) -> SecretStr | None:
        if token is not None:
            text = token.get_secret_value()
            if len(text) < 16 or not text.isascii() or not text.isprintable() or " " in text:
                raise ValueError("a token has 16 printable ASCII characters at least and no space")
        return token

    @model_validator(mode="after")
    def _safe_and_useful(self) -> Self:
        if self.token is None and not is_loopback(self.host):
            raise ValueError(
                f"host={self.host} can be reached from elsewhere, so a token is needed: set AGENTGYM_RL_TOKEN, for example to "
                'the output of python -c "import secrets; print(secrets.token_urlsafe())"'
            )
        if (self.ssl_certfile is None) != (self.ssl_keyfile is None):
            raise ValueError("TLS needs both, the certificate and its key")
        if self.ssl_certfile is not None:
            try:
                ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.ssl_certfile, self.ssl_keyfile)
            except OSError as error:  # ssl.SSLError is one
                files = f"ssl_certfile={self.ssl_certfile} and ssl_keyfile={self.ssl_keyfile}"
                raise ValueError(f"{files} are not a certificate chain in PEM and its key: {error}") from error
        for name in ("worker_episodes", "worker_memory_mib", "reset_seconds", "step_seconds"):
            if self.workers == 0 and getattr(self, name) != type(self).model_fields[name].default:
                raise ValueError(f"{name}={getattr(self, name):g} would do nothing without workers: set workers=1 or more")
        return self


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server on ``host``."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

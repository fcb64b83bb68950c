"""Where a server listens, and who may talk to it."""

from __future__ import annotations

import ipaddress
import ssl
from typing import Self

from pydantic import Field, FilePath, SecretStr, field_validator, model_validator

from agentgym_rl.config.settings import Settings

MEBIBYTE = 1 << 20


class ListenSettings(Settings):
    """What all servers have. Times are in seconds."""

    host: str = "127.0.0.1"
    """Address to listen on."""
    port: int = Field(default=8001, ge=0, le=65535)
    """0: any free one."""
    queue: int = Field(default=4096, ge=1)
    """Most calls under way; an operation of a batch counts as one."""
    body_bytes: int = Field(default=8 * MEBIBYTE, ge=1024)
    """Largest request body."""
    stop_seconds: float = Field(default=20.0, gt=0)
    """A stopping server waits so long for calls under way."""
    token: SecretStr | None = None
    """What clients must send; needed unless the server listens on a loopback address only."""
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
        return self


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server on ``host``."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

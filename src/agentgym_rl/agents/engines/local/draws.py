"""Counter-based random numbers: each draw of a token has its own, whatever the batch and the order."""

from __future__ import annotations

import hashlib
import struct

from agentgym_rl.agents.engines.protocol import DrawKey

_UNIT = 2.0**-53


def uniform(key: DrawKey, token: int) -> float:
    """The number in [0, 1) that belongs to token number ``token`` of the message named by ``key``."""
    digest = hashlib.blake2b(struct.pack("<7q", *key, token), digest_size=8).digest()
    return (int.from_bytes(digest, "little") >> 11) * _UNIT

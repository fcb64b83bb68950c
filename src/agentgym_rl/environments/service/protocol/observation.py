"""Observations on the wire: text, and pictures as base64 PNG."""

from __future__ import annotations

import base64
import io
from typing import Any, cast

import numpy as np

from agentgym_rl.environments.protocol import Image, Observation
from agentgym_rl.environments.service.protocol.message import Answer


class WireObservation(Answer):
    """An observation; with pictures, that of a world whose observations are ``{"text": ..., "image": ...}``."""

    text: str
    images: dict[str, str] | None = None
    """Pictures by name, as base64 PNG; null for a world without any."""


def encode(observation: Observation) -> WireObservation:
    """The observation in its form on the wire.

    Raises:
        TypeError: a part that is neither text nor a picture.
    """
    if isinstance(observation, str):
        return WireObservation(text=observation)
    pictures = {name: _png(name, part) for name, part in observation.items() if name != "text"}
    return WireObservation(text=observation["text"], images=pictures)


def decode(observation: WireObservation) -> Observation:
    """The observation as the world made it."""
    if observation.images is None:
        return observation.text
    return {"text": observation.text, **{name: _picture(png) for name, png in observation.images.items()}}


def _png(name: str, picture: Any) -> str:
    from PIL import Image as Pillow

    if not (isinstance(picture, np.ndarray) and picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3):
        raise TypeError(f"the observation's {name!r} is no picture (uint8 [height, width, 3]), so it can't be served")
    stream = io.BytesIO()
    Pillow.fromarray(picture).save(stream, "PNG", compress_level=1)
    return base64.b64encode(stream.getvalue()).decode("ascii")


def _picture(png: str) -> Image:
    from PIL import Image as Pillow

    with Pillow.open(io.BytesIO(base64.b64decode(png))) as picture:
        return cast("Image", np.array(picture.convert("RGB")))

"""From what a Gymnasium environment shows to the observation of a world."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from agentgym_rl.environments.adapters.gymnasium.known import Known
from agentgym_rl.environments.adapters.gymnasium.registration import Made
from agentgym_rl.environments.adapters.gymnasium.text import MOST_NUMBERS, fields_of, numbers_of, plain_render, text_of
from agentgym_rl.environments.protocol import Observation


class Writer:
    """Fills a template, and adds the picture where there is one."""

    def __init__(self, id: str, known: Known, template: str | None, *, image: bool) -> None:
        """``id`` is for messages.

        Raises:
            ValueError: a template that can't be filled.
        """
        self._id = id
        self._known = known
        self._template = template if template is not None else "{text}"
        self._fields = fields_of(id, self._template)
        if image and "render" in self._fields:
            raise ValueError(f"environment {id!r}: a template with {{render}} and image=true exclude each other")
        self.mode: Literal["rgb_array", "ansi"] | None = (
            "rgb_array" if image else "ansi" if "render" in self._fields else None
        )
        """The render mode that the environment has to be made with."""

    def check(self, env: Made) -> None:
        """Raises ValueError: the observations of an environment are no text, and nothing else is shown."""
        numbers = numbers_of(env.observation_space)
        if self.mode is None and "text" in self._fields and numbers > MOST_NUMBERS and self._known.describe is None:
            raise ValueError(
                f"environment {self._id!r}: an observation has {numbers} numbers, too many to read: give a template, or "
                "image=true"
            )

    def write(self, env: Made, observed: Any, offered: str) -> str:
        """The text of an observation; ``offered``: what can be done."""
        fields: dict[str, Any] = {"observation": observed, "actions": offered}
        if "text" in self._fields:
            fields["text"] = self._in_words(env, observed)
        if "render" in self._fields:
            fields["render"] = plain_render(env.render())
        return self._template.format(**fields)

    def observation(self, env: Made, text: str) -> Observation:
        """The text, with the picture where there is one."""
        return {"text": text, "image": self.picture(env)} if self.mode == "rgb_array" else text

    def picture(self, env: Made) -> Any:
        """uint8[H, W, 3]."""
        return np.asarray(env.render(), dtype=np.uint8)

    def _in_words(self, env: Made, observed: Any) -> str:
        if self._known.describe is not None:
            return self._known.describe(env.unwrapped, observed)
        if numbers_of(env.observation_space) > MOST_NUMBERS:
            return "See the picture."
        return text_of(observed, self._known.labels)

"""How many turns an episode may take at a step: a pure function of the step and the records of earlier steps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from pydantic import TypeAdapter, ValidationError

from agentgym_rl.training.horizon.adaptive import Record, adaptive_stage
from agentgym_rl.training.horizon.settings import AdaptiveHorizon, HorizonSettings, StagedHorizon

_SETTINGS: TypeAdapter[HorizonSettings] = TypeAdapter(HorizonSettings)


class Horizon:
    """The horizon schedule of a run (ScalingInter-RL, https://arxiv.org/abs/2509.08755).

    >>> Horizon(schedule="stages", turns=[10, 20, 30], every=100).at(101)
    20

    It holds no state: a resumed run that passes the same records gets the horizon of an uninterrupted one.

    Args:
        schedule: ``fixed``, ``stages`` or ``adaptive``.
        options: the keys of that schedule, see :mod:`agentgym_rl.training.horizon.settings`.

    Raises:
        ValueError: an unknown schedule, a missing or unknown key, ``turns`` empty or falling, ``every`` below 1.
    """

    def __init__(self, schedule: str = "fixed", **options: Any) -> None:
        try:
            self.settings: HorizonSettings = _SETTINGS.validate_python({"schedule": schedule, **options})
        except ValidationError as error:
            raise ValueError("; ".join(_explain(item) for item in error.errors())) from None

    @classmethod
    def from_settings(cls, settings: HorizonSettings) -> Self:
        """The schedule of a checked ``horizon`` section."""
        return cls(**settings.model_dump())

    def stage(self, step: int, history: Iterable[Record] = ()) -> int:
        """Index into ``turns`` of ``step`` (from 1). ``history``: metrics of earlier steps, in any order."""
        if step < 1:
            raise ValueError(f"step={step}: steps count from 1")
        match self.settings:
            case StagedHorizon(turns=turns, every=every):
                return min((step - 1) // every, len(turns) - 1)
            case AdaptiveHorizon() as settings:
                return adaptive_stage(settings, step, history)
            case _:
                return 0

    def at(self, step: int, history: Iterable[Record] = ()) -> int:
        """The most turns an episode of ``step`` (from 1) may take. ``history``: metrics of earlier steps."""
        return self.settings.turns[self.stage(step, history)]


def _explain(error: Any) -> str:
    """One line for one pydantic error: the key, the value and what is wrong with it."""
    path = ".".join(str(part) for part in ("horizon", *error["loc"][1:]))
    schedule = error["loc"][0] if error["loc"] else ""
    match error["type"]:
        case "missing":
            return f"{path} is missing: schedule={schedule} needs it"
        case "extra_forbidden":
            return f"{path}={error['input']!r} does nothing with schedule={schedule}: remove it or choose another schedule"
        case "union_tag_invalid":
            return f"horizon.schedule={error['input']['schedule']!r} is unknown: there are {error['ctx']['expected_tags']}"
        case "value_error":
            return str(error["ctx"]["error"])
        case _:
            return f"{path}={error['input']!r}: {error['msg']}"

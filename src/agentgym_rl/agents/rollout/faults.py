"""How many faults a run bears."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from agentgym_rl.records.trajectory import Trajectory


class TooManyFaults(RuntimeError):
    """More episodes than ``rollout.max_fault_rate`` were lost to faults; the message lists the causes."""

    @classmethod
    def among(cls, when: str, episodes: Sequence[Trajectory], max_fault_rate: float) -> TooManyFaults:
        """The error about ``episodes``. ``when``: e.g. ``step 3``."""
        causes = Counter(episode.faults[-1] for episode in episodes if not episode.valid)
        listed = "; ".join(f"{count} × {cause}" for cause, count in causes.most_common(5))
        return cls(
            f"{when}: {causes.total()} of {len(episodes)} episodes were lost to faults, and "
            f"rollout.max_fault_rate={max_fault_rate:g}: {listed}"
        )


def refuse_faults(when: str, episodes: Sequence[Trajectory], max_fault_rate: float) -> None:
    """Raise :class:`TooManyFaults` if more than that share of ``episodes`` were lost."""
    if sum(not episode.valid for episode in episodes) > max_fault_rate * len(episodes):
        raise TooManyFaults.among(when, episodes, max_fault_rate)

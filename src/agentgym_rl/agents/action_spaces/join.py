"""Messages made of several stretches."""

from __future__ import annotations

from collections.abc import Sequence

from agentgym_rl.agents.engines.protocol import SampleResult


def forced(ids: Sequence[int]) -> SampleResult:
    """A stretch that was not sampled."""
    return SampleResult(list(ids), [False] * len(ids), [0.0] * len(ids))


def join(first: SampleResult, second: SampleResult) -> SampleResult:
    """One message of two stretches; it ended as the second one did."""
    kept = None
    if first.kept is not None or second.kept is not None:
        kept = [*_kept(first), *_kept(second)]
    return SampleResult(
        token_ids=first.token_ids + second.token_ids,
        sampled=first.sampled + second.sampled,
        log_probs=first.log_probs + second.log_probs,
        stop=second.stop,
        policy_version=second.policy_version,
        kept=kept,
    )


def _kept(result: SampleResult) -> list[list[int]]:
    """One list a sampled token; an empty one says that it was drawn among all."""
    return result.kept if result.kept is not None else [[] for sampled in result.sampled if sampled]

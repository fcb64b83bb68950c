"""Random numbers of players: each decision has its own, named by counters, so order and concurrency change nothing."""

from __future__ import annotations

import numpy as np

from agentgym_rl.agents.players.player import Moment


def generator(seed: int, moment: Moment) -> np.random.Generator:
    """The generator of one decision: depends on the player's seed, the job's numbers and the turn alone."""
    job = moment.job
    return np.random.default_rng((seed, job.seed, job.step, job.world, job.group, job.index, moment.turn))

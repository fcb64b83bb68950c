"""Golden numbers from verl, an independent implementation. Not part of the tests; they read the ``verl.json`` it writes.

Made with verl 0.8.0 and torch 2.13.0 in float64, in a folder of its own::

    pip install --no-deps --target /tmp/golden verl==0.8.0 ray msgpack jsonschema jsonschema-specifications referencing \\
        rpds-py omegaconf antlr4-python3-runtime==4.9.3 tensordict pyvers codetiming
    PYTHONPATH=/tmp/golden python tests/training/algorithms/golden/make_golden.py

verl's REINFORCE++ forgets the return at every observation token, so its batch here has no observations between messages;
all others have them.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from verl.trainer.ppo import core_algos
from verl.workers.config import ActorConfig

MASK = [
    [0, 1, 1, 0, 0, 1, 1, 1, 0, 1],
    [1, 1, 0, 0, 1, 0, 0, 0, 0, 0],
    [0, 1, 1, 1, 1, 0, 1, 1, 0, 0],
    [1, 0, 1, 0, 1, 0, 1, 0, 1, 0],
    [1, 1, 1, 1, 1, 1, 0, 0, 0, 0],
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
]
GROUPS = [0, 0, 0, 5, 5, 5]


def main() -> None:
    generator = torch.Generator().manual_seed(0)

    def draw(scale: float) -> torch.Tensor:
        return (torch.randn(6, 10, generator=generator, dtype=torch.float64) * scale).round(decimals=3)

    mask = torch.tensor(MASK, dtype=torch.float64)
    single = torch.tensor([[int(t < sum(row)) for t in range(10)] for row in MASK], dtype=torch.float64)
    rewards, values = draw(1.0) * last_of_each_message(mask), draw(0.5)
    terminal = draw(1.0) * last_of_each_message(single)
    baselines = draw(0.5)[:, 0]
    old, new, reference = draw(0.5) - 2, draw(0.5) - 2, draw(0.5) - 2
    advantages, old_values, returns = draw(1.0), draw(0.5), draw(0.5)
    index = np.array(GROUPS)
    config = SimpleNamespace(gamma=1.0)
    gae, gae_returns = core_algos.compute_gae_advantage_return(rewards, values, mask, 0.97, 0.9)
    result: dict[str, Any] = {
        "versions": {"verl": "0.8.0", "torch": torch.__version__},
        "inputs": {
            "mask": MASK,
            "groups": GROUPS,
            "rewards": rewards,
            "values": values,
            "single": single,
            "terminal": terminal,
            "baselines": baselines,
            "old": old,
            "new": new,
            "reference": reference,
            "advantages": advantages,
            "old_values": old_values,
            "returns": returns,
        },
        "estimators": {
            "gae": gae * mask,
            "gae_returns": gae_returns * mask,
            "grpo": core_algos.compute_grpo_outcome_advantage(rewards, mask, index)[0],
            "dr_grpo": core_algos.compute_grpo_outcome_advantage(rewards, mask, index, norm_adv_by_std_in_grpo=False)[0],
            "rloo": core_algos.compute_rloo_outcome_advantage(rewards, mask, index)[0],
            "reinforce_pp": core_algos.compute_reinforce_plus_plus_outcome_advantage(terminal, single, config)[0],
            "reinforce_pp_baseline": core_algos.compute_reinforce_plus_plus_baseline_outcome_advantage(rewards, mask, index)[
                0
            ],
            "remax": core_algos.compute_remax_outcome_advantage(terminal, baselines, single)[0],
        },
        "losses": {
            f"{name}/{aggregation}": policy(name, aggregation, low, high, old, new, advantages, mask)
            for name, low, high in (("vanilla", 0.2, 0.28), ("cispo", 0.5, 0.4), ("gspo", 0.02, 0.03))
            for aggregation in ("token-mean", "seq-mean-token-mean", "seq-mean-token-sum-norm")
            if name != "gspo" or aggregation == "seq-mean-token-mean"
        },
        "value": core_algos.compute_value_loss(values, returns, old_values, mask, 0.2)[0],
        "kl": {name: core_algos.kl_penalty(new, reference, name) * mask for name in ("k1", "k2", "k3")},
    }
    text = json.dumps(result, default=lambda tensor: tensor.tolist(), indent=None)
    Path(__file__).with_name("verl.json").write_text(text + "\n")


def last_of_each_message(mask: torch.Tensor) -> torch.Tensor:
    following = torch.nn.functional.pad(mask[:, 1:], (0, 1))
    return mask * (1 - following)


def policy(
    name: str,
    aggregation: str,
    low: float,
    high: float,
    old: torch.Tensor,
    new: torch.Tensor,
    advantages: torch.Tensor,
    mask: torch.Tensor,
) -> dict[str, Any]:
    """Value and gradient of a policy loss; dual clip at 3."""
    config = ActorConfig(
        strategy="fsdp",
        rollout_n=1,
        ppo_micro_batch_size_per_gpu=1,
        clip_ratio=0.2,
        clip_ratio_low=low,
        clip_ratio_high=high,
    )
    log_probs = new.clone().requires_grad_()
    loss, _ = core_algos.get_policy_loss_fn(name)(old, log_probs, advantages, mask, aggregation, config)
    loss.backward()
    return {"low": low, "high": high, "loss": loss.detach(), "gradient": log_probs.grad}


if __name__ == "__main__":
    main()

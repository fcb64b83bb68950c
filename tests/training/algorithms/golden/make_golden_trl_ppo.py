"""Golden numbers from TRL's PPO. Not part of the tests; they read the ``trl_ppo.json`` it writes.

Made with trl 0.11.4 and torch 2.13.0 in float64: the last release whose PPO trainer has its advantages and losses in methods
that take tensors (later ones have them inside the training loop). Besides what ``make_golden_trl.py`` needs::

    pip install --no-deps --target /tmp/trl-ppo trl==0.11.4 tyro docstring-parser shtab typeguard
    PYTHONPATH=/tmp/trl-ppo:/tmp/trl python tests/training/algorithms/golden/make_golden_trl_ppo.py

TRL's advantages know no observations: at a masked token it takes the value 0 and still discounts. So its batch here has one
message an episode, padded at the end (``single`` of ``verl.json``); the losses have observations between messages.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import torch
import trl
from trl.trainer.ppo_trainer import PPOTrainer

HERE = Path(__file__).parent


def main() -> None:
    torch.set_default_dtype(torch.float64)
    inputs = {name: torch.tensor(values) for name, values in json.loads((HERE / "verl.json").read_text())["inputs"].items()}
    config = SimpleNamespace(
        whiten_rewards=False, gamma=0.97, lam=0.9, cliprange=0.2, cliprange_value=0.2, vf_coef=1.0, ratio_threshold=1e9
    )
    trainer = SimpleNamespace(config=config)
    single = inputs["single"]
    _, advantages, returns = PPOTrainer.compute_advantages(trainer, inputs["values"], inputs["terminal"], single)
    log_probs, values = inputs["new"].clone().requires_grad_(), inputs["values"].clone().requires_grad_()
    logits = torch.zeros(6, 10, 2)  # for a metric
    policy_loss, value_loss, _ = PPOTrainer.loss(
        trainer,
        inputs["old"],
        inputs["old_values"],
        logits,
        values,
        log_probs,
        inputs["mask"].double(),
        inputs["advantages"],
        inputs["returns"],
    )
    (policy_loss + value_loss).backward()
    result = {
        "versions": {"trl": trl.__version__, "torch": torch.__version__},
        "advantages": advantages * single,
        "returns": returns * single,
        "policy": {"loss": policy_loss.detach(), "gradient": log_probs.grad},
        "value": {"loss": value_loss.detach(), "gradient": values.grad},
    }
    text = json.dumps(result, default=lambda tensor: tensor.tolist(), indent=None)
    (HERE / "trl_ppo.json").write_text(text + "\n")


if __name__ == "__main__":
    main()

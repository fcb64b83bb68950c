"""Golden numbers from TRL, an independent implementation. Not part of the tests; they read the ``trl.json`` it writes.

Made with trl 1.16.0 and torch 2.13.0 in float64, in a folder of its own::

    pip install --no-deps --target /tmp/trl trl==1.16.0 datasets pyarrow dill xxhash multiprocess pandas python-dateutil \\
        pytz tzdata six
    PYTHONPATH=/tmp/trl python tests/training/algorithms/golden/make_golden_trl.py

The numbers come out of TRL's own methods, ``_generate_and_score_completions`` and ``_compute_loss`` of its GRPO and RLOO
trainers; only what would generate, score and read a model is replaced. The batch is that of ``verl.json``: its mask is
TRL's ``tool_mask``, a completion that TRL could not score is a fault, and what vLLM recorded are the engine's log-probs.

Where TRL defines something else than this project:

- GRPO adds 1e-4 to the deviation; that is a setting here.
- CISPO's ``epsilon_high`` bounds the ratio itself, ``clip_high`` here its distance from 1: ``epsilon_high = 1 + clip_high``.
- ``delta`` (two-sided clipping) bounds the ratio before it meets the advantage; where it lies above ``1 + epsilon_high`` that
  is ``dual_clip``.
- RLOO's loss has one ratio an episode (the product of its tokens') and the mean over episodes. The first gradient, at
  ratio 1, is that of the policy gradient here with ``fixed_length=1``; the value is another one, so only gradients are kept.
- The entropy bonus is a mean over tokens whatever the loss does; here it follows ``loss.aggregation``. They agree for a token
  mean, which is what is kept.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
import trl
from accelerate import Accelerator
from torch import Tensor
from trl.trainer.grpo_trainer import GRPOTrainer
from trl.trainer.rloo_trainer import RLOOTrainer

HERE = Path(__file__).parent
FAULTS = [1]
LOW, HIGH, CISPO_HIGH, GSPO_LOW, GSPO_HIGH = 0.2, 0.28, 0.4, 0.02, 0.03


class Replaced:
    """A trainer without a model: its log-probs, completions and rewards are given."""

    def __init__(self, **settings: Any) -> None:
        self.accelerator = Accelerator(cpu=True)
        self.model = SimpleNamespace(training=True, is_gradient_checkpointing=False)
        self.args = SimpleNamespace(
            delta=None,
            use_bias_correction_kl=False,
            steps_per_generation=1,
            gradient_accumulation_steps=1,
            per_device_train_batch_size=6,
            gradient_checkpointing_kwargs=None,
        )
        self._tokenizer = SimpleNamespace(pad_token_id=0)
        self._metrics: Any = {"train": defaultdict(list)}
        self._logs: Any = defaultdict(list, rewards=defaultdict(list), extra=defaultdict(list))
        self._pending_extra_logs: dict[str, Any] = {}
        self._pending_metrics: dict[str, Any] = {}
        self.environments = self.environment_factories = self.tools = self.pad_to_multiple_of = None
        self.mask_truncated_completions = self.aux_loss_enabled = self.use_vllm = False
        self.beta, self.epsilon_low, self.epsilon_high = 0.0, LOW, HIGH
        self.num_generations, self.reward_funcs, self.reward_func_names = 3, [None], ["reward"]
        self.reward_weights = torch.ones(1)
        vars(self).update(settings)

    def _get_per_token_logps_and_entropies(self, *_: Any, **__: Any) -> tuple[Tensor, Tensor, None]:
        return self.log_probs, self.entropies, None  # type: ignore[attr-defined]

    def _calculate_rewards(self, *_: Any) -> Tensor:
        return self.rewards[:, None].clone()  # type: ignore[attr-defined, no-any-return]


class Grpo(Replaced, GRPOTrainer):  # type: ignore[misc]
    def __init__(self, **settings: Any) -> None:
        usual = {
            "scale_rewards": "group",
            "multi_objective_aggregation": "sum_then_normalize",
            "importance_sampling_level": "token",
            "loss_type": "grpo",
            "num_iterations": 1,
            "max_completion_length": 10,
            "current_gradient_accumulation_steps": 1,
            "top_entropy_quantile": 1.0,
            "off_policy_mask_threshold": None,
            "vllm_importance_sampling_correction": True,
            "_entropy_bonus_enabled": False,
            "use_adaptive_entropy": False,
        }
        super().__init__(**usual | settings)

    def _generate(self, prompts: list[Any]) -> tuple[Any, ...]:
        ids, sampled = [[1] * 10 for _ in prompts], getattr(self, "sampled", None)
        return [[1] for _ in prompts], ids, self.tool_mask.int().tolist(), [""] * len(prompts), sampled, {}, None, []


class Rloo(Replaced, RLOOTrainer):  # type: ignore[misc]
    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"reward_clip_range": None, "normalize_advantages": False} | settings)

    def _generate(self, prompts: list[Any]) -> tuple[Any, ...]:
        return [[1] for _ in prompts], [[1] * 10 for _ in prompts], [""] * len(prompts)


def main() -> None:
    torch.set_default_dtype(torch.float64)
    inputs = {name: torch.tensor(values) for name, values in json.loads((HERE / "verl.json").read_text())["inputs"].items()}
    mask, returns = inputs["mask"].double(), inputs["rewards"].sum(1)
    faulty = returns.clone()
    faulty[FAULTS] = torch.nan
    draw = torch.Generator().manual_seed(1)
    engine = (inputs["old"] + torch.randn(6, 10, generator=draw) * 0.2).round(decimals=3)
    entropies = torch.rand(6, 10, generator=draw).round(decimals=3)
    episode_advantages = inputs["advantages"][:, 0]
    given = {"log_probs": inputs["new"], "entropies": entropies, "tool_mask": mask, "rewards": returns}

    def scored(trainer: type[Any], **settings: Any) -> dict[str, Tensor]:
        return trainer(**given | settings)._generate_and_score_completions([{"prompt": ""}] * 6)  # type: ignore[no-any-return]

    def loss(advantages: Tensor, **settings: Any) -> dict[str, Any]:
        new = inputs["new"].clone().requires_grad_()
        trainer = Grpo(**given | settings | {"log_probs": new})
        trainer.args.delta = settings.get("delta")
        value = trainer._compute_loss(None, batch(mask, advantages, inputs))
        value.backward()
        return {"loss": value.detach(), "gradient": new.grad}

    corrections = {
        "token/truncate": {"vllm_importance_sampling_mode": "token_truncate", "vllm_importance_sampling_clip_min": None},
        "token/mask": {"vllm_importance_sampling_mode": "token_mask", "vllm_importance_sampling_clip_min": 0.8},
        "sequence/truncate": {
            "vllm_importance_sampling_mode": "sequence_truncate",
            "vllm_importance_sampling_clip_min": None,
        },
        "sequence/mask": {"vllm_importance_sampling_mode": "sequence_mask", "vllm_importance_sampling_clip_min": 0.8},
    }
    on_policy = inputs["new"].clone().requires_grad_()
    Rloo(**given | {"log_probs": on_policy})._compute_loss(None, rloo_batch(mask, episode_advantages, inputs)).backward()
    result = {
        "versions": {"trl": trl.__version__, "torch": torch.__version__},
        "inputs": {"engine": engine, "entropies": entropies, "faults": FAULTS},
        "advantages": {
            "grpo": scored(Grpo)["advantages"],
            "grpo, a fault": scored(Grpo, rewards=faulty)["advantages"],
            "dr_grpo": scored(Grpo, scale_rewards="none")["advantages"],
            "rloo": scored(Rloo)["advantages"],
            "rloo, a fault": scored(Rloo, rewards=faulty)["advantages"],
        },
        "losses": {
            "grpo": loss(inputs["advantages"]),
            "bnpo": loss(inputs["advantages"], loss_type="bnpo"),
            "dr_grpo": loss(inputs["advantages"], loss_type="dr_grpo"),
            "dapo": loss(inputs["advantages"], loss_type="dapo"),
            "delta": loss(inputs["advantages"], loss_type="bnpo", delta=1.5),
            "cispo": loss(inputs["advantages"], loss_type="cispo", epsilon_high=1 + CISPO_HIGH),
            "gspo": loss(
                episode_advantages, importance_sampling_level="sequence", epsilon_low=GSPO_LOW, epsilon_high=GSPO_HIGH
            ),
            "k3": loss(inputs["advantages"], beta=0.3),
            "entropy": loss(inputs["advantages"], loss_type="bnpo", _entropy_bonus_enabled=True, entropy_coef=0.2),
        },
        "rloo_gradient": on_policy.grad,
        "corrections": {
            name: scored(
                Grpo,
                log_probs=inputs["old"],
                use_vllm=True,
                sampled=engine.tolist(),
                vllm_importance_sampling_clip_max=1.25,
                **settings,
            )["importance_sampling_ratio"].expand(6, 10)
            * mask
            for name, settings in corrections.items()
        },
    }
    text = json.dumps(result, default=lambda tensor: tensor.tolist(), indent=None)
    (HERE / "trl.json").write_text(text + "\n")


def batch(mask: Tensor, advantages: Tensor, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    """What ``_compute_loss`` reads."""
    ids = torch.ones(6, 10, dtype=torch.long)
    return {
        "prompt_ids": ids[:, :1],
        "prompt_mask": ids[:, :1],
        "completion_ids": ids,
        "completion_mask": ids,
        "tool_mask": mask,
        "advantages": advantages,
        "old_per_token_logps": inputs["old"],
        "ref_per_token_logps": inputs["reference"],
        "num_items_in_batch": mask.sum(),
    }


def rloo_batch(mask: Tensor, advantages: Tensor, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    """The same for RLOO before the first update; its trainer knows no tools, so the mask is that of the completion."""
    return batch(mask, advantages, inputs) | {"completion_mask": mask, "old_logps": (inputs["new"] * mask).sum(1)}


if __name__ == "__main__":
    main()

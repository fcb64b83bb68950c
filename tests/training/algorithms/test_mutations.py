# ruff: noqa: E501
"""Faults that multi-turn RL code bases have had, put in one by one: some test must fail for each."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import agentgym_rl

TRAINING = Path(agentgym_rl.__path__[0]) / "training"
TESTS = Path(__file__).parents[1]

HAND = "advantages/test_hand_worked.py"
PROPERTIES = "advantages/test_properties_of_estimators.py"
REFUSES = "advantages/test_estimate_refuses.py"
POLICY = "losses/test_policy_losses.py"
SUMS = "losses/test_aggregation.py"
KL = "losses/test_kl_terms.py"
REST = "losses/test_corrections.py"
WHOLE = "algorithms/test_whole_loss.py"
SCHEDULE = "horizon/test_schedule.py"
ADAPTIVE = "horizon/test_adaptive.py"
SHIFT = "learner/test_log_probs_agree.py::test_log_probs_and_entropy_are_those_of_a_plain_forward"
DECAY = "learner/test_updates.py::test_the_learning_rate_falls_to_a_tenth_after_the_warm_up"
WARM_UP = "learner/test_updates.py::test_the_learning_rate_warms_up_from_a_first_step_that_is_not_zero"
DRAWS = "test_draws.py"

MUTATIONS = {
    "reward on an observation token dropped": ("advantages/rows.py", "if stray.any():", "if False:", REFUSES),
    "mask inverted": ("advantages/rows.py", "mask = inputs.action_mask.bool() &", "mask = ~inputs.action_mask.bool() &", HAND),
    "faults kept": ("advantages/rows.py", "return inputs.valid.bool()", "return inputs.valid.bool() | True", HAND),
    "one turn": ("advantages/rows.py", "(numbers[:, 1:] != numbers[:, :-1])", "(numbers[:, 1:] == numbers[:, :-1] - 9)", HAND),
    "discount one token late": ("advantages/rows.py", "torch.where(self.last, gamma, 1.0)", "torch.where(self.last.roll(1, 1), gamma, 1.0)", HAND),
    "population std": ("advantages/groups.py", "(count - 1).clamp(min=1)).sqrt()", "count.clamp(min=1)).sqrt()", HAND),
    "groups mixed": ("advantages/groups.py", "ids = torch.unique(groups, return_inverse=True)[1]", "ids = torch.zeros_like(groups, dtype=torch.long)", PROPERTIES),
    "residue of equal returns kept": ("advantages/groups.py", "> EQUAL * scale", "> 0", PROPERTIES),
    "mean includes faults": ("advantages/groups.py", "count = _sum(valid.float(), ids)", "count = _sum(torch.ones_like(valid.float()), ids)", HAND),
    "next value off by one": ("advantages/gae.py", "pad(values[:, 1:], (0, 1))", "pad(values[:, 2:], (0, 2))", HAND),
    "lambda forgotten": ("advantages/gae.py", "decay * settings.lam", "decay", HAND),
    "bootstrap at the horizon": ("advantages/gae.py", "if settings.bootstrap:", "if True:", HAND),
    "turn bootstrap at the horizon": ("advantages/turn_gae.py", "if settings.bootstrap:", "if True:", HAND),
    "value of the last token of a turn": ("advantages/turn_gae.py", "torch.where(first,", "torch.where(rows.last,", HAND),
    "whitened targets": ("advantages/gae.py", "rows.unpack(returns)", "rows.unpack(advantages)", HAND),
    "own return in the baseline": ("advantages/rloo.py", "* statistics.count / (statistics.count - 1).clamp(min=1)", "", HAND),
    "return instead of return to go": ("advantages/reinforce.py", "rows.returns_to_go(settings.gamma)", "rows.returns(settings.gamma)[:, None]", HAND),
    "greedy baseline added": ("advantages/remax.py", "- inputs.baselines", "+ inputs.baselines", HAND),
    "states compared across groups": ("advantages/gigpo.py", "(groups[episode], states[episode][number])", "(0, states[episode][number])", PROPERTIES),
    "undiscounted turn part": ("advantages/gigpo.py", "rows.returns_to_go(settings.gamma)", "rows.returns_to_go(1.0)", HAND),
    "ratio upside down": ("losses/masked.py", "(masked(numerator, mask) - masked(denominator, mask))", "(masked(denominator, mask) - masked(numerator, mask))", POLICY),
    "clip pessimism lost": ("losses/ppo_clip.py", "torch.maximum(plain, clipped)", "torch.minimum(plain, clipped)", POLICY),
    "clip sides swapped": ("losses/ppo_clip.py", "ratio.clamp(1 - clip_low, 1 + clip_high)", "ratio.clamp(1 - clip_high, 1 + clip_low)", POLICY),
    "dual clip on good actions": ("losses/ppo_clip.py", "(advantages < 0) & (losses > floor)", "losses > floor", POLICY),
    "sequence ratio summed": ("losses/gspo.py", " / inputs.mask.sum(1, keepdim=True).clamp(min=1)", "", POLICY),
    "gradient through the weight": ("losses/cispo.py", ".exp().detach()", ".exp()", POLICY),
    "policy gradient descends": ("losses/policy_gradient.py", "losses = -masked", "losses = masked", POLICY),
    "faults count as episodes": ("losses/aggregation.py", "episodes = (counts > 0).sum()", "episodes = (counts >= 0).sum()", SUMS),
    "KL sign": ("losses/kl.py", "return difference\n", "return -difference\n", KL),
    "k3 of the other direction": ("losses/kl.py", "(-difference).exp() - 1 + difference", "difference.exp() - 1 - difference", KL),
    "KL controller inverted": ("losses/kl_controller.py", "kl / self.target - 1", "1 - kl / self.target", KL),
    "value clip optimistic": ("losses/value.py", "torch.maximum(losses, kept)", "torch.minimum(losses, kept)", REST),
    "forced tokens of bad messages": ("losses/forced.py", "& (advantages > 0)", "", REST),
    "entropy punished": ("algorithms/policy_loss.py", "-recipe.entropy_coefficient *", "recipe.entropy_coefficient *", WHOLE),
    "KL rewarded": ("algorithms/algorithm.py", "rewards = rewards - (kl.coefficient", "rewards = rewards + (kl.coefficient", WHOLE),
    "critic trained on all tokens of a turn": ("algorithms/algorithm.py", "(turns > earlier)", "(turns >= earlier)", WHOLE),
    "correction masks where it should truncate": ("losses/correction.py", 'if kind == "truncate"', 'if kind == "mask"', REST),
    "floor of the correction forgotten": ("losses/correction.py", "(weights >= floor) &", "", REST),
    "correction of the sequence by the token": ("losses/correction.py", 'if level == "sequence"', 'if level == "token"', REST),
    "overlong penalty from the limit on": ("losses/overlong.py", "(limit - buffer)", "limit", REST),
    "overlong bonus for short episodes": ("losses/overlong.py", ".clamp(0, 1)", ".clamp(max=1)", REST),
    "overlong rewarded": ("algorithms/algorithm.py", "rewards - self._overlong(", "rewards + self._overlong(", WHOLE),
    "log-probs one token early": ("batching/micro_batch.py", "tree_rows[offset - 1]", "tree_rows[offset - 2]", SHIFT),
    "kept ids of the token before": ("batching/micro_batch.py", "[order[place]]", "[order[place] - 1]", SHIFT),
    "last shared token unseen": ("batching/tree.py", "rows[:shared]", "rows[: max(shared - 1, 0)]", SHIFT),
    "children of all parents alike": ("batching/tree.py", "self._children.get((row, token)) if share", "self._children.get((len(rows) - 1, token)) if share", SHIFT),
    "decay before the warm-up ends": ("learner/optimizer.py", "step - settings.warmup_steps)", "step)", DECAY),
    "first step of the warm-up is zero": ("learner/optimizer.py", "step / max(1,", "(step - 1) / max(1,", WARM_UP),
    "solved tasks not saved": ("draws.py", '"solved": sorted(map(list, self._solved))', '"solved": []', DRAWS),
    "place in the stream not saved": ("draws.py", '"used": dict(self._used)', '"used": {}', DRAWS),
    "stages from step 0": ("horizon/schedule.py", "(step - 1) // every", "step // every", SCHEDULE),
    "adaptive sees its own step": ("horizon/adaptive.py", 'record["step"] < step', 'record["step"] <= step', ADAPTIVE),
}  # fmt: skip


FILES = sorted({tests for *_, tests in MUTATIONS.values()})
CASES = [*MUTATIONS.values(), *((None, "", "", tests) for tests in FILES)]


@pytest.fixture(scope="module")
def exit_codes() -> list[int]:
    """pytest's exit code for each of ``CASES``."""
    cases = [
        (
            file and f"agentgym_rl.training.{file[:-3].replace('/', '.')}",
            str(TRAINING / (file or "")),
            old,
            new,
            str(TESTS / tests),
        )
        for file, old, new, tests in CASES
    ]
    result = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("mutation_runner.py"))],
        input=json.dumps(cases),
        stdout=subprocess.PIPE,
        text=True,
        timeout=900,
        check=True,
    )
    codes: list[int] = json.loads(result.stdout)
    return codes


@pytest.mark.parametrize("name", MUTATIONS)
def test_mutations_fit_the_code(name: str) -> None:
    file, old, _, tests = MUTATIONS[name]
    assert (TRAINING / file).read_text().count(old) >= 1, (
        f"training/{file} no longer has {old!r}: bring the mutation up to date"
    )
    assert (TESTS / tests.partition("::")[0]).exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATIONS)
def test_a_fault_is_caught(name: str, exit_codes: list[int]) -> None:
    code = exit_codes[list(MUTATIONS).index(name)]
    assert code == pytest.ExitCode.TESTS_FAILED, f"no test in {MUTATIONS[name][-1]} noticed (exit code {code})"


@pytest.mark.slow
@pytest.mark.parametrize("tests", FILES)
def test_without_a_fault_all_is_well(tests: str, exit_codes: list[int]) -> None:
    assert exit_codes[len(MUTATIONS) + FILES.index(tests)] == pytest.ExitCode.OK

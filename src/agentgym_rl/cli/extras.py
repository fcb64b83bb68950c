"""The package's extras: what each is for, what it needs, and what of that is installed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import metadata

PACKAGE = "agentgym-rl"

_PURPOSES = {
    "train": "train, and let a local model play",
    "babyai": "the BabyAI world",
    "sciworld": "the ScienceWorld lab (needs Java too)",
    "search": "the search world, its corpus and index",
    "dense": "dense and hybrid retrieval for the search world",
    "web": "the web worlds (need Chromium too)",
    "lora": "train low-rank adapters (optimizer.lora)",
    "serve": "serve environments over HTTP, and use served ones",
    "openai": "evaluate a model behind an OpenAI-compatible server",
    "tensorboard": "metrics in TensorBoard (tracking.to)",
    "wandb": "metrics in Weights & Biases (tracking.to)",
    "trackio": "metrics in trackio (tracking.to)",
    "dev": "run the tests and linters",
    "docs": "build the documentation",
}


@dataclass(frozen=True, slots=True)
class Extra:
    """One ``pip install`` extra."""

    name: str
    requirements: dict[str, str | None]
    """Installed version of each distribution it needs; None where it is missing."""

    @property
    def purpose(self) -> str:
        return _PURPOSES.get(self.name, "")

    @property
    def missing(self) -> list[str]:
        return [name for name, version in self.requirements.items() if version is None]

    @property
    def install(self) -> str:
        return f"pip install '{PACKAGE}[{self.name}]'"


def extras() -> list[Extra]:
    """All extras, those the package's metadata names, in the order of their purpose."""
    needs: dict[str, dict[str, str | None]] = {name: {} for name in _PURPOSES}
    for requirement in metadata.requires(PACKAGE) or ():
        found = re.match(r"([\w.-]+).*extra\s*==\s*['\"]([\w-]+)['\"]", requirement)
        if found:
            needs.setdefault(found[2], {})[found[1]] = _version(found[1])
    return [Extra(name, requirements) for name, requirements in needs.items() if requirements]


def extra_of_module(module: str) -> Extra | None:
    """The extra that brings a module that could not be imported."""
    name = module.partition(".")[0].replace("_", "-")
    return next((extra for extra in extras() if name in extra.requirements), None)


@cache
def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None

"""Settings nested beyond all measure."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentgym_rl.config import ConfigError, Settings, load


class Anything(Settings):
    name: str = ""


@pytest.mark.parametrize("text", ["name: " + "[" * 5000, "name: " + "[" * 5000 + "]" * 5000])
def test_is_refused_in_words(tmp_path: Path, text: str) -> None:
    path = tmp_path / "deep.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"deep\.yaml"):
        load(path, [], Anything)

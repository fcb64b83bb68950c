"""Names of runs that cannot be folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentgym_rl.records.errors import RecordError
from agentgym_rl.records.run_folder import RunFolder, run_path


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", "a\0b", "x" * 300, "長" * 100])
def test_are_refused_before_anything_is_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(RecordError, match=r"run\.name"):
        RunFolder.create(tmp_path, name)
    assert not list(tmp_path.iterdir())


def test_other_names_are_folders_below_the_root(tmp_path: Path) -> None:
    assert run_path(tmp_path, "été-2") == tmp_path / "été-2"

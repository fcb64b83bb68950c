"""Makes the modules beside this file importable, here and in other processes."""

import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def modules_beside():
    sys.path.insert(0, str(Path(__file__).parent))
    yield
    sys.path.remove(str(Path(__file__).parent))

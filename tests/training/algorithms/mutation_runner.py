"""Runs tests against mutated modules, each in a fork of one process that has torch loaded already.

Reads a JSON list of ``[module, old, new, tests]`` from standard input (``module`` null: nothing changed) and prints a JSON
list of pytest's exit codes. No module of the project may be imported before the fork.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType

import hypothesis
import pydantic  # noqa: F401
import pytest
import torch  # noqa: F401


class Mutant(SourceFileLoader):
    """A finder and loader of one module, whose text it changes."""

    def __init__(self, module: str, path: str, old: str, new: str) -> None:
        super().__init__(module, path)
        self.old, self.new = old, new

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        return importlib.util.spec_from_loader(fullname, self) if fullname == self.name else None

    def get_code(self, _: str) -> CodeType:
        text = self.get_data(self.path).decode()
        assert self.old in text
        return compile(text.replace(self.old, self.new), self.path, "exec")


def run(module: str | None, path: str, old: str, new: str, tests: str) -> int:
    """pytest's exit code on ``tests`` with the module changed."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if module is not None:
        sys.meta_path.insert(0, Mutant(module, path, old, new))
    # The first failure is enough: no search for a smaller example.
    hypothesis.settings.register_profile("mutants", phases=[hypothesis.Phase.generate], database=None)
    hypothesis.settings.load_profile("mutants")
    os._exit(pytest.main(["-q", "-x", "--tb=no", "-p", "no:cacheprovider", tests]))


if __name__ == "__main__":
    print(json.dumps([run(*case) for case in json.load(sys.stdin)]))

"""Runs ``agentgym-rl`` in children of a process that has everything imported: a start takes milliseconds.

Reads one JSON object a line (``argv``, ``output``), forks a child for it, and answers with its process id; then with the
way it ended. Not a test; started by the fixture of the same name.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path

import torch

import agentgym_rl.training.api
import agentgym_rl.training.checkpoints
from agentgym_rl.cli import main

torch.set_num_threads(1)
# What a first use would import.
import matplotlib.pyplot  # noqa: E402,F401
import transformers.models.llama.modeling_llama  # noqa: E402,F401

import agentgym_rl.evaluation.curve  # noqa: E402,F401


def child(argv: list[str], output: str) -> None:
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for number in (1, 2):
        os.dup2(descriptor, number)
    sys.stdin = Path(os.devnull).open()  # noqa: SIM115 - the parent's has orders in it, and was read
    sys.argv = ["agentgym-rl", *argv]
    try:
        main()
        code = 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 99
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


for line in sys.stdin:
    order = json.loads(line)
    pid = os.fork()
    if pid == 0:
        child(order["argv"], order["output"])
    print(pid, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)

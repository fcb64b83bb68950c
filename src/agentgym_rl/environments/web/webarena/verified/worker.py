"""The worker: a script that runs in the environment of webarena-verified and scores episodes, a JSON line each.

It imports nothing of this project. Its only argument is a task file, or nothing for the package's own. A line in is
``{"task": 44, "answer": {...}, "events": [...], "sites": {"__GITLAB__": "http://..."}}``, a line out ``{"score", "status",
"messages"}``, or ``{"failed": why}`` when the package itself broke. The first line out says that it is ready, or failed.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the package prints must not get between the answers
    logging.disable(logging.CRITICAL)  # its log quotes whole requests
    try:
        package = load(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
        print(json.dumps({"ready": True}), file=answers, flush=True)
    except Exception as error:
        print(json.dumps({"failed": _line(error)}), file=answers, flush=True)
        return
    for line in sys.stdin:
        try:
            found = evaluate(package, json.loads(line))
        except Exception as error:
            found = {"failed": _line(error)}
        print(json.dumps(found, default=str), file=answers, flush=True)


def load(tasks: Path | None) -> Any:
    """The package with its own tasks, or with those of a file."""
    api, config = _of_package("api.webarena_verified"), _of_package("types.config")
    if tasks is None:
        return api.WebArenaVerified(config=config.WebArenaVerifiedConfig(environments={}))
    # It refuses every list that has not as many tasks as its own.
    _of_package("api.internal.data_reader").TOTAL_TASK_COUNT = len(json.loads(tasks.read_text(encoding="utf-8")))
    return api.WebArenaVerified(config=config.WebArenaVerifiedConfig(environments={}, test_data_file=tasks))


def evaluate(package: Any, order: dict[str, Any]) -> dict[str, Any]:
    """The result of one episode."""
    config, task = _of_package("types.config"), _of_package("types.task")
    # One address a site: the package looks addresses up by containment, which other replicas' would confuse.
    package.config.environments = {
        task.WebArenaSite(name): config.EnvironmentConfig(urls=[url]) for name, url in order["sites"].items()
    }
    result = package.evaluate_task(task_id=order["task"], agent_response=order["answer"], network_trace=order["events"])
    if not result.evaluators_results and result.error_msg:  # it broke before it looked at anything
        return {"failed": result.error_msg}
    messages = [result.error_msg] if result.error_msg else []
    for part in result.evaluators_results:
        messages += [part.error_msg] if part.error_msg else []
        for assertion in part.assertions or ():
            messages += list(assertion.assertion_msgs or ())
    return {"score": float(result.score), "status": str(result.status), "messages": messages}


def _line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:500]}"


def _of_package(name: str) -> Any:
    """A module of the package, which is not in the environment of whoever checks this file's types."""
    return import_module(f"webarena_verified.{name}")


if __name__ == "__main__":
    main()

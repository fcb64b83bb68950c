"""What an agent gave to ``stop``, in the form that webarena-verified scores."""

from __future__ import annotations

import json
import re
from typing import Any

SUCCESS = "SUCCESS"
STATUSES = (
    SUCCESS,
    "NOT_FOUND_ERROR",
    "ACTION_NOT_ALLOWED_ERROR",
    "PERMISSION_DENIED_ERROR",
    "DATA_VALIDATION_ERROR",
    "UNKNOWN_ERROR",
)
IMPOSSIBLE = "N/A"
_FENCE = re.compile(r"```(?:json)?\s*(.*?)\s*```", re.DOTALL)


def agent_response(answer: str, kind: str) -> dict[str, Any]:
    """``{task_type, status, retrieved_data}`` of an answer.

    A JSON object that has one of these fields is taken as it is; what it lacks is filled in. Else the answer is a status by its
    name (``N/A`` is NOT_FOUND_ERROR), a JSON list of values, or one value. ``kind`` is the task's own type: ``RETRIEVE``,
    ``MUTATE`` or ``NAVIGATE``; only the first has values.
    """
    found = _FENCE.fullmatch(answer.strip())
    text = found[1] if found else answer.strip()
    try:
        read: Any = json.loads(text)
    except ValueError:
        read = text
    if isinstance(read, dict) and read.keys() & {"task_type", "performed_operation", "status", "retrieved_data"}:
        own = {} if "performed_operation" in read else {"task_type": kind}
        return {**own, "status": SUCCESS, "retrieved_data": None, **read}
    status = _status(text)
    values = None if status != SUCCESS or kind != "RETRIEVE" or text == "" else read if isinstance(read, list) else [read]
    return {"task_type": kind, "status": status, "retrieved_data": values}


def _status(text: str) -> str:
    name = text.upper().replace(" ", "_")
    if name == IMPOSSIBLE:
        return "NOT_FOUND_ERROR"
    return next((status for status in STATUSES if name in (status, status.removesuffix("_ERROR"))), SUCCESS)

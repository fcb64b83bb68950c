"""Small task files in both forms, with the expressions that the published lists use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def original(
    number: int,
    sites: list[str],
    *,
    start: str = "",
    answers: dict[str, Any] | None = None,
    url: str = "",
    pages: list[tuple[str, str, dict[str, Any]]] = (),  # type: ignore[assignment]
    note: str = "",
) -> dict[str, Any]:
    """An original task; its ``eval_types`` are what is given. A page is (url, locator, required contents)."""
    kinds = {"string_match": answers, "url_match": url, "program_html": pages}
    checks = [{"url": where, "locator": locator, "required_contents": required} for where, locator, required in pages]
    return {
        "task_id": number,
        "sites": sites,
        "start_url": start or f"__{sites[0].upper()}__",
        "intent": f"do number {number}",
        "intent_template": "do number {{number}}",
        "intent_template_id": number // 2,
        "instantiation_dict": {"number": number},
        "require_login": True,
        "storage_state": None,
        "geolocation": None,
        "require_reset": False,
        "eval": {
            "eval_types": [kind for kind, given in kinds.items() if given],
            "reference_answers": answers,
            "reference_url": url,
            "program_html": checks,
            "string_note": note,
        },
    }


def verified(number: int, sites: list[str], *checks: dict[str, Any]) -> dict[str, Any]:
    """A re-audited task."""
    return {
        "task_id": number,
        "sites": sites,
        "start_urls": [f"__{sites[0].upper()}__"],
        "intent": f"do number {number}",
        "intent_template": "do number {{number}}",
        "intent_template_id": number // 2,
        "instantiation_dict": {"number": number},
        "eval": list(checks),
        "revision": 1,
    }


def written(path: Path, tasks: list[Any]) -> str:
    """The path of a file with them."""
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return str(path)

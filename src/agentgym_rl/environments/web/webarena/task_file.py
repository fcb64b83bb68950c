"""The two forms of WebArena's task file: the original ``test.raw.json`` and the re-audited one of webarena-verified.

Every field is checked, so that a file which means something else than we read is refused instead of scored wrongly.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from agentgym_rl.environments.web.webarena.catalog import KINDS, site_of_placeholder
from agentgym_rl.environments.web.webarena.errors import TaskFileError
from agentgym_rl.environments.web.webarena.original.functions import read_locator, read_page_address
from agentgym_rl.environments.web.webarena.unsent import SINK

BOTH = " |AND| "
"""Between the addresses of an original task that starts with several tabs."""


def _site(name: str) -> str:
    if name not in KINDS:
        raise ValueError(f"unknown site {name!r}; known: {', '.join(KINDS)}")
    return name


def _with_placeholder(url: str) -> str:
    if site_of_placeholder(url) is None:
        raise ValueError(f"begins with no site's placeholder, such as __SHOPPING__: {url!r}")
    return url


def _starts(urls: str) -> str:
    for url in urls.split(BOTH):
        _with_placeholder(url)
    return urls


Site = Annotated[str, AfterValidator(_site)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Contents(_Part):
    """What a page must have: one of the two."""

    exact_match: str | None = None
    must_include: list[str] | None = None

    @model_validator(mode="after")
    def _one(self) -> Contents:
        if (self.exact_match is None) == (self.must_include is None):
            raise ValueError("needs exact_match or must_include")
        return self


class PageCheck(_Part):
    """A page to open after the episode, what to read from it, and what that must be."""

    url: Annotated[str, AfterValidator(lambda text: read_page_address(text) and text)]
    locator: Annotated[str, AfterValidator(lambda text: (read_locator(text), text)[1])]
    required_contents: Contents
    prep_actions: list[str] = Field(default_factory=list)


class Answers(_Part):
    """What the answer must be: all that are given."""

    exact_match: str | None = None
    must_include: list[str] | None = None
    fuzzy_match: Literal["N/A"] | list[str] | None = None

    @property
    def needs_judge(self) -> bool:
        """Whether no rule decides: references in other words, not the literal N/A of a task that can't be done."""
        return isinstance(self.fuzzy_match, list)


class OriginalEvaluation(_Part):
    """The score is the product of what ``eval_types`` names."""

    eval_types: list[Literal["string_match", "url_match", "program_html"]] = Field(min_length=1)
    reference_answers: Answers | None
    reference_url: str | None
    program_html: list[PageCheck]
    url_note: Literal["GOLD in PRED"] = "GOLD in PRED"
    string_note: str = ""
    reference_answer_raw_annotation: str = ""
    annotation_note: str = ""

    @model_validator(mode="after")
    def _complete(self) -> OriginalEvaluation:
        needed = {
            "string_match": self.reference_answers is not None,
            "url_match": bool(self.reference_url),
            "program_html": bool(self.program_html),
        }
        for kind in self.eval_types:
            if not needed[kind]:
                raise ValueError(f"{kind} has nothing to compare with")
        return self


class _TaskFields(_Part):
    task_id: int = Field(ge=0)
    sites: list[Site] = Field(min_length=1)
    intent: str = Field(min_length=1)
    intent_template: str
    intent_template_id: int
    instantiation_dict: dict[str, Any]


class OriginalTask(_TaskFields):
    """A task of ``test.raw.json``."""

    start_url: Annotated[str, AfterValidator(_starts)]
    eval: OriginalEvaluation
    require_login: bool
    storage_state: str | None
    geolocation: None
    require_reset: bool
    string_note: str = ""

    @property
    def starts(self) -> tuple[str, ...]:
        """The addresses of the first tabs, with placeholders."""
        return tuple(self.start_url.split(BOTH))

    @property
    def needs_judge(self) -> bool:
        answers = self.eval.reference_answers
        return "string_match" in self.eval.eval_types and answers is not None and answers.needs_judge


class _AnswerCheck(_Part):
    evaluator: Literal["AgentResponseEvaluator"]
    expected: dict[str, Any]
    results_schema: dict[str, Any]
    ordered: bool = False


class _RequestCheck(_Part):
    evaluator: Literal["NetworkEventEvaluator"]
    expected: dict[str, Any]
    last_event_only: bool = True
    should_not_exist: bool = False
    decode_base64_query: bool = False
    ignored_query_params: list[str] | None = None
    ignored_query_params_patterns: list[str] | None = None
    ignored_post_data_params_patterns: list[str] | None = None
    query_params_schema: dict[str, Any] | None = None
    post_data_schema: dict[str, Any] | None = None


class VerifiedTask(_TaskFields):
    """A task of ``webarena-verified.json``. What its checks expect is read by that package, in its worker."""

    start_urls: list[Annotated[str, AfterValidator(_with_placeholder)]] = Field(min_length=1)
    eval: list[Annotated[_AnswerCheck | _RequestCheck, Field(discriminator="evaluator")]] = Field(min_length=1)
    revision: int = Field(ge=1)

    @property
    def starts(self) -> tuple[str, ...]:
        """The addresses of the first tabs, with placeholders."""
        return tuple(self.start_urls)

    @property
    def needs_judge(self) -> bool:
        """Never: that is what it was audited for."""
        return False

    @property
    def kind(self) -> str:
        """``RETRIEVE``, ``NAVIGATE`` or ``MUTATE``; empty where the file does not say."""
        found = (check.expected.get("task_type") for check in self.eval if isinstance(check, _AnswerCheck))
        return str(next(found, "")).upper()

    @property
    def wants_unsent(self) -> bool:
        """Whether it ends with a form that is filled in and not sent."""
        return any(isinstance(check, _RequestCheck) and SINK in str(check.expected.get("url")) for check in self.eval)


WebTask = OriginalTask | VerifiedTask


def read_task_file(path: Path) -> list[WebTask]:
    """The tasks of a file of either form, in its order.

    Raises:
        TaskFileError: no such file, no JSON, an unknown site, evaluator or field, an id that occurs twice. The message has the
            file, the task's id and the field.
    """
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TaskFileError(f"{path}: can't be read as JSON: {error}") from error
    if not isinstance(rows, list) or not rows:
        raise TaskFileError(f"{path}: a task file is a list of tasks")
    tasks: list[WebTask] = []
    seen: set[int] = set()
    for place, row in enumerate(rows):
        task = _read(path, place, row)
        if task.task_id in seen:
            raise TaskFileError(f"{path}: task {task.task_id}: task_id: occurs twice")
        seen.add(task.task_id)
        tasks.append(task)
    return tasks


def _read(path: Path, place: int, row: Any) -> WebTask:
    if not isinstance(row, Mapping):
        raise TaskFileError(f"{path}: entry {place + 1}: a task is an object, not {type(row).__name__}")
    name = f"task {row['task_id']}" if "task_id" in row else f"entry {place + 1}"
    model: type[WebTask] = VerifiedTask if isinstance(row.get("eval"), list) else OriginalTask
    try:
        return model.model_validate(row)
    except ValidationError as error:
        raise TaskFileError(f"{path}: {name}: {_first(error)}") from error


def _first(error: ValidationError) -> str:
    """The first complaint: its field and what is wrong with it."""
    found = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in found["loc"])
    if found["type"] == "extra_forbidden":
        return f"{field}: unknown field"
    if found["type"] == "missing":
        return f"{field}: is missing"
    if found["type"] in ("literal_error", "union_tag_invalid"):
        return f"{field}: {found['msg'][0].lower()}{found['msg'][1:]}, not {str(found['input'])[:80]!r}"
    return f"{field}: {found['msg'].removeprefix('Value error, ')}"

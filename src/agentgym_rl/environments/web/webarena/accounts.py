"""The accounts that tasks are played with. They come from variables or a file, never from settings, which a run records.

The defaults are the accounts inside WebArena's published images, the same for everybody.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml


@dataclass(frozen=True, slots=True)
class Account:
    """Who logs in."""

    username: str
    password: str = field(repr=False)


_PUBLISHED = {
    "shopping": Account("emma.lopez@gmail.com", "Password.123"),
    "shopping_admin": Account("admin", "admin1234"),
    "gitlab": Account("byteblaze", "hello1234"),
    "reddit": Account("MarvelsGrantMan136", "test1234"),
}
_BLOT = "••••••"


def read_accounts(file: str | None = None, environment: Mapping[str, str] = os.environ) -> dict[str, Account]:
    """The account for each site that has one.

    ``file`` is YAML or JSON, ``{gitlab: {username: ..., password: ...}}``. The variables ``GITLAB_USERNAME`` and
    ``GITLAB_PASSWORD`` (or with ``WA_`` before) come before it.

    Raises:
        ValueError: a file that can't be read so. The message never has a value of it.
    """
    accounts = dict(_PUBLISHED)
    if file is not None:
        accounts.update(_from_file(file))
    for site, account in accounts.items():
        username, password = (_variable(site, what, environment) for what in ("USERNAME", "PASSWORD"))
        accounts[site] = Account(username or account.username, password or account.password)
    return accounts


def without_passwords(text: str, accounts: Mapping[str, Account]) -> str:
    """``text`` with every password of the sites blotted out, wherever a page or an evaluator has it from."""
    for account in accounts.values():
        if account.password:
            text = text.replace(account.password, _BLOT)
    return text


def _variable(site: str, what: str, environment: Mapping[str, str]) -> str | None:
    name = f"{site.upper()}_{what}"
    return environment.get(name) or environment.get(f"WA_{name}")


def _from_file(file: str) -> dict[str, Account]:
    try:
        content = yaml.safe_load(Path(file).expanduser().read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"environment 'webarena': accounts: {file} can't be read: {error}") from error
    except yaml.YAMLError:  # its text would quote the file
        raise ValueError(f"environment 'webarena': accounts: {file} is not YAML") from None
    if not isinstance(content, Mapping):
        raise ValueError(f"environment 'webarena': accounts: {file} must map sites to username and password")
    if unknown := content.keys() - set(_PUBLISHED):
        what = f"{sorted(map(str, unknown))[0]!r}; known: {', '.join(_PUBLISHED)}"
        raise ValueError(f"environment 'webarena': accounts: {file} has an unknown site {what}")
    found = {}
    for site, one in content.items():
        if not isinstance(one, Mapping) or one.keys() != {"username", "password"}:
            raise ValueError(
                f"environment 'webarena': accounts: {file}: {site} needs username and password, and nothing else"
            )
        found[site] = Account(str(one["username"]), str(one["password"]))
    return found

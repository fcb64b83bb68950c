"""``agentgym-rl doctor web``: what WebArena needs, each site by its name, and the way out where one fails."""

from __future__ import annotations

from agentgym_rl.cli.console import output, print_json
from agentgym_rl.cli.errors import FAILED

_STYLES = {"ok": "green", "missing": "yellow", "failed": "red"}


def check_web(settings: list[str], *, install: bool, as_json: bool) -> int:
    """Prints a line for each thing checked; the exit code: 1 where something failed."""
    from agentgym_rl.cli.world import parse_settings, refusals_are_bad_use
    from agentgym_rl.environments.registry import check_settings
    from agentgym_rl.environments.web.webarena import WebArena
    from agentgym_rl.environments.web.webarena.checkup import check
    from agentgym_rl.environments.web.webarena.verified import package
    from agentgym_rl.evaluation.transcript import printable

    if install:
        folder = package.install()
        if not as_json:
            output().print(f"{package.REQUIREMENT} is in {folder}")
    found = []
    options = parse_settings(settings)
    with refusals_are_bad_use():
        check_settings(WebArena, options)
        for finding in check(options):
            found.append(finding)
            if not as_json:
                console = output()
                console.print(f"{finding.state:<7}", style=_STYLES[finding.state], end=" ")
                console.print(printable(f"{finding.name}: {finding.said}"), soft_wrap=True)
    if as_json:
        print_json({"checks": [{"name": one.name, "state": one.state, "said": one.said} for one in found]})
    return FAILED if any(one.state == "failed" for one in found) else 0

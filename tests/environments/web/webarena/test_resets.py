"""Sites are brought back by the control service of their image or by a command of the user's, and waited for."""

import asyncio
import shlex
import sys

import pytest
from stub_sites import ControlService, Forum

from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.web.webarena.resets import reset_site
from agentgym_rl.environments.web.webarena.sites import Replica


def _reset(replica, seconds=30.0):
    asyncio.run(reset_site(replica, seconds))


def _python(code):
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(code)} {{site}} {{url}}"


def test_by_the_control_service():
    with Forum() as forum, ControlService(forum) as control:
        forum.state["biography"] = "changed"
        _reset(Replica("reddit", forum.url, control=control.url))
        assert (forum.resets, forum.state["biography"]) == (1, "nothing yet")


def test_a_control_service_that_fails_is_named():
    with Forum() as forum, ControlService(forum, problem="disk full") as control:
        with pytest.raises(EnvironmentFault, match=rf"reset of reddit at {forum.url}: its control service at .* disk full"):
            _reset(Replica("reddit", forum.url, control=control.url))
        with pytest.raises(EnvironmentFault, match="does not do it: status 404: this image can't do that; give a command"):
            _reset(Replica("reddit", forum.url, control=f"{control.url}/other"))
    with pytest.raises(EnvironmentFault, match="nothing listens there"):
        _reset(Replica("reddit", forum.url, control=control.url))


def test_by_a_command_that_knows_the_site():
    with Forum() as forum:
        _reset(Replica("reddit", forum.url, reset=_python("import sys; sys.exit(sys.argv[1] != 'reddit')")))
        with pytest.raises(EnvironmentFault, match="the command ended with code 3: no such volume"):
            _reset(Replica("reddit", forum.url, reset=_python("import sys; print('no such volume'); sys.exit(3)")))
        with pytest.raises(EnvironmentFault, match="the command 'no-such-program' does not start: No such file"):
            _reset(Replica("reddit", forum.url, reset="no-such-program"))


def test_a_command_that_hangs_and_a_site_that_stays_away_are_faults():
    with Forum() as forum:
        waiting = _python("import threading; threading.Event().wait()")
        with pytest.raises(EnvironmentFault, match=r"is not back within 0\.3 s"):
            _reset(Replica("reddit", forum.url, reset=waiting), 0.3)
    with pytest.raises(EnvironmentFault, match=r"reset of reddit at .*: is not back within 0.3 s"):
        _reset(Replica("reddit", forum.url, reset=_python("pass")), 0.3)

"""The published description of the protocol, and what the server makes of requests that are made from it."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance
from starlette.testclient import TestClient

from agentgym_rl.environments.service.server.app import make_app
from agentgym_rl.environments.service.server.settings import ServeSettings

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


APP = make_app(ServeSettings(environments=["textcraft"], allow_expert=True, sessions=100_000))
OPERATIONS = {
    found.ok().label: found.ok() for found in schemathesis.openapi.from_asgi("/openapi.json", APP).get_all_operations()
}
ID = "0123456789abcdef0123456789abcdef"


def open_session():
    """Begins an episode in the session that half of the requests are for. Opening it again is no problem."""
    client = TestClient(APP)
    assert client.post("/v1/sessions", json={"environment": "textcraft", "session": ID}).status_code == 201
    client.post(f"/v1/sessions/{ID}/reset", json={"number": 1, "task": "acacia_planks", "seed": 0})


@pytest.mark.parametrize("known", [False, True], ids=["any session", "known session"])
@pytest.mark.parametrize("label", OPERATIONS)
def test_requests_from_the_description(label, known):
    @given(case=OPERATIONS[label].as_strategy())
    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    def requests(case):
        if known:
            open_session()
            if "session" in (case.path_parameters or {}):
                case.path_parameters["session"] = ID
        response = case.call()
        assert "Traceback" not in response.text
        case.validate_response(response, checks=CHECKS)

    requests()


def test_problems_are_described_as_such():
    described = make_app(ServeSettings(environments=["textcraft"], token="a-token-of-many-letters")).openapi()
    step = described["paths"]["/v1/sessions/{session}/step"]["post"]
    assert set(step["responses"]) >= {"200", "400", "401", "404", "409", "413", "500", "503", "504"}
    assert list(step["responses"]["409"]["content"]) == ["application/problem+json"]
    assert "422" not in step["responses"]
    assert step["security"] == [{"token": []}]
    assert "security" not in described["paths"]["/health"]["get"]

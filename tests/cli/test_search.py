"""``agentgym-rl search``: build, refuse, embed, serve."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request

import pytest

from agentgym_rl.environments.search.index import build

LINES = [json.dumps({"id": str(number), "contents": f"Town {number}\nThe mayor of town {number}."}) for number in range(30)]


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "towns.jsonl"
    path.write_text("\n".join(LINES))
    return path


def test_build(invoke, corpus, tmp_path):
    result = invoke("search", "build", str(corpus), "--out", str(tmp_path / "index"))
    assert result.code == 0
    assert result.output.startswith(f"{tmp_path / 'index'}: towns sha256:")
    assert "30 passages" in result.output
    assert result.errors.splitlines()[-2:] == ["reading: 100%, 30 passages", "scoring: 100%, 30 passages"]
    again = invoke("search", "build", str(corpus), "--out", str(tmp_path / "index"))
    assert again.code == 2
    assert again.errors.startswith(f"error: {tmp_path / 'index'}: there is an index already, of towns sha256:")


def test_a_malformed_passage_is_named_or_counted(invoke, corpus, tmp_path):
    corpus.write_text("\n".join([*LINES, '{"id": 1', "{}"]))
    command = ("search", "build", str(corpus), "--out", str(tmp_path / "index"))
    result = invoke(*command)
    assert result.code == 2
    assert result.errors.splitlines()[-1] == f"error: {corpus}, line 31: not JSON: Expecting ',' delimiter at column 9"
    result = invoke(*command, "--skip-bad")
    assert result.code == 0
    assert f"2 malformed passages left out; the first: {corpus}, line 31: not JSON" in result.errors


def test_a_stopped_build_says_how_to_go_on(invoke, corpus, tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    command = ("search", "build", str(corpus), "--out", str(tmp_path / "index"))
    with monkeypatch.context() as patch:
        patch.setattr(build, "merge", stop)
        result = invoke(*command)
    assert result.code == 130
    assert "the same command goes on from there" in result.errors
    assert invoke(*command).code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("build", "none.jsonl", "--out", "index"), "none.jsonl: no such file"),
        (("build", "setup.cfg", "--out", "index"), "setup.cfg: no such file"),
        (("serve", "none"), "none: no index there; make one with: agentgym-rl search build CORPUS --out none"),
        (("embed", "none"), "none: no index there"),
        (("serve", "none", "--host", "0.0.0.0"), "host=0.0.0.0 can be reached from elsewhere, so a token is needed"),
        (("serve", "none", "--seconds", "0"), "--seconds=0.0: Input should be greater than 0"),
    ],
)
def test_refusals(invoke, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AGENTGYM_RL_TOKEN", raising=False)
    result = invoke("search", *arguments)
    assert (result.code, len(result.errors.splitlines())) == (2, 1)
    assert message in result.errors


def test_serve_until_it_is_told_to_stop(invoke, corpus, tmp_path):
    index = tmp_path / "index"
    assert invoke("search", "build", str(corpus), "--out", str(index)).code == 0
    command = [sys.executable, "-m", "agentgym_rl.cli", "search", "serve", str(index), "--port", "0", "--log-level", "error"]
    without_token = {name: value for name, value in os.environ.items() if name != "AGENTGYM_RL_TOKEN"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=without_token) as process:
        try:
            address = process.stdout.readline().strip()
            body = json.dumps({"queries": ["mayor of town 7"], "topk": 1, "return_scores": True}).encode()
            request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=60) as answer:
                assert json.loads(answer.read())["result"][0][0]["document"]["id"] == "7"
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(60) in (0, -signal.SIGTERM)

"""A server with a certificate, and clients that do or don't trust it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import trustme

PLAY = """
import sys, agentgym_rl
world = agentgym_rl.make(sys.argv[1])
world.reset(seed=0)
print(world.step("inventory")[0])
"""


@pytest.fixture
def authority():
    return trustme.CA()


@pytest.fixture
def files(authority, tmp_path):
    certificate = authority.issue_cert("127.0.0.1")
    certificate.private_key_pem.write_to_path(tmp_path / "key.pem")
    certificate.cert_chain_pems[0].write_to_path(tmp_path / "chain.pem")
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    return tmp_path


def play(url, authority):
    return subprocess.run(
        [sys.executable, "-c", PLAY, url],
        env={**os.environ, "SSL_CERT_FILE": str(authority)},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_clients_that_trust_the_authority_are_served_and_others_are_not(server_process, files, tmp_path):
    arguments = ("--ssl-certfile", str(files / "chain.pem"), "--ssl-keyfile", str(files / "key.pem"))
    server = server_process("textcraft", *arguments).wait_until_ready()
    assert server.urls[0].startswith("https://127.0.0.1:")
    assert "Inventory" in play(server.urls[0], files / "authority.pem").stdout
    trustme.CA().cert_pem.write_to_path(tmp_path / "stranger.pem")
    refused = play(server.urls[0], tmp_path / "stranger.pem")
    assert refused.returncode != 0
    assert "certificate" in refused.stderr.lower()


@pytest.mark.parametrize(("given", "words"), [("--ssl-certfile", "TLS needs both"), ("--ssl-keyfile", "TLS needs both")])
def test_a_certificate_without_its_key_is_refused(server_process, files, given, words):
    server = server_process("textcraft", given, str(files / "chain.pem"))
    assert server.process.wait(60) == 2
    assert words in server.errors()


def test_a_file_that_is_no_certificate_is_refused_in_one_line(server_process, files):
    (files / "chain.pem").write_text("nonsense")
    server = server_process("textcraft", "--ssl-certfile", str(files / "chain.pem"), "--ssl-keyfile", str(files / "key.pem"))
    assert server.process.wait(60) in (1, 2)
    assert "Traceback" not in server.errors()
    assert "chain.pem" in server.errors()

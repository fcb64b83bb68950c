"""Protocol v1: what server and client say to each other, over HTTP and JSON."""

VERSION = "1"

TOKEN_VARIABLE = "AGENTGYM_RL_TOKEN"
"""The environment variable that servers and clients take the token from. It is never an argument or a setting: those are
shown in process lists and written into run folders."""

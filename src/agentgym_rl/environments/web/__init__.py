"""Worlds in a real browser, on one layer: :mod:`agentgym_rl.environments.web.browser`."""

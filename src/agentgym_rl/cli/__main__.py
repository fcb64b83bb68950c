"""``python -m agentgym_rl.cli`` is ``agentgym-rl``."""

from agentgym_rl.cli import main

main()

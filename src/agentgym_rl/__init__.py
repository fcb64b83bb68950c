"""Train language-model agents by reinforcement learning over many turns."""

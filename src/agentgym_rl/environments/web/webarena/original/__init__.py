"""WebArena's original evaluators: the answer's text, the last address, and what pages hold after the episode."""

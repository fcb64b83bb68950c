"""The package webarena-verified: its two task lists and its evaluators, in a virtual environment of their own."""

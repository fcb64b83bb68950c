"""Algorithms by name: presets of an estimator and a loss. Import ``settings`` alone to stay free of torch."""

"""The trajectory and the run folder: one format that rollouts make, training and evaluation write, the viewer reads."""

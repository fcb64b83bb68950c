"""Embeddings of an index's passages."""

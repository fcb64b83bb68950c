"""Retrieval over HTTP: Search-R1's API over one of our retrievers."""

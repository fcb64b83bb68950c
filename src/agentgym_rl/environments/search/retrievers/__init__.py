"""What finds passages: BM25, embeddings, both, or a server."""

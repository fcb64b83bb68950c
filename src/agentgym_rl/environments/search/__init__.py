"""Search over passages: corpora, indexes, retrievers. Knows no question and no agent."""

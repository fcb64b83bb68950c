"""Small text worlds that a tiny model learns in seconds, for the benchmarks of algorithms and horizons and for the tests."""

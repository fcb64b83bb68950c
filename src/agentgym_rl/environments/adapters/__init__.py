"""Other people's worlds as environments: families of ids, ``FAMILY:NAME``, one package a family."""

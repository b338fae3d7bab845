"""How long a test waits for something that should happen at once.

It only ends a test that hangs: no slow or busy machine may reach it, and nothing is measured against it.
"""
PATIENCE_S = 600
# A measurement counts what happens in a stretch of time, and on a busy machine that may be nothing. Such a run is repeated
# with the next, longer one.
LONGER_DURATIONS = ("200ms", "5s", "60s")

"""Known random bits, for tests only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_replay_seed: ContextVar[int | None] = ContextVar("_replay_seed", default=None)


@contextmanager
def replay(seed: int) -> Iterator[None]:
    """Fits inside this block draw their noise from a known seed. **They are not private**, and their releases say so.

    This holds only for the thread (or task) that enters the block; everywhere else fits stay private.
    """
    token = _replay_seed.set(seed)
    try:
        yield
    finally:
        _replay_seed.reset(token)


def replay_seed() -> int | None:
    """The seed of the block that is running; ``None``, the rule, outside of any."""
    return _replay_seed.get()

"""Which stage a fit is in. The stages are the same for all records: nothing private is shown."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

STAGES = {"plan": "planning", "read": "clipping rows", "fit": "fitting", "check": "checking the certificate"}


@contextmanager
def stages(wanted: bool) -> Iterator[Callable[[str], None] | None]:
    """What to call when a stage begins; ``None`` if the user does not want to see it. Passes over the records are not
    shown: how many there are depends on the records.

    A display that fails (a closed stream, a notebook that is gone) does not end a fit: the last stage begins after
    noise was drawn, and the release that was paid for must not be lost.
    """
    if not wanted:
        yield None
        return
    display = None
    with suppress(Exception):
        display = _display()

    def begin(stage: str) -> None:
        with suppress(Exception):
            if display is not None:
                display.begin(STAGES[stage])

    done = False
    try:
        yield begin
        done = True
    finally:
        with suppress(Exception):
            if display is not None:
                display.end(done)


def _display() -> _Lines | _Bar:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Lines()
    return _Bar(tqdm(total=len(STAGES), bar_format="{desc:<26}|{bar}| {n_fmt}/{total_fmt}"))


class _Lines:
    def begin(self, text: str) -> None:
        print(f"asap_dp: {text}", file=sys.stderr)

    def end(self, done: bool) -> None:
        pass


class _Bar:
    def __init__(self, bar: Any) -> None:
        self._bar, self._begun = bar, False

    def begin(self, text: str) -> None:
        self._bar.update(int(self._begun))
        self._bar.set_description_str(text)
        self._begun = True

    def end(self, done: bool) -> None:
        self._bar.update(int(done))
        self._bar.close()

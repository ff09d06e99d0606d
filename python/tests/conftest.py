"""Public synthetic records for all tests."""

import numpy as np
import pytest

N, D = 400, 3


@pytest.fixture
def rows():
    """Features of norm about 1, some of them above it."""
    return np.random.default_rng(7).normal(size=(N, D)) * 0.6


@pytest.fixture
def classes(rows):
    return (rows @ [2.0, -1.0, 0.5] + 0.3 > 0).astype(int)


@pytest.fixture
def targets(rows):
    return rows @ [0.5, -0.3, 0.2] + 0.4

"""Public synthetic records for all tests."""

import os
import signal

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


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes on loopback."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1") as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    from distributed import Client

    with Client(cluster) as client:
        client.wait_for_workers(2, timeout=60)
        yield client


@pytest.fixture
def kill_a_worker():
    """Kills the process of the worker that holds most; the process."""

    def kill(client) -> int:
        held = client.has_what()
        address = max(held, key=lambda worker: len(held[worker]))
        assert held[address], "the worker that is killed holds shards"
        pid = client.run(os.getpid, workers=[address])[address]
        os.kill(pid, signal.SIGKILL)
        return pid

    return kill

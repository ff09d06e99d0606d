"""Rows in a Dask cluster: sums travel, records do not. The model is, bit for bit, that of all rows in one place.

Run: python dask_frames.py (needs dask[distributed])
"""

import dask.array as da
from distributed import Client, LocalCluster

from asap_dp import PrivateRidge

ROWS, COLUMNS = 100_000, 4


def main() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        # In earnest these come from files that the workers read.
        X = da.random.default_rng(1).uniform(-0.5, 0.5, (ROWS, COLUMNS), chunks=(10_000, COLUMNS))
        y = X[:, 0] - 0.5 * X[:, 1]
        model = PrivateRidge(epsilon=1.0, feature_bound=1.0, target_bound=1.0, expected_rows=ROWS)
        model.fit(X, y)
        print("coefficients:", model.coef_.round(3))
        print(len(model.release_.check().checked), "clauses of the certificate hold")


if __name__ == "__main__":
    main()

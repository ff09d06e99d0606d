"""Installs the one wheel of a folder as a user would, in a new environment and without a compiler, and fits with it.

Run: python3 python/try_wheel.py target/wheels
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

# Runs in the new environment, where the sources are out of sight.
FIT = """
import numpy
import asap_dp
draw = numpy.random.default_rng(1)
rows = draw.uniform(-1.0, 1.0, (5_000, 2))
classes = (rows[:, 0] > 0.0).astype(int)
model = asap_dp.PrivateLogisticRegression(epsilon=1.0, expected_rows=5_000, feature_bound=2.0, classes=[0, 1])
model.fit(rows, classes)
model.release_.save("release.json")
asap_dp.Release.load("release.json").check()
share = model.score(rows, classes)
assert share > 0.9, share
print(f"asap_dp {asap_dp.__version__}: fitted, checked, right on {share:.3f} of made-up rows")
"""


def main() -> None:
    wheels = list(Path(sys.argv[1]).glob("asap_dp-*-cp310-abi3-*.whl"))
    if len(wheels) != 1:
        sys.exit(f"{sys.argv[1]} must have one wheel for every Python from 3.10 on; it has {len(wheels)}")
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        windows = Path(folder, "Scripts", "python.exe")
        python = windows if windows.exists() else Path(folder, "bin", "python")
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
        subprocess.run([python, *install, wheels[0].resolve()], check=True)
        subprocess.run([python, "-I", "-c", FIT], check=True, cwd=folder)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Measures asap-dp against what one would use instead, in one run: a table of ratios, and the same as JSON.

    python3 benches/against_peers.py [--only pass,fit,noise,mala,memory,csv] [--quick] [--busy] [--json docs/measured/peers.json]

| part | ours | against |
|---|---|---|
| pass | value and gradient of the logistic objective, one thread | numpy, and reading the same buffer |
| fit | a certified fit from arrays, mechanism chosen by the library, n = 10^3 to 10^6 | scikit-learn (not private), diffprivlib |
| noise | 11 coordinates of exact noise from secure bits | opendp |
| mala | a step of the Metropolis-adjusted Langevin chain on a quadratic | blackjax |
| memory | peak of `asap fit` on a CSV file, in memory and streamed | the matrix of the file in f64 |
| csv | reading a CSV file into checked records | pandas, polars |

Who is compared takes turns, so that whatever else the machine does hits all alike; a ratio is the median over the
rounds of the ratios within a round. With --busy it is the ratio of the fastest rounds: for a machine that others use. A
peer that is not installed is skipped, with a message. The whole set takes some minutes and 3 GB.
"""

import argparse
import contextlib
import importlib
import importlib.metadata
import json
import math
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
COORDINATES = 11
BUSY = False  # --busy: the fastest round counts


class Absent(Exception):
    """A peer that is not installed."""


def peer(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Absent(f"{name.split('.')[0]} is not installed") from None


def version(module):
    return f"{module.__name__.split('.')[0]} {module.__version__}"


class Partner:
    """The Rust side: one line in, one line out."""

    def __init__(self, *arguments, threads=None):
        environment = dict(os.environ) | ({"RAYON_NUM_THREADS": str(threads)} if threads else {})
        command = [str(TARGET / "examples/partner"), *map(str, arguments)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, env=environment
        )

    def __call__(self, line=""):
        self.process.stdin.write(f"{line}\n")
        answer = self.process.stdout.readline().split()
        if not answer:
            sys.exit("the partner program failed")
        return answer

    def seconds(self, line=""):
        return float(self(line)[0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def seconds(function, calls=1):
    """The seconds of the fastest of some calls."""
    times = []
    for _ in range(calls):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def interleaved(rounds, limit, *functions):
    """Seconds by function and round; at least one round, and no further one after `limit` seconds."""
    start, times = time.perf_counter(), []
    while not times or (len(times) < rounds and time.perf_counter() - start < limit):
        times.append([function() for function in functions])
    return list(zip(*times))


def ratio(above, below):
    return min(above) / min(below) if BUSY else statistics.median(a / b for a, b in zip(above, below))


def typical(values):
    return min(values) if BUSY else statistics.median(values)


def duration(value):
    for unit, size in [("s", 1), ("ms", 1e-3), ("µs", 1e-6)]:
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def row(part, what, ours, against, theirs, figure, goal, met):
    """One line of the table: all cells are texts, `met` is None without a goal."""
    return {"part": part, "what": what, "ours": ours, "peer": against, "theirs": theirs, "ratio": figure, "goal": goal, "met": met}


def records(rows, columns):
    """Rows of norm just below 1, classes of a logistic model."""
    np = peer("numpy")
    random = np.random.default_rng(1)
    x = random.standard_normal((rows, columns))
    x /= np.linalg.norm(x, axis=1, keepdims=True) * (1 + 1e-12)
    y = np.where(random.random(rows) < 1 / (1 + np.exp(-6 * x[:, 0])), 1.0, -1.0)
    return x, y


@contextlib.contextmanager
def stored(x, y):
    with tempfile.NamedTemporaryFile() as file:
        peer("numpy").array(x.shape, dtype="<f8").tofile(file)
        x.astype("<f8", copy=False).tofile(file)
        y.astype("<f8", copy=False).tofile(file)
        file.flush()
        yield file.name


# ---- one pass over the records


def plain(np, x, y, theta):
    """As one would write it."""
    t = -y * (x @ theta)
    e = np.exp(-np.abs(t))
    value = np.sum(np.maximum(t, 0) + np.log1p(e))
    slope = -y * np.where(t > 0, 1.0, e) / (1.0 + e)
    return value + theta @ theta / 2, x.T @ slope + theta


def in_place(np, x, y, theta):
    """Without a temporary array in the calls after the first."""
    t, e, s = (np.empty(len(y)) for _ in range(3))

    def evaluate(np, x, y, theta):
        np.dot(x, theta, out=t)
        np.multiply(t, y, out=t)
        np.abs(t, out=e)
        np.negative(e, out=e)
        np.exp(e, out=e)
        np.log1p(e, out=s)
        value = np.sum(s)
        np.minimum(t, 0, out=s)
        value -= np.sum(s)
        # The sigmoid of -t from e = exp(-|t|): 1/(1+e) for negative t, e/(1+e) otherwise.
        np.copyto(s, e)
        np.copyto(s, 1.0, where=t < 0)
        np.add(e, 1.0, out=e)
        np.divide(s, e, out=s)
        np.multiply(s, y, out=s)
        return value + theta @ theta / 2, theta - x.T @ s

    return evaluate


def one_pass(quick):
    np, threadpoolctl = peer("numpy"), peer("threadpoolctl")
    found = []
    with threadpoolctl.threadpool_limits(1):
        for rows, columns, calls in [(50_000, 50, 15), (5_000, 11, 150)]:
            found.append(pass_against_numpy(np, rows, columns, calls, 11 if quick else 31))
    found.append(pass_against_reading(100_000 if quick else 1_000_000, 50, 3 if quick else 7))
    return found


def pass_against_numpy(np, rows, columns, calls, rounds):
    x, y = records(rows, columns)
    theta = 3 * np.random.default_rng(2).standard_normal(columns)
    ways = [plain, in_place(np, x, y, theta)]
    # Numpy is given the faster of two ways to write the same computation, on this machine.
    best = min(ways, key=lambda way: seconds(lambda: way(np, x, y, theta), 2 * calls))
    with stored(x, y) as file, Partner("pass", file, threads=1) as partner:
        answer = [float(word) for word in partner("value " + " ".join(map(repr, map(float, theta))))]
        value, gradient = best(np, x, y, theta)
        if not (abs(answer[0] - value) <= 1e-12 * value and np.allclose(answer[1:], gradient, 1e-10, 1e-9)):
            sys.exit("the results of numpy and of the partner differ")
        ours, theirs = interleaved(
            rounds, 20, lambda: partner.seconds(f"pass {calls}"), lambda: seconds(lambda: best(np, x, y, theta), calls)
        )
    figure = ratio(theirs, ours)
    what = f"value and gradient, logistic, n = {rows:,}, d = {columns}, one thread"
    return row("pass", what, duration(typical(ours)), version(np), duration(typical(theirs)),
               f"{figure:.2f} × as fast", "≥ 2", figure >= 2)


def pass_against_reading(rows, columns, rounds):
    with stored(*records(rows, columns)) as file, Partner("pass", file, threads=1) as partner:
        partner("value " + " ".join(["0.1"] * columns))
        ours, theirs = interleaved(rounds, 60, lambda: partner.seconds("pass 2"), lambda: partner.seconds("read 2"))
    share = ratio(theirs, ours)
    return row("pass", f"the same, n = {rows:,}, d = {columns}: share of the streaming-read bandwidth", duration(typical(ours)),
               "reading the buffer", duration(typical(theirs)), f"{100 * share:.0f} %", "≥ 60 %", share >= 0.6)


# ---- whole fits

BUDGETS = [("epsilon", "ε = 1"), ("mu", "μ = 1")]


def fits(quick):
    linear_model = peer("sklearn.linear_model")
    try:
        private = peer("diffprivlib.models")
    except Absent as absent:
        print(f"{absent}: fits are compared with scikit-learn only")
        private = None
    sizes = [1_000, 10_000, 100_000] if quick else [1_000, 10_000, 100_000, 1_000_000]
    measured = {}
    for columns in [11, 50]:
        for rows in sizes:
            measured.update(fits_of(linear_model, private, rows, columns, 2 if quick else 12))
    return [line for columns in [11, 50] for budget in BUDGETS for line in fit_rows(measured, columns, sizes, *budget)]


def fits_of(linear_model, private, rows, columns, limit):
    """Median seconds and ratios at one size, by (budget, columns, rows)."""
    x, y = records(rows, columns)
    # One thousandth for each record. J = sum of losses + (regulariser/2)|theta|^2 is what scikit-learn
    # calls C = 1/regulariser.
    regulariser = rows / 1000
    settings = dict(C=1 / regulariser, fit_intercept=False, max_iter=1000)
    plain_fit = lambda: linear_model.LogisticRegression(**settings).fit(x, y)
    peers = [lambda: seconds(plain_fit)]
    if private:
        private_fit = lambda: private.LogisticRegression(epsilon=1.0, data_norm=1.0, **settings).fit(x, y)
        peers.append(lambda: seconds(private_fit))
    found = {}
    with stored(x, y) as file, contextlib.ExitStack() as stack, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        partners = {budget: stack.enter_context(Partner("fit", file, regulariser, budget, 1)) for budget, _ in BUDGETS}
        answers = {budget: partner() for budget, partner in partners.items()}
        times = interleaved(15, limit, *[partner.seconds for partner in partners.values()], *peers)
    theirs = times[len(BUDGETS):]
    for (budget, _), ours in zip(BUDGETS, times):
        found[budget, columns, rows] = {
            "seconds": typical(ours),
            "mechanism": answers[budget][1],
            "passes": int(answers[budget][2]),
            "peers": [typical(peer) for peer in theirs],
            "ratios": [ratio(ours, peer) for peer in theirs],
        }
    print(f"  fits at n = {rows:,}, d = {columns}: " + ", ".join(
        f"{budget} {duration(found[budget, columns, rows]['seconds'])}" for budget, _ in BUDGETS), flush=True)
    return found


def fit_rows(measured, columns, sizes, budget, name):
    """Against each peer, and how our time grows: one line for all sizes."""
    import sklearn

    cells = [measured[budget, columns, rows] for rows in sizes]
    powers = ", ".join(f"10{'⁰¹²³⁴⁵⁶⁷'[round(math.log10(rows))]}" for rows in sizes)
    kind = f"{cells[-1]['mechanism'].replace('-', ' ')}, {cells[-1]['passes']} passes"
    what = f"fit, {name}, d = {columns}, n = {powers} ({kind})"
    together = lambda values: " · ".join(values)
    ours = together(duration(cell["seconds"]) for cell in cells)
    lines = []
    for index, against in enumerate([f"scikit-learn {sklearn.__version__}, not private", "diffprivlib 0.6.6"][: len(cells[0]["peers"])]):
        ratios = [cell["ratios"][index] for cell in cells]
        most, goal = [(1, "≤ its time"), (0.8, "≤ 0.8 times its time")][index]
        lines.append(row("fit", what, ours, against, together(duration(cell["peers"][index]) for cell in cells),
                         together(f"{r:.2g}" for r in ratios), goal, max(ratios) <= most))
    slope = growth(sizes, [cell["seconds"] for cell in cells])
    lines.append(row("fit", f"{name}, d = {columns}: growth exponent in n", "", "", "", f"{slope:.2f}", "≤ 1.05", slope <= 1.05))
    return lines


def growth(sizes, times):
    """The slope of the regression line through (ln n, ln time)."""
    points = [(math.log(n), math.log(t)) for n, t in zip(sizes, times)]
    x, y = (statistics.mean(column) for column in zip(*points))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


# ---- noise


def noise(quick):
    dp = peer("opendp.prelude")
    dp.enable_features("contrib")
    zeros, found = [0.0] * COORDINATES, []
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    laws = [("laplace", dp.m.make_laplace, dp.l1_distance), ("normal", dp.m.make_gaussian, dp.l2_distance)]
    with Partner("noise") as partner:
        for law, make, metric in laws:
            draw = make(domain, metric(T=float), scale=1.0)
            ours, theirs = interleaved(
                5 if quick else 31, 20, lambda: partner.seconds(f"{law} 3"), lambda: seconds(lambda: draw(zeros), 200)
            )
            mine = typical(ours)
            found.append(row("noise", f"{COORDINATES} coordinates of exact {law.replace('laplace', 'Laplace')} noise", duration(mine),
                             f"opendp {importlib.metadata.version('opendp')}", duration(typical(theirs)),
                             f"{ratio(theirs, ours):.3g} × as fast", "≤ 50 µs", mine <= 50e-6))
    return found


# ---- a step of a chain


def blackjax_chain(steps):
    """Seconds of one step of blackjax's MALA, compiled, in f64."""
    jax, blackjax = peer("jax"), peer("blackjax")
    jax.config.update("jax_enable_x64", True)
    curvature = 1 + jax.numpy.arange(COORDINATES) / 10
    chain = blackjax.mala(lambda x: -0.5 * jax.numpy.sum(curvature * x * x), step_size=0.1)
    start = chain.init(jax.numpy.zeros(COORDINATES))

    @jax.jit
    def run(key):
        return jax.lax.scan(lambda state, key: (chain.step(key, state)[0], None), start, jax.random.split(key, steps))[0]

    key = jax.random.key(1)
    run(key).position.block_until_ready()
    return f"blackjax {blackjax.__version__}", lambda: seconds(lambda: run(key).position.block_until_ready(), 3) / steps


def mala(quick):
    steps = 20_000
    try:
        name, theirs = blackjax_chain(steps)
    except Absent as absent:
        print(f"{absent}: the chain is measured alone")
        name, theirs = "", lambda: math.nan
    with Partner("step") as partner:
        ours, theirs = interleaved(5 if quick else 31, 20, lambda: min(partner.seconds(steps) for _ in range(3)), theirs)
    mine = typical(ours)
    return [row("mala", f"MALA step, quadratic, d = {COORDINATES}", duration(mine), name, duration(typical(theirs)) if name else "",
                f"{ratio(theirs, ours):.3g} × as fast" if name else "", "≤ 60 ns", mine <= 60e-9)]


# ---- memory and files


@contextlib.contextmanager
def csv_file(folder, rows, columns):
    """A file of six digits for each number; blocks of the same 10,000 rows follow each other."""
    x, y = records(10_000, columns)
    path = pathlib.Path(folder) / f"{rows}.csv"
    block = "".join(",".join(f"{v:.6f}" for v in line) + f",{int(label > 0)}\n" for line, label in zip(0.999 * x, y))
    with open(path, "w") as file:
        file.write(",".join([f"x{k}" for k in range(columns)] + ["y"]) + "\n")
        for _ in range(rows // 10_000):
            file.write(block)
    yield path
    path.unlink()


def census(folder, rows):
    """A made-up file with the columns of docs/adult-schema.toml: numbers, levels, blanks after the
    comma, some unknown cells."""
    import random
    import tomllib

    schema = tomllib.loads((ROOT / "docs/adult-schema.toml").read_text())
    draw = random.Random(1)

    def cell(entry):
        if isinstance(entry, dict) and "levels" not in entry and "range" not in entry:
            return draw.choice(["HS-grad", "Bachelors", "77516", "215646"])
        listed = entry if isinstance(entry, list) else entry.get("levels") or entry["range"]
        if isinstance(listed[0], str):
            return " " + draw.choice([*listed, "?"])
        return str(draw.randint(*map(int, listed)) if draw.random() < 0.5 else int(listed[0]))

    columns = schema["columns"]
    block = "".join(",".join(cell(entry) for entry in columns.values()) + f", {draw.choice(schema['target']['classes'])}\n" for _ in range(10_000))
    path = pathlib.Path(folder) / "census.csv"
    path.write_text(",".join([*columns, schema["target"]["name"]]) + "\n" + block * (rows // 10_000))
    return path


def peak(command):
    """The most memory that a program held, in bytes: asked for while it runs, because the system adds the parent's to
    what it says in the end."""
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)
    most = 0
    while process.poll() is None:
        with contextlib.suppress(OSError):
            lines = pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
            most = max([most] + [1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM")])
        time.sleep(0.002)
    if process.returncode:
        sys.exit("asap fit failed")
    return most


def memory(quick):
    if not pathlib.Path("/proc/self/status").exists():
        raise Absent("/proc is not there: memory")
    rows, columns = (100_000, 11) if quick else (500_000, 11)
    matrix = 8 * rows * (columns + 1)
    with tempfile.TemporaryDirectory() as folder:

        def fit(path, *flags):
            return peak([TARGET / "asap", "fit", path, "--target", "y", "--loss", "logistic", "--epsilon", "1", "--regulariser", "100",
                         "--feature-bound", "1", "--expected-rows", rows, "--max-rows", 10 * rows, *flags,
                         "--yes", "--force", "--out", pathlib.Path(folder) / "release.json"])

        with csv_file(folder, rows, columns) as path:
            whole, streamed = fit(path), fit(path, "--stream")
        with csv_file(folder, rows // 10, columns) as path:
            small = fit(path, "--stream")
    size = lambda value: f"{value / 2**20:.1f} MiB"
    shape = f"n = {rows:,}, d = {columns}"
    return [
        row("memory", f"peak of `asap fit` from a CSV file, {shape}", size(whole), "the matrix in f64", size(matrix), f"{whole / matrix:.2f}",
            "≤ 1.3", whole <= 1.3 * matrix),
        row("memory", f"the same with --stream, {shape}", size(streamed), "a tenth of the rows", size(small), f"{streamed / small:.2f}",
            "≤ 1.1", streamed <= 1.1 * small),
    ]


def csv(quick):
    readers = []
    for name in ["pandas", "polars"]:
        try:
            readers.append(peer(name))
        except Absent as absent:
            print(f"{absent}: skipped")
    rows, columns = (50_000, 11) if quick else (300_000, 11)
    with tempfile.TemporaryDirectory() as folder, csv_file(folder, rows, columns) as path, Partner("csv", path, "y") as partner:
        ways = [lambda reader=reader: seconds(lambda: reader.read_csv(path)) for reader in readers]
        ours, *theirs = interleaved(3 if quick else 11, 30, partner.seconds, *ways)
    lines = [row("csv", f"CSV file to checked records, n = {rows:,}, d = {columns}", duration(typical(ours)), version(reader),
                 duration(typical(times)), f"{ratio(times, ours):.2f} × as fast", "", None) for reader, times in zip(readers, theirs)]
    rows = 30_000 if quick else 200_000
    with tempfile.TemporaryDirectory() as folder, Partner("csv", census(folder, rows), ROOT / "docs/adult-schema.toml") as partner:
        path = pathlib.Path(folder) / "census.csv"
        ways = [lambda reader=reader: seconds(lambda: reader.read_csv(path)) for reader in readers]
        ours, *theirs = interleaved(3 if quick else 11, 30, partner.seconds, *ways)
    what = f"CSV file with a schema to checked records, n = {rows:,}, 5 numbers and 7 columns of levels"
    return lines + [row("csv", what, duration(typical(ours)), version(reader), duration(typical(times)),
                        f"{ratio(times, ours):.2f} × as fast", "≥ 1" if version(reader).startswith("pandas") else "", None)
                    for reader, times in zip(readers, theirs)]


PARTS = {"pass": one_pass, "fit": fits, "noise": noise, "mala": mala, "memory": memory, "csv": csv}


def processor():
    with contextlib.suppress(OSError):
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def show(rows):
    heads = ["what", "ours", "peer", "theirs", "ratio", "goal"]
    met = lambda one: {None: "", True: "met", False: "missed"}[one["met"]]
    lines = [heads + ["met?"]] + [[one[head] for head in heads] + [met(one)] for one in rows]
    widths = [max(len(line[k]) for line in lines) for k in range(len(heads) + 1)]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PARTS), help="parts, separated by commas")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and smaller sizes")
    parser.add_argument("--busy", action="store_true", help="judge by the fastest rounds: for a machine that others use")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "docs/measured/peers.json")
    options = parser.parse_args()
    global BUSY
    BUSY = options.busy
    chosen = options.only.split(",")
    if unknown := set(chosen) - set(PARTS):
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}")
    subprocess.run(["cargo", "build", "--quiet", "--release", "--bin", "asap", "-p", "asap-cli"], cwd=ROOT, check=True)
    subprocess.run(["cargo", "build", "--quiet", "--release", "--example", "partner", "-p", "asap-benches"], cwd=ROOT, check=True)
    rows = []
    for part in chosen:
        print(f"{part} …", flush=True)
        try:
            rows += PARTS[part](options.quick)
        except Absent as absent:
            print(f"{absent}: {part} is skipped")
    show(rows)
    machine = f"{processor()}, {os.cpu_count()} cores"
    options.json.parent.mkdir(parents=True, exist_ok=True)
    said = {"command": " ".join(["benches/against_peers.py", *sys.argv[1:]]), "machine": machine, "rows": rows}
    options.json.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()

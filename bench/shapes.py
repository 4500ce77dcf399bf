"""The shapes of real programs (programs/shapes/): each compiled once by stock Clang at -O3 and linked by Gantry, for
the CPU device and for GPUs, and run on `cpu` and on an executor in turn: the PTX executor, or that of AMD's code."""

import concurrent.futures
import os
import pathlib
import shutil
import statistics
import tempfile
import time

from toolchain import PROGRAMS, BenchError, progress, run

ARCHITECTURE = "sm_80"
AMD_ARCHITECTURE = "gfx906"
# cpu / simt with GANTRY_SIMT_CHECK=memory.
GOALS = {"stream-": 0.8}
GOAL = 0.25
HALF_GOAL = 0.5  # of at least half of the rows
FIRST_GOAL = 500  # milliseconds that a row's first launch takes longer than a later one, without a cache
CACHED_GOAL = 20
COMPILER_GOAL = 2  # the same / the time of clang -O2
# cpu / simt-amd.
AMD_GOALS = {"stream-": 1 / 3}
AMD_GOAL = 0.1
# The CPU device shares the host's memory and copies nothing, unless it is told to.
NATIVE = {"mapping": "cpu+separate"}
TOLERANCE = 1e-6  # sums in another order, reciprocals and roots that are approximations


def sources():
    return sorted((PROGRAMS / "shapes").glob("*.cpp"))


def goal_of(name, goals, usual):
    return next((goal for prefix, goal in goals.items() if name.startswith(prefix)), usual)


def build(build_tree, source, architecture):
    """The program of a source. Always made anew: it has the device runtime in it."""
    folder = build_tree / "bench/shapes"
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / source.stem
    flags = ["-fopenmp", f"--offload-arch=host,{architecture}"]
    gantry = build_tree / "bin/gantry"
    run([gantry, "clang++", "-O3", *flags, source, "-o", program])
    return program


def compile_seconds(build_tree, source):
    """The seconds that `clang -O2` takes for the source, for host and GPU, called by Gantry's driver."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        run([build_tree / "bin/gantry", "clang++", "-O2", "-fopenmp", f"--offload-arch={ARCHITECTURE}", "-c", source,
             "-o", pathlib.Path(folder) / "object.o"])
        return time.monotonic() - begin


def sample(program, device, count, **changes):
    """The rows of one run: name → (check, milliseconds of the first, of the later ones)."""
    output = run([program, str(count)], GANTRY_DEVICES=device, **changes).stdout
    rows = {}
    for line in output.splitlines():
        name, check, first, *later = line.split()
        rows[name] = (float(check), float(first), [float(word) for word in later])
    return rows


def compare(name, reference, found):
    if abs(reference - found) > TOLERANCE * max(abs(reference), abs(found)):
        raise BenchError(f"'{name}' has the result {found!r} on the executor and {reference!r} on the CPU")


class Contender:
    """One way to run a program, and what it took."""

    def __init__(self, device, **changes):
        self.device = device
        self.changes = changes
        self.times = {}

    def run(self, program, count, reference):
        rows = sample(program, self.device, count, **self.changes)
        for name, (check, _, later) in rows.items():
            if reference:
                compare(name, reference[name][0], check)
            self.times.setdefault(name, []).extend(later)
        return rows

    def median(self, name):
        return statistics.median(self.times[name])


def measure_program(program, rounds, count):
    """The rows of a program: dictionaries."""
    cache = tempfile.mkdtemp()
    shared = {"GANTRY_SIMT_CACHE": cache}
    native = Contender(NATIVE.get(program.name, "cpu"))
    checked = Contender("simt", GANTRY_SIMT_CHECK="memory", **shared)
    free = Contender("simt", GANTRY_SIMT_CHECK="none", **shared)
    # The first run of each fills the cache; the next reads it.
    reference = native.run(program, count, None)
    first = checked.run(program, count, reference)
    cached = checked.run(program, count, reference)
    free.run(program, count, reference)
    for contender in (native, checked, free):
        contender.times.clear()
    order = [native, checked, free]
    for _ in range(rounds):
        for contender in order:
            contender.run(program, count, reference)
        order.reverse()
    shutil.rmtree(cache)
    rows = []
    for name in reference:
        usual = checked.median(name)
        rows.append({
            "shape": name, "program": program.name, "cpu_ms": native.median(name), "memory_ms": usual,
            "none_ms": free.median(name), "memory": native.median(name) / usual,
            "none": native.median(name) / free.median(name), "goal": goal_of(name, GOALS, GOAL),
            "first_ms": max(0.0, first[name][1] - usual), "cached_ms": max(0.0, cached[name][1] - usual),
        })
    return rows


def build_all(build_tree, only, architecture):
    """The chosen sources, each with its program."""
    chosen = [source for source in sources() if not only or source.stem in only]
    progress(f"building {len(chosen)} programs")
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        programs = list(pool.map(lambda source: build(build_tree, source, architecture), chosen))
    return list(zip(chosen, programs))


def measure_amd(build_tree, rounds, count, only=None):
    """The rows of the executor of AMD's code: dictionaries."""
    rows = []
    for source, program in build_all(build_tree, only, AMD_ARCHITECTURE):
        progress(f"{source.stem}: measuring")
        native = Contender(NATIVE.get(program.name, "cpu"))
        interpreted = Contender("simt-amd", GANTRY_SIMT_MODE="interpret")
        compiled = Contender("simt-amd", GANTRY_SIMT_CODE="optimised")
        reference = native.run(program, count, None)
        native.times.clear()
        order = [compiled, native, interpreted]
        for _ in range(rounds):
            for contender in order:
                contender.run(program, count, reference)
            order.reverse()
        rows += [{"shape": name, "program": program.name, "cpu_ms": native.median(name),
                  "interpreted_ms": interpreted.median(name), "compiled_ms": compiled.median(name),
                  "compiled": native.median(name) / compiled.median(name),
                  "goal": goal_of(name, AMD_GOALS, AMD_GOAL)}
                 for name in reference]
    return rows


def amd_table(rows):
    lines = [f"{'shape':<19} {'cpu ms':>8} {'interpreted':>11} {'compiled ms':>11} {'of cpu':>7} {'goal':>5}"]
    lines += [f"{row['shape']:<19} {row['cpu_ms']:>8.2f} {row['interpreted_ms']:>11.2f} {row['compiled_ms']:>11.2f} "
              f"{row['compiled']:>7.3f} {row['goal']:>5.2f}" + (" slow" if row["compiled"] < row["goal"] else "")
              for row in rows]
    return "\n".join(lines)


def measure(build_tree, rounds, count, only=None):
    rows = []
    for source, program in build_all(build_tree, only, ARCHITECTURE):
        progress(f"{source.stem}: measuring")
        found = measure_program(program, rounds, count)
        clang = compile_seconds(build_tree, source) * 1000
        whole = sum(row["first_ms"] for row in found)
        for row in found:
            row["clang_ms"] = clang
            row["compiler"] = whole / clang
        rows += found
    return rows


def table(rows):
    lines = [f"{'shape':<19} {'cpu ms':>8} {'simt ms':>8} {'of cpu':>7} {'goal':>5} {'none':>6} "
             f"{'first ms':>9} {'cached':>7} {'/clang':>7}"]
    for row in rows:
        missed = "".join(mark for mark, bad in (
            (" slow", row["memory"] < row["goal"]), (" first", row["first_ms"] > FIRST_GOAL),
            (" cached", row["cached_ms"] > CACHED_GOAL), (" compiler", row["compiler"] > COMPILER_GOAL)) if bad)
        lines.append(
            f"{row['shape']:<19} {row['cpu_ms']:>8.2f} {row['memory_ms']:>8.2f} {row['memory']:>7.2f} {row['goal']:>5.2f} "
            f"{row['none']:>6.2f} {row['first_ms']:>9.0f} {row['cached_ms']:>7.1f} {row['compiler']:>7.2f}{missed}")
    half = sum(row["memory"] >= HALF_GOAL for row in rows)
    lines.append(f"{half} of {len(rows)} rows at {HALF_GOAL} of cpu or better (goal: half of them)")
    return "\n".join(lines)

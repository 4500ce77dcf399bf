#!/usr/bin/env python3
"""What the host does for constructs of GCC's programs: Gantry beside stock libgomp with its nvptx plugin,
one program and one executor for both, in alternation and in one run. The executor skips the kernels
(GANTRY_SIMT_MODE=skip), so a construct's time is the runtime's, and the driver's for memory, copies and
waiting; a run with kernels checks the results first. `scripts/bench --gcc` builds Gantry and runs this."""

import argparse
import json
import pathlib
import sys

import machine
import report
from toolchain import PROGRAMS, BenchError, progress, run

GOAL = 1 / 2
ROWS = ("empty target region", "target region, one scalar", "target region, 64 arrays, all present",
        "target enter data and exit data")
NVPTX_COMPILER = "/usr/bin/x86_64-linux-gnu-accel-nvptx-none-gcc-12"
#: Without a ptxas on it: GCC's assembler would let that check its output.
PATH = "/usr/bin:/bin"


def build(folder):
    program = folder / "constructs"
    progress("compiling with gcc-12")
    command = ["gcc-12", "-O2", "-Wall", f"-I{PROGRAMS}", "-fopenmp", "-foffload=nvptx-none", "-no-pie",
               "-foffload-options=nvptx-none=-Wa,--no-verify", PROGRAMS / "gcc/constructs.c", "-o", program]
    run(command, PATH=PATH)
    return program


def contenders(build_tree, program, check):
    """How each runtime runs the program."""
    executor = {"LD_LIBRARY_PATH": str(build_tree / "lib/simt"), "GANTRY_SIMT_CHECK": check}
    return {
        "stock": ([program], executor),
        "gantry": ([build_tree / "bin/gantry", "run", program], executor | {"GANTRY_DEVICES": "simt"}),
    }


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench --gcc", description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--samples", type=int, default=15, help="runs of each (default: 15)")
    parser.add_argument("--check", default="memory", help="GANTRY_SIMT_CHECK (default: memory, the executor's)")
    parser.add_argument("--json", action="store_true", help="print every sample, for programs")
    arguments = parser.parse_args()
    if not pathlib.Path(NVPTX_COMPILER).exists():
        print("bench: SKIPPED: gcc-12-offload-nvptx is not installed", file=sys.stderr)
        return 77
    folder = arguments.build / "bench/programs"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        program = build(folder)
        ways = contenders(arguments.build, program, arguments.check)
        for name, (command, environment) in ways.items():
            progress(f"{name}: checking")
            run([*command, "check"], **environment)
        samples = {name: [] for name in ways}
        order = list(ways)
        for i in range(arguments.samples):
            if i % 5 == 0:
                progress(f"sample {i + 1} of {arguments.samples}")
            for name in order:
                command, environment = ways[name]
                words = run([*command, "time"], GANTRY_SIMT_MODE="skip", **environment).stdout.split()
                samples[name].append([float(word) / 1e9 for word in words])
            order.reverse()
    except BenchError as error:
        print(f"bench: error: {error}", file=sys.stderr)
        return 1
    rows = []
    for column, title in enumerate(ROWS):
        times = {name: report.summary([sample[column] for sample in taken]) for name, taken in samples.items()}
        rows.append({"title": title, "contenders": times, "goal": GOAL,
                     "ratio": times["gantry"]["median"] / times["stock"]["median"]})
    known = machine.facts()
    if arguments.json:
        print(json.dumps({"machine": known, "results": rows}, indent=2))
        return 0
    print(machine.headline(known))
    print()
    print(f"{'what':<40}{'stock libgomp (quartiles)':<34}{'Gantry (quartiles)':<34}ratio (goal 1/2)")
    for row in rows:
        print(f"{row['title']:<40}" +
              "".join(f"{report.measured(row['contenders'][name], 's'):<34}" for name in ("stock", "gantry")) +
              f"{report.fraction(row['ratio'])}  {'met' if row['ratio'] <= GOAL else 'MISSED'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

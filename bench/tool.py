#!/usr/bin/env python3
"""What a tool of OpenMP's chapter 19 costs whose callbacks of regions do nothing: programs with and without it, on the
stock LLVM runtime and on Gantry, in alternation and in one run; of each the fastest, whose times are medians of 31
batches. `scripts/bench --tool` builds Gantry and runs this."""

import argparse
import json
import pathlib
import sys
import time

import machine
from report import in_columns
from toolchain import CLANG, PROGRAMS, BenchError, Toolchain, in_alternation, progress, remove_images_since, run

CASES = (("empty-target", "empty target region", "empty_target.c"),
         ("one-scalar", "region, one mapped scalar", "one_scalar.c"))
#: Name, whose program, its environment.
RUNTIMES = (("LLVM 22", "stock", {}), ("Gantry, cpu", "gantry", {"GANTRY_DEVICES": "cpu"}),
            ("Gantry, cpu+separate", "gantry", {"GANTRY_DEVICES": "cpu+separate"}))


def measure(toolchain, tool, case, samples):
    name, title, source = case
    progress(title)
    programs = toolchain.programs(f"tool-{name}", PROGRAMS / source)
    ways = {}
    for runtime, linked, environment in RUNTIMES:
        for tools in ({}, {"OMP_TOOL_LIBRARIES": str(tool)}):
            ways[runtime, bool(tools)] = lambda program=programs[linked], variables=environment | tools: (
                float(run([program], **variables).stdout.split()[-1]) / 1e9)
    taken = in_alternation(ways, samples)
    return [{"case": name, "title": title, "runtime": runtime, "without": min(taken[runtime, False]),
             "with": min(taken[runtime, True]), "samples": [taken[runtime, with_tool] for with_tool in (False, True)]}
            for runtime, _, _ in RUNTIMES]


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench --tool", description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--samples", type=int, default=9, help="runs of each (default: 9)")
    parser.add_argument("--json", action="store_true", help="print every sample, for programs")
    arguments = parser.parse_args()
    start = time.time()
    try:
        toolchain = Toolchain(arguments.build)
        tool = toolchain.folder / "programs/tool.so"
        run([CLANG, "-O2", "-fPIC", "-shared", PROGRAMS / "tool.c", "-o", tool])
        rows = [row for case in CASES for row in measure(toolchain, tool, case, arguments.samples)]
    except BenchError as error:
        print(f"bench: error: {error}", file=sys.stderr)
        return 1
    finally:
        remove_images_since(start)
    known = machine.facts()
    if arguments.json:
        print(json.dumps({"machine": known, "results": rows}, indent=2))
        return 0
    print(machine.headline(known) + "\n")
    table = [("what", "runtime", "without", "with a tool", "more"),
             *((row["title"], row["runtime"], f"{row['without'] * 1e9:.0f} ns", f"{row['with'] * 1e9:.0f} ns",
                f"{(row['with'] - row['without']) * 1e9:.0f} ns") for row in rows)]
    print("\n".join(in_columns(table)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

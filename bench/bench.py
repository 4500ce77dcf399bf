#!/usr/bin/env python3
"""Compares Gantry with the stock LLVM 22 offload runtime: the same programs, in alternation, in one
run, and one table of medians and ratios. scripts/bench builds Gantry and runs this."""

import argparse
import json
import pathlib
import sys
import time

import cases
import machine
import report
from toolchain import BenchError, Toolchain, progress, remove_images_since

ROOT = pathlib.Path(__file__).resolve().parent.parent


def measure(case, tools, sizes, count):
    """Takes `count` samples of each contender, in an order that turns around each time."""
    progress(f"{case.name}: preparing")
    samplers = case.prepare(tools, sizes)
    samples = {name: [] for name in samplers}
    order = list(samplers)
    for i in range(count):
        if i % max(1, count // 4) == 0:
            progress(f"{case.name}: sample {i + 1} of {count}")
        for name in order:
            samples[name].append(samplers[name]())
        order.reverse()
    return samples


def parse_arguments():
    names = [case.name for case in cases.all_cases(cases.Sizes())]
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description=__doc__,
        epilog=f"Cases: {', '.join(names)}. Times of constructs are of one construct, times of "
        "programs from start to end of the process. Ratios are Gantry / stock. What is generated "
        "and built is under bench/ in the build tree; objects are compiled once. "
        "`scripts/bench --structures` compares data structures for the mapping table, `scripts/bench "
        "--indirect` calls by pointer in device code.",
    )
    add = parser.add_argument
    add("--only", metavar="NAME", action="append", choices=names,
        help="measure this case alone; may be given several times")
    add("--quick", action="store_true",
        help="a third of the samples, 100 kernels, 20 objects, 1000 live mappings: a look, not a "
        "claim")
    add("--samples", metavar="N", type=int, help="samples of each contender in each case")
    add("--json", metavar="FILE", type=argparse.FileType("w"),
        help="also write every sample to FILE")
    add("--build", metavar="FOLDER", type=pathlib.Path, default=ROOT / "build",
        help="Gantry's build tree (default: build/)")
    arguments = parser.parse_args()
    if arguments.samples is not None and arguments.samples < 1:
        parser.error(f"--samples is {arguments.samples}, and at least 1 is needed")
    return arguments


def main():
    arguments = parse_arguments()
    sizes = cases.Sizes(100, 20, (1000,), 64) if arguments.quick else cases.Sizes()
    known = machine.facts()
    results = []
    start = time.time()
    try:
        tools = Toolchain(arguments.build.resolve())
        for case in cases.all_cases(sizes):
            if arguments.only and case.name not in arguments.only:
                continue
            usual = case.samples // 3 if arguments.quick else case.samples
            count = arguments.samples or usual
            samples = measure(case, tools, sizes, count)
            results += [report.result(case, metric, samples) for metric in case.metrics]
    except BenchError as error:
        print(f"bench: error: {error}", file=sys.stderr)
        return 1
    finally:
        remove_images_since(start)
    print(machine.headline(known))
    print()
    print(report.table(results))
    if arguments.json:
        json.dump({"machine": known, "results": results}, arguments.json, indent=2)
    return 0


if __name__ == "__main__":
    sys.exit(main())

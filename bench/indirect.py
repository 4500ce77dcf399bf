#!/usr/bin/env python3
"""What a call by pointer costs in a target region: a direct call, a call through a pointer that is the
device's own, one through the host's, which is looked up in the device's table of functions, and virtual
calls. `scripts/bench --indirect` builds Gantry and runs this."""

import argparse
import json
import pathlib
import statistics

import machine
from toolchain import PROGRAMS, progress, run

ROOT = pathlib.Path(__file__).resolve().parent.parent
KINDS = {
    "direct": "direct call",
    "pointer": "by pointer, the device's own",
    "translated": "by pointer, the host's",
    "pointer-random": "by pointer, the device's own, another function each time",
    "translated-random": "by pointer, the host's, another function each time",
    "virtual-device-object": "virtual, of an object made on the device",
    "virtual-host-object": "virtual, of an object made on the host",
}


def build(functions, build_tree):
    folder = build_tree / "bench"
    folder.mkdir(exist_ok=True)
    program = folder / f"indirect-{functions}"
    progress(f"{functions} functions: building")
    run([build_tree / "bin/gantry", "clang++", "-std=c++17", "-O2", "-w", "-ftemplate-depth=20000",
         f"-DFUNCTIONS={functions}", PROGRAMS / "indirect.cpp", "-o", program])
    return program


def sample(program, devices, rounds):
    output = run([program, str(rounds)], GANTRY_DEVICES=devices).stdout
    return {kind: float(time) for kind, time in (line.split() for line in output.splitlines())}


def measure(functions, devices, samples, rounds, build_tree):
    """All kinds of one number of functions are measured in one process, and sizes in alternation."""
    programs = {count: build(count, build_tree) for count in functions}
    taken = {count: [] for count in functions}
    for i in range(samples):
        progress(f"{devices}: sample {i + 1} of {samples}")
        for count, program in programs.items():
            taken[count].append(sample(program, devices, rounds))
    return {count: {kind: [one[kind] for one in several] for kind in KINDS}
            for count, several in taken.items()}


def table(devices, results):
    counts = list(results)
    rows = [(f"nanoseconds a call, {devices}", *(f"{count} functions" for count in counts))]
    for kind, title in KINDS.items():
        rows.append((title, *(f"{statistics.median(results[count][kind]):.1f}" for count in counts)))
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join(
        "  ".join(word.ljust(width) if i == 0 else word.rjust(width)
                  for i, (word, width) in enumerate(zip(row, widths))) for row in rows)


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench --indirect", description=__doc__)
    parser.add_argument("--functions", metavar="N", type=int, nargs="+", default=[1, 10, 1000, 10000],
                        help="how many functions the table has (default: 1 10 1000 10000)")
    parser.add_argument("--devices", nargs="+", default=["cpu", "cpu+separate"],
                        help="values of GANTRY_DEVICES (default: cpu cpu+separate)")
    parser.add_argument("--samples", metavar="N", type=int, default=9)
    parser.add_argument("--rounds", metavar="N", type=int, default=1000,
                        help="of 4096 calls in a sample (default: 1000)")
    parser.add_argument("--json", metavar="FILE", type=argparse.FileType("w"),
                        help="also write every sample to FILE")
    parser.add_argument("--build", metavar="FOLDER", type=pathlib.Path, default=ROOT / "build",
                        help="Gantry's build tree (default: build/)")
    arguments = parser.parse_args()
    known = machine.facts()
    results = {}
    for devices in arguments.devices:
        results[devices] = measure(arguments.functions, devices, arguments.samples, arguments.rounds,
                                   arguments.build)
    print(machine.headline(known))
    for devices, found in results.items():
        print(f"\n{table(devices, found)}")
    if arguments.json:
        json.dump({"machine": known, "nanoseconds": results}, arguments.json, indent=1)


if __name__ == "__main__":
    main()

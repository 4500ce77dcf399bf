#!/usr/bin/env python3
"""What a profile costs: programs with and without `gantry profile`, beside LIBOMPTARGET_PROFILE of the stock LLVM
runtime on the same programs, in alternation and in one run; of each the fastest, whose times are medians of 31
batches. `scripts/bench --profile` builds Gantry and runs this."""

import argparse
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

import machine
from report import in_columns
from toolchain import PROGRAMS, BenchError, Toolchain, in_alternation, progress, remove_images_since, run

GOAL_EVENT = 60e-9
GOAL_RATIO = 1.05
#: Name, title, source, flags.
CASES = (
    ("empty-target", "empty target region", "empty_target.c", ()),
    ("one-scalar", "region, one mapped scalar", "one_scalar.c", ()),
    ("1us", "the same, of 1 us", "microseconds.c", ("-DMICROSECONDS=1",)),
    ("10us", "the same, of 10 us", "microseconds.c", ("-DMICROSECONDS=10",)),
    ("100us", "the same, of 100 us", "microseconds.c", ("-DMICROSECONDS=100",)),
)
DEVICES = ("cpu", "cpu+separate")


def seconds(command, **environment):
    return float(run(command, **environment).stdout.split()[-1]) / 1e9


def events_of_region(toolchain, program, device):
    """How many events one region is, and the record's size in bytes for each."""
    with tempfile.TemporaryDirectory(prefix="gantry-bench-") as folder:
        run([program], GANTRY_DEVICES=device, GANTRY_PROFILE=folder)
        process, = json.loads(run([toolchain.gantry, "profile", "--read", folder, "--json"]).stdout)["processes"]
    calls = sum(row["calls"] for row in process["regions"] if row["construct"] == "target")
    if process["dropped_events"] > 0:
        raise BenchError(f"the profile of '{program}' has reached its limit")
    return process["events"] / calls


def measure(toolchain, folder, case, samples):
    name, title, source, flags = case
    progress(f"{title}")
    programs = toolchain.programs(f"profile-{name}", PROGRAMS / source, *flags)
    records = folder / "records"
    stock_trace = folder / "stock.json"

    def profiled(device):
        shutil.rmtree(records, ignore_errors=True)
        records.mkdir()
        return seconds([programs["gantry"]], GANTRY_DEVICES=device, GANTRY_PROFILE=str(records))

    ways = {
        "stock": lambda: seconds([programs["stock"]]),
        "stock profiled": lambda: seconds([programs["stock"]], LIBOMPTARGET_PROFILE=str(stock_trace)),
    }
    for device in DEVICES:
        ways[device] = lambda device=device: seconds([programs["gantry"]], GANTRY_DEVICES=device)
        ways[f"{device} profiled"] = lambda device=device: profiled(device)
    taken = in_alternation(ways, samples)
    fastest = {way: min(times) for way, times in taken.items()}
    rows = [{"case": name, "title": title, "runtime": "stock, LIBOMPTARGET_PROFILE", "off": fastest["stock"],
             "on": fastest["stock profiled"], "events": None}]
    for device in DEVICES:
        rows.append({"case": name, "title": title, "runtime": f"Gantry, {device}", "off": fastest[device],
                     "on": fastest[f"{device} profiled"],
                     "events": events_of_region(toolchain, programs["gantry"], device)})
    return [row | {"samples": taken} for row in rows]


def shown(row):
    added = max(0.0, row["on"] - row["off"])
    event = "" if row["events"] is None else f"{added / row['events'] * 1e9:.0f} ns ({row['events']:.0f} events)"
    return (row["title"], row["runtime"], *(f"{row[key] * 1e6:.3g} us" for key in ("off", "on")),
            f"{row['on'] / row['off']:.2f}", event)


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench --profile", description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--samples", type=int, default=9, help="runs of each (default: 9)")
    parser.add_argument("--json", action="store_true", help="print every sample, for programs")
    arguments = parser.parse_args()
    memory = pathlib.Path("/dev/shm")
    start = time.time()
    try:
        toolchain = Toolchain(arguments.build)
        with tempfile.TemporaryDirectory(prefix="gantry-bench-",
                                         dir=memory if os.access(memory, os.W_OK) else None) as folder:
            rows = [row for case in CASES
                    for row in measure(toolchain, pathlib.Path(folder), case, arguments.samples)]
    except BenchError as error:
        print(f"bench: error: {error}", file=sys.stderr)
        return 1
    finally:
        remove_images_since(start)
    known = machine.facts()
    if arguments.json:
        print(json.dumps({"machine": known, "results": rows}, indent=2))
        return 0
    print(machine.headline(known))
    print(f"\nGoals: {GOAL_EVENT * 1e9:.0f} ns an event, {GOAL_RATIO} from 1 us on\n")
    table = [("what", "runtime", "without", "with profile", "ratio", "an event"), *map(shown, rows)]
    print("\n".join(in_columns(table)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

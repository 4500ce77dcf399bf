#!/usr/bin/env python3
"""What constructs on devices of nodes take, beside a ping-pong of the same MPI library in the same run, for Open MPI and
MPICH over shared memory and over TCP. Medians; programs are run in alternation. `scripts/bench --mpi` builds and runs
this."""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

import machine
from report import in_columns
from toolchain import PROGRAMS, BenchError, progress

LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"], "mpich": ["mpiexec.hydra"]}
WAYS = {
    ("openmpi", "shared"): {"OMPI_MCA_btl": "self,vader"},
    ("openmpi", "tcp"): {"OMPI_MCA_btl": "self,tcp"},
    ("mpich", "shared"): {},
    ("mpich", "tcp"): {"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp,self"},
}
TITLES = {"openmpi": "Open MPI", "mpich": "MPICH"}
DEVICES = ("cpu", "worker")
#: Seconds above the ping-pong that an empty region may take, by way.
MORE = {"shared": 5e-6, "tcp": 15e-6}


def run(line, environment):
    done = subprocess.run(line, env=os.environ | environment, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise BenchError(f"{' '.join(map(str, line))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return {name: float(value) for name, value in (row.split() for row in done.stdout.splitlines() if row)}


def job(build, launcher, program, nodes, *arguments):
    return [*launcher, "-n", "1", program, *arguments, ":", "-n", str(nodes), build / "libexec/gantry-node"]


def measure(build, programs, way, samples):
    mpi, _ = way
    launcher = LAUNCHERS[mpi]
    common = WAYS[way] | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                          "PMIX_MCA_pcompress_base_silence_warning": "1", "OMP_TARGET_OFFLOAD": "MANDATORY",
                          # Threads that yield keep nodes on the same processors from running (docs/distributed.md).
                          "LIBOMP_USE_HIDDEN_HELPER_TASK": "0"}
    taken = {}

    def note(name, values):
        for key, value in values.items():
            taken.setdefault((name, key), []).append(value)

    for sample in range(samples):
        progress(f"{TITLES[mpi]}, {way[1]}: {sample + 1} of {samples}")
        note("ping-pong", run([*launcher, "-n", "2", build / "bin/mpi_alone"], common))
        note("alone", run([*launcher, "-n", "3", build / "bin/mpi_alone"], common))
        note("here", run([programs["nodes"]], common | {"GANTRY_DEVICES": "worker"}))
        for device in DEVICES:
            note(device, run(job(build, launcher, programs["nodes"], 2), common | {"GANTRY_DEVICES": f"mpi:{device}"}))
            note(device, run(job(build, launcher, programs["stencil_nodes"], 2, "200"),
                             common | {"GANTRY_DEVICES": f"mpi:{device}"}))
    return {key: statistics.median(values) for key, values in taken.items()}


def rows_of(way, found):
    ping = found["ping-pong", "round-trip"]
    some = found["ping-pong", "round-trip-9K"]
    wire = found["ping-pong", "bandwidth-256M"]
    name = f"{TITLES[way[0]]}, {way[1]}"
    more = MORE[way[1]]

    def plain(title, value, shown):
        return {"way": name, "what": title, "device": "", "value": value, "shown": shown, "goal": "", "met": None}

    def rate(title, value):
        return plain(title, value, f"{value / 1e9:.2f} GB/s")

    def times(case, title, goal, text):
        for device in DEVICES:
            # A worker is a process more, which takes its time on the program's own machine too.
            own = found["here", case] if device == "worker" else 0
            value = found[device, case]
            yield {"way": name, "what": title, "device": device, "value": value, "shown": f"{value * 1e6:.1f} us",
                   "goal": f"{text}{' + a worker here' if own else ''}: {(goal + own) * 1e6:.1f} us",
                   "met": value <= goal + own}

    yield plain("ping-pong, 8 bytes", ping, f"{ping * 1e6:.1f} us")
    yield plain("ping-pong, 9 KiB", some, f"{some * 1e6:.1f} us")
    yield from times("empty", "empty region", ping + more, f"+ {more * 1e6:.0f} us")
    yield from times("scalar", "one scalar", 1.5 * (ping + more), "1.5 times that")
    yield from times("arrays", "16 arrays of 512 bytes", 2 * (some + more), f"two of 9 KiB, each + {more * 1e6:.0f} us")
    yield rate("ping-pong, 4 MiB one way", found["ping-pong", "bandwidth-4M"])
    yield rate("ping-pong, 256 MiB one way", wire)
    for case, title, part in (("to", "1 GiB to the device", 0.9), ("from", "1 GiB from it", 0.9),
                              ("between", "256 MiB from node to node", 0.85)):
        for device in DEVICES:
            value = found[device, case]
            yield {"way": name, "what": title, "device": device, "value": value, "shown": f"{value / 1e9:.2f} GB/s",
                   "goal": f"{part} of it: {part * wire / 1e9:.2f} GB/s", "met": value >= part * wire}
    value = found["alone", "efficiency"]
    yield plain("stencil of tasks of 200 us, MPI alone: efficiency", value, f"{value:.2f}")
    for device in DEVICES:
        value = found[device, "efficiency"]
        yield {"way": name, "what": "stencil of tasks of 200 us, two nodes: efficiency", "device": device, "value": value,
               "shown": f"{value:.2f}", "goal": "0.50", "met": value >= 0.5}


def shown(row):
    met = {True: "met", False: "missed", None: ""}[row["met"]]
    return row["way"], row["what"], row["device"], row["shown"], row["goal"], met


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench --mpi", description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--samples", type=int, default=5, help="runs of each program (default: 5)")
    parser.add_argument("--only", choices=sorted("-".join(way) for way in WAYS), help="one MPI and way")
    parser.add_argument("--json", action="store_true", help="print the figures for programs")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    rows = []
    try:
        programs = {name: build / "bench" / name for name in ("nodes", "stencil_nodes")}
        for name, program in programs.items():
            program.parent.mkdir(exist_ok=True)
            subprocess.run([build / "bin/gantry", "clang++", "-O2", PROGRAMS / f"{name}.cpp", "-o", program], check=True)
        for way in WAYS:
            if arguments.only not in (None, "-".join(way)):
                continue
            if shutil.which(LAUNCHERS[way[0]][0]) is None:
                print(f"SKIPPED: {LAUNCHERS[way[0]][0]} is not installed", file=sys.stderr)
                continue
            rows += rows_of(way, measure(build, programs, way, arguments.samples))
    except (BenchError, subprocess.SubprocessError) as error:
        print(f"bench: error: {error}", file=sys.stderr)
        return 1
    known = machine.facts()
    if arguments.json:
        print(json.dumps({"machine": known, "results": rows}, indent=2))
        return 0
    print(machine.headline(known))
    table = [("MPI", "what", "device", "time or rate", "goal", ""), *map(shown, rows)]
    print("\n".join(in_columns(table)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

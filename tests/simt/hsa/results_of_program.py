#!/usr/bin/env python3
"""Compiles a program of the conformance suite by Debian's Clang for an AMD GPU, without Gantry's driver and link and
with its device runtime, and runs its cases with Debian's libomptarget on the executor. Each case must give the right
result, but for those that are named with a reason, which must not. Ends with 77 (skipped) if Clang is not installed.

    results_of_program.py SOURCE LEVEL --build FOLDER --library FOLDER --gantry FOLDER
"""

import pathlib
import subprocess
import sys

import stock

WRONG = {
    "ordered_loops": "the lanes of a wave run in lockstep, and would wait for each other's turns",
    "locks": "the lanes of a wave run in lockstep, and would wait for the one that has the lock",
    "scans": "Clang gives each thread a buffer of its own for what all are to have",
    "lastprivate_variables_of_shared_loops": "Clang gives each thread a copy of what the team is to have one of; "
                                             "Gantry's link mends it",
}
RUN_SECONDS = 60


def main():
    options = stock.options(__doc__, source={"type": pathlib.Path}, level={"help": "of optimisation, such as 2"})
    command = stock.command_of("clang", options.gantry)
    if command is None:
        print("skipped: clang-22 or its libomptarget is not installed")
        return 77
    options.build.mkdir(parents=True, exist_ok=True)
    program = options.build / f"{options.source.stem}-O{options.level}"
    tests = options.source.resolve().parents[2]
    subprocess.run([*command, "--driver-mode=g++", f"-O{options.level}", "-std=c++20", "-fopenmp-version=52", "-w",
                    "-DGANTRY_FOR_GPU", f"-I{tests / 'conformance'}", f"-I{tests / 'support'}", str(options.source),
                    "-o", str(program)], check=True, timeout=stock.COMPILE_SECONDS)
    environment = stock.environment(options.hsa)
    listed = subprocess.run([program, "--list"], env=environment, capture_output=True, text=True, check=True,
                            timeout=RUN_SECONDS)
    cases = [line.split("\t")[0] for line in listed.stdout.splitlines()]
    wrong = 0
    for case in cases:
        result = subprocess.run([program, case], env=environment, capture_output=True, text=True, check=False,
                                timeout=RUN_SECONDS)
        if (result.returncode == 0) == (case in WRONG):
            wrong += 1
            print(f"{case}: " + (f"is right, though {WRONG[case]}" if case in WRONG else
                                 f"ended with {result.returncode}\n{result.stderr}"))
    print(f"{len(cases) - wrong} of {len(cases)} cases as expected")
    return 0 if cases and wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())

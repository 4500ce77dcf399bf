#!/usr/bin/env python3
"""Copies the suite's programs for a device, and prints a line for each: name and cases that must succeed.

usage: bundle.py BUILD DEVICE FOLDER

Left out are cases of exceptions.txt, cases that must end with a message, and cases that need an environment of
their own or several devices: whoever runs the line needs no Python and may have one GPU.
"""

import pathlib
import shutil
import sys

import run
import suite

COMPILER = "clang22"
NEED_SEVERAL_DEVICES = ("uids",)


def main():
    build, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[3])
    device = suite.read_device(sys.argv[2])
    exceptions = suite.read_exceptions()
    for source in sorted((suite.FOLDER / "programs").glob("*.cpp")):
        executable = device.executable(build, source.stem, COMPILER)
        if source.stem in NEED_SEVERAL_DEVICES or not executable.exists():
            continue
        runner = run.Runner(executable, device.environment(build))
        cases = [case.name for case in runner.cases() if case.shares_a_process() and not any(
            row.covers(source.stem, COMPILER, device.name, case.name) for row in exceptions)]
        if cases:
            shutil.copy(executable, folder / source.stem)
            print(source.stem, *cases)


if __name__ == "__main__":
    main()

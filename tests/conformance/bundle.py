#!/usr/bin/env python3
"""Copies the suite's programs for a device, and prints a line for each: name and cases that must succeed.

usage: bundle.py BUILD DEVICE FOLDER [ARCHITECTURES]

With ARCHITECTURES, which are AMD's, the programs are compiled for these, and else the build's are copied. Left out are cases of exceptions.txt, cases that must end with a message, and cases that need an environment of
their own or several devices: whoever runs the line needs no Python and may have one GPU.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import run
import suite

COMPILER = "clang22"
NEED_SEVERAL_DEVICES = ("uids",)


def compile_program(build, source, architectures, output):
    """As CMakeLists.txt does; code objects of version 5 are what older runtimes take, too."""
    first_lines = re.search(r"^// flags: (.*)$", source.read_text(), re.MULTILINE)
    flags = first_lines.group(1).split() if first_lines else []
    subprocess.run([build / "bin/gantry", "clang++", "-O1", "-w", f"-I{suite.ROOT / 'tests/support'}",
                    f"-I{suite.FOLDER}", source, "-o", output, f"--offload-arch={architectures}",
                    "-mcode-object-version=5", "-DGANTRY_FOR_GPU", "-DGANTRY_FOR_AMD", *flags], check=True)


def main():
    build, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[3])
    architectures = sys.argv[4] if len(sys.argv) > 4 else ""
    compilations = []
    device = suite.read_device(sys.argv[2])
    exceptions = suite.read_exceptions()
    for source in sorted((suite.FOLDER / "programs").glob("*.cpp")):
        executable = device.executable(build, source.stem, COMPILER)
        if source.stem in NEED_SEVERAL_DEVICES or not executable.exists():
            continue
        runner = run.Runner(executable, device.environment(build))
        cases = [case.name for case in runner.cases() if case.shares_a_process() and not any(
            row.covers(source.stem, COMPILER, device.name, case.name) for row in exceptions)]
        if not cases:
            continue
        print(source.stem, *cases)
        if architectures:
            compilations.append((build, source, architectures, folder / source.stem))
        else:
            shutil.copy(executable, folder / source.stem)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in [pool.submit(compile_program, *compilation) for compilation in compilations]:
            done.result()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compiles a program for an AMD GPU by Debian's Clang or GCC with debug information, and runs it with the compiler's own
runtime on the executor. A region in it writes far behind an array, in a function that is inlined; the executor's report
must name file and line. Ends with 77 (skipped) if the compiler is not installed.

    line_of_fault.py clang|gcc FLAG --build FOLDER --library FOLDER --gantry FOLDER
"""

import argparse
import pathlib
import re
import subprocess
import sys

import stock

PROGRAM = r"""#include <stdlib.h>

static void put(int *numbers, long at, int value) {
  value *= 2;
  numbers[at] = value; // the line
}

int main(void) {
  int *numbers = malloc(100 * sizeof(int));
#pragma omp target teams distribute parallel for map(tofrom : numbers[0 : 100])
  for (int i = 0; i < 100; i++) {
    long at = i;
    if (i == 77)
      at += 1l << 40;
    put(numbers, at, i);
  }
  return 0;
}
"""
COMPILE_SECONDS = 60
RUN_SECONDS = 60


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compiler", choices=["clang", "gcc"])
    parser.add_argument("flag", help="that asks for debug information, without the leading -")
    parser.add_argument("--build", type=pathlib.Path, required=True, help="folder for the program")
    parser.add_argument("--library", dest="hsa", type=pathlib.Path, required=True, help="folder of the HSA library")
    parser.add_argument("--gantry", type=pathlib.Path, required=True, help="folder of the device runtime")
    options = parser.parse_args()
    command = stock.command_of(options.compiler, options.gantry)
    if command is None:
        print(f"skipped: {options.compiler} for AMD GPUs is not installed")
        return 77
    options.build.mkdir(parents=True, exist_ok=True)
    source = options.build / f"line_{options.compiler}_{options.flag}.c"
    program = source.with_suffix("")
    source.write_text(PROGRAM)
    subprocess.run([*command, f"-{options.flag}", source.name, "-o", program.name], cwd=options.build, check=True,
                   timeout=COMPILE_SECONDS)
    result = subprocess.run([program], env=stock.environment(options.hsa), capture_output=True, text=True, check=False,
                            timeout=RUN_SECONDS)
    sys.stderr.write(result.stderr)
    line = PROGRAM.splitlines().index("  numbers[at] = value; // the line") + 1
    report = rf"gantry: error: kernel '\S+' \({re.escape(source.name)}:{line}\): store of 4 bytes at 0x"
    if result.returncode == 0 or not re.search(report, result.stderr):
        print(f"the program ended with {result.returncode}, and a report of line {line} should be there")
        return 1
    if not re.search(r"\n  at \S+\+0x[0-9a-f]+: (flat|global)_store_dword ", result.stderr):
        print("the report should name the function and the instruction")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

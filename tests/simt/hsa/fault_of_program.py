#!/usr/bin/env python3
"""Compiles a program with target regions by Debian's Clang or GCC for an AMD GPU, and runs it with the compiler's own
runtime on an HSA library whose executor makes each kernel a fault. The program must end, not in success, with the
report. Ends with 77 (skipped) if the compiler is not installed.

    fault_of_program.py clang|gcc memory|trap --build FOLDER --library FOLDER --gantry FOLDER
"""

import argparse
import pathlib
import subprocess
import sys

import stock

PROGRAM = r"""
int main(void) {
  int numbers[100] = {0};
#pragma omp target teams distribute parallel for map(tofrom : numbers)
  for (int i = 0; i < 100; i++)
    numbers[i] = i;
  return numbers[99] == 99 ? 0 : 3;
}
"""
REPORT = "gantry: error: a fault that a test asks for"
COMPILE_SECONDS = 60
RUN_SECONDS = 30


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compiler", choices=["clang", "gcc"])
    parser.add_argument("fault", choices=["memory", "trap"])
    parser.add_argument("--build", type=pathlib.Path, required=True, help="folder for the program")
    parser.add_argument("--library", dest="hsa", type=pathlib.Path, required=True, help="folder of the HSA library")
    parser.add_argument("--gantry", type=pathlib.Path, required=True, help="folder of the device runtime")
    options = parser.parse_args()
    command = stock.command_of(options.compiler, options.gantry)
    if command is None:
        print(f"skipped: {options.compiler} for AMD GPUs is not installed")
        return 77
    options.build.mkdir(parents=True, exist_ok=True)
    source = options.build / f"fault_{options.compiler}.c"
    program = source.with_suffix("")
    source.write_text(PROGRAM)
    subprocess.run([*command, str(source), "-o", str(program)], check=True, timeout=COMPILE_SECONDS)
    environment = stock.environment(options.hsa) | {"SIMT_TEST_FAULT": options.fault}
    result = subprocess.run([program], env=environment, capture_output=True, text=True, check=False,
                            timeout=RUN_SECONDS)
    sys.stderr.write(result.stderr)
    if result.returncode == 0 or result.stderr.count(REPORT) != 1:
        print(f"the program ended with {result.returncode}, and the report should be there once")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

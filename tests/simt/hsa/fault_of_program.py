#!/usr/bin/env python3
"""Compiles a program with target regions by Debian's Clang or GCC for an AMD GPU, and runs it with the compiler's own
runtime on an HSA library whose executor makes each kernel a fault. The program must end, not in success, with the
report. Ends with 77 (skipped) if the compiler is not installed.

    fault_of_program.py clang|gcc memory|trap --build FOLDER --library FOLDER --gantry FOLDER
"""

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
RUN_SECONDS = 30


def main():
    options = stock.options(__doc__, compiler={"choices": ["clang", "gcc"]}, fault={"choices": ["memory", "trap"]})
    program = stock.compiled(PROGRAM, f"fault_{options.compiler}", options.compiler, options)
    if program is None:
        return 77
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

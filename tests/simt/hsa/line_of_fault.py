#!/usr/bin/env python3
"""Compiles a program for an AMD GPU by Debian's Clang or GCC with debug information, and runs it with the compiler's own
runtime on the executor. A region in it writes far behind an array, in a function that is inlined; the executor's report
must name file and line. Ends with 77 (skipped) if the compiler is not installed.

    line_of_fault.py clang|gcc FLAG --build FOLDER --library FOLDER --gantry FOLDER
"""

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
RUN_SECONDS = 60


def main():
    options = stock.options(__doc__, compiler={"choices": ["clang", "gcc"]},
                            flag={"help": "that asks for debug information, without the leading -"})
    name = f"line_{options.compiler}_{options.flag}"
    program = stock.compiled(PROGRAM, name, options.compiler, options, f"-{options.flag}")
    if program is None:
        return 77
    result = subprocess.run([program], env=stock.environment(options.hsa), capture_output=True, text=True, check=False,
                            timeout=RUN_SECONDS)
    sys.stderr.write(result.stderr)
    line = PROGRAM.splitlines().index("  numbers[at] = value; // the line") + 1
    report = rf"gantry: error: kernel '\S+' \({name}\.c:{line}\): store of 4 bytes at 0x"
    if result.returncode == 0 or not re.search(report, result.stderr):
        print(f"the program ended with {result.returncode}, and a report of line {line} should be there")
        return 1
    if not re.search(r"\n  at \S+\+0x[0-9a-f]+: (flat|global)_store_dword ", result.stderr):
        print("the report should name the function and the instruction")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

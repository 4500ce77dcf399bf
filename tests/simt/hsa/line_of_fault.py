#!/usr/bin/env python3
"""Compiles a program for an AMD GPU by Debian's Clang or GCC with debug information, and runs it with the compiler's own
runtime on the executor. A region in it writes far behind an array, in a function that is inlined; the executor's report
must name file and line. Ends with 77 (skipped) if the compiler is not installed.

    line_of_fault.py clang|gcc FLAG --build FOLDER --library FOLDER --gantry FOLDER

With --compiled the executor compiles kernels before it runs them; and the program runs once more where the executor's
library has no compiler beside it, which then says so and interprets them.
"""

import re
import shutil
import subprocess
import sys
import tempfile

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


def wrong(program, settings, line):
    """Runs the program: what it writes to stderr, and what is wrong with that."""
    result = subprocess.run([program], env=settings, capture_output=True, text=True, check=False, timeout=RUN_SECONDS)
    sys.stderr.write(result.stderr)
    report = rf"gantry: error: kernel '\S+' \({program.name}\.c:{line}\): store of 4 bytes at 0x"
    if result.returncode == 0 or not re.search(report, result.stderr):
        return result.stderr, f"the program ended with {result.returncode}, and a report of line {line} should be there"
    if not re.search(r"\n  at \S+\+0x[0-9a-f]+: (flat|global)_store_dword ", result.stderr):
        return result.stderr, "the report should name the function and the instruction"
    return result.stderr, None


def compiled_and_not(program, hsa, line):
    """What is wrong where kernels are compiled, and where the compiler is missing."""
    settings = stock.environment(hsa) | {"GANTRY_SIMT_CODE": "optimised", "GANTRY_INFO": "simt"}
    text, error = wrong(program, settings, line)
    if error or "interpreted" in text:
        return error or "the kernel should have been compiled"
    with tempfile.TemporaryDirectory() as folder:
        for name in ("libhsa-runtime64.so", "libhsa-runtime64.so.1"):
            shutil.copy(hsa / name, folder)
        text, error = wrong(program, settings | {"LD_LIBRARY_PATH": folder}, line)
    warning = r"gantry: warning: kernels are interpreted, which takes longer: .*libgantry-amdgcn-compiler\.so: cannot open"
    return error or (None if len(re.findall(warning, text)) == 1 else "a warning should say that kernels are interpreted")


def main():
    options = stock.options(__doc__, compiler={"choices": ["clang", "gcc"]},
                            flag={"help": "that asks for debug information, without the leading -"},
                            **{"--compiled": {"action": "store_true", "help": "with the executor's compiler"}})
    name = f"line_{options.compiler}_{options.flag}"
    program = stock.compiled(PROGRAM, name, options.compiler, options, f"-{options.flag}")
    if program is None:
        return 77
    line = PROGRAM.splitlines().index("  numbers[at] = value; // the line") + 1
    if options.compiled:
        error = compiled_and_not(program, options.hsa, line)
    else:
        _, error = wrong(program, stock.environment(options.hsa), line)
    if error:
        print(error)
    return 1 if error else 0


if __name__ == "__main__":
    sys.exit(main())

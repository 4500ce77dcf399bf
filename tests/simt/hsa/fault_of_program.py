#!/usr/bin/env python3
"""Compiles a program with target regions by Debian's Clang or GCC for an AMD GPU, and runs it with the compiler's own
runtime on an HSA library whose executor makes each kernel a fault. The program must end, not in success, with the
report. Ends with 77 (skipped) if the compiler is not installed.

    fault_of_program.py clang|gcc memory|trap --build FOLDER --library FOLDER --gantry FOLDER
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

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


def command_of(compiler, gantry):
    """How a program is compiled, or nothing if it cannot be on this machine."""
    if compiler == "gcc":
        found = shutil.which("gcc-12", path="/usr/bin")
        tool = found and subprocess.run([found, "-print-prog-name=accel/amdgcn-amdhsa/mkoffload"], capture_output=True,
                                        text=True, check=False).stdout.strip()
        if not tool or not os.path.exists(tool):
            return None
        return [found, "-O2", "-fopenmp", "-foffload=amdgcn-amdhsa", "-foffload-options=-march=gfx906"]
    found = shutil.which("clang-22", path="/usr/bin")
    if not found or not pathlib.Path("/usr/lib/llvm-22/lib/libomptarget.so.22.1").exists():
        return None
    libraries = [gantry / "gantry-device-amdgcn.bc", gantry / "gantry-mathematics-amdgcn.bc"]
    return [found, "-O2", "-fopenmp", "--offload-arch=gfx906", "-nogpulib",
            *(word for library in libraries for word in ("-Xoffload-linker", str(library)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compiler", choices=["clang", "gcc"])
    parser.add_argument("fault", choices=["memory", "trap"])
    parser.add_argument("--build", type=pathlib.Path, required=True, help="folder for the program")
    parser.add_argument("--library", dest="hsa", type=pathlib.Path, required=True, help="folder of the HSA library")
    parser.add_argument("--gantry", type=pathlib.Path, required=True, help="folder of the device runtime")
    options = parser.parse_args()
    command = command_of(options.compiler, options.gantry)
    if command is None:
        print(f"skipped: {options.compiler} for AMD GPUs is not installed")
        return 77
    options.build.mkdir(parents=True, exist_ok=True)
    source = options.build / f"fault_{options.compiler}.c"
    program = source.with_suffix("")
    source.write_text(PROGRAM)
    subprocess.run([*command, str(source), "-o", str(program)], check=True, timeout=COMPILE_SECONDS)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GANTRY_", "LD_", "HSA_"))}
    environment |= {"LD_LIBRARY_PATH": str(options.hsa), "SIMT_TEST_FAULT": options.fault}
    result = subprocess.run([program], env=environment, capture_output=True, text=True, check=False,
                            timeout=RUN_SECONDS)
    sys.stderr.write(result.stderr)
    if result.returncode == 0 or result.stderr.count(REPORT) != 1:
        print(f"the program ended with {result.returncode}, and the report should be there once")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""What kernels cost on the PTX executor: shapes of real OpenMP programs, each the same binary on the CPU device
and on the executor in turn, with their first launches without a cache and from it; kernels of nvcc, each
against the same loop nest as C++ at -O3 on all cores, in one process and in alternation, with and without
checks; the launch of an empty kernel; the first launch of a module. With `--amd`, the shapes on the executor of
AMD's code. `scripts/bench --simt` builds Gantry and runs this."""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

import machine
import shapes
from toolchain import PROGRAMS, progress, run

GOALS = {"copy": 1.5, "triad": 1.5, "multiply": 6, "reduce": 6, "mandelbrot": 2}
CHECKED_GOAL = 2
CHECKERS = ("sync", "init", "race")  # too slow for many samples
CHECKER_SAMPLES = 3
EMPTY_GOAL = 10  # microseconds
FIRST_GOAL = 1000  # milliseconds, a module of 1,000 lines
CACHED_GOAL = 50


def build(build_tree):
    folder = build_tree / "bench"
    folder.mkdir(exist_ok=True)
    program = folder / "simt"
    root = PROGRAMS.parent.parent
    progress("building")
    run(["clang++-22", "-std=c++20", "-O3", "-march=native", f"-I{root}/include",
         PROGRAMS / "simt/simt.cpp", "-o", program, "-ldl", "-lpthread"])
    return program


def samples_of(program, driver, check, samples, cache):
    output = run([program, driver, PROGRAMS / "simt/kernels.ptx", str(samples)],
                 GANTRY_SIMT_CHECK=check, GANTRY_SIMT_CACHE=cache, GANTRY_SIMT_CODE="optimised").stdout
    found = {}
    for line in output.splitlines():
        name, *times = line.split()
        found.setdefault(name, []).append([float(t) for t in times])
    return found


def median(rows, column):
    return statistics.median(row[column] for row in rows)


def long_module(lines):
    """A kernel of that many instructions, none of which can be left out."""
    body = [".version 7.8", ".target sm_80", ".address_size 64",
            ".visible .entry long_kernel(.param .u64 at)", "{",
            ".reg .b32 %r<8>;", ".reg .b64 %rd<4>;", ".reg .pred %p<4>;",
            "ld.param.u64 %rd1, [at];", "mov.u32 %r1, %tid.x;", "mul.wide.u32 %rd2, %r1, 4;",
            "add.u64 %rd1, %rd1, %rd2;", "ld.global.u32 %r2, [%rd1];"]
    label = 0
    while len(body) < lines - 12:
        label += 1
        body += [f"mad.lo.u32 %r2, %r2, 1664525, {1013904223 + label};", "shr.u32 %r3, %r2, 7;",
                 "xor.b32 %r2, %r2, %r3;", f"setp.gt.u32 %p1, %r3, {label * 9001};",
                 f"@%p1 bra $L{label};", "add.u32 %r2, %r2, %r1;", f"$L{label}:",
                 "ld.global.u32 %r4, [%rd1];", "add.u32 %r4, %r4, %r2;", "st.global.u32 [%rd1], %r4;"]
    return "\n".join(body + ["st.global.u32 [%rd1], %r2;", "ret;", "}"]) + "\n"


FIRST_LAUNCH = r"""
#include "gantry/cuda_driver.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string>
int main(int, char** words) {
  void* library = dlopen(words[1], RTLD_NOW);
#define ENTRY(name) auto name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name))
  std::ifstream file(words[2]);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  ENTRY(cuInit); ENTRY(cuDevicePrimaryCtxRetain); ENTRY(cuCtxSetCurrent); ENTRY(cuModuleLoadData);
  ENTRY(cuModuleGetFunction); ENTRY(cuMemAlloc_v2); ENTRY(cuLaunchKernel); ENTRY(cuCtxSynchronize);
  CUcontext context; CUmodule module; CUfunction kernel; CUdeviceptr at;
  if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
      cuMemAlloc_v2(&at, 4096)) return 1;
  const auto begin = std::chrono::steady_clock::now();
  if (cuModuleLoadData(&module, text.c_str()) || cuModuleGetFunction(&kernel, module, "long_kernel")) return 1;
  void* parameters[] = {&at};
  if (cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr) || cuCtxSynchronize()) return 1;
  std::printf("%f\n", std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
}
"""


def first_launches(build_tree, driver, samples):
    """Milliseconds from the module's text to the end of the first launch: compiled, and from the cache."""
    folder = build_tree / "bench"
    source = folder / "first_launch.cpp"
    source.write_text(FIRST_LAUNCH)
    root = PROGRAMS.parent.parent
    program = folder / "first_launch"
    run(["clang++-22", "-std=c++20", "-O2", f"-I{root}/include", source, "-o", program, "-ldl"])
    module = folder / "long_kernel.ptx"
    module.write_text(long_module(1000))
    compiled, cached = [], []
    for _ in range(samples):
        cache = tempfile.mkdtemp()
        for times in (compiled, cached):
            times.append(float(run([program, driver, module], GANTRY_SIMT_CACHE=cache).stdout))
        shutil.rmtree(cache)
    return statistics.median(compiled), statistics.median(cached)


GCC_PROGRAM = r"""
#include <omp.h>
#include <stdio.h>
int main(void) {
  int on_host = 1;
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  return on_host;
}
"""


def gcc_program(build_tree, driver, samples):
    """Milliseconds of a whole GCC program with one target region, its device code compiled or cached."""
    compiler = shutil.which("gcc-12")
    if compiler is None:
        return None
    folder = build_tree / "bench"
    source = folder / "target.c"
    source.write_text(GCC_PROGRAM)
    program = folder / "target"
    environment = dict(os.environ, PATH="/usr/bin:/bin")
    built = subprocess.run([compiler, "-w", "-O2", "-fopenmp", "-foffload=nvptx-none", "-no-pie", source,
                            "-o", program], env=environment, capture_output=True, check=False)
    if built.returncode != 0:
        return None
    compiled, cached = [], []
    for _ in range(samples):
        cache = tempfile.mkdtemp()
        for times in (compiled, cached):
            begin = time.monotonic()
            run([program], GANTRY_SIMT_CACHE=cache, LD_LIBRARY_PATH=str(driver.parent),
                OMP_TARGET_OFFLOAD="MANDATORY")
            times.append((time.monotonic() - begin) * 1000)
        shutil.rmtree(cache)
    return statistics.median(compiled), statistics.median(cached)


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench --simt", description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--samples", type=int, default=15)
    parser.add_argument("--only", action="append", choices=[source.stem for source in shapes.sources()],
                        help="this program of shapes alone, and nothing else; may be given several times")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each shape on each device")
    parser.add_argument("--amd", action="store_true",
                        help="the shapes on the executor of AMD's code instead, and nothing else")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.amd:
        rows = shapes.measure_amd(arguments.build, arguments.rounds, max(3, arguments.samples // 3), arguments.only)
        print(json.dumps({"machine": machine.facts(), "shapes": rows}, indent=2) if arguments.json
              else shapes.amd_table(rows))
        return
    found = shapes.measure(arguments.build, arguments.rounds, max(3, arguments.samples // 3), arguments.only)
    if not arguments.json:
        print(shapes.table(found), flush=True)
    if arguments.only:
        if arguments.json:
            print(json.dumps({"machine": machine.facts(), "shapes": found}, indent=2))
        return
    driver = arguments.build / "lib/simt/libcuda.so.1"
    program = build(arguments.build)
    cache = tempfile.mkdtemp()
    results = {}
    for check in ("none", "memory"):
        progress(f"kernels, GANTRY_SIMT_CHECK={check}")
        results[check] = samples_of(program, driver, check, arguments.samples, cache)
    for check in CHECKERS:
        progress(f"kernels, GANTRY_SIMT_CHECK={check}")
        results[check] = samples_of(program, driver, check, CHECKER_SAMPLES, cache)
    shutil.rmtree(cache)
    progress("first launches")
    first, again = first_launches(arguments.build, driver, max(3, arguments.samples // 3))
    gcc = gcc_program(arguments.build, driver, max(3, arguments.samples // 3))

    rows = []
    for name, goal in GOALS.items():
        free = results["none"][name]
        ratio = median(free, 0) / median(free, 1)
        # Through the native loop of either run, so that a machine that slows down slows both.
        more = {check: (median(found[name], 0) / median(found[name], 1)) / ratio
                for check, found in results.items()}
        rows.append({"kernel": name, "native_us": median(free, 1), "executor_us": median(free, 0),
                     "ratio": ratio, "goal": goal, "check_memory": more["memory"],
                     "check_goal": CHECKED_GOAL,
                     "checkers": {check: more[check] for check in CHECKERS}})
    report = {
        "machine": machine.facts(),
        "shapes": found,
        "kernels": rows,
        "empty_us": median(results["none"]["empty"][10:], 0),
        "module_first_ms": first,
        "module_cached_ms": again,
        "gcc_program_first_ms": gcc[0] if gcc else None,
        "gcc_program_cached_ms": gcc[1] if gcc else None,
    }
    if arguments.json:
        print(json.dumps(report, indent=2))
        return
    print(f"{'kernel':<12} {'C++ us':>10} {'executor us':>12} {'ratio':>7} {'goal':>6} {'checked':>9} {'goal':>6}"
          + "".join(f" {check:>8}" for check in CHECKERS))
    for row in rows:
        print(f"{row['kernel']:<12} {row['native_us']:>10.0f} {row['executor_us']:>12.0f} "
              f"{row['ratio']:>7.2f} {row['goal']:>6.1f} {row['check_memory']:>8.2f}x {row['check_goal']:>6.1f}"
              + "".join(f" {factor:>7.0f}x" for factor in row["checkers"].values()))
    print(f"launch of an empty kernel and its end: {report['empty_us']:.1f} us (goal {EMPTY_GOAL})")
    print(f"first launch of a module of 1,000 lines: {first:.0f} ms (goal {FIRST_GOAL}), "
          f"from the cache {again:.1f} ms (goal {CACHED_GOAL})")
    if gcc:
        print(f"a GCC program with one target region, from start to end: {gcc[0]:.0f} ms the first time, "
              f"{gcc[1]:.0f} ms from the cache")


if __name__ == "__main__":
    main()

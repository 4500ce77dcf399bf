#!/usr/bin/env python3
"""Compiles one program of this folder with Debian's GCC 12 for nvptx and runs it on the PTX executor,
under stock libgomp.so.1 and libgomp-plugin-nvptx.so.1, or with Gantry in place of their offloading.
With --target amdgcn-amdhsa for AMD's gfx906, on the executor of its code, under libgomp-plugin-gcn.so.1.

    run.py NAME.c --build FOLDER --driver FOLDER
    run.py NAME.c --build FOLDER --driver FOLDER --gantry LIBRARY --devices simt
    run.py NAME.c --build FOLDER --driver FOLDER --target amdgcn-amdhsa --gantry LIBRARY --devices simt-amd
    run.py NAME.c --build FOLDER --driver FOLDER --gantry LIBRARY --devices cpu --compiler bin/gantry

With --compiler the program is compiled once more, for devices of the CPU, by `gantry gcc` and the like.

A program passes if it ends with status 0 and its last line is PASS, and if with Gantry it prints what
it prints with stock libgomp. It is compiled again only if it, a shared header or the command has
changed. `--host` runs the host's version of the target regions
instead, to test a program itself. Ends with 77 (skipped) if the compiler is not installed.
"""

import argparse
import hashlib
import os
import pathlib
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
COMPILERS = {".c": "gcc-12", ".cpp": "g++-12", ".f90": "gfortran-12"}
AMD = "amdgcn-amdhsa"
HSA = "libhsa-runtime64.so.1"
COMPILE_SECONDS = 120
RUN_SECONDS = 120


def path_without_ptxas():
    """nvptx-none-as has each file checked by a ptxas on the path, and a new one refuses GCC's sm_30."""
    folders = [f for f in os.environ.get("PATH", "").split(":") if f]
    kept = [f for f in folders if not os.path.exists(os.path.join(f, "ptxas"))]
    return ":".join(kept + [f for f in ("/usr/bin", "/bin") if f not in kept])


def find_compiler(name, path):
    for folder in path.split(":"):
        candidate = os.path.join(folder, name)
        # ccache's links beside the compiler would only add their own reasons to fail.
        if os.access(candidate, os.X_OK) and "ccache" not in os.path.realpath(candidate):
            return candidate
    return None


def missing(source, path, target):
    """Why the program cannot be compiled on this machine; nothing if it can."""
    name = COMPILERS[source.suffix]
    compiler = find_compiler(name, path)
    if not compiler:
        return f"{name} is not installed"
    found = subprocess.run([compiler, f"-print-prog-name=accel/{target}/mkoffload"],
                           capture_output=True, text=True, check=False).stdout.strip()
    if not os.path.exists(found):
        return f"gcc-12-offload-{target.partition('-')[0]} is not installed"
    return None


def flags_of(source):
    """The first line may say `// flags: …` (in Fortran `! flags: …`)."""
    first = source.read_text().split("\n", 1)[0]
    for start in ("// flags: ", "! flags: "):
        if first.startswith(start):
            return shlex.split(first[len(start):])
    return []


def command_of(source, program, path, gantry, target):
    flags = flags_of(source)
    flags += [] if any(f.startswith("-O") for f in flags) else ["-O2"]
    flags += ["-g", f"-I{HERE}", str(source), "-o", str(program)]
    if gantry:
        return [gantry, COMPILERS[source.suffix].removesuffix("-12"), *flags, "-latomic", "-lm"]
    libraries = "-lm" if target == AMD else "-latomic -lm"
    libraries = ("-lgfortran " if source.suffix == ".f90" else "") + libraries
    processor = ["-foffload-options=-march=gfx906"] if target == AMD else []
    return [find_compiler(COMPILERS[source.suffix], path), "-fopenmp", f"-foffload={target}", *processor,
            f"-foffload-options={libraries}", "-no-pie", *flags, "-lm"]


def compile_program(source, build, path, target, gantry=None):
    program = build / (source.name.replace(".", "_") + ("_cpu" if gantry else "_amd" if target == AMD else ""))
    command = command_of(source, program, path, gantry, target)
    state = hashlib.sha256(" ".join(map(str, command)).encode())
    used = [source, HERE / "device.h", HERE / "device.inc", HERE.parent.parent / "support/check_macros.h"]
    if gantry:
        root = gantry.parent.parent
        used += [root / "libexec/gantry-mkoffload", root / "lib/gantry/libgantry-device-cpu.a"]
    for file in used:
        state.update(file.read_bytes())
    stamp = program.with_suffix(".stamp")
    if program.exists() and stamp.exists() and stamp.read_text() == state.hexdigest():
        return program
    build.mkdir(parents=True, exist_ok=True)
    # Modules that a Fortran program defines are written to the current folder.
    modules = build / (program.name + ".modules")
    modules.mkdir(exist_ok=True)
    done = subprocess.run(command, cwd=modules, env={**os.environ, "PATH": path},
                          capture_output=True, text=True, timeout=COMPILE_SECONDS, check=False)
    if done.returncode != 0:
        sys.exit(f"{source.name} does not compile:\n{' '.join(map(str, command))}\n{done.stderr}")
    stamp.write_text(state.hexdigest())
    return program


def on_host():
    return {"OMP_TARGET_OFFLOAD": "DISABLED", "GANTRY_TEST_ALLOW_HOST": "1"}


# A region that would fall back to the host ends the program.

def on_libgomp(driver):
    folders = [str(driver), os.environ.get("LD_LIBRARY_PATH", "")]
    if (driver / HSA).exists():
        return {"OMP_TARGET_OFFLOAD": "MANDATORY", "HSA_RUNTIME_LIB": str(driver / HSA)}
    return {"OMP_TARGET_OFFLOAD": "MANDATORY", "LD_LIBRARY_PATH": ":".join(filter(None, folders))}


def on_gantry(library, devices):
    return {"OMP_TARGET_OFFLOAD": "MANDATORY", "LD_PRELOAD": str(library), "GANTRY_DEVICES": devices}


def run_program(program, environment):
    """What the program prints, and how it fails, if it does."""
    done = subprocess.run([program], env={**os.environ, **environment}, capture_output=True, text=True,
                          errors="replace", timeout=RUN_SECONDS, check=False)
    lines = done.stdout.split("\n")
    if done.returncode == 0 and lines[-2:] == ["PASS", ""]:
        return done.stdout, None
    return done.stdout, (f"{program.name} ended with status {done.returncode}\n"
                         f"standard output:\n{done.stdout}\nstandard error:\n{done.stderr}")


def run_both(stock, program, options):
    """How the program fails with Gantry, or prints something else than with stock libgomp."""
    expected, failure = run_program(stock, on_libgomp(options.driver.resolve()))
    if failure:
        return failure
    output, failure = run_program(program, on_gantry(options.gantry.resolve(), options.devices))
    if failure or output == expected:
        return failure
    return f"{program.name} prints\n{output}\nand with stock libgomp\n{expected}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="NAME.c, NAME.cpp or NAME.f90 of this folder")
    parser.add_argument("--build", required=True, type=pathlib.Path,
                        help="folder for what is compiled")
    parser.add_argument("--target", choices=("nvptx-none", AMD), default="nvptx-none")
    parser.add_argument("--driver", type=pathlib.Path, help=f"folder of libcuda.so.1, or of {HSA}")
    parser.add_argument("--gantry", type=pathlib.Path, help="Gantry's library, to be loaded first")
    parser.add_argument("--compiler", type=pathlib.Path, help="gantry, to compile for devices of the CPU")
    parser.add_argument("--devices", default="simt", help="GANTRY_DEVICES for it")
    parser.add_argument("--host", action="store_true", help="run target regions on the host")
    parser.add_argument("--compile-only", action="store_true")
    options = parser.parse_args()

    source = HERE / options.program
    path = path_without_ptxas()
    why_not = missing(source, path, options.target)
    if why_not:
        print(f"SKIPPED: {why_not}")
        return 77
    program = compile_program(source, options.build.resolve(), path, options.target)
    if options.compile_only:
        return 0
    library = HSA if options.target == AMD else "libcuda.so.1"
    if not options.host and not (options.driver and (options.driver / library).exists()):
        print(f"SKIPPED: there is no {library} in {options.driver}")
        return 77
    if options.gantry:
        other = program
        if options.compiler:
            other = compile_program(source, options.build.resolve(), path, options.target, options.compiler.resolve())
        failure = run_both(program, other, options)
    else:
        _, failure = run_program(program,
                                 on_host() if options.host else on_libgomp(options.driver.resolve()))
    if failure:
        print(failure)
        return 1
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.TimeoutExpired as error:
        sys.exit(f"{error.cmd[0]} did not end within {error.timeout:.0f} s")

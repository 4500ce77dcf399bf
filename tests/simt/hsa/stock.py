"""Programs for AMD GPUs of Debian's compilers, with the compilers' own runtimes."""

import argparse
import os
import pathlib
import shutil
import subprocess

COMPILE_SECONDS = 120


def command_of(compiler, gantry):
    """How a program is compiled, or nothing if it cannot be on this machine. Gantry's part in those of Clang is the
    device runtime, in the folder `gantry`: Debian has none for AMD's GPUs."""
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


def environment(hsa):
    """In which programs find the HSA library of a folder, and no settings of a user's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GANTRY_", "LD_", "HSA_"))}
    return kept | {"LD_LIBRARY_PATH": str(hsa), "OMP_TARGET_OFFLOAD": "mandatory"}


def options(description, **own):
    """The arguments of a test: its own, by name, with what argparse says of each, and the folders that all take."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, about in own.items():
        parser.add_argument(name, **about)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="folder for the program")
    parser.add_argument("--library", dest="hsa", type=pathlib.Path, required=True, help="folder of the HSA library")
    parser.add_argument("--gantry", type=pathlib.Path, required=True, help="folder of the device runtime")
    return parser.parse_args()


def compiled(text, name, compiler, given, *flags):
    """The program of this text in C, or nothing, with a line that says so, if it cannot be compiled on this machine."""
    command = command_of(compiler, given.gantry)
    if command is None:
        print(f"skipped: {compiler} for AMD GPUs is not installed")
        return None
    given.build.mkdir(parents=True, exist_ok=True)
    source = given.build / f"{name}.c"
    source.write_text(text)
    subprocess.run([*command, *flags, source.name, "-o", name], cwd=given.build, check=True, timeout=COMPILE_SECONDS)
    return given.build / name

"""Programs for AMD GPUs of Debian's compilers, with the compilers' own runtimes."""

import os
import pathlib
import shutil
import subprocess


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

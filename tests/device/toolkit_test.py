"""What of a CUDA toolkit can be used: its libdevice, and its assembler. Stand-ins for them where none is
installed; where one is, the PTX of all programs here is assembled as well.

toolkit_test.py BUILD PROGRAMS
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

build, programs = (pathlib.Path(path) for path in sys.argv[1:3])
toolkit = pathlib.Path(os.environ.get("CUDA_PATH", "/usr/local/cuda"))
LIBDEVICE = toolkit / "nvvm/libdevice/libdevice.10.bc"
PTXAS = toolkit / "bin/ptxas"

SOURCE = r"""
#include <cmath>
#include <cstdio>
int main() {
  double results[3] = {1.5, 2.5, 4};
#pragma omp target map(tofrom : results)
  {
    results[0] = sin(results[0]);
    results[1] = pow(results[1], 1.7);
    results[2] = sqrt(results[2]);
  }
  std::printf("%.12g %.12g %.12g\n", results[0], results[1], results[2]);
}
"""
RIGHT = "0.997494986604 4.74786120583 2\n"

OWN_LIBDEVICE = r"""
target triple = "nvptx64-nvidia-cuda"
@flush = private constant [11 x i8] c"__CUDA_FTZ\00"
@arch = private constant [12 x i8] c"__CUDA_ARCH\00"
declare i32 @__nvvm_reflect(ptr)
define double @__nv_sin(double %x) {
  %flush = call i32 @__nvvm_reflect(ptr @flush)
  %arch = call i32 @__nvvm_reflect(ptr @arch)
  %sum = add i32 %flush, %arch
  %result = sitofp i32 %sum to double
  ret double %result
}
"""

# What ptxas and fatbinary are asked, and a container as the latter makes it.
STAND_IN = r"""#!/usr/bin/env python3
import pathlib, struct, sys
words = sys.argv[1:]
with open(sys.argv[0] + ".asked", "a") as asked:
    print(*words, file=asked)
if sys.argv[0].endswith("ptxas"):
    pathlib.Path(words[words.index("-o") + 1]).write_bytes(b"\177ELF machine code")
else:
    entries = b""
    for word in words:
        if not word.startswith("--image3="):
            continue
        facts = dict(part.split("=") for part in word.removeprefix("--image3=").split(","))
        content = pathlib.Path(facts["file"]).read_bytes()
        content += bytes(-len(content) % 8)
        kind = {"ptx": 1, "elf": 2}[facts["kind"]]
        entries += struct.pack("<HHIQIIHHIIIQ", kind, 0, 64, len(content), 0, 0, 0, 0, int(facts["sm"]), 0, 0, 0)
        entries += bytes(16) + content
    path = next(word.removeprefix("--create=") for word in words if word.startswith("--create="))
    pathlib.Path(path).write_bytes(struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entries)) + entries)
"""

# Clusters came with sm_90.
UNKNOWN_TO_OLDER_ONES = """
extern "C" void arrive() __asm__("llvm.nvvm.barrier.cluster.arrive");
int main() {
#pragma omp target
#ifdef __NVPTX__
  arrive();
#else
  ;
#endif
}
"""


class Toolkit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "program.cpp").write_text(SOURCE)
        (self.folder / "tmp").mkdir()

    def link(self, *options, arch="sm_80"):
        return subprocess.run(
            [build / "bin/gantry", "clang++", "-O1", "-fopenmp", f"--offload-arch={arch}", self.folder / "program.cpp",
             "-o", self.folder / "program", *(f"-Wl,{option}" for option in options)],
            env=dict(os.environ, TMPDIR=str(self.folder / "tmp")), capture_output=True, text=True, check=False)

    def output(self, *options, **how):
        linked = self.link(*options, **how)
        self.assertEqual(linked.returncode, 0, linked.stderr)
        environment = dict(os.environ, GANTRY_DEVICES="simt", OMP_TARGET_OFFLOAD="MANDATORY",
                           GANTRY_SIMT_CACHE=f"{build}/simt-cache")
        done = subprocess.run([self.folder / "program"], env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def stand_in(self):
        for tool in ("ptxas", "fatbinary"):
            (self.folder / tool).write_text(STAND_IN)
            (self.folder / tool).chmod(0o755)
        return self.folder / "ptxas"

    def test_a_libdevice_goes_before_gantrys_mathematics(self):
        source, library = self.folder / "libdevice.ll", self.folder / "libdevice.bc"
        source.write_text(OWN_LIBDEVICE)
        subprocess.run(["clang-22", "--target=nvptx64-nvidia-cuda", "-emit-llvm", "-c", source, "-o", library], check=True)
        self.assertEqual(self.output(f"--libdevice={library}"), "800 4.74786120583 2\n")

    def test_a_libdevice_that_is_none(self):
        linked = self.link("--libdevice=/etc/passwd")
        self.assertNotEqual(linked.returncode, 0)
        self.assertIn("'/etc/passwd' cannot be read as bitcode", linked.stderr)
        self.assertIn("--libdevice names CUDA's nvvm/libdevice/libdevice.10.bc", linked.stderr)

    @unittest.skipUnless(LIBDEVICE.exists(), f"SKIPPED: there is no {LIBDEVICE}")
    def test_cudas_libdevice(self):
        self.assertEqual(self.output(f"--libdevice={LIBDEVICE}"), RIGHT)

    def test_machine_code_beside_the_ptx(self):
        ptxas = self.stand_in()
        self.assertEqual(self.output(f"--ptxas={ptxas}", "--ptxas-arg=--maxrregcount=32", arch="sm_80,sm_90"), RIGHT)
        asked = sorted(pathlib.Path(f"{ptxas}.asked").read_text().splitlines())
        self.assertEqual([line.split()[:2] for line in asked],
                         [["-arch=sm_80", "--maxrregcount=32"], ["-arch=sm_90", "--maxrregcount=32"]])
        listing = subprocess.run([build / "bin/gantry", "inspect", self.folder / "program"], capture_output=True,
                                 text=True, check=True).stdout
        self.assertEqual(listing.count("fatbinary"), 2, listing)
        self.assertIn("fat binary: machine code sm_90, PTX sm_90", listing)

    def test_an_architecture_that_is_too_old(self):
        linked = self.link(arch="sm_60")
        self.assertNotEqual(linked.returncode, 0)
        self.assertIn("--offload-arch=sm_60: Gantry makes no device code for that", linked.stderr)
        # As a build that calls the compiler itself asks for it.
        stock = subprocess.run(["clang++-22", f"--config={build}/share/gantry/gantry-gpu.cfg", "--offload-arch=sm_60",
                                self.folder / "program.cpp", "-o", self.folder / "program"], capture_output=True,
                               text=True, check=False)
        self.assertNotEqual(stock.returncode, 0)
        self.assertIn("sm_60 is too old: device code needs sm_70", stock.stderr)

    def test_an_assembler_that_fails(self):
        ptxas = self.stand_in()
        ptxas.write_text("#!/bin/sh\necho 'ptxas fatal : no' >&2\nexit 255\n")
        linked = self.link(f"--ptxas={ptxas}")
        self.assertNotEqual(linked.returncode, 0)
        self.assertIn(f"'{ptxas}' failed with status 255: ptxas fatal : no", linked.stderr)
        self.assertIn("without --ptxas the driver compiles the PTX", linked.stderr)

    def test_an_option_without_its_file(self):
        for option in ("--ptxas=", "--libdevice="):
            linked = self.link(option)
            self.assertNotEqual(linked.returncode, 0)
            self.assertIn("take the path of a file", linked.stderr)

    def test_code_that_llvm_cannot_compile(self):
        (self.folder / "program.cpp").write_text(UNKNOWN_TO_OLDER_ONES)
        linked = self.link(arch="sm_70")
        self.assertNotEqual(linked.returncode, 0)
        self.assertIn("gantry: error: LLVM cannot compile the device code: Cannot select", linked.stderr)
        self.assertNotIn("Aborted", linked.stderr)
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])

    def test_an_assembler_that_is_not_there(self):
        linked = self.link("--ptxas=/nonexistent/ptxas")
        self.assertNotEqual(linked.returncode, 0)
        self.assertIn("cannot run '/nonexistent/ptxas': No such file", linked.stderr)

    @unittest.skipUnless(PTXAS.exists(), f"SKIPPED: there is no {PTXAS}")
    def test_nvidias_assembler(self):
        self.assertEqual(self.output(f"--ptxas={PTXAS}"), RIGHT)

    @unittest.skipUnless(PTXAS.exists(), f"SKIPPED: there is no {PTXAS}")
    def test_the_ptx_of_all_programs_is_assembled(self):
        assembled = 0
        for program in sorted(path for path in programs.iterdir() if path.is_file() and os.access(path, os.X_OK)):
            folder = self.folder / f"{program.name}.images"
            folder.mkdir()
            subprocess.run([build / "bin/gantry", "pack", program], cwd=folder, check=True)
            for image in sorted(folder.glob("*nvptx64*")):  # a Fortran program may have code for the CPU only
                with self.subTest(image=image.name):
                    arch = next(line.split()[1] for line in image.read_text().splitlines()
                                if line.startswith(".target"))
                    done = subprocess.run([PTXAS, f"-arch={arch}", "-O0", image, "-o", self.folder / "code.cubin"],
                                          capture_output=True, text=True, check=False)
                    if "is not defined for option 'gpu-name'" in done.stderr:
                        continue  # older than what this assembler knows
                    self.assertEqual(done.returncode, 0, done.stderr)
                    assembled += 1
        self.assertGreater(assembled, 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

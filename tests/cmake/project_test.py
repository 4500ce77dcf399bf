#!/usr/bin/env python3
"""find_package(Gantry) in a user's project: project_test.py BUILD [unittest arguments]."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()


class Project(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.prefix = BUILD

    def configure(self, compiler, **variables):
        if not shutil.which(compiler):
            self.skipTest(f"{compiler} is not installed")
        return subprocess.run(
            ["cmake", "-G", "Ninja", "-S", FOLDER / "project", "-B", self.folder / "out",
             f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_PREFIX_PATH={self.prefix}",
             *(f"-D{name}={value}" for name, value in variables.items())],
            capture_output=True, text=True, check=False)

    def app(self, compiler, devices, **variables):
        """What the program prints on `devices`."""
        done = self.configure(compiler, **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run(["cmake", "--build", self.folder / "out"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("GANTRY_", "OMP_"))}
        done = subprocess.run([self.folder / "out/app"], capture_output=True, text=True, check=False,
                              env=environment | {"GANTRY_DEVICES": devices, "OMP_TARGET_OFFLOAD": "MANDATORY",
                                                 "GANTRY_SIMT_CACHE": str(BUILD / "simt-cache")})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def runs(self, count):
        return "".join(f"device {device}: on the device, 198\n" for device in range(count))

    def test_clang_22(self):
        self.assertEqual(self.app("clang++-22", "cpu,worker"), self.runs(2))

    def test_clang_19(self):
        self.assertEqual(self.app("clang++-19", "cpu+separate", CMAKE_BUILD_TYPE="Release"), self.runs(1))

    def test_gcc(self):
        self.assertEqual(self.app("g++-12", "cpu,worker", CMAKE_BUILD_TYPE="Release"), self.runs(2))

    def test_the_host_and_gpus_with_clang(self):
        self.assertEqual(self.app("clang++-22", "cpu,simt", GANTRY_ARCHITECTURES="host;sm_80;sm_90"), self.runs(2))

    def test_gpus_alone(self):
        self.assertEqual(self.app("clang++-22", "simt", GANTRY_ARCHITECTURES="sm_70;sm_90"), self.runs(1))

    def test_gpus_of_amd(self):
        self.assertEqual(self.app("clang++-22", "simt-amd", GANTRY_ARCHITECTURES="gfx906", CMAKE_BUILD_TYPE="Debug"),
                         self.runs(1))

    def test_the_host_and_gpus_of_two_vendors(self):
        self.assertEqual(self.app("clang++-22", "cpu,simt,simt-amd", GANTRY_ARCHITECTURES="host;sm_80;gfx906;gfx90a"),
                         self.runs(3))

    def test_gpus_of_amd_with_gcc(self):
        tool = subprocess.run(["g++-12", "-print-prog-name=accel/amdgcn-amdhsa/mkoffload"], capture_output=True,
                              text=True, check=False).stdout.strip()
        if not os.path.exists(tool):
            self.skipTest("GCC for AMD GPUs is not installed")
        self.assertEqual(self.app("g++-12", "cpu,simt-amd", GANTRY_ARCHITECTURES="host;gfx906"), self.runs(2))
        shutil.rmtree(self.folder / "out")
        self.assertEqual(self.app("g++-12", "simt-amd", GANTRY_ARCHITECTURES="gfx906"), self.runs(1))
        shutil.rmtree(self.folder / "out")
        done = self.configure("g++-12", GANTRY_ARCHITECTURES="gfx906;gfx900")
        self.assertIn("GCC compiles for one of AMD's GPUs", " ".join(done.stderr.split()))

    def test_gpus_of_this_machine(self):
        self.assertEqual(self.app("clang++-22", "simt", GANTRY_ARCHITECTURES="sm_90;native"), self.runs(1))

    def test_the_host_and_gpus_with_gcc(self):
        self.assertEqual(self.app("g++-12", "cpu,simt", GANTRY_ARCHITECTURES="host;sm_80"), self.runs(2))

    def test_a_copy_of_the_installation(self):
        self.prefix = self.folder / "somewhere else"
        done = subprocess.run(["cmake", "--install", BUILD, "--prefix", self.prefix], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.app("clang++-22", "cpu"), self.runs(1))
        shutil.rmtree(self.folder / "out")
        self.assertEqual(self.app("g++-12", "cpu"), self.runs(1))

    def fortran(self, compiler, devices, architectures, path="/usr/bin:/bin"):
        """What examples/zaxpy.f90 prints, built by CMake."""
        if not shutil.which(compiler):
            self.skipTest(f"{compiler} is not installed")
        source = FOLDER.parent.parent / "examples/zaxpy.f90"
        (self.folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.20)\nproject(app LANGUAGES Fortran)\nfind_package(Gantry REQUIRED)\n"
            f"add_executable(app {source})\ntarget_link_libraries(app Gantry::offload)\n")
        environment = {"PATH": path, "HOME": str(self.folder), "GANTRY_DEVICES": devices,
                       "OMP_TARGET_OFFLOAD": "MANDATORY", "GANTRY_SIMT_CACHE": str(BUILD / "simt-cache")}
        for command in (["cmake", "-G", "Ninja", "-S", ".", "-B", "out", f"-DCMAKE_Fortran_COMPILER={compiler}",
                         f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DGANTRY_ARCHITECTURES={architectures}"],
                        ["cmake", "--build", "out"], ["out/app"]):
            done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.strip()

    def test_fortran(self):
        ran = "device 0: ran on it, as expected"
        self.assertEqual(self.fortran("gfortran-12", "simt", "sm_90"), ran)
        shutil.rmtree(self.folder / "out")
        self.assertEqual(self.fortran("flang-22", "worker", "host"), ran)
        shutil.rmtree(self.folder / "out")
        self.assertEqual(self.fortran("flang-22", "simt", "sm_80;sm_90",
                                      path=f"{BUILD}/share/gantry/cuda/bin:/usr/bin:/bin"), ran)

    def test_an_architecture_that_is_none(self):
        done = self.configure("clang++-22", GANTRY_ARCHITECTURES="host;sm90")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("GANTRY_ARCHITECTURES has 'sm90'; its elements are host, native, sm_70 and later, and gfx900 and later",
                      " ".join(done.stderr.split()))

    def test_architectures_of_amd_that_are_none(self):
        for architecture in ("gfx803", "gfx90", "gfx", "gfx906:xnack"):
            done = self.configure("clang++-22", GANTRY_ARCHITECTURES=architecture)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"GANTRY_ARCHITECTURES has '{architecture}'", " ".join(done.stderr.split()))
            shutil.rmtree(self.folder / "out")

    def test_fortran_by_flang_is_not_for_amd(self):
        if not shutil.which("flang-22"):
            self.skipTest("flang-22 is not installed")
        (self.folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.20)\nproject(app LANGUAGES Fortran)\nfind_package(Gantry REQUIRED)\n")
        done = subprocess.run(["cmake", "-G", "Ninja", "-S", self.folder, "-B", self.folder / "out",
                               "-DCMAKE_Fortran_COMPILER=flang-22", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                               "-DGANTRY_ARCHITECTURES=gfx906"], capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Gantry makes no device code of Fortran by Flang for AMD's GPUs", " ".join(done.stderr.split()))

    def test_a_compiler_that_gantry_does_not_know(self):
        done = self.configure("clang++-14")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Clang 14", done.stderr)
        self.assertIn("Clang 19 and 22, Flang 22 (for the host or for GPUs) and GCC 12", " ".join(done.stderr.split()))


if __name__ == "__main__":
    unittest.main()

"""What a machine may lack, as a new user meets it: one line names the cause, and what to install or change.

  tests/cli/bad_input_test.py BUILD SOURCE
"""

import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
EXAMPLE = SOURCE / "examples/zaxpy.cpp"


class Case(unittest.TestCase):
    """With a folder, and an installation in it that may be damaged."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="gantry-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.folder.chmod(0o755)

    def run_here(self, *command, before=None, **variables):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("OMP_", "GANTRY_"))} | variables
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=self.folder,
                              timeout=120, check=False, env=environment, preexec_fn=before)

    def says(self, message, *command, **variables):
        """The command fails with one line of Gantry's that matches; other tools may add theirs."""
        done = self.run_here(*command, **variables)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        lines = [line for line in done.stderr.splitlines() if line.startswith(("gantry: ", "setup: ", "build: "))]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertRegex(lines[0], message)


class Installed(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.root = cls.folder / "installed"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.root], check=True, stdout=subprocess.DEVNULL)
        cls.gantry = cls.root / "bin/gantry"
        cls.program = cls.folder / "program"
        subprocess.run([cls.gantry, "clang++", EXAMPLE, "-o", cls.program], check=True)

    def hide(self, name):
        file = self.root / name
        file.rename(f"{file}.hidden")
        self.addCleanup(os.rename, f"{file}.hidden", file)

    def run_on(self, devices, message, **more):
        self.says(message, self.program, GANTRY_DEVICES=devices, OMP_TARGET_OFFLOAD="MANDATORY", **more)

    def test_a_missing_runtime(self):
        # The linker would take LLVM's library of that name, without a word.
        self.hide("lib/libgantry.so.1")
        self.says(r"libomptarget\.so': No such file or directory; Gantry's installation is not complete",
                  self.gantry, "clang++", EXAMPLE, "-o", "other")

    def test_a_missing_libomp(self):
        name = "lib/gantry/host/libomp.so"
        self.hide(name)
        (self.root / name).symlink_to("/nowhere/libomp.so")
        self.addCleanup(os.unlink, self.root / name)
        # Nor is there one among the libraries of the link.
        self.says("libomp is missing: .*install Debian's package libomp-22-dev", self.gantry, "clang++", "-nodefaultlibs",
                  EXAMPLE, "-o", "other")

    def test_what_flang_finds_for_an_assembler(self):
        assembler = self.root / "libexec/flang/ptxas"
        text = self.folder / "kernel.s"
        text.write_text("// PTX\n")
        self.says("kernel.s' is not LLVM bitcode, as Flang with Gantry's plugin makes it: compile with 'gantry flang'",
                  assembler, "-m64", "--gpu-name", "sm_90", "--output-file", self.folder / "kernel.o", text, "-c")
        self.says("stands in for NVIDIA's ptxas where Flang calls it", assembler, "--version")
        self.says("nothere.s'", assembler, "--output-file", self.folder / "kernel.o", self.folder / "nothere.s")

    def test_another_version_of_flang(self):
        self.says("'--clang=19' names no compiler that Gantry knows; give 22$", self.gantry, "flang", "--clang=19", "a.f90")

    def test_several_kinds_of_devices_by_flang(self):
        for options in (["--offload-arch=host,sm_90"], ["--offload-arch=sm_90", "--offload-arch=host"]):
            self.says("Flang makes device code for one kind of device a command", self.gantry, "flang", *options, "a.f90")

    @unittest.skipUnless(pathlib.Path("/usr/bin/flang-22").exists(), "flang-22 is not installed")
    def test_the_functions_of_flangs_device_code(self):
        self.hide("lib/gantry/gantry-device-flang.bc")
        done = self.run_here(self.gantry, "flang", "-c", SOURCE / "examples/zaxpy.f90", "-o", "zaxpy.o")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "error: gantry: '.*gantry-device-flang.bc' cannot be read as bitcode: .*; "
                                      "Gantry's installation is not complete")

    @unittest.skipUnless((BUILD / "lib/gantry/libgantry-plugin-worker.so").exists(), "there are no workers")
    def test_plugins(self):
        plugin = "lib/gantry/libgantry-plugin-worker.so"
        self.hide(plugin)
        self.run_on("worker", "'worker' is not a kind of device; .*; .gantry doctor. says what to install for others")
        (self.root / plugin).write_text("no library")
        self.addCleanup(os.unlink, self.root / plugin)
        self.run_on("worker", "'worker' does not load: .*; install Gantry again")
        (self.root / plugin).unlink()
        (self.root / plugin).symlink_to("/nowhere/plugin.so")
        self.run_on("worker", "the plugin of 'worker', '.*', cannot be read: No such file or directory; give this user")

    @unittest.skipUnless((BUILD / "lib/gantry/libgantry-plugin-worker.so").exists(), "there are no workers")
    def test_limits_of_the_system(self):
        def files(count):
            return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))
        for device in ("cpu", "worker"):
            with self.subTest(device=device):
                self.run_on(device, r"Too many open files; raise the limit of open files \(ulimit -n\)", before=files(4))
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        self.run_on("worker", r"raise the limit of virtual memory \(ulimit -v\).*memory=", before=little_memory)

    def test_no_driver(self):
        if os.path.exists("/dev/nvidiactl"):
            self.skipTest("there is a GPU here")
        self.run_on("cuda", "install NVIDIA's driver .*or use simt")

    def test_no_hsa_runtime(self):
        if os.path.exists("/dev/kfd"):
            self.skipTest("there is a GPU here")
        self.run_on("hsa", "(there is no /dev/kfd|install AMD's runtime).* simt-amd")


class Compilers(Case):
    def test_temporary_files(self):
        self.says("warning: no file can be made in TMPDIR, '/nowhere': No such file or directory; set it to",
                  BUILD / "bin/gantry", "clang++", EXAMPLE, "-o", "program", TMPDIR="/nowhere")

    def test_architectures(self):
        for name, hint in (("hots", " (did you mean 'host'?)"), ("sm_20", " (did you mean 'sm_70'?)"), ("gfx803", ""),
                           ("sm_", ""), ("host,", "")):
            with self.subTest(name=name):
                self.says(f"Gantry makes no device code for that.*{re.escape(hint)}.*; there are host, native, sm_70",
                          BUILD / "bin/gantry", "clang++", f"--offload-arch={name}", EXAMPLE, "-o", "program")

    def test_programs_of_other_machines(self):
        subprocess.run(["clang-22", "--target=aarch64-linux-gnu", "-c", "-x", "c", "/dev/null", "-o",
                        self.folder / "foreign"], check=True)
        subprocess.run(["clang-22", "-c", "-x", "c", "/dev/null", "-o", self.folder / "object"], check=True)
        for name, message in (("foreign", "for another kind of machine"), ("object", "it is no program")):
            (self.folder / name).chmod(0o755)
            self.says(f"cannot run './{name}': .*{message}", BUILD / "bin/gantry", "run", f"./{name}")


class Scripts(Case):
    def setUp(self):
        self.tree = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (self.tree / "scripts").mkdir()
        for name in ("build", "setup", "progress.sh"):
            shutil.copy(SOURCE / "scripts" / name, self.tree / "scripts")
        self.tools = self.tree / "tools"
        self.tools.mkdir()

    def tool(self, name, text):
        (self.tools / name).write_text(f"#!/bin/bash\n{text}\n")
        (self.tools / name).chmod(0o755)

    def path(self, *real):
        """Only these programs, and what the test has made."""
        for name in ("bash", "cat", "df", "dirname", "grep", "head", "id", "mkdir", "mktemp", "rm", "sed", "sort",
                     "stat", "tail", "tr", *real):
            if not (self.tools / name).exists():
                (self.tools / name).symlink_to(shutil.which(name, path="/usr/bin:/bin"))
        return str(self.tools)

    def test_setup_without_rights(self):
        self.tool("dpkg-query", "exit 1")
        self.tool("id", "echo 1000")
        self.says("not root and no sudo; install these packages first: .*clang-22", self.tree / "scripts/setup",
                  PATH=self.path())

    def test_setup_elsewhere(self):
        self.says("this system is not Debian; install what stands for .*clang-22", self.tree / "scripts/setup",
                  PATH=self.path())

    def test_setup_says_how_far_it_is(self):
        self.tool("dpkg-query", "exit 1")
        self.tool("id", "echo 0")
        self.tool("apt-get", "echo pmstatus:clang-22:41.4:Unpacking clang-22; echo Reading lists")
        done = self.run_here(self.tree / "scripts/setup", PATH=self.path())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("setup: packages: 41 %: Unpacking clang-22\n", done.stdout)
        self.assertNotIn("Reading", done.stdout)

    def test_setup_without_a_network(self):
        self.tool("dpkg-query", "exit 1")
        self.tool("id", "echo 0")
        self.tool("apt-get", '[[ " $* " == *" update "* ]] || { echo "E: Failed to fetch x" >&2; exit 100; }')
        self.says("packages failed. Is there a network.*By hand: apt-get install .*clang-22", self.tree / "scripts/setup",
                  PATH=self.path())

    def test_build_without_its_tools(self):
        self.says("cmake is not installed; scripts/setup demo", self.tree / "scripts/build", "release", PATH=self.path())

    def build(self, message, **variables):
        for name in ("ninja", "clang++-22"):
            self.tool(name, "exit 0")
        self.says(message, self.tree / "scripts/build", "release", PATH=self.path(), **variables)

    def test_build_in_a_folder_of_another_tree(self):
        self.tool("cmake", "exit 0")
        (self.tree / "build").mkdir()
        (self.tree / "build/CMakeCache.txt").write_text("CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n")
        self.build("was configured for the sources in '/elsewhere'; remove it: rm -rf")

    def test_build_where_nothing_may_be_written(self):
        self.tool("cmake", "exit 0")
        (self.tree / "build").write_text("a file")
        self.build("cannot be written to by .*; it belongs to")

    def test_build_with_a_full_disk(self):
        self.tool("cmake", "echo 'No space left on device'; exit 1")
        self.tool("ninja", "exit 0")
        self.tool("clang++-22", "exit 0")
        done = self.run_here(self.tree / "scripts/build", "release", PATH=self.path())
        self.assertRegex(done.stderr, r"\Abuild: failed: the disk of '.*build' or of '.*' is full: cmake[^\n]*\n\Z")


if __name__ == "__main__":
    unittest.main(argv=["bad_input"], verbosity=1)

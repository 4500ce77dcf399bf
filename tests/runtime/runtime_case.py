"""What the tests of the runtime share: running the compiled programs with a clean environment."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else pathlib.Path("build").resolve()
PROGRAMS = BUILD / "tests/runtime/programs"
OURS = ("OMP_", "GANTRY_", "LIBOMPTARGET_")


class RuntimeCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gantry-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, program, *arguments, **variables):
        """Runs a program with just these of the variables that steer a runtime."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith(OURS)} | variables
        path = program if isinstance(program, pathlib.Path) else PROGRAMS / program
        return subprocess.run([path, *arguments], env=environment, cwd=self.folder,
                              capture_output=True, text=True, timeout=60, check=False)

    def run_program(self, program, *arguments, **variables):
        """The output of a program that must succeed and say nothing else."""
        done = self.start(program, *arguments, **variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def error_of(self, program, *arguments, **variables):
        """The one message of a program that must fail."""
        done = self.start(program, *arguments, **variables)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"\Agantry: error: [^\n]+\n\Z")
        return done.stderr.strip()

    def program_path(self, program):
        return PROGRAMS / program

    def dynamic_libraries(self, program):
        headers = subprocess.run(["readelf", "-dW", PROGRAMS / program], capture_output=True,
                                 text=True, check=True).stdout
        return [line.split("[")[1].rstrip("]") for line in headers.splitlines()
                if "(NEEDED)" in line]

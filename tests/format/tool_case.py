"""What the tests of the tools share: a folder of their own, and running programs in it."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else pathlib.Path("build").resolve()
CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"
GANTRY = BUILD / "bin/gantry"
LIBEXEC = BUILD / "libexec"

KERNEL = """
#pragma omp begin declare target
int plain = 3;
#pragma omp end declare target
void kernel(int *p) {
#pragma omp target map(tofrom: p[0:4])
  p[0] = plain;
}
"""


class ToolCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gantry-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, contents):
        path = self.folder / name
        path.write_bytes(contents.encode() if isinstance(contents, str) else contents)
        return path

    def read(self, name):
        return (self.folder / name).read_bytes()

    def run_program(self, *arguments, status=0):
        """Runs a program in the test's folder and returns it, with its output as bytes."""
        done = subprocess.run([str(a) for a in arguments], cwd=self.folder, capture_output=True,
                              timeout=120, check=False)
        self.assertEqual(done.returncode, status,
                         f"{arguments}\n{done.stdout.decode(errors='replace')}\n"
                         f"{done.stderr.decode(errors='replace')}")
        return done

    def output_of(self, *arguments):
        return self.run_program(*arguments).stdout.decode()

    def error_of(self, *arguments):
        """The one diagnostic of a program that must fail."""
        done = self.run_program(*arguments, status=1)
        message = done.stderr.decode()
        self.assertRegex(message, r"\Agantry: error: [^\n]+\n\Z")
        return message

    def files(self):
        return sorted(os.listdir(self.folder))

    def compile(self, output, *flags, version=22, source=KERNEL):
        """An object with device code, its images packed by Gantry."""
        self.write("source.c", source)
        self.run_program(f"clang-{version}", f"-B{LIBEXEC}", "-O1", "-fopenmp",
                         "-fopenmp-targets=x86_64-pc-linux-gnu", "-fPIC", *flags, "-c", "source.c",
                         "-o", output)
        return self.folder / output


def main():
    unittest.main(argv=sys.argv[:1])

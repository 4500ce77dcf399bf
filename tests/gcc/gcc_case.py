"""What the tests of GCC's programs have in common. The first argument of a test is the build folder."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

build = pathlib.Path(sys.argv.pop(1)).resolve()
SOURCES = pathlib.Path(__file__).resolve().parent / "sources"
GANTRY = build / "bin/gantry"


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def run_tool(self, *command, **more):
        return subprocess.run([str(part) for part in command], cwd=self.folder, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=240, check=False, **more)

    def compile(self, compiler, *arguments, tool=GANTRY):
        done = self.run_tool(tool, compiler, "-O2", *arguments) if tool else self.run_tool(compiler, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    @staticmethod
    def variables(devices, **more):
        """The environment of a program that runs on these devices, or says why not."""
        return {**os.environ, "GANTRY_DEVICES": devices, "OMP_TARGET_OFFLOAD": "MANDATORY",
                "GANTRY_SIMT_CACHE": f"{build}/simt-cache", **more}

    def output(self, *command, devices="cpu", **variables):
        done = self.run_tool(*command, env=self.variables(devices, **variables))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


def has_compiler_for(kind):
    found = subprocess.run(["gcc-12", f"-print-prog-name=accel/{kind}/mkoffload"], capture_output=True, text=True,
                           check=False).stdout.strip()
    return os.path.exists(found)


def missing():
    """What is not installed; nothing if all is."""
    if shutil.which("gcc-12") is None:
        return "gcc-12"
    return None if has_compiler_for("nvptx-none") else "gcc-12-offload-nvptx"


def main():
    if package := missing():
        print(f"SKIPPED: {package} is not installed")
        sys.exit(77)
    unittest.main()

"""What the tests of the linker wrapper share: the tools, the objects and how to run them.

The environment, set by CMakeLists.txt, says where things are:
GANTRY_ROOT (the build tree), GANTRY_OBJECTS (compiled once by compile_objects.py), GANTRY_LLVM_BIN,
and GANTRY_LINK_FLAGS (for every link; empty in an ordinary build).
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["GANTRY_ROOT"])
OBJECTS = pathlib.Path(os.environ["GANTRY_OBJECTS"])
LLVM_BIN = pathlib.Path(os.environ["GANTRY_LLVM_BIN"])
SOURCES = pathlib.Path(__file__).parent / "sources"
LINK_FLAGS = os.environ.get("GANTRY_LINK_FLAGS", "").split()
GANTRY = ROOT / "bin/gantry"
LLD = LLVM_BIN / "ld.lld"


def run(command, **options):
    """Runs a command and returns what it did; never raises for a bad exit status."""
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=120, **options
    )


def compiler(clang="22", language="c++"):
    return [GANTRY, "clang++" if language == "c++" else "clang", f"--clang={clang}"]


def obj(name, clang="22"):
    return OBJECTS / f"{name}-{clang}.o"


class LinkTest(unittest.TestCase):
    """A test with a folder of its own, which is also where TMPDIR points."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gantry-link-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.environment = os.environ | {
            "TMPDIR": str(self.temporary),
            "OMP_TARGET_OFFLOAD": "MANDATORY",
        }

    def compile(self, name, text, *flags, suffix=".cpp", clang="22"):
        """The object of a new source file."""
        source, output = self.folder / f"{name}{suffix}", self.folder / f"{name}.o"
        source.write_text(text)
        command = [*compiler(clang, "c" if suffix == ".c" else "c++"), "-O1", "-fPIC", *flags]
        result = run([*command, "-c", source, "-o", output])
        self.assertEqual(result.returncode, 0, result.stderr)
        return output

    def link(self, *arguments, output="program", clang="22"):
        """Links and returns the program's path."""
        result = self.try_link(*arguments, output=output, clang=clang)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return self.folder / output

    def try_link(self, *arguments, output="program", clang="22"):
        command = [*compiler(clang), *LINK_FLAGS, *arguments, "-o", self.folder / output]
        result = run(command, env=self.environment, cwd=self.folder)
        # The compiler's own files are gone when it returns, and the wrapper's must be, too.
        self.assertEqual(list(self.temporary.glob("gantry-link-*")), [])
        return result

    def assert_link_fails(self, *arguments, message, output="program", clang="22"):
        """The link fails with `message` (a regular expression) and leaves no output."""
        result = self.try_link(*arguments, output=output, clang=clang)
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"(?m)^gantry: error: .*" + message)
        self.assertFalse((self.folder / output).is_file())
        return result

    def run_program(self, program, *arguments):
        result = run([program, *arguments], env=self.environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def record(self, program, *arguments):
        """Runs the program and returns the registrations and unregistrations it makes."""
        record = self.folder / "record"
        record.unlink(missing_ok=True)
        environment = self.environment | {
            "LD_PRELOAD": str(OBJECTS / "librecorder.so"),
            "RECORDER_FILE": str(record),
        }
        result = run([program, *arguments], env=environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return [json.loads(line) for line in record.read_text().splitlines()]

    def kernels_in_image(self, program):
        """The functions whose kernels the only image of `program` has."""
        return sorted(
            symbol.split("_", 6)[-1].rsplit("_l", 1)[0]
            for symbol in self.image_symbols(program)
            if symbol.startswith("__omp_offloading_") and "_fptr_map_" not in symbol
        )

    def image_symbols(self, program):
        """The names that the dynamic symbol table of the only image defines."""
        extracted = self.folder / "extracted.so"
        extracted.unlink(missing_ok=True)
        result = run([LLVM_BIN / "llvm-offload-binary", program, f"--image=file={extracted},kind=openmp"])
        self.assertEqual(result.returncode, 0, result.stderr)
        symbols = run([LLVM_BIN / "llvm-nm", "-D", "--defined-only", "--format=just-symbols", extracted])
        return symbols.stdout.split()

    def image_symbol_sizes(self, program, name):
        """The sizes of the symbols `name` that the only image defines."""
        self.image_symbols(program)
        symbols = run([LLVM_BIN / "llvm-nm", "-D", "-S", "--defined-only", self.folder / "extracted.so"])
        lines = [line.split() for line in symbols.stdout.splitlines()]
        return [int(words[1], 16) for words in lines if words[-1] == name and len(words) == 4]

    def sections(self, file):
        """Name -> flags, as readelf prints them."""
        result = {}
        for line in run(["readelf", "-WS", file]).stdout.splitlines():
            words = line.replace("[ ", "[").split()
            if words and words[0].startswith("[") and words[0] != "[Nr]" and len(words) >= 11:
                result[words[1]] = words[7] if len(words) == 11 else ""
        return result

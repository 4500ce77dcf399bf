#!/usr/bin/env python3
"""What GPUs have of C's library and of OpenMP's routines.

usage: c_library_test.py BUILD PROGRAM…

Every function that C17's headers and omp.h declare is a row of c_library.def, or is stated in
c_library_exceptions.txt with a reason, or takes a `long double`, which Clang refuses in code for
GPUs. Each PROGRAM, c_library.c compiled in one way, computes every row on the device as on the host.
What is stated to be missing is: the link says so.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).parent
HEADERS = ("complex.h", "ctype.h", "math.h", "omp.h", "stdlib.h", "string.h")
BUILD, PROGRAMS = pathlib.Path(sys.argv[1]), sys.argv[2:]
COMPILER = (BUILD / "bin/gantry", "clang")


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, timeout=600, **options)


def declared_functions():
    """Each function that C17's headers and omp.h declare: its name and its type."""
    source = "".join(f"#include <{header}>\n" for header in HEADERS)
    tree = run("clang-22", "-xc", "-std=c17", "-fopenmp", "-fsyntax-only", "-Xclang", "-ast-dump",
               "-fno-color-diagnostics", "-", input=source).stdout
    found = dict(re.findall(r"FunctionDecl 0x.*? (\w+) '([^']*)'", tree))
    return {name: kind for name, kind in found.items() if not name.startswith("_")}


def exceptions():
    lines = (FOLDER / "c_library_exceptions.txt").read_text().splitlines()
    return dict(line.split(" | ", 1) for line in lines if line and not line.startswith("#"))


def link(source, folder):
    path = pathlib.Path(folder) / "program.c"
    path.write_text(source)
    return run(*COMPILER, "-O1", "--offload-arch=sm_90", path, "-o", path.with_suffix(""))


class CLibrary(unittest.TestCase):
    def test_every_name_is_there_or_is_stated_to_be_missing(self):
        functions = declared_functions()
        self.assertGreater(len(functions), 400)
        rows = set()
        for program in PROGRAMS[:1]:
            done = run(program, env=os.environ)
            rows = set(re.findall(r"^(?:good|WRONG) (\w+)", done.stdout, re.M))
        stated = exceptions()
        self.assertEqual(sorted(set(stated) - set(functions)), [], "stated, and not declared")
        self.assertEqual(sorted(set(stated) & rows), [], "stated to be missing, and tested")
        missing = [name for name, kind in functions.items()
                   if name not in rows and name not in stated and "long double" not in kind]
        self.assertEqual(sorted(missing), [])

    def test_results_are_as_on_the_host(self):
        for program in PROGRAMS:
            with self.subTest(program=program):
                done = run(program, env=os.environ)
                wrong = [line for line in done.stdout.splitlines() if not line.startswith("good ")]
                self.assertEqual((wrong, done.stderr, done.returncode), ([], "", 0))

    def test_what_is_stated_to_be_missing_is_named_by_the_link(self):
        names = sorted(exceptions())
        includes = "".join(f"#include <{header}>\n" for header in HEADERS)
        uses = "".join(f"    use = (void*){name};\n" for name in names)
        with tempfile.TemporaryDirectory() as folder:
            done = link(f"{includes}int main(void) {{\n#pragma omp target\n  {{\n"
                        f"    void* volatile use;\n{uses}  }}\n}}\n", folder)
        self.assertNotEqual(done.returncode, 0)
        reported = set(re.findall(r":   (\w+) \(\S+\)$", done.stderr, re.M))
        self.assertEqual(sorted(set(names) - reported), [], done.stderr)

    def test_clang_refuses_long_double(self):
        with tempfile.TemporaryDirectory() as folder:
            done = link("#include <math.h>\nint main(void) { long double x = 1;\n"
                        "#pragma omp target map(x)\n  x = sinl(x);\n  return 0; }\n", folder)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "'long double' type support")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""Programs of GCC's design of 2013: pairs in .gnu.openmp_target, the descriptor that the link makes of them,
and constructs that bring its address.

openmp_target_test.py BUILD
"""

import json
import os

from gcc_case import GANTRY, SOURCES, Case, build, main

# A sanitizer's build has none.
WORKER = ["worker"] if (build / "lib/gantry/libgantry-plugin-worker.so").exists() else []
# Offsets in the descriptor: its version, and how many places its first target has.
VERSION = 0
FIRST_COUNT = 16 + 24
# How the compiler's device code gets into an object.
CODE = """
.section .llvm.offloading,"e",@progbits
.incbin "{}"
.section .note.GNU-stack,"",@progbits
"""
LOADER = """
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char** argv) {
  for (int i = 0; i < 3; ++i) {
    void* library = dlopen(argv[1], RTLD_NOW);
    ((int (*)(void))dlsym(library, "in_library"))();
    dlclose(library);
  }
  return 0;
}
"""


class Pairs(Case):
    def setUp(self):
        super().setUp()
        self.ptx = (SOURCES / "openmp_target.ptx").read_text()

    def object(self, name, *options, ptx=None):
        """An object of openmp_target.c, with PTX if there is some."""
        self.compile("gcc-12", "-O2", "-fPIC", *options, "-c", SOURCES / "openmp_target.c", "-o", f"{name}.o", tool=None)
        if ptx is None:
            return f"{name}.o"
        self.write(f"{name}.ptx", ptx)
        self.run_tool(GANTRY, "pack", "-o", f"{name}.offload",
                      f"--image=file={name}.ptx,triple=nvptx64-nvidia-cuda,arch=sm_30,kind=openmp")
        self.write(f"{name}.s", CODE.format(f"{name}.offload"))
        self.compile("as", f"{name}.s", "-o", f"{name}_code.o", tool=None)
        self.compile("ld", "-r", f"{name}.o", f"{name}_code.o", "-o", f"{name}_both.o", tool=None)
        return f"{name}_both.o"

    def program(self, *options):
        self.compile("gcc", *options, self.object("main", ptx=self.ptx), "-o", "program")
        return "./program"

    def inspect(self, file):
        return json.loads(self.run_tool(GANTRY, "inspect", "--json", file).stdout)["files"][0]["openmp_target"]

    def changed_program(self, offset, value):
        """A program with another byte at `offset` of its descriptor."""
        program = self.folder / self.program()
        for line in self.run_tool("readelf", "-SW", program).stdout.splitlines():
            if ".gnu.openmp_target" in line:
                begin = int(line.split("PROGBITS")[1].split()[1], 16)
        contents = bytearray(program.read_bytes())
        contents[begin + offset] = value
        program.write_bytes(contents)
        return program

    def fails(self, *command, **variables):
        done = self.run_tool(*command, env={**os.environ, "GANTRY_DEVICES": "cpu",
                                            "OMP_TARGET_OFFLOAD": "MANDATORY", **variables})
        self.assertGreater(done.returncode, 0)
        return done.stderr

    def test_a_pointer_to_a_variable_of_the_device(self):
        # The region's own v, found by the address of the host's; then without a table, on the host.
        for options in ([], ["-no-pie"]):
            program = self.program(*options)
            for devices in ("cpu", "cpu+separate", "simt", *WORKER):
                with self.subTest(options=options, devices=devices):
                    self.assertEqual(self.output(program, devices=devices), "2 3 51 1050\n")

    def test_both_kinds_of_devices_in_one_program(self):
        program = self.program()
        for default in "01":
            self.assertEqual(self.output(program, devices="cpu,simt", OMP_DEFAULT_DEVICE=default), "2 3 51 1050\n")

    def test_several_objects_and_archives(self):
        renamed = self.ptx.replace("region", "region_2").replace(' v[1]', ' v_2[1]').replace(', v;', ', v_2;')
        renamed = renamed.replace('"v"', '"v_2"')
        second = self.object("second", "-Dmain=in_second", "-Dv=second_v", "-Dbar=second_bar", ptx=renamed)
        self.run_tool("ar", "rcs", "libsecond.a", second)
        self.write("both.c", "int in_first(void); int in_second(void); int main(void) { in_first(); in_second(); }")
        first = self.object("first", "-Dmain=in_first", ptx=self.ptx)
        for second_input in (second, "libsecond.a"):
            self.compile("gcc", "both.c", first, second_input, "-o", "program")
            for devices in ("cpu", "simt"):
                self.assertEqual(self.output("./program", devices=devices), "2 3 51 1050\n" * 2)

    def test_what_inspect_shows(self):
        shown = self.inspect(self.program())
        self.assertEqual(shown["version"], 1)
        self.assertEqual([pair["symbol"] for pair in shown["pairs"]], ["v", "region"])
        self.assertEqual([pair["size"] for pair in shown["pairs"]], [4, 0])
        self.assertEqual([len(target["addresses"]) for target in shown["targets"]], [2, 0])
        self.assertEqual(shown["targets"][1]["names"], ["v", "region"])
        in_object = self.inspect("main_both.o")
        self.assertEqual((in_object["version"], len(in_object["pairs"])), (0, 2))
        text = self.run_tool(GANTRY, "inspect", "program").stdout
        self.assertIn("__OPENMP_TARGET__ in .gnu.openmp_target: version 1, 2 pairs", text)

    def test_libraries_that_come_and_go(self):
        self.compile("gcc", "-shared", self.object("library", "-Dmain=in_library"), "-o", "library.so")
        self.write("loader.c", LOADER)
        self.compile("gcc", "loader.c", "-o", "loader")
        self.assertEqual(self.output("./loader", "./library.so"), "2 3 51 1050\n" * 3)

    def test_a_newer_descriptor(self):
        program = self.changed_program(VERSION, 2)
        self.assertIn("__OPENMP_TARGET__ is of version 2, and this runtime knows 1", self.fails(program))
        done = self.run_tool(program, env={**os.environ, "GANTRY_DEVICES": "cpu"})
        self.assertEqual(done.stdout, "1001 1050 1050 1050\n")
        self.assertIn("version 2", self.run_tool(GANTRY, "inspect", "program").stderr)

    def test_tables_of_different_lengths(self):
        names = self.ptx.replace('//:FUNC_MAP "region"\n', "")
        message = self.fails(GANTRY, "gcc", self.object("main", ptx=names), "-o", "program")
        self.assertIn("'main_both.o' has 2 pairs in section '.gnu.openmp_target', and its PTX names 1", message)
        # And where a link has gone wrong.
        message = self.fails(self.changed_program(FIRST_COUNT, 1))
        self.assertIn("has 2 functions and variables of the host, and 1 of device code number 0", message)

    def test_code_for_some_objects_only(self):
        self.object("first", "-Dmain=in_first", "-Dv=first_v", "-Dbar=first_bar")
        message = self.fails(GANTRY, "gcc", self.object("main", ptx=self.ptx), "first.o", "-o", "program")
        self.assertIn("'first.o' has pairs in section '.gnu.openmp_target' and no PTX", message)

    def test_pairs_that_the_linker_took_away(self):
        message = self.fails(GANTRY, "gcc", "-Wl,--gc-sections", self.object("main"), "-o", "program")
        self.assertIn("2 pairs in section '.gnu.openmp_target', and 0 of them", message)
        self.assertFalse((self.folder / "program").exists())

    def test_code_that_is_not_position_independent(self):
        self.object("main", "-fno-pic")
        message = self.fails(GANTRY, "gcc", "-no-pie", "main.o", "-o", "program")
        self.assertIn("compile with -fPIC", message)


if __name__ == "__main__":
    main()

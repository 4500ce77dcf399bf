"""gantry inspect: what it says of files that the real compilers and linkers make."""

import json
import os

from tool_case import CORPUS, GANTRY, ToolCase, main

CPU = "x86_64-pc-linux-gnu"


class InspectCase(ToolCase):
    def inspect(self, *files):
        return json.loads(self.output_of(GANTRY, "inspect", "--json", *files))["files"]

    def table(self, *files):
        return self.output_of(GANTRY, "inspect", *files)

    def entries(self, tables):
        self.assertEqual(len(tables), 1)
        return {entry["what"]: entry for entry in tables[0]["entries"]}


class Objects(InspectCase):
    def test_of_both_compilers(self):
        for version, arch, section, size in ((19, "", "omp_offloading_entries", 32),
                                             (22, "generic", "llvm_offload_entries", 56)):
            with self.subTest(version):
                [report] = self.inspect(self.compile("object.o", version=version))
                self.assertEqual(report["contents"], "x86-64 relocatable object")
                self.assertIn(f"clang version {version}.", report["producer"])
                self.assertFalse(report["registers_itself"])

                [image] = report["images"]
                self.assertEqual(image["section"], ".llvm.offloading")
                self.assertFalse(image["linked"])
                self.assertEqual((image["triple"], image["arch"]), (CPU, arch))
                self.assertEqual((image["kind"], image["model"]), ("object", "openmp"))
                self.assertIn(f"clang version {version}.", image["producer"])
                inside = self.entries(image["entry_tables"])
                self.assertEqual(inside["kernel"]["symbol"], inside["kernel"]["name"])

                [table] = report["entry_tables"]
                self.assertEqual((table["section"], table["entry_size"]), (section, size))
                entries = self.entries([table])
                self.assertEqual(sorted(entries), ["kernel", "variable"])
                self.assertEqual(entries["variable"]["name"], "plain")
                self.assertEqual(entries["variable"]["size"], 4)
                self.assertRegex(entries["kernel"]["name"], r"^__omp_offloading_.*_kernel_l6$")
                self.assertEqual(entries["kernel"]["name"], inside["kernel"]["name"])

    def test_indirect_function(self):
        source = """
int twice(int x) { return 2 * x; }
#pragma omp declare target enter(twice) indirect
int call(void) {
  int (*f)(int) = twice, y = 0;
#pragma omp target map(from: y)
  y = f(2);
  return y;
}
"""
        [report] = self.inspect(self.compile("object.o", "-fopenmp-version=52", source=source))
        entry = self.entries(report["entry_tables"])["indirect function"]
        self.assertEqual((entry["symbol"], entry["flags"], entry["size"]), ("twice", 8, 8))

    def test_without_device_code(self):
        self.run_program("clang-22", "-c", "-x", "c", "/dev/null", "-o", "empty.o")
        self.assertIn("no device code", self.table("empty.o"))
        self.write("text", "hello")
        self.assertEqual(self.table("text"), "text: unknown\nno device code\n")

    def test_device_code_of_gcc_is_named(self):
        self.write("gcc.c", "void f(void) {\n#pragma omp target\n  ;\n}\n")
        self.run_program("gcc-12", "-fopenmp", "-foffload=nvptx-none", "-c", "gcc.c", "-o", "gcc.o")
        self.assertIn("\ndevice code of GCC's, which is not shown\n", self.table("gcc.o"))
        self.run_program("gcc-12", "-c", "gcc.c", "-o", "host.o")
        self.assertIn("\nno device code\n", self.table("host.o"))

    def test_host_bitcode_is_said_to_be_bitcode(self):
        [report] = self.inspect(self.compile("lto.o", "-flto"))
        self.assertEqual(report["contents"], "LLVM bitcode")
        self.assertRegex(report["producer"], r"^LLVM22\.")
        self.assertIn("seen by the linker only", self.table("lto.o"))


class Archives(InspectCase):
    def setUp(self):
        super().setUp()
        self.compile("device.o")
        self.run_program("clang-22", "-c", "-x", "c", "/dev/null", "-o", "host.o")

    def test_members_are_reported_by_name(self):
        for flags in ("rc", "rcT"):
            with self.subTest(flags):
                self.run_program("ar", flags, f"{flags}.a", "host.o", "device.o")
                host, device = self.inspect(f"{flags}.a")
                self.assertEqual((host["file"], host["member"]), (f"{flags}.a", "host.o"))
                self.assertEqual(host["images"], [])
                self.assertEqual((device["member"], len(device["images"])), ("device.o", 1))

    def test_members_without_device_code_are_counted(self):
        self.run_program("ar", "rc", "lib.a", "host.o", "device.o")
        text = self.table("lib.a")
        self.assertIn("lib.a(device.o): x86-64 relocatable object", text)
        self.assertTrue(text.endswith("\n1 archive member without device code\n"))


class LinkedFiles(InspectCase):
    """What LLVM's wrapper links: the format is the same whoever links it."""

    def setUp(self):
        super().setUp()
        self.compile("device.o")
        self.write("main.c", "void kernel(int *); int main(void) { int a[4]; kernel(a); }")

    def link(self, output, *flags):
        self.run_program("clang-22", "-fopenmp", f"-fopenmp-targets={CPU}", "device.o", *flags,
                         "-o", output)
        [report] = self.inspect(output)
        self.assertTrue(report["registers_itself"])
        [image] = report["images"]
        self.assertTrue(image["linked"])
        self.assertEqual(image["contents"], "x86-64 shared object")
        return report

    def check_addresses(self, report):
        """Entries point to where `nm` says their symbols are."""
        symbols = {line.split()[2]: int(line.split()[0], 16)
                   for line in self.output_of("nm", "--defined-only", report["file"]).splitlines()}
        entries = self.entries(report["entry_tables"])
        self.assertEqual(entries["variable"]["address"], symbols["plain"])
        self.assertEqual(entries["kernel"]["address"],
                         symbols[f".{entries['kernel']['name']}.region_id"])

    def test_programs_however_their_pointers_are_kept(self):
        for flags in (["-pie"], ["-no-pie"], ["-pie", "-Wl,-z,pack-relative-relocs"],
                      ["-pie", "-fuse-ld=lld"],
                      ["-pie", "-fuse-ld=lld", "-Wl,--pack-dyn-relocs=relr"]):
            with self.subTest(flags):
                report = self.link("program", "main.c", *flags)
                self.assertEqual(report["contents"],
                                 "x86-64 executable" if flags == ["-no-pie"] else
                                 "x86-64 position-independent executable")
                self.check_addresses(report)

    def test_shared_library(self):
        report = self.link("libdevice.so", "-shared")
        self.assertEqual(report["contents"], "x86-64 shared object")
        self.check_addresses(report)

    def test_stripped_program(self):
        self.link("program", "main.c")
        self.run_program("strip", "program")
        [report] = self.inspect("program")
        self.assertTrue(report["registers_itself"])
        self.assertEqual(self.entries(report["entry_tables"])["variable"]["name"], "plain")

    def test_relocatable_output_registers_itself(self):
        report = self.link("partial.o", "-r")
        self.assertEqual(report["images"][0]["section"], ".llvm.offloading.relocatable")
        [table] = report["entry_tables"]
        self.assertRegex(table["section"], r"^llvm_offload_entries_[0-9a-f]+$")
        self.assertEqual(self.entries([table])["variable"]["symbol"], "plain")

    def test_plain_relocatable_link_keeps_all_images(self):
        self.compile("other.o", source=KERNEL_OF_ANOTHER_NAME)
        self.run_program("ld", "-r", "device.o", "other.o", "-o", "both.o")
        [report] = self.inspect("both.o")
        self.assertEqual([image["linked"] for image in report["images"]], [False, False])
        self.assertFalse(report["registers_itself"])
        self.assertEqual(len(report["entry_tables"][0]["entries"]), 3)


KERNEL_OF_ANOTHER_NAME = """
void other(int *p) {
#pragma omp target map(tofrom: p[0:4])
  p[0] = 1;
}
"""


class OffloadBinaries(InspectCase):
    def test_any_keys_and_foreign_models(self):
        self.write("a.bc", "x")
        self.run_program("llvm-offload-binary-22", "-o", "out",
                         "--image=file=a.bc,triple=nvptx64,arch=sm_80,kind=hip,feature=+ptx78")
        [report] = self.inspect("out")
        [image] = report["images"]
        self.assertEqual(image["strings"], {"feature": "+ptx78", "triple": "nvptx64",
                                            "arch": "sm_80"})
        self.assertEqual((image["kind"], image["model"], image["size"]), ("bitcode", "hip", 1))
        self.assertIn("feature=+ptx78", self.table("out"))

    def test_version_two(self):
        [report] = self.inspect(CORPUS / "v2.offload")
        self.assertEqual([image["size"] for image in report["images"]], [5, 8])
        self.assertEqual(report["images"][1]["strings"]["zero"], "a\0b")

    def test_control_characters_do_not_reach_the_terminal(self):
        self.write("a.o", "x")
        self.run_program("llvm-offload-binary-22", "-o", "out",
                         "--image=file=a.o,triple=\x1b[31mred")
        text = self.table("out")
        self.assertNotIn("\x1b", text)
        self.assertIn("\\x1B[31mred", text)
        self.run_program("llvm-offload-binary-22", "-o", "out", "--image=file=a.o,triple=\u009b31m")
        self.assertNotIn("\u009b", self.table("out"))

    def test_nor_do_they_in_messages(self):
        self.assertNotIn("\x1b", self.error_of(GANTRY, "inspect", "bad\x1b.a"))


class Errors(InspectCase):
    def test_missing_file(self):
        self.assertIn("cannot read 'none': No such file", self.error_of(GANTRY, "inspect", "none"))

    def test_no_file(self):
        self.assertIn("FILE is required", self.error_of(GANTRY, "inspect"))

    def test_fifo_is_refused_and_not_waited_for(self):
        os.mkfifo(self.folder / "fifo")
        self.assertIn("not a regular file", self.error_of(GANTRY, "inspect", "fifo"))

    def test_truncated_object(self):
        whole = (CORPUS / "clang22.o").read_bytes()
        self.write("cut.o", whole[: len(whole) // 2])
        self.assertIn("cut.o: the section table at offset",
                      self.error_of(GANTRY, "inspect", "cut.o"))

    def test_missing_member_of_a_thin_archive(self):
        self.assertIn("thin.a: member 'a_name_longer_than_fifteen_characters.o': cannot read",
                      self.error_of(GANTRY, "inspect", CORPUS / "thin.a"))

    def test_other_files_are_still_reported(self):
        done = self.run_program(GANTRY, "inspect", "--json", "none", CORPUS / "clang22.o", status=1)
        self.assertEqual(len(json.loads(done.stdout)["files"]), 1)


if __name__ == "__main__":
    main()

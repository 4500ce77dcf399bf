"""Input that cannot be linked: a sentence that says what and where, and nothing left behind."""

import pathlib
import unittest

from toolchain import GANTRY, LLVM_BIN, SOURCES, LinkTest, compiler, obj, run


def patch_bits(data, old, new, width):
    """Replaces the first run of `old`, values of `width` bits at any bit offset, by `new`."""
    bits = int.from_bytes(data, "little")
    pack = lambda values: sum(value << (index * width) for index, value in enumerate(values))
    mask = (1 << (len(old) * width)) - 1
    for offset in range(len(data) * 8 - len(old) * width):
        if (bits >> offset) & mask == pack(old):
            bits ^= (pack(old) ^ pack(new)) << offset
            return bits.to_bytes(len(data), "little")
    raise AssertionError("the bits are not there")


class Errors(LinkTest):
    def with_section(self, source, contents, name="changed.o"):
        """A copy of an object with another .llvm.offloading."""
        section, changed = self.folder / "section", self.folder / name
        section.write_bytes(contents)
        result = run([LLVM_BIN / "llvm-objcopy", "--update-section", f".llvm.offloading={section}",
                      source, changed])
        self.assertEqual(result.returncode, 0, result.stderr)
        return changed

    def section_of(self, source):
        dumped = self.folder / "dumped"
        run([LLVM_BIN / "llvm-objcopy", f"--dump-section=.llvm.offloading={dumped}", source,
             "/dev/null"])
        return dumped.read_bytes()

    def packed(self, file, triple):
        output = self.folder / "packed"
        run([LLVM_BIN / "llvm-offload-binary", "-o", output,
             f"--image=file={file},triple={triple},arch=,kind=openmp"])
        return output.read_bytes()

    def test_corrupted_section(self):
        section = self.section_of(obj("alone"))
        for name, contents in {
            "truncated": section[:100],
            "bad offset": section[:16] + b"\xff" * 8 + section[24:],
            "not a container": b"?" * len(section),
        }.items():
            with self.subTest(name):
                self.assert_link_fails(self.with_section(obj("alone"), contents),
                                       message=r"changed\.o: .*offload")

    def test_unknown_triple(self):
        changed = self.with_section(obj("alone"), self.packed(obj("alone"), "riscv64-unknown-linux-gnu"))
        self.assert_link_fails(
            changed, message=r"changed\.o' .*'riscv64-unknown-linux-gnu'.*'x86_64-pc-linux-gnu'")
        # Unless the user asks otherwise.
        self.link(changed, "-Wl,--skip-unsupported-images")

    def test_entry_without_device_symbol(self):
        other = self.with_section(obj("alone"), self.section_of(obj("helper")))
        self.assert_link_fails(
            other, message=r"changed\.o' has the offload entry '__omp_offloading_\w+_main_l\d+', and "
            "its device code does not define it")

    def test_entry_without_device_code(self):
        stripped = self.folder / "stripped.o"
        run([LLVM_BIN / "llvm-objcopy", "--remove-section=.llvm.offloading", obj("alone"), stripped])
        self.assert_link_fails(stripped, message=r"stripped\.o: .*entry.*no device code")

    def test_same_kernel_in_two_objects(self):
        for kernel in ("twice", "outlined"):
            for first, second in (("", ""), ("-lto", "-lto"), ("", "-lto")):
                with self.subTest(kernel=kernel, first=first, second=second):
                    self.assert_link_fails(
                        obj(f"{kernel}-first{first}"), obj(f"{kernel}-second{second}"), "-shared",
                        message=rf"{kernel}-first{first}-22\.o' and "
                        rf"'.*{kernel}-second{second}-22\.o' define the same kernel "
                        r"'__omp_offloading_\w+compute\w+'.*'twice\.cpp'")

    def test_same_kernel_with_the_same_code(self):
        for kernel in ("twice", "outlined"):
            for suffix in ("", "-lto"):
                self.link(obj(f"{kernel}-first{suffix}"), obj(f"{kernel}-third{suffix}"), "-shared")

    def included_twice(self, header, *flags, values=("1", "2"), calls="compute", suffix=".cpp"):
        """Objects of two sources that include `header`, each with its own VALUE."""
        (self.folder / "shared.h").write_text(header)
        return [self.compile(
            name, f'int {name}_unused;\n#define VALUE {value}\n#include "shared.h"\n'
            f"int {name}() {{ return {calls}(); }}\n", *flags, suffix=suffix)
            for name, value in zip(("first", "second"), values)]

    REGION = ("{ int r = 0;\n_Pragma(\"omp target map(from: r)\") r = VALUE;\n return r; }\n")

    def test_kernel_of_a_static_function_in_a_header(self):
        local_class = "static int compute() { struct S { int run() " + self.REGION + " }; return S().run(); }"
        headers = {
            "static": ("static int compute() " + self.REGION, "compute"),
            "member of a namespace": ("namespace n { static int compute() " + self.REGION + "}", "n::compute"),
            "anonymous namespace": ("namespace { int compute() " + self.REGION + "}", "compute"),
            "local class": (local_class, "compute"),
            "local class in an anonymous namespace": ("namespace { " + local_class.removeprefix("static ") + "}", "compute"),
            "operator": ("struct T {}; __attribute__((noinline)) static int operator+(T, int) " + self.REGION, "T() + 1, int"),
        }
        for name, (header, calls) in headers.items():
            for flags in ([], ["-foffload-lto"]):
                with self.subTest(name, flags=flags):
                    first, second = self.included_twice(header, *flags, calls=calls)
                    self.assert_link_fails(
                        first, second, "-shared",
                        message=r"first\.o' and '.*second\.o' define the same kernel .*one header")
                    self.link(*self.included_twice(header, *flags, calls=calls, values=("7", "7")),
                              "-shared")

    def test_kernel_of_a_static_function_in_a_header_of_c(self):
        header = "static int compute(void) " + self.REGION
        self.assert_link_fails(*self.included_twice(header, suffix=".c"), "-shared",
                               message="define the same kernel .*one header")
        self.link(*self.included_twice(header, suffix=".c", values=("7", "7")), "-shared")

    def test_kernels_that_differ_in_what_they_reach(self):
        header = ("#pragma omp begin declare target\n"
                  "__attribute__((noinline)) static double scale(double x) { return x * VALUE; }\n"
                  "#pragma omp end declare target\n"
                  "static int compute() { double r = 3;\n"
                  '_Pragma("omp target map(tofrom: r)") r = scale(r);\n return r; }\n')
        for flags in ([], ["-foffload-lto"]):
            with self.subTest(flags=flags):
                objects = self.included_twice(header, *flags, values=("2.5", "3.5"))
                self.assert_link_fails(*objects, "-shared", message="define the same kernel")
                self.link(*self.included_twice(header, *flags, values=("2.5", "2.5")), "-shared")

    def test_same_kernel_beside_other_kernels(self):
        """What else an object has does not matter: only the kernel of the shared name is compared."""
        header = "static int compute() " + self.REGION
        (self.folder / "shared.h").write_text("#define VALUE 7\n" + header)
        own = 'int {0}() {{ int r = {1};\n_Pragma("omp target map(tofrom: r)") r += {1};\n return r{2}; }}\n'
        for flags in ([], ["-foffload-lto"]):
            with self.subTest(flags=flags):
                objects = [self.compile(name, own.format(f"{name}_own", value, "")
                                        + '#include "shared.h"\n' + own.format(name, value, " + compute()"), *flags)
                           for name, value in (("first", 1), ("second", 200))]
                self.link(*objects, "-shared")

    def test_kernel_in_a_source_with_the_inode_of_a_deleted_one(self):
        generated = lambda value: (f"static int compute() {self.REGION}".replace("VALUE", value)
                                   + f"int generated{value}() {{ return compute(); }}\n")
        first = self.compile("one", generated("1"))
        (self.folder / "one.cpp").rename(self.folder / "two.cpp")
        second = self.compile("two", generated("2"))
        self.assert_link_fails(first, second, "-shared", message="define the same kernel")

    def test_kernels_of_inline_functions_may_differ(self):
        """They are one function to the host as well, whichever optimisation each copy has."""
        header = ('extern "C" inline int compute() ' + self.REGION
                  + "template <bool B, int N> int of_template() " + self.REGION)
        for calls in ("compute", "of_template<true, 3>"):
            with self.subTest(calls):
                self.link(*self.included_twice(header, calls=calls), "-shared")

    def test_same_device_function_in_two_objects(self):
        for first, second in (("", ""), ("-lto", "-lto"), ("-lto", ""), ("", "-lto")):
            with self.subTest(first=first, second=second):
                copy = self.folder / "copy.o"
                copy.write_bytes(obj(f"helper{second}").read_bytes())
                self.assert_link_fails(
                    obj("main"), obj(f"helper{first}"), copy,
                    message=rf"helper{first}-22\.o' and '.*copy\.o' define 'device_twice\(int\)'")

    def test_device_function_of_a_shared_library(self):
        """Also one that the host has, which a linker would take instead without a word."""
        for source in ("helper", "device_only"):
            self.link(obj(source), "-shared", output="libother.so")
            for suffix in ("", "-lto"):
                with self.subTest(source=source, suffix=suffix):
                    self.assert_link_fails(
                        obj(f"caller{suffix}"), f"-L{self.folder}", "-lother",
                        message=rf"caller{suffix}-22\.o' uses 'device_twice\(int\)', .*"
                        r"libother\.so'.*archive")

    def test_undefined_device_symbol(self):
        result = self.assert_link_fails(
            obj("undefined"), obj("host_only"),
            message=r"undefined-22\.o' uses 'host_only\(int\)'.*declare target")
        self.assertNotIn("gantry-link-", result.stderr) # no temporary path

    def test_lines_that_go_on_stand_alone(self):
        unfit = self.compile("unfit", "#pragma omp declare target\nint variable;\n#pragma omp end declare target\n"
                             'int main() {\n#pragma omp target\n asm volatile("movl $variable, %eax");\n}\n')
        result = self.assert_link_fails(unfit, "-no-pie", message="device link for .*R_X86_64_32")
        self.assertRegex(result.stderr, r"(?m)^>>> .*unfit\.o")
        self.assertNotRegex(result.stderr, r"(?m)^.+>>> ")

    def test_unwritable_output(self):
        self.assert_link_fails(obj("alone"), output="missing/program",
                               message=r"cannot write the output '.*missing/program'")

    def test_object_made_from_an_assembly_file(self):
        assembly, output = self.folder / "made.s", self.folder / "made.o"
        run([*compiler(), "-S", SOURCES / "alone.cpp", "-o", assembly])
        run([*compiler(), "-c", assembly, "-o", output])
        self.assert_link_fails(output, message=r"made\.o' .* neither an object nor bitcode.*\(-c\)")

    def test_other_c_library(self):
        """Its functions would meet the host's in one process."""
        changed = self.with_section(obj("alone"), self.packed(obj("alone"), "x86_64-pc-linux-musl"))
        self.assert_link_fails(changed, message=r"changed\.o' .*'x86_64-pc-linux-musl'")

    def test_missing_host_linker(self):
        for objects in (["alone"], ["plain"]):
            result = run([GANTRY, "link", "--linker-path=/nowhere/ld", *map(obj, objects),
                          "-o", self.folder / "program"], env=self.environment)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, "gantry: error: the host linker '/nowhere/ld' cannot be run")
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_host_linker_that_fails(self):
        result = self.try_link(obj("main")) # helper is missing, and the linker says so
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("undefined reference to `helper(int)'", result.stderr)

    def test_static(self):
        for flag in ("-static", "-static-pie"):
            self.assert_link_fails(obj("alone"), flag, message=f"linked with {flag};.*libgantry.so.*without {flag}$")

    def test_memory_sanitizer(self):
        self.assert_link_fails(obj("alone"), "-fsanitize=memory",
                               message="linked with -fsanitize=memory.*-fsanitize=address")

    def test_newer_bitcode(self):
        bitcode = self.folder / "newer.bc"
        result = run([LLVM_BIN / "llvm-offload-binary", obj("undefined-lto"),
                      f"--image=file={bitcode},kind=openmp"])
        self.assertEqual(result.returncode, 0, result.stderr)
        # "LLVM22" in the six-bit alphabet of bitcode: a-z, A-Z, 0-9, '.', '_'.
        six_bits = lambda text: [
            ord(c) - 97 if c.islower() else ord(c) - 65 + 26 if c.isupper() else ord(c) - 48 + 52
            for c in text]
        bitcode.write_bytes(patch_bits(bitcode.read_bytes(), six_bits("LLVM22"), six_bits("LLVM97"), 6))
        changed = self.with_section(obj("alone"), self.packed(bitcode, "x86_64-pc-linux-gnu"))
        self.assert_link_fails(
            changed, message=r"changed\.o: .*written by LLVM97\.1\.8.*reads bitcode of LLVM 22 and older")

    def test_damaged_bitcode(self):
        bitcode = self.folder / "damaged.bc"
        bitcode.write_bytes(b"BC\xc0\xde" + b"\x01\x02\x03\x04" * 20)
        changed = self.with_section(obj("alone"), self.packed(bitcode, "x86_64-pc-linux-gnu"))
        self.assert_link_fails(changed, message=r"changed\.o: the bitcode")

    def test_bad_options(self):
        for flag, message in {
            "--wrapper-jobs=many": "--wrapper-jobs=many is not understood",
            "--override-image=cuda=x": "give openmp=FILE",
            "--emit-fatbin-only": "Gantry does not",
        }.items():
            self.assert_link_fails(obj("alone"), f"-Wl,{flag}", message=message)

    def test_missing_response_file(self):
        result = run([GANTRY, "link", "@/nowhere/arguments"])
        self.assertNotEqual(result.returncode, 0)

    def test_unknown_compiler(self):
        result = run([GANTRY, "clang", "--clang=17", "-c", "x.c"])
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, "gantry: error: '--clang=17' .* give 22 or 19")


if __name__ == "__main__":
    unittest.main()

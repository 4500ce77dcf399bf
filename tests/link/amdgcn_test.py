"""Images for AMD's GPUs, as LLVM's tools read them: nothing executes them yet."""

import re
import unittest

from toolchain import GANTRY, LLVM_BIN, SOURCES, LinkTest, run

# The flags in an image's header (MACH, and whether XNACK and SRAM-ECC may be on), the size of waves.
PROCESSORS = {
    "gfx900": (0x2C | 0x100, 64),
    "gfx906": (0x2F | 0x100 | 0x400, 64),
    "gfx90a": (0x3F | 0x100 | 0x400, 64),
    "gfx1030": (0x36, 32),
    "gfx1100": (0x41, 32),
}


class Images(LinkTest):
    def image(self, program, arch):
        image = self.folder / f"{arch}.hsaco"
        done = run([GANTRY, "pack", program, f"--image=arch={arch},file={image}"])
        self.assertEqual(done.returncode, 0, done.stderr)
        return image

    def read(self, image, *options):
        done = run([LLVM_BIN / "llvm-readelf", *options, image])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def check_image(self, image, arch):
        flags, wave = PROCESSORS[arch]
        header = self.read(image, "-h")
        self.assertRegex(header, r"OS/ABI: +AMDGPU - HSA\n")
        self.assertIn("EM_AMDGPU", header)
        self.assertEqual(int(re.search(r"Flags: +(0x[0-9a-f]+)", header)[1], 16), flags)

        symbols = [line.split() for line in self.read(image, "--dyn-syms").splitlines()]
        symbols = {words[7]: words for words in symbols if len(words) == 8 and words[0] != "Num:"}
        self.assertEqual([name for name, words in symbols.items() if words[6] == "UND"], [])
        kernels = [name for name in symbols if re.fullmatch(r"__omp_offloading_[0-9a-f]+_[0-9a-f]+_main_l\d+", name)]
        self.assertEqual(len(kernels), 2)
        for kernel in [*kernels, "__gantry_construct"]:
            self.assertEqual(symbols[kernel][3], "FUNC")
            self.assertEqual(symbols[f"{kernel}.kd"][2:4], ["64", "OBJECT"])
        for kernel in kernels:
            self.assertEqual(symbols[f"{kernel}_kernel_environment"][2], "48")
        self.assertEqual(symbols["__omp_rtl_device_environment"][2], "48")
        self.assertEqual(len([name for name in symbols if name.startswith("__omp_offloading_indirect_")]), 1)

        notes = self.read(image, "-n")
        self.assertIn(f"amdhsa.target:   amdgcn-amd-amdhsa--{arch}\n", notes.replace("'", ""))
        self.assertEqual(set(re.findall(r"\.wavefront_size: +(\d+)", notes)), {str(wave)})
        # The generic kernel with thread_limit(64) has a wave more, for its main thread.
        sizes = {name: int(size) for size, name in
                 re.findall(r"\.max_flat_workgroup_size: +(\d+)\n +\.name: +(\S+)", notes)}
        self.assertIn(64 + wave, [sizes[kernel] for kernel in kernels])

        code = run([LLVM_BIN / "llvm-objdump", "-d", image]).stdout
        self.assertNotIn("<unknown>", code)
        self.assertIn("s_endpgm", code)

    def test_each_processor(self):
        for level in ("-O0", "-O2"):
            program = self.link(level, f"--offload-arch={','.join(PROCESSORS)}", SOURCES / "gpu.cpp")
            for arch in PROCESSORS:
                with self.subTest(level=level, arch=arch):
                    self.check_image(self.image(program, arch), arch)

    def test_clang_19(self):
        program = self.link("-O2", "--offload-arch=gfx906,sm_80", SOURCES / "gpu.cpp", clang="19")
        self.check_image(self.image(program, "gfx906"), "gfx906")

    def test_features_of_a_processor(self):
        program = self.link("--offload-arch=gfx90a:sramecc+:xnack-", SOURCES / "gpu.cpp")
        header = self.read(self.image(program, "gfx90a:sramecc+:xnack-"), "-h")
        self.assertRegex(header, r"Flags: +0xe3f")

    def test_beside_other_devices(self):
        program = self.link("-O1", "--offload-arch=host,sm_80,gfx906,gfx1100", SOURCES / "gpu.cpp")
        for device in ("cpu", "simt"):
            done = run([program], env=self.environment | {"GANTRY_DEVICES": device})
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "500500 1001500 90 99 100 0\n", ""))


class Messages(LinkTest):
    def fails(self, text, message, *options, arch="gfx906"):
        source = self.folder / "source.cpp"
        source.write_text(text)
        self.assert_link_fails("-O2", f"--offload-arch={arch}", *options, source, message=message)

    def test_long_double(self):
        self.fails("int main(int count, char**) { long double x = count; int greater = 0;\n"
                   "#pragma omp target map(tofrom : x, greater)\n"
                   "greater = x * 3 > 2; return greater; }",
                   "'__omp_offloading_.*_main_l2' computes with long double, which device code for "
                   "amdgcn-amd-amdhsa gfx906 cannot; use double there")

    def test_what_nobody_defines(self):
        self.fails('#include <cstdlib>\nint main() {\n#pragma omp target\nstd::system("true");\n}',
                   r"system \(.*source-\w+\.o\)")

    def test_what_the_linker_refuses(self):
        self.fails("int main() {\n#pragma omp target\n;\n}",
                   "the code object for amdgcn-amd-amdhsa gfx906 cannot be linked:\n>>> .*unknown argument '--nonsense'",
                   "-Wl,--device-linker=amdgcn-amd-amdhsa=--nonsense")

    def test_an_old_code_object(self):
        self.fails("int main() {\n#pragma omp target\n;\n}", "compiled with -mcode-object-version=4; give 5 or 6",
                   "-mcode-object-version=4")

    def test_processors(self):
        for arch in ("gfx803", "gfx9", "gfx"):
            self.fails("", f"--offload-arch={arch}: Gantry makes no device code for that", arch=arch)


if __name__ == "__main__":
    unittest.main()

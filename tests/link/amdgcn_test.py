"""Images for AMD's GPUs, as LLVM's tools read them, and on the executor of their code."""

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
        for device in ("cpu", "simt", "simt-amd"):
            done = run([program], env=self.environment | {"GANTRY_DEVICES": device})
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "500500 1001500 90 99 100 0\n", ""))


EACH_DEVICE = """
#include <cstdio>
#include <omp.h>
int main() {
  int right = 0;
  for (int device = 0; device < omp_get_num_devices(); ++device) {
    int on_host = 1, sum = 0;
#pragma omp target teams distribute parallel for device(device) reduction(+ : sum) map(from : on_host)
    for (int i = 0; i < 1000; ++i) {
      sum += i;
      if (i == 0)
        on_host = omp_is_initial_device();
    }
    right += sum == 499500 && !on_host;
  }
  std::printf("%d of %d\\n", right, omp_get_num_devices());
}
"""
FOREIGN = GANTRY.parent.parent / "lib/gantry/libgantry-device-aarch64.a"


class EachDevice(LinkTest):
    @unittest.skipUnless(FOREIGN.exists(), "nothing for aarch64 was built: scripts/setup foreign")
    def test_four_instruction_sets_in_one_run(self):
        source = self.folder / "each.cpp"
        source.write_text(EACH_DEVICE)
        targets = "x86_64-pc-linux-gnu,nvptx64-nvidia-cuda,amdgcn-amd-amdhsa,aarch64-linux-gnu"
        program = self.link("-O2", f"-fopenmp-targets={targets}",
                            "-Xopenmp-target=nvptx64-nvidia-cuda", "-march=sm_80",
                            "-Xopenmp-target=amdgcn-amd-amdhsa", "-march=gfx906", source)
        done = run([program], env=self.environment | {"GANTRY_DEVICES": "cpu,simt,simt-amd,worker-aarch64"})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "4 of 4\n", ""))


# With all of -g Clang compiles regions in a way that loses what threads write to a reduction's variable.
SHARED = """
#include <cstdio>
#include <omp.h>
int main() {
  int most = 0, counted = 0, sum = 0;
#pragma omp target teams num_teams(4) thread_limit(2) map(tofrom : most, counted) reduction(max : most) \\
    reduction(+ : counted)
  {
#pragma omp parallel
    if (omp_get_thread_num() == 0)
      most = omp_get_num_threads();
    counted += 1;
  }
#pragma omp target teams distribute parallel for num_teams(1) map(tofrom : sum)
  for (int i = 0; i < 500; ++i)
#pragma omp critical(adding)
    sum += 1;
  std::printf("%d %d %d\\n", most, counted, sum);
}
"""


class DebugInformation(LinkTest):
    def test_threads_see_what_others_write(self):
        source = self.folder / "shared.cpp"
        source.write_text(SHARED)
        target = "amdgcn-amd-amdhsa"
        for options in (["--offload-arch=gfx906"],
                        [f"-fopenmp-targets={target}", f"-Xopenmp-target={target}", "-march=gfx906"]):
            for level in ("-O0", "-O2"):
                with self.subTest(options=options, level=level):
                    program = self.link("-g", level, *options, source)
                    done = run([program], env=self.environment | {"GANTRY_DEVICES": "simt-amd"})
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "2 4 500\n", ""))


# A value that costs no instruction, in one of a switch's branches that LLVM makes nested ones of.
SWITCH = """
#include <cstdio>
#pragma omp declare target
static long of(int i, const long* in) {
  int values[16];
  for (int k = 0; k < 16; ++k)
    values[k] = k * i;
  unsigned char byte = in[i];
  long word = byte;
  for (int k = 0; k < ((i >> 1) & 7) && byte != 3; ++k) {
    values[byte & 15] = i;
    byte = values[byte & 15];
  }
  switch (word & 7) {
  case 0: break;
  case 1: case 2: byte = i; break;
  case 5: byte = i; break;
  default: word = byte;
  }
  if (byte & 2) {
    values[3] = 3;
    word = 1;
  } else if (!(i & 1)) {
    values[word & 15] = word;
  }
  long sum = word;
  for (int value : values)
    sum += value & 255;
  return sum;
}
#pragma omp end declare target
int main() {
  long in[200], out[200];
  for (int i = 0; i < 200; ++i)
    in[i] = i * 7919 % 251;
#pragma omp target map(to : in) map(from : out)
  for (int i = 0; i < 200; ++i)
    out[i] = of(i, in);
  int wrong = 0;
  for (int i = 0; i < 200; ++i)
    wrong += out[i] != of(i, in);
  std::printf("%d wrong\\n", wrong);
}
"""


class Branches(LinkTest):
    def test_values_stay_in_their_branches(self):
        source = self.folder / "switch.cpp"
        source.write_text(SWITCH)
        for level in ("-O1", "-O2"):
            program = self.link(level, "--offload-arch=gfx906", source)
            done = run([program], env=self.environment | {"GANTRY_DEVICES": "simt-amd"})
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "0 wrong\n", ""), level)


# Threads of a wave that wait for each other, in several ways; the argument is the way.
WAITING = """
#include <omp.h>
omp_lock_t lock;
#pragma omp declare target to(lock)
int main(int count, char**) {
  int values[21] = {};
  if (count == 1) {
#pragma omp target map(tofrom : values)
#pragma omp parallel for ordered(1)
    for (int i = 1; i < 20; ++i) {
#pragma omp ordered depend(sink : i - 1)
      values[i] = values[i - 1] + 1;
#pragma omp ordered depend(source)
    }
  } else if (count == 2) {
#pragma omp target map(tofrom : values)
#pragma omp parallel for ordered
    for (int i = 0; i < 20; ++i)
      if (i % 2 == 1) {
#pragma omp ordered
        values[i] = values[20]++;
      }
  } else {
#pragma omp target map(tofrom : values)
    {
      omp_init_lock(&lock);
#pragma omp parallel num_threads(8)
      {
        if (omp_get_thread_num() == 0)
          omp_set_lock(&lock);
#pragma omp barrier
        if (omp_get_thread_num() != 0) {
          omp_set_lock(&lock);
          values[0] += 1;
        }
        omp_unset_lock(&lock);
      }
    }
  }
}
"""


class Lockstep(LinkTest):
    def test_threads_of_a_wave_that_wait_for_each_other_are_an_error(self):
        source = self.folder / "waiting.cpp"
        source.write_text(WAITING)
        for level in ("-O0", "-O2"):
            program = self.link(level, "--offload-arch=gfx906", source)
            for arguments, what in enumerate(["a depend(sink) clause", "an ordered region", "a lock"]):
                with self.subTest(level=level, what=what):
                    done = run([program, *["x"] * arguments], env=self.environment | {"GANTRY_DEVICES": "simt-amd"})
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn(f"threads of one wave wait for each other at {what}, and this GPU runs the lanes",
                                  done.stdout)


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

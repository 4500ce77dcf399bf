"""GCC's programs with Gantry beyond single programs: how they are linked, what goes wrong, and programs
with a half of each compiler.

gcc_test.py BUILD
"""

import os
import pathlib
import unittest

from gcc_case import GANTRY, SOURCES, Case, build, has_compiler_for, main

LIBOMP = pathlib.Path("/usr/lib/llvm-22/lib/libomp.so")
# Devices that run the image for the CPU.
CPUS = ("cpu", "cpu+separate", "worker")

HELPER = """
#pragma omp declare target
int helper(int x) { return x * 2; }
int table[4] = {1, 2, 3, 4};
#pragma omp end declare target
"""
MAIN = """
#include <omp.h>
#include <stdio.h>
#pragma omp declare target
int helper(int x);
extern int table[4];
#pragma omp end declare target
int main(void) {
  int x = 20, host = 1;
#pragma omp target map(tofrom : x) map(from : host)
  {
    x = helper(x) + table[1];
    host = omp_is_initial_device();
  }
  printf("%d %s %d\\n", x, host ? "host" : "device", omp_get_num_devices());
}
"""
# More than the buffer has entries, and memory of the device's heap.
PRINTS = """
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int teams = 0;
#pragma omp target
  {
    int *values = malloc(100 * sizeof *values), sum = 0;
    for (int i = 0; i < 100; ++i)
      values[i] = i;
    for (int i = 0; i < 100; ++i)
      sum += values[i];
    printf("region %d says %d %f\\n", omp_get_device_num(), sum, 1.5);
    free(values);
    for (int i = 0; i < 3000; ++i)
      printf("l");
    printf("\\n");
  }
#pragma omp target teams num_teams(7) map(from : teams)
  if (omp_get_team_num() == 0)
    teams = omp_get_num_teams();
  printf("%d teams\\n", teams);
  if (argc > 1) {
#pragma omp target
    abort();
  }
}
"""
# An inline variable has one address in a program and an entry of each translation unit that uses it.
INLINE = """
#pragma omp declare target
inline int shared_by_all = 5;
#pragma omp end declare target
int NAME() {
  int value = 0;
#pragma omp target map(from : value)
  value = ++shared_by_all;
  return value;
}
"""
# Both the program and its image run the constructor.
BEFORE_MAIN = """
#include <omp.h>
#include <stdio.h>
#include <unistd.h>
static int before = 0;
struct Early {
  Early() {
    int host = 1;
#pragma omp target data map(tofrom : host)
    {
#pragma omp target map(tofrom : host)
      host = omp_is_initial_device();
#pragma omp target update from(host)
    }
    before = host ? -1 : 1;
  }
  ~Early() {
    int host = 1;
#pragma omp target map(from : host)
    host = omp_is_initial_device();
    fputs(host ? "host\\n" : "device\\n", stdout);
    fflush(stdout);
  }
} early;
int main(int argc, char**) {
  printf("%d ", before);
  if (argc > 1) // time for a device that makes better code behind the program's back
    usleep(500000);
}
"""
LIBRARY = """
#include <cmath>
extern "C" int of_library(int x) {
#pragma omp target map(tofrom : x)
  x = (int)std::lround(std::exp(std::log(x + 1.0)));
  return x;
}
"""
LOADER = """
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char** argv) {
  for (int i = 0; i < 3; ++i) {
    void* library = dlopen(argv[1], RTLD_NOW);
    int (*function)(int) = (int (*)(int))dlsym(library, "of_library");
    printf("%d ", function(i));
    dlclose(library);
  }
  return 0;
}
"""


# Static locals of inline functions and inline variables, which the loader would make one of.
UNIQUE = """
#include <cstdio>
#pragma omp declare target
inline int counter = 3;
inline int next() { static int last = 0; return ++last; }
#pragma omp end declare target
extern "C" void work(int device) {
  int count, number;
#pragma omp target map(from : count, number) device(device)
  { count = ++counter; number = next(); }
  std::printf("%d %d %d\\n", count, number, counter);
}
"""
# In another file than the program's regions.
ELSEWHERE = """
int verbose = 1;
int* chosen() { return &verbose; }
"""
NAMES_ELSEWHERE = """
#include <cstdio>
extern int verbose;
int* chosen();
using Function = int* (*)();
Function function = chosen;
int main() {
  int y = verbose + *function() + *chosen();
#pragma omp target map(tofrom : y)
  y++;
  std::printf("%d\\n", y);
}
"""
CONSTRUCTOR_ELSEWHERE = """
struct Verbosity { Verbosity(); int level; };
Verbosity::Verbosity() : level(5) {}
int verbose = 1;
"""
USES_ELSEWHERE = """
#include <cstdio>
extern int verbose;
struct Verbosity { Verbosity(); int level; };
static Verbosity verbosity;
struct Last {
  ~Last() {
    int x = 1;
#pragma omp target data map(tofrom : x)
    {
#pragma omp target map(tofrom : x)
      x++;
    }
    std::printf("%d\\n", x);
    std::fflush(stdout);
  }
};
static Last last;
int main() {
  int y = verbose;
#pragma omp target data map(tofrom : y)
  {
#pragma omp target map(tofrom : y)
    y++;
  }
  std::printf("%d %d ", y, verbosity.level);
}
"""


class Links(Case):
    def test_objects_archives_and_lto(self):
        self.write("helper.c", HELPER)
        self.write("main.c", MAIN)
        for options in ([], ["-flto"], ["-flto", "-ffat-lto-objects"]):
            with self.subTest(options=options):
                self.compile("gcc", *options, "-c", "helper.c", "main.c")
                self.run_tool("ar", "rcs", "libhelper.a", "helper.o")
                self.compile("gcc", *options, "main.o", "libhelper.a", "-o", "archived")
                self.compile("gcc", *options, "helper.o", "main.o", "-o", "linked")
                for program in ("./archived", "./linked"):
                    for devices, count in (("cpu", 1), ("worker", 1), ("cpu:2,cpu+separate,worker", 4)):
                        self.assertEqual(self.output(program, devices=devices), f"42 device {count}\n")

    def test_code_stays_read_only(self):
        self.write("main.c", MAIN + HELPER)
        done = self.compile("gcc", "main.c", "-o", "program")
        self.assertEqual(done.stderr, "")
        self.assertNotIn("TEXTREL", self.run_tool("readelf", "-d", "program").stdout)

    def test_images_for_both_kinds_of_devices(self):
        self.write("main.c", MAIN + HELPER)
        self.compile("gcc", "-foffload=cpu,nvptx-none", "main.c", "-o", "program")
        self.assertEqual(self.output("./program"), "42 device 1\n")
        for default in ("0", "1", "2"):
            self.assertEqual(self.output("./program", devices="cpu,simt,worker", OMP_DEFAULT_DEVICE=default),
                             "42 device 3\n")

    def test_run_of_a_program_that_stock_gcc_has_linked(self):
        self.write("main.c", MAIN + HELPER)
        self.compile("gcc-12", "-fopenmp", "-O2", "-foffload=nvptx-none",
                     "-foffload-options=-Wa,--no-verify", "main.c", "-o", "program", tool=None)
        self.assertEqual(self.output(GANTRY, "run", "./program", devices="simt"), "42 device 1\n")

    def test_inline_variables_of_several_translation_units(self):
        self.write("a.cpp", INLINE.replace("NAME", "a"))
        self.write("b.cpp", INLINE.replace("NAME", "b"))
        self.write("main.cpp", '#include <cstdio>\nint a(); int b(); int main() { int x = a(); std::printf("%d %d\\n", x, b()); }')
        self.compile("g++", "-std=c++17", "a.cpp", "b.cpp", "main.cpp", "-o", "program")
        for devices in CPUS:
            self.assertEqual(self.output("./program", devices=devices), "6 7\n")

    def test_regions_before_and_behind_main(self):
        self.write("program.cpp", BEFORE_MAIN)
        for targets, devices in (("cpu", CPUS), ("nvptx-none", ("simt",)), ("cpu,nvptx-none", (*CPUS, "simt"))):
            self.compile("g++", f"-foffload={targets}", "program.cpp", "-o", "program")
            for device in devices:
                with self.subTest(targets=targets, device=device):
                    self.assertTrue(self.output("./program", devices=device).startswith("1 device\n"))
        self.assertEqual(self.output("./program", "wait", devices="simt", GANTRY_SIMT_CACHE="off"), "1 device\n")

    @unittest.skipUnless(has_compiler_for("amdgcn-amdhsa"), "gcc-12-offload-amdgcn is not installed")
    def test_the_cpu_beside_amds_gpus(self):
        self.write("main.c", MAIN + HELPER)
        for targets in ("cpu", "amdgcn-amdhsa", "cpu,amdgcn-amdhsa", "amdgcn-amdhsa,nvptx-none,cpu"):
            with self.subTest(targets=targets):
                self.compile("gcc", f"-foffload={targets}", "main.c", "-o", "program")
                code = (self.folder / "program").read_bytes()
                self.assertEqual(b"amdhsa.kernels" in code, "amdgcn-amdhsa" in targets)
                where = "device 1" if "cpu" in targets else "host 0"
                self.assertEqual(self.output("./program", OMP_TARGET_OFFLOAD="DEFAULT"), f"42 {where}\n")
                if "amdgcn-amdhsa" in targets:
                    self.assertEqual(self.output("./program", devices="simt-amd"), "42 device 1\n")

    @unittest.skipUnless(has_compiler_for("amdgcn-amdhsa"), "gcc-12-offload-amdgcn is not installed")
    def test_what_kernels_for_amds_gpus_print(self):
        self.write("main.c", PRINTS)
        self.compile("gcc", "-foffload=amdgcn-amdhsa", "main.c", "-o", "program")
        printed = self.output("./program", devices="simt-amd")
        self.assertEqual(printed, "region 0 says 4950 1.500000\n" + 3000 * "l" + "\n7 teams\n")
        done = self.run_tool("./program", "abort", env=self.variables("simt-amd"))
        self.assertIn("a region called abort()", done.stderr)

    @unittest.skipUnless(has_compiler_for("amdgcn-amdhsa"), "gcc-12-offload-amdgcn is not installed")
    def test_the_processor_of_amds_gpus(self):
        self.write("main.c", MAIN + HELPER)
        for options, processor in (([], 0x2f), (["-foffload-options=-march=gfx900"], 0x2c)):
            self.compile("gcc", "-foffload=amdgcn-amdhsa", *options, "main.c", "-o", "program")
            code = (self.folder / "program").read_bytes()
            image = code[code.index(b"\x7fELF\x02\x01\x01\x40"):]  # of the system that AMD's code is for
            self.assertEqual(image[48], processor)

    def test_variables_of_devices_are_their_own(self):
        self.write("work.cpp", UNIQUE)
        self.write("main.cpp", 'extern "C" void work(int); int main() { work(0); work(1); }')
        self.compile("g++", "-std=c++17", "main.cpp", "work.cpp", "-o", "program")
        self.compile("g++", "-std=c++17", "-shared", "work.cpp", "-o", "libwork.so")
        self.compile("g++", "main.cpp", "./libwork.so", "-o", "with_library")
        for program in ("./program", "./with_library"):
            for devices in ("cpu:2+separate", "worker:2"):
                self.assertEqual(self.output(program, devices=devices), "4 1 3\n4 1 3\n")

    def test_what_host_code_uses_of_files_without_regions(self):
        self.write("elsewhere.cpp", ELSEWHERE)
        self.write("program.cpp", NAMES_ELSEWHERE)
        self.compile("g++", "program.cpp", "elsewhere.cpp", "-o", "program")
        for devices in CPUS:
            self.assertEqual(self.output("./program", devices=devices), "4\n")

    def test_constructors_of_files_without_regions(self):
        self.write("elsewhere.cpp", CONSTRUCTOR_ELSEWHERE)
        self.write("program.cpp", USES_ELSEWHERE)
        self.compile("g++", "program.cpp", "elsewhere.cpp", "-o", "program")
        for devices in ("cpu", "cpu+separate"): # a worker's process does not have the constructor
            self.assertTrue(self.output("./program", devices=devices).startswith("2 5 2\n"))

    def test_more_objects_in_one(self):
        self.write("helper.c", HELPER)
        self.write("main.c", MAIN)
        self.compile("gcc", "-c", "helper.c", "main.c")
        self.compile("gcc", "-r", "helper.o", "main.o", "-o", "both.o")
        self.compile("gcc", "both.o", "-o", "program")
        for devices in CPUS:
            self.assertEqual(self.output("./program", devices=devices), "42 device 1\n")

    def test_libraries_that_come_and_go_beside_regions(self):
        self.write("library.c", """int work(int t) {
  int bad = 0;
  for (int r = 0; r < 5; r++) {
    int x = t * 100 + r, y = 0, a[50];
    for (int i = 0; i < 50; i++) a[i] = i + r;
#pragma omp target map(to : x) map(from : y) firstprivate(a)
    y = x + a[49];
    bad += y != x + 49 + r;
  }
  return bad;
}""")
        self.write("main.c", """#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static volatile int stop;
static void* runs_regions(void* bad) {
  while (!stop) {
    int x = 1, y = 0;
#pragma omp target map(to : x) map(from : y)
    y = x + 1;
    *(int*)bad += y != 2;
#pragma omp target
    {}
  }
  return 0;
}
static void* loads(void* bad) {
  for (int i = 0; i < 5; i++) {
    void* library = dlopen(bad, RTLD_NOW);
    int (*work)(int) = (int (*)(int))dlsym(library, "work");
    if (work(i)) puts("wrong");
    dlclose(library);
  }
  return 0;
}
int main(void) {
  pthread_t runners[4], loaders[3];
  int bad[4] = {0};
  char* names[] = {"./lib0.so", "./lib1.so", "./lib2.so"};
  for (int i = 0; i < 4; i++) pthread_create(&runners[i], 0, runs_regions, &bad[i]);
  for (int i = 0; i < 3; i++) pthread_create(&loaders[i], 0, loads, names[i]);
  for (int i = 0; i < 3; i++) pthread_join(loaders[i], 0);
  stop = 1;
  for (int i = 0; i < 4; i++) pthread_join(runners[i], 0);
  printf("%d wrong\\n", bad[0] + bad[1] + bad[2] + bad[3]);
}""")
        offload = ("-foffload=cpu,nvptx-none", "-foffload-options=nvptx-none=-Wa,--no-verify")
        for i in range(3):
            self.compile("gcc", *offload, "-shared", "-fPIC", "library.c", "-o", f"lib{i}.so")
        self.compile("gcc", *offload, "main.c", "-ldl", "-lpthread", "-o", "program")
        for devices in (*CPUS, "simt"):
            for _ in range(3):
                self.assertEqual(self.output("./program", devices=devices), "0 wrong\n", devices)

    def test_libraries_that_come_and_go(self):
        self.write("library.cpp", LIBRARY)
        self.write("loader.c", LOADER)
        self.compile("g++", "-shared", "library.cpp", "-o", "library.so")
        self.compile("gcc", "loader.c", "-o", "loader")
        for devices in CPUS:
            self.assertEqual(self.output("./loader", "./library.so", devices=devices), "1 2 3 ")

    def test_the_oldest_interfaces(self):
        self.compile("gcc", SOURCES / "oldest.c", "-o", "oldest")
        for devices in CPUS:
            self.assertEqual(self.output("./oldest", devices=devices), "PASS\n")


class Installed(Case):
    def test_programs_of_an_installation_elsewhere(self):
        done = self.run_tool("cmake", "--install", build, "--prefix", self.folder / "installed")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.write("main.c", MAIN + HELPER)
        self.compile("gcc", "-foffload=cpu,nvptx-none", "main.c", "-o", "program",
                     tool=self.folder / "installed/bin/gantry")
        self.assertIn(str(self.folder / "installed/lib"), self.run_tool("readelf", "-d", "program").stdout)
        for devices in (*CPUS, "simt"):
            self.assertEqual(self.output("./program", devices=devices), "42 device 1\n")


class Mistakes(Case):
    def fails(self, *command, **variables):
        done = self.run_tool(*command, env=self.variables("cpu") | variables)
        self.assertNotEqual(done.returncode, 0)
        self.assertGreaterEqual(done.returncode, 0, "a signal ended it")
        return done.stderr

    def test_code_that_is_not_position_independent(self):
        self.write("main.c", MAIN + HELPER)
        self.compile("gcc", "-fno-pic", "-c", "main.c")
        message = self.fails(GANTRY, "gcc", "-no-pie", "main.o", "-o", "program")
        self.assertIn("gantry: error: the program's objects cannot be linked as an image for the CPU device", message)
        self.assertIn("compile with -fPIC", message)

    def test_links_that_leave_no_device(self):
        self.write("main.c", MAIN + HELPER)
        self.compile("gcc", "-static", "-fuse-ld=lld", "-c", "main.c")
        self.compile("gcc", "-r", "-static", "main.o", "-o", "merged.o")
        for option, why in (("-static", "cannot load devices"), ("-static-pie", "cannot load devices"),
                            ("-fuse-ld=lld", "lld does not run GCC's linker plugin")):
            self.assertRegex(self.fails(GANTRY, "gcc", option, "main.o", "-o", "program"), f"^gantry: error: .*{why}")
        self.compile("gcc", "-fPIC", "-fuse-ld=gold", "main.c", "-o", "program")
        self.assertEqual(self.output("./program"), "42 device 1\n")

    def test_gcc_without_a_compiler_for_gpus(self):
        message = self.fails(build / "libexec/gcc/accel/nvptx-none/mkoffload", COMPILER_PATH="")
        self.assertEqual(message, "gantry: error: GCC has no compiler for NVIDIA's GPUs here; install Debian's package "
                                  "gcc-12-offload-nvptx\n")
        message = self.fails(build / "libexec/gcc/accel/amdgcn-amdhsa/mkoffload", COMPILER_PATH="")
        self.assertEqual(message, "gantry: error: GCC has no compiler for AMD's GPUs here; install Debian's package "
                                  "gcc-12-offload-amdgcn\n")

    def test_tables_that_the_linker_took_away(self):
        self.write("main.c", MAIN + HELPER)
        self.compile("gcc", "main.c", "-Wl,--gc-sections", "-o", "program")
        for devices in CPUS:
            message = self.fails("./program", GANTRY_DEVICES=devices)
            self.assertIn("tables have 0 target regions", message)
            self.assertIn("--gc-sections", message)

    def test_a_program_without_an_image(self):
        self.write("main.c", MAIN + HELPER)
        self.compile("gcc", "-foffload=disable", "main.c", "-o", "program")
        for devices in CPUS:
            self.assertIn("no device can be used", self.fails("./program", GANTRY_DEVICES=devices))
            self.assertEqual(self.output("./program", devices=devices, OMP_TARGET_OFFLOAD="DEFAULT"), "42 host 0\n")

    def test_a_device_number_that_is_none(self):
        self.write("main.c", '#include <stdio.h>\nint main(void) {\n#pragma omp target device(7)\n  puts("ran");\n}')
        self.compile("gcc", "main.c", "-o", "program")
        for devices in CPUS:
            self.assertIn("device number 7 does not exist", self.fails("./program", GANTRY_DEVICES=devices))
            self.assertEqual(self.output("./program", devices=devices, OMP_TARGET_OFFLOAD="DEFAULT"), "ran\n")

    def test_a_device_of_the_parent_process(self):
        self.write("main.c", """
            #include <sys/wait.h>
            #include <unistd.h>
            static void region(void) {
            #pragma omp target
              ;
            }
            int main(void) {
              region();
              if (fork() == 0) {
                region();
              }
              int status = 0;
              wait(&status);
              region();
              return WEXITSTATUS(status);
            }""")
        self.compile("gcc", "-foffload=cpu,nvptx-none", "-foffload-options=nvptx-none=-Wa,--no-verify", "main.c",
                     "-o", "program")
        for devices in ("worker", "simt"):
            message = self.fails("./program", GANTRY_DEVICES=devices)
            self.assertIn("this process was forked from the one that uses the device", message)

    def test_memory_that_the_runtime_keeps_is_freed_memory(self):
        self.write("main.c", "void* omp_get_mapped_ptr(const void*, int);\nint main(void) { int a[100], *stale;\n"
                             "#pragma omp target enter data map(to : a)\n"
                             "  stale = omp_get_mapped_ptr(a, 0);\n"
                             "#pragma omp target exit data map(delete : a)\n"
                             "#pragma omp target is_device_ptr(stale)\n  stale[1] = 1;\n}")
        self.compile("gcc", "-foffload=nvptx-none", "-foffload-options=nvptx-none=-Wa,--no-verify", "main.c",
                     "-o", "program")
        message = self.fails("./program", GANTRY_DEVICES="simt")
        self.assertIn("which was freed", message)

    def test_a_mapping_that_does_not_fit(self):
        self.write("main.c", "int main(void) { int a[10];\n#pragma omp target enter data map(to : a[0:5])\n"
                             "#pragma omp target enter data map(to : a[0:10])\n}")
        self.compile("gcc", "main.c", "-o", "program")
        # No region, so no image; then the host's data environment serves.
        self.write("region.c", "void region(void) {\n#pragma omp target\n  ;\n}")
        self.compile("gcc", "main.c", "region.c", "-o", "program")
        for devices in CPUS:
            name = devices.partition("+")[0]
            self.assertIn(f"target enter data: device 0 ({name}): mapping of storage",
                          self.fails("./program", GANTRY_DEVICES=devices))

    def test_storage_that_is_not_mapped(self):
        self.write("main.c", """
            static int size = 8;
            int main(void) {
              int values[8] = {1}, sum = 0, *pointer = values;
            #pragma omp target map(tofrom : sum)
              for (int i = 0; i < size; ++i) sum += pointer[i];
              return sum;
            }""")
        self.compile("gcc", "-g", "main.c", "-o", "program")
        message = self.fails("./program", GANTRY_DEVICES="worker")
        self.assertIn("target: device 0 (worker): the device is lost: ", message)
        self.assertRegex(message, r"main\.c:6: the region of 'main' near line [1-9] read from address .*: host address of "
                         ".*not mapped")
        self.compile("gcc", "main.c", "-o", "program")
        self.assertIn("the device is lost: the region of 'main' read from", self.fails("./program", GANTRY_DEVICES="worker"))


class Mixed(Case):
    """One half of a program of each compiler, over the same devices and data."""

    def halves(self, *for_clang, for_gcc=()):
        self.compile("gcc", *for_gcc, "-c", SOURCES / "mixed_main.c", "-o", "main.o")
        self.compile("gcc", *for_gcc, "-c", SOURCES / "of_gcc.c")
        self.compile("clang", *for_clang, "-fPIC", "-c", SOURCES / "of_clang.c")

    def check(self, program, devices):
        for device in devices:
            with self.subTest(program=program, device=device):
                self.assertEqual(self.output(program, devices=device, LD_LIBRARY_PATH=str(self.folder)), "PASS\n")

    def all_three(self, devices, for_clang=(), for_gcc=()):
        self.halves(*for_clang, for_gcc=for_gcc)
        self.compile("gcc", *for_gcc, "-shared", "of_gcc.o", "-o", "libof_gcc.so")
        self.compile("clang", *for_clang, "-shared", "of_clang.o", "-o", "libof_clang.so")
        self.compile("clang", *for_clang, "main.o", "of_clang.o", "libof_gcc.so", "-o", "of_clang")
        self.compile("gcc", *for_gcc, "main.o", "of_gcc.o", "libof_clang.so", "-o", "of_gcc")
        self.compile("gcc", *for_gcc, "main.o", "of_gcc.o", "of_clang.o", LIBOMP, "-o", "of_both")
        for program in ("./of_clang", "./of_gcc", "./of_both"):
            self.check(program, devices)

    def test_on_the_cpu(self):
        self.all_three(CPUS)

    def test_on_a_gpu(self):
        self.all_three(["simt"], ["--offload-arch=sm_70"], ["-foffload=nvptx-none"])


if __name__ == "__main__":
    main()

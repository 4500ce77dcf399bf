"""`gantry clang` and the configuration files: what a user types and what the compiler then does."""

import os
import pathlib
import shutil
import unittest

from toolchain import GANTRY, LLVM_BIN, ROOT, SOURCES, LinkTest, compiler, obj, run

COMPILERS = {"22": "clang++-22", "19": "clang++-19"}
CONFIG = ROOT / "gantry.cfg"


class Drivers(LinkTest):
    def test_one_command_builds_and_runs(self):
        for clang in COMPILERS:
            program = self.link(SOURCES / "main.cpp", SOURCES / "helper.cpp", "-O2", clang=clang)
            self.assertEqual(self.run_program(program), "main 7 helper 40 device\n")

    def test_nothing_to_set_in_the_environment(self):
        program = self.link(obj("main"), obj("helper"))
        result = run([program], env={"OMP_TARGET_OFFLOAD": "MANDATORY"})
        self.assertEqual(result.stdout, "main 7 helper 40 device\n", result.stderr)
        libraries = run(["ldd", program], env={}).stdout
        self.assertIn(f"{ROOT}", libraries)
        self.assertNotIn("not found", libraries)
        self.assertNotIn("libomptarget", libraries)

    def test_plain_compiler_with_the_configuration_file(self):
        for program_name in COMPILERS.values():
            output = self.folder / "program"
            result = run([program_name, f"--config={CONFIG}", SOURCES / "main.cpp",
                          SOURCES / "helper.cpp", "-o", output])
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(self.run_program(output), "main 7 helper 40 device\n")

    def test_a_compiler_without_passes_is_told_of_nothing_to_call(self):
        alone = self.folder / "libgantry-clang.so"
        shutil.copy(ROOT / "lib/gantry/clang/libgantry-clang.so", alone)
        ask = """
import ctypes, sys
ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
answer = ctypes.create_string_buffer(b"\\xff" * 40, 40)
ctypes.CDLL(sys.argv[2]).llvmGetPassPluginInfo(answer)
print(*(int.from_bytes(answer.raw[i:i + 8], "little") for i in (0, 32)))
"""
        result = run(["python3", "-c", ask, LLVM_BIN.parent / "lib/libLLVM.so", alone])
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        version, before_code_generation = map(int, result.stdout.split())
        self.assertEqual((version & 0xffffffff, before_code_generation), (2, 0))

    def test_no_warning_in_ordinary_uses(self):
        (self.folder / "empty.s").write_text("")
        main = SOURCES / "main.cpp"
        uses = {
            "compile": ["-c", main], "assembly": ["-S", main], "preprocess": ["-E", main],
            "IR": ["-S", "-emit-llvm", main], "check": ["-fsyntax-only", main],
            "dependencies": ["-M", main], "debug": ["-g", "-O2", "-c", main],
            "assemble": ["-c", self.folder / "empty.s"], "link": [obj("alone")],
            "shared": ["-shared", obj("helper")], "version": ["--version"],
            "sanitize": ["-fsanitize=undefined", "-c", main],
        }
        for clang in COMPILERS:
            for name, arguments in uses.items():
                with self.subTest(clang=clang, use=name):
                    result = run([*compiler(clang), "-Wall", "-Wextra", *arguments, "-o",
                                  self.folder / "output"])
                    self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_sanitizers(self):
        """Device code shares the sanitizer's runtime with the program that loads it."""
        reports = {"address": "heap-buffer-overflow", "thread": "data race",
                   "undefined": "signed integer overflow"}
        for sanitizer, report in reports.items():
            with self.subTest(sanitizer):
                program = self.link(SOURCES / "sanitized.cpp", "-O1", "-g",
                                    f"-fsanitize={sanitizer}", output=sanitizer)
                self.assertEqual(self.run_program(program), "49 device\n")
                result = run([program, sanitizer], env=self.environment)
                self.assertIn(report, result.stderr)
                self.assertEqual(result.stdout, "49 device\n")

    def test_sanitized_shared_library(self):
        for sanitizer in ("address", "thread"):
            with self.subTest(sanitizer):
                flags = ["-O1", "-g", f"-fsanitize={sanitizer}"]
                self.link(SOURCES / "helper.cpp", *flags, "-fPIC", "-shared", output="libhelper.so")
                program = self.link(SOURCES / "main.cpp", *flags, f"-L{self.folder}", "-lhelper",
                                    f"-Wl,-rpath,{self.folder}")
                self.assertEqual(self.run_program(program), "main 7 helper 40 device\n")

    def test_file_name_with_a_comma(self):
        source = self.folder / "a,b.cpp"
        shutil.copy(SOURCES / "alone.cpp", source)
        self.run_program(self.link(source))

    def test_clang_shows_its_own_jobs(self):
        shown = run([*compiler(), "-###", SOURCES / "main.cpp"])
        stock = run([COMPILERS["22"], f"--config={CONFIG}", "-###", SOURCES / "main.cpp"])
        programs = lambda text: [line.split('"')[1] for line in text.splitlines() if line.startswith(' "')]
        self.assertEqual(programs(shown.stderr), programs(stock.stderr))
        self.assertIn(str(ROOT), programs(shown.stderr)[-1])
        phases = run([*compiler(), "-ccc-print-phases", SOURCES / "main.cpp"])
        self.assertIn("clang-linker-wrapper", phases.stderr)
        self.assertIn("device-openmp", phases.stderr)

    def targets(self, *arguments, clang="22"):
        shown = run([*compiler(clang), "-###", "-c", *arguments, SOURCES / "main.cpp"]).stderr
        return {word.split("=", 1)[1].strip('"') for word in shown.split()
                if word.startswith(('"--offload-targets=', '"-fopenmp-targets='))}

    def test_default_targets_give_way_to_the_users(self):
        for clang in COMPILERS:
            self.assertEqual(self.targets(clang=clang), {"x86_64-pc-linux-gnu"})
            self.assertEqual(
                self.targets("-fopenmp-targets=x86_64-unknown-linux-gnu", clang=clang),
                {"x86_64-unknown-linux-gnu"})

    def test_options_in_a_response_file(self):
        response = self.folder / "options"
        response.write_text("-fopenmp-targets=x86_64-unknown-linux-gnu\n")
        self.assertEqual(self.targets(f"@{response}"), {"x86_64-unknown-linux-gnu"})
        inner = self.folder / "inner"
        inner.write_text(f"'--clang=19' @{response}")
        self.assertIn("clang version 19.", run([GANTRY, "clang++", "-v", f"@{inner}"]).stderr)
        self.assertEqual(self.targets(f"@{inner}"), {"x86_64-unknown-linux-gnu"})

    def test_without_openmp(self):
        for clang in COMPILERS:
            for flags in (["-fno-openmp"], ["-fopenmp", "-fno-openmp"]):
                self.assertEqual(self.targets(*flags, clang=clang), set())
                result = run([*compiler(clang), *flags, "-c", SOURCES / "host_only.cpp", "-o",
                              self.folder / "plain.o"])
                self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(self.targets("-fno-openmp", "-fopenmp", clang=clang),
                             {"x86_64-pc-linux-gnu"})

    def test_target_without_a_system_is_the_hosts(self):
        for clang in COMPILERS:
            program = self.link(SOURCES / "alone.cpp", "-fopenmp-targets=x86_64", clang=clang)
            self.run_program(program)

    def test_c_language(self):
        source = self.folder / "hello.c"
        source.write_text("#include <omp.h>\n#include <stdio.h>\n"
                          'int main(void) { printf("%d\\n", omp_get_num_devices() > 0); return 0; }\n')
        for clang in COMPILERS:
            output = self.folder / "hello"
            result = run([*compiler(clang, "c"), source, "-o", output])
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(self.run_program(output), "1\n")

    def test_programs_and_libraries_name_the_run_path(self):
        """After what the user names; a file for a later link has none."""
        for flags in ([], ["-shared"]):
            linked = self.link(obj("alone"), *flags, "-Wl,-rpath,/mine")
            self.assertIn(f"[/mine:{ROOT}/lib:{ROOT}/lib/gantry/host]",
                          run(["readelf", "-dW", linked]).stdout)
        shown = self.try_link(obj("alone"), "-r", "-Wl,--dry-run").stderr
        self.assertNotIn("-rpath", shown)

    def test_other_libraries_are_found_where_the_linker_looks(self):
        """Of the folders that Gantry adds none holds more than the two runtimes."""
        for clang, program in COMPILERS.items():
            folders = lambda command: {
                word.strip('"').removeprefix("-L")
                for word in run(command).stderr.splitlines()[-1].split() if word.startswith('"-L')}
            stock = folders([program, "-###", "-fopenmp", obj("alone")])
            added = folders([*compiler(clang), "-###", obj("alone")]) - stock
            self.assertEqual(len(added), 2)
            names = {file.name.split(".")[0] for folder in added
                     for file in pathlib.Path(folder).iterdir() if file.name.startswith("lib")}
            # Not every build has these: none with a sanitizer, and not without cross packages.
            names -= {f"libgantry-{what}-{cpu}" for what in ("plugin-worker", "device")
                      for cpu in ("aarch64", "powerpc64le")} | {"libgantry-plugin-worker"}
            self.assertEqual(names, {"libomp", "libomptarget", "libgantry-device-cpu",
                                     "libgantry-plugin-cuda", "libgantry-plugin-hsa", "libgantry-plugin-mpi", "libgantry-plugin-simt",
                                     "libgantry-plugin-simt-amd"})

    def test_precompiled_header(self):
        header = self.folder / "pre.h"
        header.write_text("inline int answer() { return 42; }\n")
        source = self.folder / "uses.cpp"
        source.write_text('#include "pre.h"\nint main() { int r = 0;\n'
                          "#pragma omp target map(from: r)\n r = answer();\n return r - 42; }\n")
        for clang in COMPILERS:
            for flags in ([], ["-fno-openmp"]):
                with self.subTest(clang=clang, flags=flags):
                    result = run([*compiler(clang), *flags, "-x", "c++-header", header, "-o",
                                  f"{header}.pch"])
                    self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_clang_option_after_others(self):
        result = run([GANTRY, "clang++", "-v", "--clang=19"])
        self.assertIn("clang version 19.", result.stderr)

    def test_tree_can_be_moved(self):
        moved = self.folder / "moved"
        for folder in ("bin", "libexec", "lib", "share"):
            shutil.copytree(ROOT / folder, moved / folder, symlinks=True)
        output = self.folder / "program"
        result = run([moved / "bin/gantry", "clang++", obj("main"), obj("helper"), "-o", output])
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn(f"{moved}", run(["ldd", output], env={}).stdout)
        self.assertEqual(self.run_program(output), "main 7 helper 40 device\n")
        # LLVM's program of that name would be found instead.
        (moved / "libexec/clang-linker-wrapper").unlink()
        result = run([moved / "bin/gantry", "clang++", obj("main"), "-o", output])
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"\Agantry: error: cannot read '.*clang-linker-wrapper': .*"
                         r"installation is not complete\n\Z")



class Scans(LinkTest):
    SOURCE = """int main() {
      int values[9] = {}, sum = 0;
    #pragma omp target map(tofrom : values)
    #pragma omp parallel for reduction(inscan, + : sum)
      for (int i = 0; i < 9; ++i) {
        sum += i;
    #pragma omp scan inclusive(sum)
        values[i] = sum;
      }
    #pragma omp parallel for simd reduction(inscan, + : sum)
      for (int i = 0; i < 9; ++i) {
        sum += i;
    #pragma omp scan inclusive(sum)
        values[i] = sum;
      }
    #pragma omp target map(tofrom : values)
    #pragma omp simd reduction(inscan, + : sum)
      for (int i = 0; i < 9; ++i) {
        sum += i;
    #pragma omp scan inclusive(sum)
        values[i] = sum;
      }
    }"""

    def warnings(self, target):
        (self.folder / "scan.cpp").write_text(self.SOURCE)
        done = run([*compiler(), f"--offload-arch={target}", "-Wno-pass-failed", "-c", "scan.cpp"], cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line for line in done.stderr.splitlines() if "warning:" in line]

    def test_a_scan_among_the_threads_of_a_gpu_is_warned_of(self):
        for target in ("sm_90", "gfx906"):
            found = self.warnings(target)
            self.assertEqual(len(found), 1, found)
            self.assertRegex(found[0], r"scan\.cpp:4:\d+: warning: a scan among the threads of a GPU has wrong results")

    def test_other_devices_have_right_scans(self):
        self.assertEqual(self.warnings("host"), [])


if __name__ == "__main__":
    unittest.main()

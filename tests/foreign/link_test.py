"""Linking for other instruction sets: what users type, what the images are, and what is said when
something is missing. usage: link_test.py BUILD CPU…"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv[1]).resolve()
CPUS = sys.argv[2:]

SOURCE = """\
#include <stdio.h>
int main(int argc, char **argv) {
  signed char sign = 0;
  char minus = -1;
#pragma omp target map(from: sign)
  sign = minus < 0;
  printf("%d\\n", sign);
  return 0;
}
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gantry-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "a.c").write_text(SOURCE)

    def run_here(self, *command, **variables):
        return subprocess.run(command, cwd=self.folder, env=os.environ | variables, capture_output=True,
                              text=True, timeout=60, check=False)

    def build(self, *flags, gantry=BUILD / "bin/gantry", source="a.c"):
        return self.run_here(gantry, "clang", "-O1", source, "-o", "a", *flags)

    def build_and_run(self, *flags, **variables):
        built = self.build(*flags)
        self.assertEqual((built.returncode, built.stderr), (0, ""))
        done = self.run_here("./a", **{"OMP_TARGET_OFFLOAD": "MANDATORY"} | variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout


class Uses(Case):
    def test_a_device_that_only_this_program_fits_is_chosen_by_itself(self):
        for cpu in CPUS:
            self.assertEqual(self.build_and_run(f"-fopenmp-targets={cpu}-linux-gnu"), "1\n")

    def test_bitcode(self):
        for cpu in CPUS:
            self.assertEqual(self.build_and_run(f"-fopenmp-targets={cpu}-linux-gnu", "-foffload-lto"), "1\n")

    def test_clang_19(self):
        for cpu in CPUS:
            self.assertEqual(self.build_and_run(f"-fopenmp-targets={cpu}-linux-gnu", "--clang=19"), "1\n")

    def test_images_are_for_their_cpu(self):
        targets = ",".join(f"{cpu}-linux-gnu" for cpu in CPUS)
        self.build_and_run(f"-fopenmp-targets=x86_64-pc-linux-gnu,{targets}", GANTRY_DEVICES="cpu")
        shown = self.run_here(BUILD / "bin/gantry", "inspect", "a").stdout
        for cpu in CPUS:
            self.assertIn(f"{cpu}-linux-gnu", shown)


class Missing(Case):
    """Installations that lack something: copies of this one, of links."""

    def installation(self, without):
        copy = self.folder / "installation"
        for folder in ("bin", "libexec", "lib/gantry", "share/gantry"):
            (copy / folder).mkdir(parents=True)
            for file in (BUILD / folder).iterdir():
                if file.name == without:
                    continue
                if file.is_file() and (folder in ("bin", "libexec") or file.suffix == ".cfg"):
                    shutil.copy2(file, copy / folder / file.name, follow_symlinks=False)
                else:
                    (copy / folder / file.name).symlink_to(file)
        for file in (BUILD / "lib").glob("libgantry.so*"):
            (copy / "lib" / file.name).symlink_to(file)
        return copy

    def test_a_device_library(self):
        for cpu in CPUS:
            library = f"libgantry-device-{cpu}.a"
            copy = self.installation(library)
            done = self.build(f"-fopenmp-targets={cpu}-linux-gnu", gantry=copy / "bin/gantry")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(
                f"device link for {cpu}-linux-gnu: '{copy}/lib/gantry/{library}' is missing: Gantry was built "
                f"without Debian's cross packages for {cpu}-linux-gnu; run scripts/setup foreign and build "
                "Gantry again\n", done.stderr)
            shutil.rmtree(copy)

    def test_a_function_that_only_the_host_has(self):
        (self.folder / "b.c").write_text(
            "int host_only(void);\nint main(void) {\n  int x;\n#pragma omp target map(from: x)\n"
            "  x = host_only();\n  return x;\n}\n")
        (self.folder / "c.c").write_text("int host_only(void) { return 0; }\n")
        for cpu in CPUS:
            done = self.build(f"-fopenmp-targets={cpu}-linux-gnu", "c.c", source="b.c")
            self.assertNotEqual(done.returncode, 0)
            self.assertRegex(done.stderr, rf"device link for {cpu}-linux-gnu: device code in '[^']+' uses "
                             "'host_only', and nothing in this link defines it for the device; ")


if __name__ == "__main__":
    unittest.main(argv=["link"], verbosity=1)

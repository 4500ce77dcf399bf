"""scripts/rooms finds what it is to find: each rule is broken once in a tree of a few files."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = """## The rooms

| folder | what lives there | may use |
| --- | --- | --- |
| `base/` | results | nothing |
| `plugins/` | what plugins share | `gantry/plugin.h` |
| `plugins/cpu/` | the CPU | `base/`, `plugins/`, `gantry/plugin.h` |
| `plugins/cuda/` | GPUs | `plugins/` |
| `runtime/core/host/` | the process | `base/` |
| `runtime/core/data/` | mappings | `runtime/core/host/` |
| `runtime/core/runtime/` | devices | `runtime/core/host/`, `runtime/core/data/` |
| `runtime/abi/` | entry points | `runtime/core/` |
| `link/` | the linker | `base/`, LLVM |
| `simt/ptx/` | PTX | nothing |

"""


class Rooms(unittest.TestCase):
    def check(self, path, text, table=TABLE):
        """What the script says of a tree with one file, beside those that its table needs."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "docs").mkdir()
            (folder / "docs/architecture.md").write_text(table)
            for line in table.splitlines():
                if line.startswith("| `"):
                    (folder / "src" / line.split("`")[1]).mkdir(parents=True, exist_ok=True)
            file = folder / "src" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            done = subprocess.run([sys.executable, ROOT / "scripts/rooms", "--root", folder],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1 if done.stderr else 0)
            return done.stderr

    def test_of_this_tree_hold(self):
        done = subprocess.run([sys.executable, ROOT / "scripts/rooms"], capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")

    def test_what_the_table_allows_is_no_mistake(self):
        for path, include in [("base/a.cpp", '"base/b.h"'), ("plugins/cpu/deep/a.cpp", '"plugins/cpu/b.h"'),
                              ("plugins/cpu/a.cpp", '"plugins/entry.h"'), ("plugins/cpu/a.h", "<gantry/plugin.h>"),
                              ("runtime/abi/a.cpp", '"runtime/core/data/b.h"'), ("link/a.cpp", "<llvm/IR/Module.h>"),
                              ("base/a.cpp", "<fmt/format.h>"), ("base/a.cpp", "<sys/mman.h>"), ("link/a.cpp", "<link.h>"),
                              ("base/a_test.cpp", "<gtest/gtest.h>"), ("base/a_test.cpp", '"link/testing/b.h"')]:
            with self.subTest(path=path, include=include):
                self.assertEqual(self.check(path, f"#include {include}\n"), "")

    def test_what_it_does_not_allow_is_named(self):
        for path, include in [("base/a.cpp", '"link/b.h"'), ("plugins/cuda/a.cpp", '"plugins/cpu/b.h"'),
                              ("plugins/cuda/a.cpp", "<gantry/plugin.h>"), ("plugins/a.h", '"plugins/cpu/b.h"'),
                              ("runtime/core/data/a.cpp", '"runtime/core/runtime/b.h"'),
                              ("runtime/core/host/a.h", '"runtime/abi/b.h"'), ("base/a.cpp", "<llvm/IR/Module.h>"),
                              ("link/a.cpp", "<clang/AST/Decl.h>"), ("base/a.cpp", "<gtest/gtest.h>"),
                              ("base/a.cpp", '"link/testing/b.h"'), ("base/a_test.cpp", '"link/b.h"'),
                              ("plugins/cpu/a.cpp", '  "base/b.h"\n# include "link/b.h"')]:
            with self.subTest(path=path, include=include):
                self.assertIn(f"rooms: {path} includes ", self.check(path, f"#include {include}\n"))

    def test_a_folder_without_a_row_is_in_no_room(self):
        self.assertIn("lies in no room", self.check("attic/a.cpp", ""))

    def test_a_circle_in_the_table_is_named(self):
        table = TABLE.replace("| mappings | `runtime/core/host/` |", "| mappings | `runtime/core/runtime/` |")
        self.assertIn("runtime/core/data/ may use itself by way of others", self.check("base/a.cpp", "", table))

    def test_the_core_has_no_word_of_a_compiler_or_a_device(self):
        for text in ('f("cuda");', "__kmpc_fork_call();", 'name.find("._omp_fn.");', "void GOMP_target();"):
            with self.subTest(text=text):
                self.assertIn("knows nothing of", self.check("runtime/core/data/a.cpp", text))
                self.assertEqual(self.check("runtime/core/data/a.cpp", f"// {text}"), "")
        self.assertIn("knows nothing of OpenMP", self.check("simt/ptx/a.cpp", "omp_get_num_devices();"))


if __name__ == "__main__":
    unittest.main()

"""scripts/rooms finds what it is to find: each rule is broken once in a tree of a few files."""
import pathlib
import re
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
                if re.match("[|] `[a-z/]*/`", line):
                    (folder / "src" / line.split("`")[1]).mkdir(parents=True, exist_ok=True)
            file = folder / "src" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
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
                              ("base/a.cpp", "<fmt/format.h>"), ("base/a.cpp", "<sys/mman.h>"),
                              ("link/a.cpp", "<link.h>"),
                              ("base/a_test.cpp", "<gtest/gtest.h>"), ("base/a_test.cpp", '"link/testing/b.h"')]:
            with self.subTest(path=path, include=include):
                self.assertEqual(self.check(path, f"#include {include}\n"), "")

    def test_what_it_does_not_allow_is_named(self):
        for path, include in [("base/a.cpp", '"link/b.h"'), ("plugins/cuda/a.cpp", '"plugins/cpu/b.h"'),
                              ("plugins/cuda/a.cpp", "<gantry/plugin.h>"), ("plugins/a.h", '"plugins/cpu/b.h"'),
                              ("runtime/core/data/a.cpp", '"runtime/core/runtime/b.h"'),
                              ("runtime/core/host/a.h", '"runtime/abi/b.h"'), ("base/a.cpp", "<llvm/IR/Module.h>"),
                              ("link/a.cpp", "<clang/AST/Decl.h>"), ("link/a.cpp", "<omp-tools.h>"),
                              ("base/a.cpp", "<gtest/gtest.h>"),
                              ("base/a.cpp", '"link/testing/b.h"'), ("base/a_test.cpp", '"link/b.h"'),
                              ("link/testing/a.h", '"plugins/b.h"')]:
            with self.subTest(path=path, include=include):
                self.assertIn(f"rooms: {path}:1: includes ", self.check(path, f"#include {include}\n"))

    def test_each_include_of_a_file_is_looked_at_and_its_line_named(self):
        said = self.check("plugins/cpu/a.cpp", '// a\n#include   "base/b.h"\n#  if 1\n# include "link/b.h"\n#endif\n')
        self.assertEqual(said.count("\n"), 1)
        self.assertIn('rooms: plugins/cpu/a.cpp:4: includes "link/b.h"', said)

    def test_an_include_has_one_of_two_forms(self):
        for line in ['/* why */ #include "base/b.h"', '/* why\n*/#include "base/b.h"', '#/**/include "base/b.h"',
                     '#include/**/"base/b.h"', '#inc\\\nlude "base/b.h"', '#include \\\n"base/b.h"',
                     '#\\ \ninclude "base/b.h"',
                     '%:include "base/b.h"', '%: include "base/b.h"', '??=include "base/b.h"', '#import "base/b.h"',
                     "#include_next <stdio.h>", '#embed "base/b.h"', "#include HEADER", "#include STRING(base/b.h)",
                     '#include "base/b.h" // why', '#include "base/b.h" /*\n*/', '  #include "base/b.h"',
                     '#include"base/b.h"',
                     '#__include_macros "base/b.h"', "#pragma clang module import base", 'import "base/b.h";',
                     "import <vector>;",
                     "export import base;", 'R"(a)"; // \\\n"\n%:include "base/b.h" // "',
                     "'\"';\n%:include <vector> // '\"'",
                     "1'0;\n%:include <vector> // '"]:
            with self.subTest(line=line):
                self.assertRegex(self.check("base/a.cpp", f"int a;\n{line}\n"),
                                 r"rooms: base/a\.cpp:[2-4]: .* is no include of the")

    def test_a_byte_order_mark_hides_nothing(self):
        self.assertIn('a.cpp:1: includes "link/b.h"', self.check("base/a.cpp", '\ufeff#include "link/b.h"\n'))

    def test_what_a_comment_or_a_literal_says_is_no_include(self):
        for text in ['// #import "link/b.h"', '// \\\n#import "link/b.h"', '/*\n#import "link/b.h"\n*/',
                     'f(R"(\n#import <omp.h>\n)");',
                     'f(u8R"a(\n#import <omp.h>)"\n#import <omp.h>\n)a");', "int important = import_all;",
                     "int a = 1'000'000;"]:
            with self.subTest(text=text):
                self.assertEqual(self.check("base/a.cpp", f"{text}\n"), "")

    def test_a_path_is_one_from_the_root(self):
        for include in ['"../link/b.h"', '"../../abi/clang/decode.h"', '"./../.."', '"base/../link/b.h"',
                        '"base/./b.h"', '"./b.h"',
                        '"src/link/b.h"', "<src/link/b.h>", "<base/../link/b.h>", "<sys/../link/b.h>", '"base//b.h"',
                        '"/base/b.h"',
                        "</base/b.h>", '"b.h"', '"omp.h"', "<b.h>", "<base/b.h>", "<link/b.h>", '"llvm/IR/Module.h"',
                        '"base/b.txt"',
                        "<gantry/b.txt>"]:
            with self.subTest(include=include):
                self.assertIn(f"rooms: base/a.cpp:1: includes {include}",
                              self.check("base/a.cpp", f"#include {include}\n"))

    def test_a_header_of_an_unknown_library_is_named(self):
        for include in ["<omp.h>", "<cuda.h>", "<vulkan/vulkan.h>", "<mpi.h>", "<new_library.hpp>",
                        "<level_zero/ze_api.h>"]:
            with self.subTest(include=include):
                self.assertIn("LIBRARIES of scripts/rooms", self.check("link/a.cpp", f"#include {include}\n"))
        for include in ["<vector>", "<cstdint>", "<stdint.h>", "<format>", "<unistd.h>", "<sys/mman.h>",
                        "<linux/futex.h>", "<absl/a.h>",
                        "<tl/expected.hpp>", "<CLI/CLI.hpp>", "<boost/a.hpp>", "<nlohmann/json.hpp>", "<xxhash.h>"]:
            with self.subTest(include=include):
                self.assertEqual(self.check("base/a.cpp", f"#include {include}\n"), "")

    def test_every_file_is_looked_at_or_known_as_no_source(self):
        for name in ["a.hpp", "a.cc", "a.cxx", "a.hh", "a.inl", "a.inc", "a.ipp", "a.S", "a.cu", "a.h.in", "a.C", "a",
                     "a.txt"]:
            with self.subTest(name=name):
                self.assertIn(f"rooms: base/{name} is no ", self.check(f"base/{name}", ""))
        for name in ["CMakeLists.txt", "README.md", "exports.map"]:
            with self.subTest(name=name):
                self.assertEqual(self.check(f"base/{name}", '#include "link/b.h"\n'), "")
        for name in ["a.c", "a.h", "a.def", "a.cpp"]:
            with self.subTest(name=name):
                self.assertIn("includes", self.check(f"base/{name}", '#include "link/b.h"\n'))

    def test_a_link_is_named(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "docs").mkdir()
            (folder / "docs/architecture.md").write_text(TABLE)
            (folder / "src/base").mkdir(parents=True)
            (folder / "src/base/link").symlink_to("../link")
            done = subprocess.run([sys.executable, ROOT / "scripts/rooms", "--root", folder],
                                  capture_output=True, text=True, check=False)
            self.assertIn("base/link is a link", done.stderr)

    def test_a_folder_without_a_row_is_in_no_room(self):
        for path in ("attic/a.cpp", "a.cpp", "plugins/new/a.cpp", "runtime/core/new/a.cpp", "runtime/core/a.cpp"):
            with self.subTest(path=path):
                self.assertIn("lies in no room", self.check(path, ""))
        self.assertEqual(self.check("plugins/a.cpp", ""), "")
        self.assertEqual(self.check("plugins/cpu/new/a.cpp", ""), "")

    def test_a_circle_in_the_table_is_named(self):
        table = TABLE.replace("| mappings | `runtime/core/host/` |", "| mappings | `runtime/core/runtime/` |")
        self.assertIn("runtime/core/data/ may use itself by way of others", self.check("base/a.cpp", "", table))

    def test_the_core_has_no_word_of_a_compiler_or_a_device(self):
        for text in ('f("cuda");', "__kmpc_fork_call();", 'name.find("._omp_fn.");', "void GOMP_target();",
                     "__tgt_target_kernel();",
                     "omp_get_num_devices();", 'f("ompx_get");', 'f("llvm_omp_target_alloc");', 'load("libomp.so");',
                     'load("libomptarget.so");', 'f("no NVIDIA device");', 'f("compile with clang");', "use_gcc();",
                     'f("Flang");',
                     'f("cuda ");', "struct MyCudaDevice;", 'f("simt", 0);', 'f("x-worker-amd64");',
                     'f("a worker died");', 'f("cpu:2");',
                     "hsa_init();", 'f("a GPU");', "struct PTX;", 'f(R"(\ncuda)");', 'f(" // cuda");',
                     "f(\"//\"); cuda();",
                     'f("/*"); cuda(); f("*/");', "f('\"'); cuda(); // \"", "f(1'0); cuda(); // '"):
            with self.subTest(text=text):
                self.assertRegex(self.check("runtime/core/data/a.cpp", f"int a;\n{text}\n"),
                                 r"a\.cpp:[23]: has '.*'; runtime/core/ knows nothing of a compiler")
        self.assertEqual(self.check("runtime/core/data/a_test.cpp", 'f("cuda");'), "")
        for text in ('// f("cuda");', "/* __kmpc_fork_call(); */", "// a \\\ncuda();",
                     'f("free it with omp_target_free");', "int cursor;",
                     "[[gnu::cold]] void f();", "int workers;", "struct Phsar;"):
            with self.subTest(text=text):
                self.assertEqual(self.check("runtime/core/data/a.cpp", text), "")
        self.assertIn("knows nothing of OpenMP", self.check("simt/ptx/a.cpp", "omp_get_num_devices();"))

    def test_a_word_that_the_page_lists_with_a_reason_is_allowed_in_that_file(self):
        table = TABLE + "| `runtime/core/data/a.cpp` | `simt`, `NVIDIA` | the help says what there is |\n"
        self.assertEqual(self.check("runtime/core/data/a.cpp", 'f("simt", "NVIDIA");', table), "")
        self.assertIn("'cuda'", self.check("runtime/core/data/a.cpp", 'f("simt", "NVIDIA cuda");', table))
        self.assertIn("allows runtime/core/data/a.cpp the word 'simt'",
                      self.check("runtime/core/data/a.cpp", 'f("NVIDIA");', table))
        self.assertIn("'simt'", self.check("runtime/core/data/b.cpp", 'f("simt");', table))
        self.assertIn("knows nothing of", self.check("runtime/core/data/a.cpp", 'f("simt", "NVIDIA");',
                                                     table.replace("the help says what there is", "")))


if __name__ == "__main__":
    unittest.main()

"""Functions called by pointer, and virtual calls, across object files and libraries; what the Clang
plugin refuses and what happens to members that are not for devices."""

import pathlib
import unittest

from toolchain import LinkTest, compiler, run

# One header in every object: inline, static and template functions, and classes, that each of them has.
HEADER = """
#pragma once
#include <omp.h>
#include <stdio.h>
#pragma omp begin declare target
inline int here(int on_device) { return omp_is_initial_device() ? -1 : on_device; }
#pragma omp end declare target
#pragma omp begin declare target indirect
struct Base {
  int value = 1;
  virtual int get() const { return here(value); }
  virtual ~Base() {}
};
struct Derived : Base {
  int get() const override { return here(value + 1); }
};
inline int inline_function() { return here(3); }
template <typename T> T template_function() { return here(sizeof(T)); }
static int static_function() { return here(5); }
#pragma omp end declare target
using Function = int (*)();
/// What a region finds: 2345, and the function given.
inline int call_all(Function function) {
  Derived derived;
  const Function inlined = inline_function, of_template = template_function<int>;
  int seen = 0;
#pragma omp target map(to : derived) map(from : seen)
  {
    const Base& base = derived;
    seen = base.get() * 1000 + inlined() * 100 + of_template() * 10;
  }
  const Function local = static_function;
#pragma omp target map(tofrom : seen)
  seen = (seen + local()) * 100 + function();
  return seen;
}
"""

# The same name stands for a function of each object.
PART = """
#include "header.h"
#pragma omp begin declare target indirect
static int local() {{ return here({value}); }}
#pragma omp end declare target
{linkage} int {name}() {{ return call_all(local); }}
"""

MAIN = """
#include "header.h"
int first();
int second();
int main() { printf("%d %d\\n", first(), second()); }
"""

LOADER = """
#include "header.h"
#include <dlfcn.h>
int main(int count, char** names) {
  const Function inlined = inline_function;
  for (int i = 0; i < 3; ++i) {
    for (int k = 1; k < count; ++k) {
      void* library = dlopen(names[k], RTLD_NOW);
      auto* first = (Function)dlsym(library, "first");
      auto* second = (Function)dlsym(library, "second");
      printf("%d ", (first ? first : second)());
      dlclose(library);
      int seen = 0;
#pragma omp target map(from : seen)
      seen = inlined();
      printf("%d ", seen);
    }
  }
  printf("\\n");
}
"""


class Indirect(LinkTest):
    def setUp(self):
        super().setUp()
        (self.folder / "header.h").write_text(HEADER)

    def part(self, name, value, *flags, linkage="", clang="22"):
        return self.compile(name, PART.format(name=name, value=value, linkage=linkage), "-w", *flags,
                            clang=clang)

    def assert_calls(self, program, *arguments, prints):
        for devices in ("cpu", "cpu+separate", "cpu:2"):
            with self.subTest(devices=devices):
                self.environment["GANTRY_DEVICES"] = devices
                self.assertEqual(self.run_program(program, *arguments), prints)

    def test_objects_that_include_one_header(self):
        for clang in ("22", "19"):
            for flags in (["-O0"], ["-O2"], ["-O2", "-foffload-lto"]):
                with self.subTest(clang=clang, flags=flags):
                    program = self.link(
                        self.compile("main", MAIN, "-w", *flags, clang=clang),
                        self.part("first", 6, *flags, clang=clang),
                        self.part("second", 7, *flags, clang=clang), *flags, clang=clang)
                    self.assert_calls(program, prints="234506 234507\n")

    def test_objects_of_both_compilers(self):
        program = self.link(self.compile("main", MAIN, "-w"), self.part("first", 6, clang="19"),
                            self.part("second", 7))
        self.assert_calls(program, prints="234506 234507\n")

    def test_static_library(self):
        archive = self.folder / "libparts.a"
        run(["ar", "rcs", archive, self.part("first", 6), self.part("second", 7)])
        program = self.link(self.compile("main", MAIN, "-w"), archive)
        self.assert_calls(program, prints="234506 234507\n")

    def test_shared_library(self):
        self.link(self.part("second", 7), "-shared", output="libsecond.so")
        program = self.link(self.compile("main", MAIN, "-w"), self.part("first", 6),
                            f"-L{self.folder}", "-lsecond", f"-Wl,-rpath,{self.folder}")
        self.assert_calls(program, prints="234506 234507\n")

    def test_libraries_that_come_and_go(self):
        libraries = [
            self.link(self.part(name, value, linkage='extern "C"'), "-shared", output=f"lib{name}.so")
            for name, value in (("first", 6), ("second", 7))]
        program = self.link(self.compile("loader", LOADER, "-w"), "-ldl")
        self.assert_calls(program, *libraries, prints="234506 3 234507 3 " * 3 + "\n")

    def test_table_that_images_show(self):
        """Sorted, each address once, and what device code calls is in it."""
        program = self.link(self.compile("main", """
            #include "header.h"
            struct Pair { long host, device; };
            #pragma omp begin declare target device_type(nohost)
            extern "C" {
            extern __attribute__((weak)) Pair* __omp_offloading_fptr_map_p;
            extern __attribute__((weak)) unsigned long __omp_offloading_fptr_map_size;
            }
            #pragma omp end declare target
            int main() {
              const Function host = static_function;
              Pair pairs[100];
              unsigned long size = 0;
              long device = 0;
            #pragma omp target map(from : pairs, size, device)
              {
                size = __omp_offloading_fptr_map_size;
                for (unsigned long i = 0; i < size; ++i) pairs[i] = __omp_offloading_fptr_map_p[i];
                device = (long)&static_function;
              }
              int found = 0, sorted = size > 0;
              for (unsigned long i = 0; i < size; ++i) {
                found += pairs[i].host == (long)host && pairs[i].device == device;
                sorted &= i == 0 || pairs[i - 1].host < pairs[i].host;
              }
              printf("%d %d\\n", found, sorted);
            }
            """, "-w"))
        self.assert_calls(program, prints="1 1\n")

    def test_saved_temporaries(self):
        """The compilation is in several steps then, of which the passes and the plugin see one each."""
        (self.folder / "main.cpp").write_text(MAIN)
        for name, value in (("first", 6), ("second", 7)):
            (self.folder / f"{name}.cpp").write_text(PART.format(name=name, value=value, linkage=""))
        program = self.link("-w", "-O2", "-save-temps", "main.cpp", "first.cpp", "second.cpp")
        self.assert_calls(program, prints="234506 234507\n")

    def test_c(self):
        program = self.link(self.compile("main", """
            #include <omp.h>
            #include <stdio.h>
            #pragma omp begin declare target indirect
            static int where(void) { return omp_is_initial_device(); }
            #pragma omp end declare target
            int main(void) {
              int (*functions[2])(void) = {where, where};
              int seen = -1;
            #pragma omp target map(from : seen)
              seen = functions[1]();
              printf("%d %d\\n", seen, functions[0]());
            }
            """, suffix=".c"))
        self.assert_calls(program, prints="0 1\n")

    def test_clause_with_a_condition(self):
        """indirect(false) is no clause: the host's function is what is called."""
        program = self.link(self.compile("main", """
            #include <omp.h>
            #include <stdio.h>
            int yes() { return omp_is_initial_device(); }
            int no() { return omp_is_initial_device(); }
            #pragma omp declare target to(yes) indirect(true)
            #pragma omp declare target to(no) indirect(false)
            int main() {
              int (*call_yes)() = yes, (*call_no)() = no;
              int seen[2] = {-1, -1};
            #pragma omp target map(from : seen)
              {
                seen[0] = call_yes();
                seen[1] = call_no();
              }
              printf("%d %d\\n", seen[0], seen[1]);
            }
            """))
        self.environment["GANTRY_DEVICES"] = "cpu"
        self.assertEqual(self.run_program(program), "0 1\n")
        self.environment["GANTRY_CHECK"] = "functions"
        self.assertRegex(run([program], env=self.environment).stderr, "'no\\(\\)' is the host's")


    def test_macros_of_the_device_alone(self):
        """Host and device agree on the names of entries, whatever either is compiled with."""
        flags = ["-Xarch_device", "-DON_DEVICE=1", "-Xarch_host", "-DON_HOST=1"]
        program = self.link(self.compile("main", MAIN, "-w", *flags), self.part("first", 6, *flags),
                            self.part("second", 7, *flags))
        self.assert_calls(program, prints="234506 234507\n")

    def test_tables_of_functions_in_c(self):
        """A structure that begins with a pointer to its functions is no object with a virtual table."""
        source = """
            #include <omp.h>
            #include <stdio.h>
            struct object;
            struct operations { int (*get)(struct object*); };
            struct object { const struct operations* operations; int value; };
            #pragma omp begin declare target indirect
            int get(struct object* object) { return object->value + (omp_is_initial_device() ? 0 : 1); }
            #pragma omp end declare target
            static const struct operations operations = {get};
            int main(void) {
              struct object object = {&operations, 10}, *pointer = &object;
              int seen = -1;
            #pragma omp target map(to : pointer[0 : 1]) map(from : seen)
              seen = pointer->operations->get(pointer);
              printf("%d\\n", seen);
            }
            """
        for flags in (["-O0"], ["-O2"], ["-O2", "-foffload-lto"]):
            with self.subTest(flags=flags):
                program = self.link(self.compile("main", source, *flags, suffix=".c"), *flags)
                for check in ("", "functions"):
                    self.environment |= {"GANTRY_DEVICES": "cpu", "GANTRY_CHECK": check}
                    self.assertEqual(self.run_program(program), "11\n")

    def test_templates_with_members_that_have_no_instance(self):
        """Members that nothing uses are not instantiated, in the standard library's templates either."""
        program = self.link(self.compile("main", """
            #include <omp.h>
            #include <stdio.h>
            #pragma omp begin declare target indirect
            #include <functional>
            #include <map>
            #include <string>
            #include <vector>
            template <typename T> struct Box {
              T value;
              bool less(const Box& other) const { return value < other.value; }
              int get() const { return omp_is_initial_device(); }
            };
            #pragma omp end declare target
            struct Incomparable {};
            int main() {
              Box<Incomparable> box;
              int (Box<Incomparable>::*get)() const = &Box<Incomparable>::get;
              int seen = -1;
            #pragma omp target map(to : box) map(from : seen)
              seen = (box.*get)();
              printf("%d\\n", seen);
            }
            """, "-w", "-std=c++17"))
        self.assert_calls(program, prints="0\n")

    def test_classes_of_libraries(self):
        """A library's class has its virtual table there; a class of the program may derive from it, and
        is one of the host's."""
        (self.folder / "shape.h").write_text("""
            #pragma once
            #include <omp.h>
            #pragma omp begin declare target indirect
            struct Shape {
              int side = 2;
              virtual int area() const;
              virtual ~Shape();
            };
            #pragma omp end declare target
            Shape* make();
            """)
        library = self.compile("shape", """
            #include "shape.h"
            #pragma omp begin declare target indirect
            int Shape::area() const { return omp_is_initial_device() ? -1 : side * side; }
            Shape::~Shape() {}
            #pragma omp end declare target
            Shape* make() { return new Shape; }
            """, "-w")
        self.link(library, "-shared", output="libshape.so")
        main = self.compile("main", """
            #include "shape.h"
            #include <stdio.h>
            struct Cube : Shape { int area() const override { return 24; } };
            int main() {
              Shape* shape = make();
              Cube cube;
              int seen = 0;
            #pragma omp target map(to : shape[0 : 1]) map(from : seen)
              seen = shape->area();
              printf("%d %d %d\\n", seen, shape->area(), static_cast<Shape&>(cube).area());
              delete shape;
            }
            """, "-w")
        for flags in ([], ["-no-pie"]):
            with self.subTest(flags=flags):
                program = self.link(main, f"-L{self.folder}", "-lshape",
                                    f"-Wl,-rpath,{self.folder}", *flags)
                self.assert_calls(program, prints="4 -1 24\n")

    def test_tables_that_end_with_no_function(self):
        """The pointer to such a part of a table is where another table begins."""
        source = """
            #include <omp.h>
            #include <stdio.h>
            struct Root { int root = 7; };
            #pragma omp begin declare target indirect
            namespace {
            struct First { virtual int first() { return omp_is_initial_device(); } };
            struct Second : virtual Root { int second = 1; };
            struct Both : First, Second { int first() override { return omp_is_initial_device(); } };
            struct Next { virtual int next() { return omp_is_initial_device(); } };
            }
            #pragma omp end declare target
            int main() {
              Both both;
              Next next;
              Both* pointer = &both;
              int seen[3] = {-1, -1, -1};
            #pragma omp target map(to : pointer[0 : 1], next) map(from : seen)
              {
                Second* second = pointer;
                First* first = pointer;
                Next* other = &next;
                seen[0] = second->root;
                seen[1] = first->first();
                seen[2] = other->next();
              }
              printf("%d %d %d\\n", seen[0], seen[1], seen[2]);
            }
            """
        for clang in ("22", "19"):
            for flags in (["-O0"], ["-O2", "-fno-rtti"]):
                with self.subTest(clang=clang, flags=flags):
                    program = self.link(self.compile("main", source, "-w", *flags, clang=clang),
                                        clang=clang)
                    for check in ("", "functions"):
                        self.environment["GANTRY_CHECK"] = check
                        self.assert_calls(program, prints="7 0 0\n")

    def test_functions_that_are_chosen_when_the_program_starts(self):
        program = self.link(self.compile("main", """
            #include <stdio.h>
            #pragma omp begin declare target indirect
            static int one() { return 1; }
            extern "C" int (*choose())() { return one; }
            int chosen() __attribute__((ifunc("choose")));
            #pragma omp end declare target
            int main() { printf("%d\\n", chosen()); }
            """, "-w"))
        self.assertEqual(self.run_program(program), "1\n")


class TypeInformation(LinkTest):
    SOURCE = """
        #include <typeinfo>
        #pragma omp begin declare target indirect
        struct Base { virtual int get() { return 1; } };
        struct Derived : Base { int get() override { return 2; } };
        int function(Base* base) { return %s; }
        #pragma omp end declare target
        int main() {
          Derived derived;
          Base* base = &derived;
          int seen = 0;
        #pragma omp target map(to : derived) map(from : seen)
          { Base* base = &derived; seen = %s; }
          return base->get() != %s;
        }
        """
    CAST = "dynamic_cast<Derived*>(base) != nullptr"
    TYPE = "typeid(*base) == typeid(Derived)"

    def complaints(self, *expressions):
        source = self.folder / "main.cpp"
        source.write_text(self.SOURCE % expressions)
        result = run([*compiler(), "-w", "-c", source, "-o", self.folder / "main.o"])
        return result.returncode, [line for line in result.stderr.splitlines() if "error:" in line]

    def test_is_refused_in_device_code(self):
        for in_function, in_region, lines in (
                (self.CAST, "1", {6: "dynamic_cast"}), (self.TYPE, "1", {6: "typeid"}),
                ("1", self.CAST, {13: "dynamic_cast"}), ("1", self.TYPE, {13: "typeid"}),
                (self.CAST, self.TYPE, {6: "dynamic_cast", 13: "typeid"})):
            with self.subTest(in_function=in_function, in_region=in_region):
                status, complaints = self.complaints(in_function, in_region, "2")
                self.assertEqual((status, len(complaints)), (1, len(lines)), complaints)
                for complaint, (line, what) in zip(complaints, lines.items()):
                    self.assertRegex(complaint, rf"main.cpp:{line}:\d+: error: '{what}' is not "
                                     "supported in code for a device; call a virtual function")

    def test_is_refused_in_what_device_code_calls(self):
        """Functions that are not declared for devices, and are device code all the same."""
        for expression in (self.CAST, "typeid(*base) == typeid(Derived)"):
            with self.subTest(expression=expression):
                source = self.folder / "main.cpp"
                source.write_text(self.SOURCE.replace("#pragma omp end declare target", """
                    #pragma omp end declare target
                    int helper(Base* base) { return %s; }""") % ("1", expression, "helper(base)", "2"))
                result = run([*compiler(), "-w", "-c", source, "-o", self.folder / "main.o"])
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertRegex(result.stderr, r"main\.cpp:9:\d+: error: 'dynamic_cast' and 'typeid' are "
                                 "not supported in code for a device; call a virtual function")

    def test_is_for_the_host_and_for_static_types(self):
        self.assertEqual(self.complaints("static_cast<Derived*>(base) != nullptr",
                                         "typeid(Base) == typeid(Base)", f"({self.CAST}) + 1"), (0, []))


class HostMembers(LinkTest):
    """Virtual members that are not declare target, in a class of which others are."""

    SOURCE = """
        #include <omp.h>
        #include <stdio.h>
        struct Base {
          virtual int on_host() { return printf("host\\n"); }
          virtual int nowhere() = 0;
          virtual ~Base();
        #pragma omp begin declare target indirect
          virtual int on_device() { return omp_is_initial_device(); }
        #pragma omp end declare target
        };
        Base::~Base() {}
        struct Derived : Base {
          int nowhere() override { return -1; }
        };
        int main(int count, char**) {
          Derived derived;
          int seen = -1;
        #pragma omp target map(to : derived) map(from : seen)
          {
            Base* base = &derived;
            seen = base->on_device();
            if (count > 1) {
              seen = base->on_host();
            }
          }
          printf("%d %d\\n", seen, derived.on_device());
        }
        """

    def test_end_the_program_where_they_are_called(self):
        for level in ("-O0", "-O2"):
            with self.subTest(level=level):
                program = self.link(self.compile("main", self.SOURCE, "-w", level))
                self.assertEqual(self.run_program(program), "0 1\n")
                result = run([program, "call"], env=self.environment)
                self.assertNotEqual(result.returncode, 0)
                self.assertRegex(result.stderr, r"\Agantry: error: 'Base::on_host\(\)' was called on a "
                                 "device and has no version there; declare it target with the indirect "
                                 r"clause\n\Z")


class Checks(LinkTest):
    """GANTRY_CHECK=functions."""

    SOURCE = """
        #include <math.h>
        #include <stdio.h>
        static int square(int x) { return x * x; }
        struct Shape { virtual double area() const; };
        double Shape::area() const { return 1; }
        int main(int count, char**) {
          int (*function)(int) = square;
          double (*root)(double) = sqrt;
          Shape shape;
          Shape* pointer = &shape;
          double seen = 0;
          if (count == 1) {
        #pragma omp target map(from : seen)
            {
              seen = root(4);
              seen +=
                  function(3);
            }
          } else {
        #pragma omp target map(to : pointer[0 : 1]) map(from : seen)
            seen =
                pointer->area();
          }
          printf("%g\\n", seen);
        }
        """

    def outcome(self, program, *arguments, **environment):
        result = run([program, *arguments], env=self.environment | environment)
        return result.returncode, result.stdout, result.stderr

    def test_name_the_function_and_the_call(self):
        program = self.link(self.compile("main", self.SOURCE, "-w", "-g"))
        for devices in ("cpu", "cpu+separate"):
            with self.subTest(devices=devices):
                self.assertEqual(self.outcome(program, GANTRY_DEVICES=devices), (0, "11\n", ""))
                status, output, errors = self.outcome(
                    program, GANTRY_DEVICES=devices, GANTRY_CHECK="functions")
                self.assertEqual((status, output), (1, ""))
                self.assertRegex(errors, r"\Agantry: error: \S*main\.cpp:18: call by pointer: device 0 "
                                 r"\(cpu\): 'square\(int\)' is the host's, and the device has no version "
                                 r"of it; declare it target with the indirect clause\n\Z")

    def test_without_debug_information_the_function_alone(self):
        program = self.link(self.compile("main", self.SOURCE, "-w"))
        status, _, errors = self.outcome(program, GANTRY_CHECK="all")
        self.assertEqual(status, 1)
        self.assertRegex(errors, r"\Agantry: error: call by pointer: device 0 \(cpu\): 'square\(int\)' is ")
        run(["strip", program])
        status, _, errors = self.outcome(program, GANTRY_CHECK="functions")
        self.assertEqual(status, 1)
        self.assertRegex(errors, r"device 0 \(cpu\): 0x[0-9a-f]+ in '\S*/program' is the host's")

    def test_name_a_virtual_table(self):
        program = self.link(self.compile("main", self.SOURCE, "-w", "-g"))
        status, _, errors = self.outcome(program, "virtual", GANTRY_CHECK="functions")
        self.assertEqual(status, 1)
        self.assertRegex(errors, r"main\.cpp:23: call by pointer: .*'vtable for Shape' is the host's")


if __name__ == "__main__":
    unittest.main()

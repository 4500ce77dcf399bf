"""Linking: what the program contains, what it registers, and what it computes."""

import json
import resource
import signal
import subprocess
import time
import unittest

from toolchain import GANTRY, LLD, LLVM_BIN, OBJECTS, SOURCES, LinkTest, compiler, obj, run

CURRENT = "llvm_offload_entries"
LEGACY = "omp_offloading_entries"


class Program(LinkTest):
    def test_runs_on_the_device(self):
        for clang in ("22", "19"):
            program = self.link(obj("main", clang), obj("helper", clang), clang=clang)
            self.assertEqual(self.run_program(program), "main 7 helper 40 device\n")

    def test_sections(self):
        objects = self.sections(obj("main"))
        self.assertIn("E", objects[".llvm.offloading"])
        self.assertIn(CURRENT, objects)
        program = self.link(obj("main"), obj("helper"))
        sections = self.sections(program)
        self.assertEqual(sections[".llvm.offloading"], "A")
        self.assertEqual(sections[CURRENT], "WA")
        self.assertNotIn(LEGACY, sections)
        # One linked image, and not the objects' two.
        (inspected,) = json.loads(run([GANTRY, "inspect", "--json", program]).stdout)["files"]
        self.assertTrue(inspected["registers_itself"])
        (image,) = inspected["images"]
        self.assertEqual((image["triple"], image["linked"]), ("x86_64-pc-linux-gnu", True))

    def test_needs_gantry_and_no_other_offload_library(self):
        program = self.link(obj("alone"))
        needed = run(["readelf", "-dW", program]).stdout
        self.assertIn("[libgantry.so.1]", needed)
        self.assertNotIn("omptarget", needed)

    def test_image_needs_only_what_it_uses(self):
        program = self.link(obj("alone"))
        self.image_symbols(program)
        needed = run(["readelf", "-dW", self.folder / "extracted.so"]).stdout
        self.assertNotIn("NEEDED", needed)

    def test_image_exports_the_device_number(self):
        symbols = self.image_symbols(self.link(obj("alone")))
        self.assertIn("__gantry_device_number", symbols)
        self.assertNotIn("omp_is_initial_device", symbols)

    def test_device_code_uses_the_libraries_of_the_host_link(self):
        for clang in ("22", "19"):
            program = self.link(obj("math", clang), clang=clang)
            self.assertEqual(self.run_program(program), "-5 10 2\n")

    def test_linkers(self):
        for linker in ("bfd", "gold", LLD):
            with self.subTest(linker=linker):
                program = self.link(obj("main"), obj("helper"), f"-fuse-ld={linker}")
                self.assertEqual(self.run_program(program), "main 7 helper 40 device\n")

    def test_entries_survive_gc_sections(self):
        for linker in ("bfd", "gold", LLD):
            for clang in ("22", "19"):
                with self.subTest(linker=linker, clang=clang):
                    program = self.link(
                        obj("main", clang), obj("helper", clang), f"-fuse-ld={linker}",
                        "-Wl,--gc-sections", clang=clang)
                    self.assertEqual(self.run_program(program), "main 7 helper 40 device\n")

    def test_without_pie(self):
        program = self.link(obj("main"), obj("helper"), "-no-pie")
        self.assertEqual(self.run_program(program), "main 7 helper 40 device\n")

    def test_program_without_device_code(self):
        program = self.link(obj("plain"), "-shared")
        self.assertNotIn(".llvm.offloading", self.sections(program))

    def test_host_linker_still_answers_questions(self):
        for question, answer in {"--version": "GNU ld", "--help": "--version-script"}.items():
            result = run([*compiler(), f"-Wl,{question}"])
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(answer, result.stdout)

    def test_two_spellings_of_one_target(self):
        program = self.link(obj("two_targets"))
        self.run_program(program)
        self.assertEqual(self.kernels_in_image(program), ["main"])

    def test_inline_kernel_in_two_objects(self):
        self.link(obj("inline-first"), obj("inline-second"), "-shared")


class Registration(LinkTest):
    def test_once_and_undone_at_exit(self):
        events = self.record(self.link(obj("main"), obj("helper")))
        self.assertEqual([event["event"] for event in events], ["register", "unregister"])
        for event in events:
            self.assertEqual(event["layout"], "current")
            self.assertEqual(len(event["entries"]), 2)
            (image,) = event["images"]
            self.assertTrue(image["elf"] and image["aligned"] and image["same_entries"])

    def test_mixed_compilers_get_a_descriptor_each(self):
        for first, second in (("19", "22"), ("22", "19")):
            program = self.link(obj("main", first), obj("helper", second))
            self.assertEqual(self.run_program(program), "main 7 helper 40 device\n")
            registered = [event for event in self.record(program) if event["event"] == "register"]
            self.assertEqual(sorted(event["layout"] for event in registered), ["current", "legacy"])
            for event in registered:
                self.assertEqual((len(event["images"]), len(event["entries"])), (1, 1))

    def test_old_objects_alone(self):
        program = self.link(obj("alone", "19"))
        self.assertNotIn(CURRENT, self.sections(program))
        self.assertEqual({event["layout"] for event in self.record(program)}, {"legacy"})

    def test_shared_library_unregisters_when_unloaded(self):
        library = self.link(obj("helper"), "-shared", output="libhelper.so")
        load = OBJECTS / "load"
        events = self.record(load, library)
        self.assertEqual([event["event"] for event in events], ["register", "unregister"])
        self.assertEqual(self.run_program(load, library), "helper 8\n")

    def test_program_and_shared_library(self):
        self.link(obj("helper"), "-shared", output="libhelper.so")
        program = self.link(obj("main"), f"-L{self.folder}", "-lhelper", f"-Wl,-rpath,{self.folder}")
        self.assertEqual(self.run_program(program), "main 7 helper 40 device\n")
        self.assertEqual(self.kernels_in_image(program), ["main"])


    def test_device_code_uses_a_library_that_has_no_name_of_its_own(self):
        """Without -soname the name in NEEDED is how the link was told of the library."""
        for folder in ("lib", "bin"):
            (self.folder / folder).mkdir()
        run(["c++", "-shared", obj("plain"), "-o", self.folder / "lib/libhost.so"])
        for library in ("-lhost", "-l:libhost.so"):
            with self.subTest(library):
                program = self.link(obj("undefined"), "-Llib", library,
                                    "-Wl,-rpath,$ORIGIN/../lib", output="bin/program")
                result = run([program], env=self.environment, cwd="/")
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.image_symbols(program)
                needed = run(["readelf", "-dW", self.folder / "extracted.so"]).stdout
                self.assertIn("[libhost.so]", needed)

    def test_device_code_uses_a_host_function_of_a_library_with_device_code(self):
        self.link(obj("helper"), obj("plain"), "-shared", output="libboth.so")
        program = self.link(obj("undefined"), f"-L{self.folder}", "-lboth",
                            f"-Wl,-rpath,{self.folder}")
        self.run_program(program)


class Architectures(LinkTest):
    def test_objects_for_several_make_one_image(self):
        for suffix in ("", "-lto"):
            flags = ["-foffload-lto"] if suffix else []
            for caller, helper in (("native", "x86-64-v2"), ("x86-64-v2", "native")):
                with self.subTest(caller=caller, helper=helper, suffix=suffix):
                    program = self.link(obj(f"caller-{caller}{suffix}"),
                                        obj(f"helper-{helper}{suffix}"), *flags)
                    self.assertEqual(self.run_program(program), "caller 14 device\n")
                    self.image_symbols(program)  # of the only image


class Relocatable(LinkTest):
    def test_objects_with_other_spellings_of_the_triple(self):
        joined = self.link(obj("main"), obj("helper-unknown"), "-r", output="joined.o")
        self.assertEqual(self.run_program(self.link(joined)), "main 7 helper 40 device\n")

    def test_device_code_stays_for_the_final_link(self):
        for linker in ("bfd", "gold", LLD):
            with self.subTest(linker=linker):
                flags = ["-r", f"-fuse-ld={linker}"]
                joined = self.link(obj("main", "19"), obj("helper"), *flags, output="joined.o")
                program = self.link(joined)
                self.assertEqual(self.run_program(program), "main 7 helper 40 device\n")


class Lto(LinkTest):
    def test_device_bitcode(self):
        for clang in ("22", "19"):
            program = self.link(
                obj("main-lto", clang), obj("helper-lto", clang), "-foffload-lto", clang=clang)
            self.assertEqual(self.run_program(program), "main 7 helper 40 device\n")

    def test_thin_device_bitcode(self):
        for clang in ("22", "19"):
            for host in ([], ["-flto", "-ffat-lto-objects"]):
                with self.subTest(clang=clang, host=host):
                    flags = ["-foffload-lto=thin", *host]
                    objects = [self.compile(name, (SOURCES / f"{name}.cpp").read_text(), *flags,
                                            clang=clang) for name in ("main", "helper")]
                    program = self.link(*objects, "-foffload-lto=thin", clang=clang)
                    self.assertEqual(self.run_program(program), "main 7 helper 40 device\n")

    def test_device_bitcode_and_machine_code(self):
        program = self.link(obj("main-lto"), obj("helper"), "-foffload-lto")
        self.assertEqual(self.run_program(program), "main 7 helper 40 device\n")

    def test_constructors_and_destructors_run(self):
        for clang in ("22", "19"):
            program = self.link(obj("constructed-lto", clang), "-foffload-lto", clang=clang)
            self.assertEqual(self.run_program(program), "constructed 42\ndestroyed 42\n")

    def test_strong_definitions_prevail(self):
        for weak, strong in (("", "-lto"), ("-lto", ""), ("-lto", "-lto")):
            pair = obj(f"weak{weak}"), obj(f"strong{strong}")
            for objects in pair, reversed(pair):
                with self.subTest(weak=weak, strong=strong):
                    program = self.link(*objects, "-foffload-lto")
                    self.assertEqual(self.run_program(program), "2 2\n")

    def test_larger_common_definition_prevails(self):
        for main, small in (("", "-lto"), ("-lto", ""), ("-lto", "-lto"), ("", "")):
            pair = obj(f"common-main{main}"), obj(f"common-small{small}")
            for objects in pair, reversed(pair):
                with self.subTest(main=main, small=small):
                    program = self.link(*objects, "-foffload-lto")
                    self.assertEqual(self.image_symbol_sizes(program, "table"), [400])
            program = self.link(obj(f"common-main{main}"), "-foffload-lto")
            self.assertEqual(self.run_program(program), "407\n")

    def test_same_kernel_of_inline_functions(self):
        self.link(obj("inline-first-lto"), obj("inline-second-lto"), "-shared", "-foffload-lto")

    def test_device_code_in_host_bitcode(self):
        for clang in ("22", "19"):
            program = self.link(
                obj("main-hostlto", clang), obj("helper-hostlto", clang), "-flto",
                f"-fuse-ld={LLD}", clang=clang)
            self.assertEqual(self.run_program(program), "main 7 helper 40 device\n")

    def test_undefined_symbol_names_the_object(self):
        self.assert_link_fails(
            obj("undefined-lto"), "-foffload-lto", message="undefined-lto-22.o' uses 'host_only")

    def test_option_reaches_llvm(self):
        result = self.try_link(
            obj("main-lto"), obj("helper-lto"), "-foffload-lto", "-Wl,-mllvm,--no-such-option")
        self.assertIn("Unknown command line argument '--no-such-option'", result.stderr)
        self.link(obj("main-lto"), obj("helper-lto"), "-foffload-lto", "-Wl,-mllvm,-inline-threshold=5")


class Options(LinkTest):
    def wrapper(self, *flags):
        return self.try_link(obj("main"), obj("helper"), *(f"-Wl,{flag}" for flag in flags))

    def test_dry_run_shows_commands_and_runs_none(self):
        result = self.wrapper("--dry-run")
        self.assertEqual(result.returncode, 0)
        self.assertFalse((self.folder / "program").exists())
        self.assertRegex(result.stderr, r'ld\.lld".*main-22\.o')
        self.assertRegex(result.stderr, r'"/usr/bin/ld" ".*registration\.o"')

    def test_verbose(self):
        for flag in ("--wrapper-verbose", "-v"):
            result = self.wrapper(flag)
            self.assertEqual(len([line for line in result.stderr.splitlines() if line.startswith(' "')]), 2)
            self.assertTrue((self.folder / "program").exists())

    def test_save_temps(self):
        self.wrapper("--save-temps")
        names = {path.name for path in (self.folder / "program.gantry-temps").rglob("*")}
        self.assertLess({"registration.o", "image.so"}, names)

    def test_print_wrapped_module(self):
        result = self.wrapper("--print-wrapped-module")
        self.assertIn("@.omp_offloading.descriptor = internal constant", result.stdout)

    def test_time_trace(self):
        self.wrapper(f"--wrapper-time-trace={self.folder}/trace.json")
        trace = json.loads((self.folder / "trace.json").read_text())["traceEvents"]
        stages = {"Scan", "Extract", "Device link", "Wrap", "Host link", "Check"}
        self.assertLessEqual({f"Total {stage}" for stage in stages}, {event["name"] for event in trace})

    def test_override_image(self):
        image = self.folder / "image.so"
        self.link(obj("main"), obj("helper"))
        self.image_symbols(self.folder / "program")
        (self.folder / "extracted.so").rename(image)
        program = self.link(obj("main"), obj("helper"), f"-Wl,--override-image=openmp={image}")
        self.assertEqual(self.run_program(program), "main 7 helper 40 device\n")

    def test_device_linker_argument(self):
        self.link(obj("main"), obj("helper"), "-Xoffload-linker", "-soname=marked.so")
        self.image_symbols(self.folder / "program")
        self.assertIn("marked.so", run(["readelf", "-dW", self.folder / "extracted.so"]).stdout)

    def test_device_linker_argument_for_another_target(self):
        self.link(obj("main"), obj("helper"), "-Wl,--device-linker=nvptx64-nvidia-cuda=-soname=marked.so")
        self.image_symbols(self.folder / "program")
        self.assertNotIn("marked.so", run(["readelf", "-dW", self.folder / "extracted.so"]).stdout)

    def test_response_file(self):
        response = self.folder / "arguments"
        response.write_text("\n".join(str(file) for file in (obj("main"), obj("helper"))))
        program = self.link(f"-Wl,@{response}")
        self.assertEqual(self.run_program(program), "main 7 helper 40 device\n")

    def test_command_too_long_for_the_system(self):
        response = self.folder / "arguments"
        for objects in ("main", "helper"), ("plain",):
            flags = [f"--defsym=symbol_{index}_{'x' * 200}=1" for index in range(10000)]
            response.write_text("\n".join([*flags, *(str(obj(name)) for name in objects)]))
            self.link(*(["-shared"] if objects == ("plain",) else []), f"-Wl,@{response}")

    def test_signal_leaves_nothing_behind(self):
        linker = self.folder / "slow-linker"
        linker.write_text("#!/bin/sh\nexec sleep 60\n")
        linker.chmod(0o755)
        command = [GANTRY, "link", f"--linker-path={linker}", obj("alone"), "-o", self.folder / "program"]
        for number in (signal.SIGTERM, signal.SIGPIPE, signal.SIGXCPU, signal.SIGQUIT):
            with self.subTest(number):
                link = subprocess.Popen(
                    [str(word) for word in command], env=self.environment,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
                deadline = time.monotonic() + 30
                while not list(self.temporary.glob("gantry-link-*/registration.o")):
                    self.assertLess(time.monotonic(), deadline, "the link never reached the host linker")
                    time.sleep(0.01)
                folder = next(self.temporary.glob("gantry-link-*"))
                self.assertEqual(folder.stat().st_mode & 0o777, 0o700)
                link.send_signal(number)
                self.assertEqual(link.wait(timeout=30), -number)
                self.assertEqual(list(self.temporary.iterdir()), [])


if __name__ == "__main__":
    unittest.main()

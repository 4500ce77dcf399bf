"""Archives: a member's device code is taken when the host linker takes the member."""

import unittest

from toolchain import LLD, LLVM_BIN, LinkTest, obj, run

LINKERS = ("bfd", "gold", LLD)


class Archives(LinkTest):
    def archive(self, name, *members, flags="rcs"):
        path = self.folder / name
        result = run([LLVM_BIN / "llvm-ar", flags, path, *members])
        self.assertEqual(result.returncode, 0, result.stderr)
        return path

    def functions(self, program):
        return [name.removeprefix("_Z").strip("0123456789").removesuffix("i")
                for name in self.kernels_in_image(program)]

    def assert_image_has(self, functions, *arguments, linkers=LINKERS):
        """Links with each linker; the image has exactly the kernels of `functions`."""
        for linker in linkers:
            with self.subTest(linker=linker):
                program = self.link(*arguments, f"-fuse-ld={linker}")
                # The host linker agrees: an entry of a member that it took is in the table.
                self.assertEqual(len(self.record(program)[0]["entries"]), len(functions))
                kernels = " ".join(self.kernels_in_image(program))
                for function in ("main", "helper", "unused"):
                    self.assertEqual(function in kernels, function in functions, kernels)

    def test_only_members_that_are_needed(self):
        archive = self.archive("libparts.a", obj("helper"), obj("unused"))
        self.assert_image_has(["main", "helper"], obj("main"), archive)

    def test_found_by_name(self):
        self.archive("libparts.a", obj("helper"), obj("unused"))
        self.assert_image_has(["main", "helper"], obj("main"), f"-L{self.folder}", "-lparts")

    def test_static_only(self):
        self.archive("libparts.a", obj("helper"), obj("unused"))
        self.link(obj("unused"), "-shared", output="libparts.so")
        self.assert_image_has(["main", "helper"], obj("main"), f"-L{self.folder}",
                              "-Wl,-Bstatic", "-lparts", "-Wl,-Bdynamic")

    def test_whole_archive(self):
        archive = self.archive("libparts.a", obj("helper"), obj("unused"))
        self.assert_image_has(["main", "helper", "unused"], obj("main"),
                              "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive")

    def test_thin_archive(self):
        archive = self.archive("libparts.a", obj("helper"), obj("unused"), flags="rcsT")
        self.assert_image_has(["main", "helper"], obj("main"), archive)

    def test_undefined_option_takes_a_member(self):
        archive = self.archive("libparts.a", obj("helper"), obj("unused"))
        self.assert_image_has(["main", "helper", "unused"], obj("main"), archive,
                              "-Wl,-u,_Z6unusedi")

    def test_member_needed_by_a_member(self):
        forward = self.archive("libforward.a", obj("forward"))
        parts = self.archive("libparts.a", obj("helper"), obj("unused"))
        self.assert_image_has(["helper"], obj("calls_forward"), forward, parts)

    def test_group_is_searched_again(self):
        forward = self.archive("libforward.a", obj("forward"))
        parts = self.archive("libparts.a", obj("helper"), obj("unused"))
        self.assert_image_has(["helper"], obj("calls_forward"),
                              "-Wl,--start-group", parts, forward, "-Wl,--end-group")

    def test_lld_remembers_earlier_archives(self):
        forward = self.archive("libforward.a", obj("forward"))
        parts = self.archive("libparts.a", obj("helper"), obj("unused"))
        program = self.link(obj("calls_forward"), parts, forward, f"-fuse-ld={LLD}")
        self.assertEqual(self.run_program(program), "forward 3\n".replace("3", "6"))

    def test_shared_library_that_defines_the_symbol_first(self):
        self.link(obj("helper"), "-shared", output="libfirst.so")
        archive = self.archive("libparts.a", obj("helper"), obj("unused"))
        self.assert_image_has(["main"], obj("main"), self.folder / "libfirst.so", archive,
                              f"-Wl,-rpath,{self.folder}")

    def test_library_in_a_folder_that_the_linker_knows_by_itself(self):
        root = self.folder / "root"
        (root / "usr/local/lib").mkdir(parents=True)
        self.archive("root/usr/local/lib/libparts.a", obj("helper"), obj("unused"))
        self.assert_image_has(["main", "helper"], obj("main"), "-lparts", f"-Wl,--sysroot={root}",
                              linkers=["bfd"])

    def test_old_version_of_a_symbol_in_a_shared_library(self):
        """It serves programs linked long ago and defines nothing for this one."""
        old = self.compile("old", 'extern "C" int old_helper(int value) { return value; }\n'
                           'asm(".symver old_helper,_Z6helperi@V1");\n', "-fno-openmp")
        script = self.folder / "versions"
        script.write_text("V1 {};\n")
        self.link(old, "-shared", f"-Wl,--version-script={script}", output="libold.so")
        archive = self.archive("libparts.a", obj("helper"), obj("unused"))
        self.assert_image_has(["main", "helper"], obj("main"), self.folder / "libold.so", archive,
                              f"-Wl,-rpath,{self.folder}")

    def test_shared_library_that_is_not_needed(self):
        """GNU ld forgets it where it stands, before the reference."""
        self.link(obj("helper"), "-shared", output="libfirst.so")
        archive = self.archive("libparts.a", obj("helper"), obj("unused"))
        arguments = ["-Wl,--as-needed", self.folder / "libfirst.so", "-Wl,--no-as-needed",
                     obj("main"), archive, f"-Wl,-rpath,{self.folder}"]
        self.assert_image_has(["main", "helper"], *arguments, linkers=["bfd"])
        self.assert_image_has(["main"], *arguments, linkers=["gold", LLD])

    def test_tentative_definition_gives_way_to_a_member(self):
        """To a member that has a real one, with GNU ld."""
        member = self.compile("member", "int shared_value = 5;\nint helper(void) { int r = 0;\n"
                              "#pragma omp target map(from : r)\n r = 1;\n return r; }\n", suffix=".c")
        main = self.compile("main", "int shared_value;\nint main(void) { int r = 0;\n"
                            "#pragma omp target map(from : r)\n r = 5;\n return shared_value - r; }\n",
                            "-fcommon", suffix=".c")
        archive = self.archive("libparts.a", member, obj("unused"))
        self.assert_image_has(["main", "helper"], main, archive, linkers=["bfd"])
        for linker in ("gold", LLD):
            self.link(main, archive, f"-fuse-ld={linker}")

    def test_wrapped_symbol_takes_a_member(self):
        wrapper = self.compile("wrapper", 'extern "C" int __real__Z6helperi(int value);\n'
                               'extern "C" int __wrap__Z6helperi(int value) { int r = 0;\n'
                               "#pragma omp target map(from : r)\n r = 100;\n"
                               "return r + __real__Z6helperi(value); }\n")
        archive = self.archive("libparts.a", wrapper, obj("helper"), obj("unused"))
        for linker in LINKERS:
            with self.subTest(linker=linker):
                program = self.link(obj("main"), archive, "-Wl,--wrap=_Z6helperi",
                                    f"-fuse-ld={linker}")
                self.assertEqual(self.run_program(program), "main 7 helper 140 device\n")

    def test_assigned_symbol_takes_a_member(self):
        archive = self.archive("libparts.a", obj("helper"), obj("unused"))
        self.assert_image_has(["main", "helper", "unused"], obj("main"), archive,
                              "-Wl,--defsym=other=_Z6unusedi", linkers=["gold", LLD])

    def test_pattern_takes_a_member(self):
        archive = self.archive("libparts.a", obj("helper"), obj("unused"))
        self.assert_image_has(["main", "helper", "unused"], obj("main"), archive,
                              "-Wl,--undefined-glob=*unused*", linkers=[LLD])

    def test_linker_script(self):
        self.archive("libparts.a", obj("helper"), obj("unused"))
        more, script = self.folder / "more.ld", self.folder / "script.ld"
        more.write_text("INPUT(-lparts)\n")
        script.write_text(f'EXTERN(_Z6unusedi)\nSEARCH_DIR("{self.folder}")\nINCLUDE "{more}"\n')
        self.assert_image_has(["main", "helper", "unused"], obj("main"), script,
                              linkers=["bfd", LLD])

    def test_inputs_of_the_main_linker_script(self):
        archive = self.archive("libparts.a", obj("helper"), obj("unused"))
        script = self.folder / "script.ld"
        script.write_text(f'INPUT("{archive}")\nSECTIONS {{ .more : {{ *(.more) }} }}\n'
                          "INSERT AFTER .text;\n")
        self.assert_image_has(["main", "helper"], obj("main"), "-Wl,-T", script, linkers=["bfd"])

    def linker_with(self, *arguments):
        """A linker that does more than its command line says."""
        linker = self.folder / "ld"
        words = " ".join(f"'{argument}'" for argument in arguments)
        linker.write_text(f'#!/bin/sh\nexec /usr/bin/ld "$@" {words}\n')
        linker.chmod(0o755)
        return f"--ld-path={linker}"

    def test_member_taken_against_expectation(self):
        """Its device code is not in the image: an error now rather than when the region is run."""
        archive = self.archive("libparts.a", obj("helper"), obj("unused"))
        unexpected = self.linker_with("-u", "_Z6unusedi", archive)
        entry = r"has the offload entry '__omp_offloading_\w+unused\w+', .*--whole-archive"
        plain = self.compile("plain", "int main() {}", "-fno-openmp")
        for objects in ([obj("main")], [plain]):
            with self.subTest(objects):
                self.assert_link_fails(*objects, archive, unexpected,
                                       message=rf"took '.*libparts\.a\(unused-22\.o\)', which {entry}")
        hidden = self.linker_with("--whole-archive", self.archive("libother.a", obj("unused")))
        self.assert_link_fails(obj("alone"), hidden, message=rf"not seen among the inputs, which {entry}")

    def test_host_bitcode_member(self):
        archive = self.archive("libparts.a", obj("helper-hostlto"), obj("unused"))
        program = self.link(obj("main"), archive, "-flto", f"-fuse-ld={LLD}")
        self.assertEqual(self.run_program(program), "main 7 helper 40 device\n")

    def test_object_between_start_lib_and_end_lib(self):
        program = self.link(obj("main"), "-Wl,--start-lib", obj("helper"), obj("unused"),
                            "-Wl,--end-lib", f"-fuse-ld={LLD}")
        self.assertNotIn("unused", " ".join(self.kernels_in_image(program)))

    def test_error_names_archive_and_member(self):
        archive = self.archive("libbroken.a", obj("undefined"))
        self.assert_link_fails("-Wl,--whole-archive", archive, "-Wl,--no-whole-archive",
                               obj("host_only"),
                               message=r"libbroken\.a\(undefined-22\.o\)' uses 'host_only")


if __name__ == "__main__":
    unittest.main()

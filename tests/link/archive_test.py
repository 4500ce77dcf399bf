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

    def assert_image_has(self, functions, *arguments):
        """Links with each linker; the image has exactly the kernels of `functions`."""
        for linker in LINKERS:
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

"""gantry pack, by itself and against llvm-offload-binary and llvm-objdump."""

import re

from tool_case import GANTRY, LIBEXEC, ToolCase, main

LLVM = "llvm-offload-binary-22"
CPU = "triple=x86_64-pc-linux-gnu,arch=,kind=openmp"
GPU = "triple=nvptx64-nvidia-cuda,arch=sm_80,kind=cuda,feature=+ptx78,note=a=b"


class PackCase(ToolCase):
    def setUp(self):
        super().setUp()
        self.write("cpu.o", "a device object")
        self.write("gpu.bc", "bitcode!")

    def pack(self, *arguments):
        return self.run_program(GANTRY, "pack", *arguments)

    def pack_error(self, *arguments):
        return self.error_of(GANTRY, "pack", *arguments)

    def make(self, tool=(GANTRY, "pack"), output="app.offload"):
        self.run_program(*tool, "-o", output, f"--image=file=cpu.o,{CPU}",
                         f"--image=file=gpu.bc,{GPU}")

    def images(self, file):
        """What llvm-objdump says of a file, without its name."""
        text = self.output_of("llvm-objdump-22", "--offloading", file)
        return re.findall(r"^([a-z]+) +(\S.*|)$", text[text.index("OFFLOADING"):], re.MULTILINE)


class Create(PackCase):
    def test_llvm_objdump_sees_what_it_sees_of_llvms_own(self):
        self.make()
        self.make((LLVM,), "llvm.offload")
        self.assertEqual(self.images("app.offload"), self.images("llvm.offload"))
        self.assertIn(("triple", "nvptx64-nvidia-cuda"), self.images("app.offload"))
        self.assertIn(("kind", "llvm ir"), self.images("app.offload"))

    def test_llvm_extracts_the_very_bytes(self):
        self.make()
        self.run_program(LLVM, "app.offload", f"--image=file=c,{CPU}", f"--image=file=g,{GPU}")
        self.assertEqual(self.read("c"), b"a device object")
        self.assertEqual(self.read("g"), b"bitcode!")

    def test_each_file_of_an_image_is_an_image(self):
        self.pack("-o", "out", "--image=file=cpu.o,triple=t,file=gpu.bc")
        self.assertEqual([v for k, v in self.images("out") if k == "kind"], ["elf", "llvm ir"])

    def test_output_after_an_equals_sign(self):
        self.pack("-o=out", "--image=file=cpu.o,triple=t")
        self.assertEqual([v for k, v in self.images("out") if k == "kind"], ["elf"])

    def test_a_key_given_twice_has_both_values(self):
        self.pack("-o", "out", "--image=file=cpu.o,triple=t,arch=a,arch=b")
        self.assertIn(("arch", "a,b"), self.images("out"))

    def test_a_comma_in_a_value(self):
        self.write("a,b.o", "another")
        self.pack("-o", "out", "--image=file=a,b.o,triple=t,arch=+a,+b,kind=openmp")
        self.assertIn(("arch", "+a,+b"), self.images("out"))
        self.pack("out", "--image=file=taken,kind=openmp")
        self.assertEqual(self.read("taken"), b"another")

    def test_images_may_be_given_as_separate_arguments(self):
        self.pack("--image", f"file=cpu.o,{CPU}", "--image", f"file=gpu.bc,{GPU}", "-o", "out")
        self.assertEqual(len([k for k, _ in self.images("out") if k == "kind"]), 2)

    def test_dash_is_the_output(self):
        self.make()
        done = self.pack("-o", "-", f"--image=file=cpu.o,{CPU}", f"--image=file=gpu.bc,{GPU}")
        self.assertEqual(done.stdout, self.read("app.offload"))

    def test_size_is_a_multiple_of_eight(self):
        self.make()
        self.assertEqual(len(self.read("app.offload")) % 8, 0)

    def test_both_names_of_clangs_packager_are_pack(self):
        self.make()
        for name in ("llvm-offload-binary", "clang-offload-packager"):
            self.make((LIBEXEC / name,), name)
            self.assertEqual(self.read(name), self.read("app.offload"))

    def test_clang_embeds_what_it_packs(self):
        for version, arch in ((19, ""), (22, "generic")):
            with self.subTest(version):
                self.compile(f"{version}.o", version=version)
                self.assertEqual(self.images(f"{version}.o"),
                                 [("kind", "elf"), ("arch", arch),
                                  ("triple", "x86_64-pc-linux-gnu"), ("producer", "openmp")])


class CreateErrors(PackCase):
    def test_image_without_file(self):
        self.assertIn("gives no 'file'", self.pack_error("-o", "out", f"--image={CPU}"))

    def test_image_without_triple(self):
        self.assertIn("gives no 'triple'", self.pack_error("-o", "out", "--image=file=cpu.o"))

    def test_file_that_does_not_exist(self):
        self.assertIn("cannot read 'none.o': No such file or directory",
                      self.pack_error("-o", "out", "--image=file=none.o,triple=t"))

    def test_folder_as_file(self):
        self.assertIn("cannot read '.': Is a directory",
                      self.pack_error("-o", "out", "--image=file=.,triple=t"))

    def test_unknown_kind(self):
        self.assertIn("kind=opencl in", message := self.pack_error(
            "-o", "out", "--image=file=cpu.o,triple=t,kind=opencl"))
        self.assertIn("openmp, cuda, hip, sycl", message)

    def test_item_without_a_value(self):
        self.assertIn("'cpu.o' in --image=cpu.o,triple=t is not of the form KEY=VALUE",
                      self.pack_error("-o", "out", "--image=cpu.o,triple=t"))

    def test_nothing_to_put_in(self):
        self.assertIn("at least one --image", self.pack_error("-o", "out"))

    def test_output_that_cannot_be_written(self):
        self.assertIn("cannot write 'no/such/out': No such file or directory",
                      self.pack_error("-o", "no/such/out", f"--image=file=cpu.o,{CPU}"))
        self.assertIn("cannot write '/dev/full': No space left on device",
                      self.pack_error("-o", "/dev/full", f"--image=file=cpu.o,{CPU}"))

    def test_unknown_option(self):
        self.assertIn("--frobnicate", self.pack_error("--frobnicate"))

    def test_neither_and_both_ways(self):
        self.assertIn("either -o FILE", self.pack_error())
        self.assertIn("either -o FILE", self.pack_error("-o", "out", "cpu.o"))


class Extract(PackCase):
    def setUp(self):
        super().setUp()
        self.make((LLVM,))  # what LLVM's tool wrote
        self.before = self.files()

    def new_files(self):
        return [name for name in self.files() if name not in self.before]

    def test_filter_and_file(self):
        self.pack("app.offload", "--image=arch=sm_80,file=device.bc")
        self.assertEqual(self.new_files(), ["device.bc"])
        self.assertEqual(self.read("device.bc"), b"bitcode!")

    def test_names_are_those_of_llvms_tool(self):
        for images in (["--image=kind=cuda"], ["--image=kind=openmp"], ["--image=note=a=b"]):
            with self.subTest(images):
                self.run_program(LLVM, "app.offload", *images)
                expected = {name: self.read(name) for name in self.new_files()}
                for name in expected:
                    (self.folder / name).unlink()
                self.pack("app.offload", *images)
                self.assertEqual({name: self.read(name) for name in self.new_files()}, expected)
                self.assertEqual(len(expected), 1)
                for name in expected:
                    (self.folder / name).unlink()

    def test_no_filter_is_everything(self):
        self.pack("app.offload")
        self.assertEqual(self.new_files(), ["app-nvptx64-nvidia-cuda-sm_80.1.bc",
                                            "app-x86_64-pc-linux-gnu-.0.o"])

    def test_all_keys_must_match(self):
        done = self.pack("app.offload", "--image=kind=openmp,arch=sm_80,file=out")
        self.assertEqual(self.new_files(), [])
        self.assertIn(b"gantry: warning: no image of 'app.offload' matches", done.stderr)

    def test_missing_string_matches_empty(self):
        self.pack("app.offload", "--image=feature=,file=out")
        self.assertEqual(self.read("out"), b"a device object")

    def test_several_matches_to_one_file_are_a_warning(self):
        self.pack("-o", "two", f"--image=file=cpu.o,{CPU}", f"--image=file=gpu.bc,{CPU}")
        done = self.pack("two", f"--image={CPU},file=out")
        self.assertIn(b"gantry: warning: 2 images of 'two' match", done.stderr)
        self.assertEqual(self.read("out"), b"bitcode!")

    def test_archive_keeps_all(self):
        self.pack("-o", "two", f"--image=file=cpu.o,{CPU}", f"--image=file=gpu.bc,{CPU}")
        self.pack("two", f"--image={CPU},file=out.a", "--archive")
        self.assertEqual(self.output_of("ar", "t", "out.a").split(),
                         ["two-x86_64-pc-linux-gnu-.0.o", "two-x86_64-pc-linux-gnu-.1.bc"])
        self.assertEqual(self.output_of("ar", "p", "out.a"), "a device objectbitcode!")

    def test_from_object_archive_and_concatenation(self):
        self.compile("object.o")
        self.run_program("llvm-objcopy-22", "--dump-section=.llvm.offloading=section", "object.o")
        self.pack("object.o", "--image=kind=openmp,file=one")
        self.assertEqual(self.read("one")[:4], b"\x7fELF")
        self.run_program("ar", "rcT", "thin.a", "object.o")
        self.pack("thin.a", "--image=kind=openmp,file=two")
        self.assertEqual(self.read("two"), self.read("one"))
        self.write("both", self.read("section") + self.read("app.offload"))
        self.pack("both", "--image=arch=generic,file=three")
        self.assertEqual(self.read("three"), self.read("one"))

    def test_a_triple_cannot_choose_a_folder(self):
        self.pack("-o", "evil", "--image=file=cpu.o,triple=/../../x")
        self.before = self.files()
        self.pack("evil")
        self.assertEqual(self.new_files(), ["evil-_.._.._x-.0.o"])


class ExtractErrors(PackCase):
    def test_truncated_binary(self):
        self.make()
        self.write("cut", self.read("app.offload")[:-8])
        self.assertIn("cut: offload binary at offset", message := self.pack_error("cut"))
        self.assertIn("the file is truncated", message)

    def test_corrupted_section_of_an_object(self):
        self.compile("object.o")
        self.write("object.o", self.read("object.o").replace(b"\x10\xff\x10\xad", b"\x10\xff\x10\xae"))
        self.assertIn("object.o: section '.llvm.offloading': offload binary at offset 0: the magic "
                      "number 10 FF 10 AD", self.pack_error("object.o"))

    def test_image_that_says_nothing(self):
        self.assertIn("--image= gives nothing; give KEY=VALUE pairs",
                      self.pack_error("-o", "out", "--image="))

    def test_archive_without_a_name(self):
        self.make()
        self.assertIn("--archive needs the name", self.pack_error("app.offload", "--archive"))

    def test_two_names_for_one_filter(self):
        self.make()
        self.assertIn("gives 2 files", self.pack_error("app.offload", "--image=file=a,file=b"))


class CommandLine(ToolCase):
    def test_help_and_version(self):
        self.assertIn("inspect", self.output_of(GANTRY, "--help"))
        self.assertRegex(self.output_of(GANTRY, "--version"), r"\Agantry \d+\.\d+\.\d+\n\Z")
        self.assertIn("--archive", self.output_of(GANTRY, "pack", "--help"))
        self.assertIn("Usage: ", self.output_of(LIBEXEC / "llvm-offload-binary", "--help"))

    def test_unknown_command(self):
        self.assertIn("there is no command 'pakc'", self.error_of(GANTRY, "pakc"))

    def test_does_not_load_llvm(self):
        self.assertNotIn("LLVM", self.output_of("ldd", GANTRY))


if __name__ == "__main__":
    main()

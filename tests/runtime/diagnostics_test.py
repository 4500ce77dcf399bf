"""What the runtime says: errors that name device, place, variable, cause and remedy; GANTRY_INFO."""

import re
import subprocess
import unittest

from runtime_case import RuntimeCase


class Errors(RuntimeCase):
    def mistake(self, name, **variables):
        return self.error_of("errors-22", name, **{"OMP_TARGET_OFFLOAD": "MANDATORY"} | variables)

    def test_extending_present_storage(self):
        message = self.mistake("extend")
        self.assertRegex(
            message,
            r"errors\.cpp:(\d+): target data: device 0 \(cpu\): mapping of 'values' \[0x[0-9a-f]+, 400 "
            r"bytes\) extends past 'part\[0:50\]' \[0x[0-9a-f]+, 200 bytes\) already mapped at "
            r"\S*errors\.cpp:\d+; map the whole object first$")

    def test_present_modifier_without_presence(self):
        self.assertRegex(self.mistake("present"),
                         r"errors\.cpp:\d+: target: device 0 \(cpu\): 'values' \[.*\) is not present")
        self.assertRegex(self.mistake("present-update"),
                         r"errors\.cpp:\d+: target update: device 0 \(cpu\): 'values' .* not present")

    def test_null_pointer_with_a_length(self):
        self.assertRegex(self.mistake("null"), r"'part\[0:50\]' is a null pointer, of which 200 bytes")

    def test_the_table_of_what_is_mapped(self):
        for variables in ({"GANTRY_INFO": "table"}, {"LIBOMPTARGET_INFO": "4"}):
            done = self.start("errors-22", "extend", OMP_TARGET_OFFLOAD="MANDATORY", **variables)
            self.assertRegex(done.stderr, r"gantry: info: device 0 \(cpu\): mapped:\n"
                             r" +host +device +bytes +references +holds +variable\n"
                             r" *0x[0-9a-f]+ +0x[0-9a-f]+ +200 +1 +0 +part\[0:50\]\n")

    def test_device_list_is_read_even_if_not_used(self):
        self.assertIn("GANTRY_DEVICES: 'gpu' is not a kind of device",
                      self.mistake("", GANTRY_DEVICES="gpu", OMP_TARGET_OFFLOAD="DISABLED"))

    def test_device_number_out_of_range(self):
        self.assertIn("device number 77 does not exist; there is 1 device,", self.mistake("device-number"))

    def test_every_kind_of_bad_device_list(self):
        for value, expected in (
            ("gpu", "GANTRY_DEVICES: 'gpu' is not a kind of device; the kinds here are: cpu"),
            ("wroker", "'wroker' is not a kind of device (did you mean 'worker'?); the kinds here are: cpu"),
            ("cpu:0", "GANTRY_DEVICES: 'cpu:0' has no number from 1 to 2147483647 after ':'"),
            ("cpu:x", "GANTRY_DEVICES: 'cpu:x' has no number from 1"),
            ("cpu:99999999999", "GANTRY_DEVICES: 'cpu:99999999999' has no number from 1"),
            ("cpu+separate:2", "'separate:2' is not an option of cpu devices; they have 'separate' "
                               "and 'threads=limit', each once, and a number stands in front of them, "
                               "as in cpu:2+separate"),
            ("cpu,,cpu", "GANTRY_DEVICES: '' names no kind of device"),
            ("cpu+", "GANTRY_DEVICES: 'cpu+' has no option after '+'"),
            ("cpu+fast", "device 0 (cpu): 'fast' is not an option of cpu devices"),
            ("cpu:2000", "more than 1024 devices"),
            ("cpu:2000000000,cpu:2000000000", "more than 1024 devices"),
        ):
            with self.subTest(value=value):
                self.assertIn(expected, self.mistake("", GANTRY_DEVICES=value))

    def test_values_that_are_not_understood(self):
        self.assertIn("OMP_TARGET_OFFLOAD: 'SOMETIMES' is not one of DEFAULT, MANDATORY, DISABLED",
                      self.error_of("fallback-22", OMP_TARGET_OFFLOAD="SOMETIMES"))
        self.assertIn("GANTRY_INFO: 'maps' is not one of registration,",
                      self.mistake("", GANTRY_INFO="maps"))
        self.assertIn("GANTRY_CHECK: 'leak' is not one of leaks, attached, functions, map, all (several are separated",
                      self.mistake("", GANTRY_CHECK="leak"))
        self.assertIn("LIBOMPTARGET_INFO: 'much' is not a number",
                      self.mistake("", LIBOMPTARGET_INFO="much"))

    def test_image_folder_that_does_not_exist(self):
        self.assertRegex(self.mistake("", GANTRY_PLUGIN_PATH="/nonexistent"),
                         r"target: GANTRY_PLUGIN_PATH: '/nonexistent' is not a folder; name those")
        self.assertRegex(self.mistake("", GANTRY_SAVE_IMAGES="/nonexistent"),
                         r"/nonexistent/errors-22\.\d+\.1\.device0\.so: No such file")

    def test_no_room_for_the_copy_of_an_image(self):
        # A file system of one page; namespaces may be refused to us.
        name = self.program_path("fallback-22")
        script = ('mount -t tmpfs -o size=4k none "$0" && cd "$0" && '
                  f'GANTRY_SAVE_IMAGES="$0" OMP_TARGET_OFFLOAD=MANDATORY exec {name}')
        folder = self.folder / "small"
        folder.mkdir()
        done = subprocess.run(["unshare", "-Urm", "sh", "-c", script, folder], capture_output=True,
                              text=True, timeout=60, check=False)
        if "unshare" in done.stderr or "mount" in done.stderr:
            self.skipTest(f"no file system of a size of its own: {done.stderr.strip()}")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"\Agantry: error: \S*fallback\.cpp:\d+: target data: device 0 "
                         r"\(cpu\): GANTRY_SAVE_IMAGES: \S+/fallback-22\.\d+\.1\.device0\.so: No space left on device\n\Z")

    def test_mandatory_without_a_device_that_fits(self):
        # The image's machine becomes another one, so that no device takes it.
        program = self.folder / "foreign"
        contents = bytearray((self.program_path("errors-22")).read_bytes())
        image = contents.rfind(b"\x7fELF")
        self.assertGreater(image, 0)
        contents[image + 18:image + 20] = (243).to_bytes(2, "little")  # EM_RISCV
        program.write_bytes(contents)
        program.chmod(0o700)
        message = self.error_of(program, "", OMP_TARGET_OFFLOAD="MANDATORY")
        self.assertIn("no device can be used and OMP_TARGET_OFFLOAD is MANDATORY; "
                      "cpu: no image of the program fits it", message)
        self.assertEqual(self.run_program(program, ""), "")  # DEFAULT: the host

    def test_entry_that_the_image_lacks(self):
        # The kernel's name in the image becomes another one.
        program = self.folder / "lacking"
        contents = bytearray((self.program_path("fallback-22")).read_bytes())
        image = contents.rfind(b"\x7fELF")
        name = re.search(rb"__omp_offloading_[0-9a-f]+_[0-9a-f]+_main_l\d+", contents[image:])
        self.assertIsNotNone(name)
        contents[image + name.start()] = ord("X")
        program.write_bytes(contents)
        program.chmod(0o700)
        self.assertRegex(self.error_of(program, OMP_TARGET_OFFLOAD="MANDATORY"),
                         r"offload entry for the kernel '__omp_offloading_\w+' and its device image "
                         r"does not")

    def test_damaged_image(self):
        contents = (self.program_path("fallback-22")).read_bytes()
        image = contents.rfind(b"\x7fELF")
        for offset, value in ((32, 0xFFFFFFFFFFFF), (32, 0), (40, 0)):
            damaged = bytearray(contents)
            damaged[image + offset:image + offset + 8] = value.to_bytes(8, "little")
            if offset == 40:  # the program headers' file size of every segment
                damaged[image + 64 + 32:image + 64 + 40] = (1 << 60).to_bytes(8, "little")
            program = self.folder / f"damaged{offset}-{value}"
            program.write_bytes(damaged)
            program.chmod(0o700)
            with self.subTest(offset=offset, value=value):
                self.start(program)
                done = self.start(program, OMP_TARGET_OFFLOAD="MANDATORY")
                if done.returncode == 0:
                    self.assertEqual(offset, 40)
                else:
                    self.assertEqual(done.returncode, 1)
                    self.assertIn("gantry: error:", done.stderr)


class Checks(RuntimeCase):
    """What GANTRY_CHECK finds, and what it says nothing about without being asked."""

    def findings(self, name, check, devices="cpu+separate"):
        done = self.start("errors-22", name, OMP_TARGET_OFFLOAD="MANDATORY", GANTRY_DEVICES=devices,
                          GANTRY_CHECK=check)
        return done.returncode, done.stderr

    def test_leaks(self):
        for devices in ("cpu", "cpu+separate"):
            status, text = self.findings("leak", "leaks", devices)
            self.assertEqual(status, 1)
            self.assertRegex(
                text, r"\Agantry: warning: device 0 \(cpu\): 'values' \[0x[0-9a-f]+, 400 bytes\), "
                r"mapped at \S*errors\.cpp:\d+, is still mapped at the end, referenced 1 time\n"
                r"gantry: warning: device 0 \(cpu\): the allocation \[0x[0-9a-f]+, 64 bytes\) is not "
                r"freed at the end\n\Z")
        self.assertEqual(self.findings("leak", ""), (0, ""))
        self.assertEqual(self.findings("leak", "attached"), (0, ""))
        self.assertEqual(self.findings("", "leaks"), (0, ""))

    def test_storage_that_goes_while_a_pointer_is_attached_to_it(self):
        status, text = self.findings("attached", "all")
        self.assertEqual(status, 0)
        self.assertRegex(
            text, r"\Agantry: warning: \S*errors\.cpp:\d+: end of target data: '[^']+' \[0x[0-9a-f]+, "
            r"400 bytes\) leaves the device while the pointer at offset 8 of \S+ \[0x[0-9a-f]+, 16 "
            r"bytes\), mapped at \S*errors\.cpp:\d+, is attached to it; unmap the pointer first[^\n]*"
            r"\n\Z")
        self.assertEqual(self.findings("attached", "leaks"), (0, ""))
        self.assertEqual(self.findings("attached", "all", "cpu"), (0, ""))


class Routines(RuntimeCase):
    """Mistakes with device routines, on a device with storage of its own and on one without."""

    def outcomes(self, name, policy="MANDATORY"):
        for devices in ("cpu", "cpu+separate"):
            with self.subTest(name=name, devices=devices):
                yield self.start("routine_errors-22", name, OMP_TARGET_OFFLOAD=policy,
                                 GANTRY_DEVICES=devices)

    def returns(self, value, name, expected, policy="MANDATORY"):
        """The routine writes one line and returns its value for failure."""
        for done in self.outcomes(name, policy):
            self.assertEqual((done.returncode, done.stdout), (0, f"{value}\n"), done.stderr)
            self.assertRegex(done.stderr, rf"\Agantry: error: {expected}[^\n]*\n\Z")

    def ends(self, name, expected):
        """The routine has no such value: it ends the program with one line."""
        for done in self.outcomes(name):
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            self.assertRegex(done.stderr, rf"\Agantry: error: {expected}[^\n]*\n\Z")

    def test_device_number_out_of_range(self):
        for value, name, routine in (
            (1, "alloc-device", "omp_target_alloc"),
            (0, "present-device", "omp_target_is_present"),
            (0, "accessible-device", "omp_target_is_accessible"),
            (1, "mapped-device", "omp_get_mapped_ptr"),
            (-1, "copy-device", "omp_target_memcpy"),
            (1, "host-device", "llvm_omp_target_alloc_host"),
        ):
            message = (rf"{routine}: device number (77|-3) does not exist; there is 1 device, numbered "
                       "from 0, and 1 is the host")
            self.returns(value, name, message, policy="DEFAULT")
            self.ends(name, message)
        self.returns(1, "uid-device", "omp_get_uid_from_device: device number 77 does not exist")
        self.ends("free-device", "omp_target_free: device number 77 does not exist")
        self.ends("invalid-device", "omp_target_alloc: the device number is omp_invalid_device")

    def test_memory_that_cannot_be_had(self):
        refusal = r"device 0 \(cpu\): \d+ bytes of memory cannot be had"
        self.returns(1, "alloc-size", f"omp_target_alloc: {refusal}")
        # libomp's allocator comes here.
        self.returns(1, "allocator-size", f"llvm_omp_target_alloc_device: {refusal}")

    def test_copies(self):
        device = r"device 0 \(cpu\): "
        past = (r"bytes at 0x[0-9a-f]+ reach past the allocation \[0x[0-9a-f]+, 64 bytes\), which ends "
                r"64 bytes behind 0x[0-9a-f]+")
        for name, expected in (
            ("copy-null", "omp_target_memcpy: 'dst' is a null pointer, of which 4 bytes"),
            ("copy-past", f"omp_target_memcpy: {device}'dst': 8 {past}"),
            ("copy-overflow", "omp_target_memcpy: 'src': 8 bytes at offset 18446744073709551613 from "
                              "0x[0-9a-f]+ reach past the end of the address space"),
            ("copy-async-past", f"omp_target_memcpy_async: {device}'dst': 65 {past}"),
            ("copy-async-objects", "omp_target_memcpy_async: depend object 0 of 'depobj_list' is null"),
            ("copy-async-list", "omp_target_memcpy_async: 'depobj_count' is 2 and 'depobj_list' 0x0"),
            ("copy-async-count", "omp_target_memcpy_async: 'depobj_count' is -1 and 'depobj_list' 0x0"),
            ("rectangle-null", "omp_target_memcpy_rect: 'src' is a null pointer"),
            ("rectangle-extents", "omp_target_memcpy_rect: dimension 1: 5 elements from offset 0 reach "
                                  "past the 4 elements of 'dst'"),
            ("rectangle-overflow", "omp_target_memcpy_rect: the size of 'dst' in bytes overflows in "
                                   "dimension 0: 4 elements of \\d+ bytes"),
            ("rectangle-past", f"omp_target_memcpy_rect: {device}'dst': 76 {past}"),
        ):
            self.returns(-1, name, expected)

    def test_associations(self):
        for name, expected in (
            ("associate-host", "omp_target_associate_ptr: device number 1 is the host"),
            ("associate-null", "omp_target_associate_ptr: host pointer 0x0, device pointer "),
            ("associate-past", r"omp_target_associate_ptr: device 0 \(cpu\): 'device_ptr': 64 bytes"),
            ("disassociate", "omp_target_disassociate_ptr: host address 0x[0-9a-f]+ is not the start"),
        ):
            self.returns(-1, name, expected)
        self.returns(1, "lock-null", "llvm_omp_target_lock_mem: the pointer is null")

    def test_frees(self):
        device = r"omp_target_free: device 0 \(cpu\): "
        extent = r"\[0x[0-9a-f]+, 64 bytes\)"
        for name, expected in (
            ("free-twice", f"{device}the allocation {extent} was freed already"),
            ("free-inside", f"{device}0x[0-9a-f]+ lies inside the allocation {extent}"),
            ("free-unknown", f"{device}0x[0-9a-f]+ was not allocated on this device"),
            ("free-kind", r"llvm_omp_target_free_device: device 0 \(cpu\): the allocation .* is of another "
                          "kind; free it with llvm_omp_target_free_host"),
        ):
            self.ends(name, expected)

    def test_fills(self):
        self.ends("fill-past", r"omp_target_memset: device 0 \(cpu\): 'ptr': 65 bytes")
        self.ends("fill-null", "omp_target_memset: 'ptr' is a null pointer, of which 4 bytes")
        self.ends("fill-async-past", r"omp_target_memset_async: device 0 \(cpu\): 'ptr': 65 bytes")

    def test_interop_objects_that_nobody_initialised(self):
        self.ends("interop", r"\S*routine_errors\.cpp:\d+: interop: the interop object 0x[0-9a-f]+ was "
                             "not initialised")


class Information(RuntimeCase):
    def information(self, **variables):
        done = self.start("fallback-22", OMP_TARGET_OFFLOAD="MANDATORY", **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in done.stderr.splitlines():
            self.assertRegex(line, r"^gantry: info: ")
        return done.stderr

    def test_each_kind(self):
        for kind, expected in (
            ("registration", r"program registered: \S*fallback-22\n.*\n?.*program unregistered"),
            ("load", r"device 0 \(cpu\): image loaded, 1 kernel, 0 variables"),
            ("launch", r"fallback\.cpp:\d+: target: __omp_offloading_\w+ launched on device 0 \(cpu\), "
                       r"3 parameters:"),
            ("map", r"fallback\.cpp:\d+: target data: 'a' \[0x[0-9a-f]+, 40 bytes\) mapped to 0x"),
            ("present", r"'a' \[0x[0-9a-f]+, 40 bytes\) is present, referenced 2 times"),
        ):
            with self.subTest(kind=kind):
                self.assertRegex(self.information(GANTRY_INFO=kind), expected)

    def test_transfers_of_a_device_with_memory_of_its_own(self):
        text = self.information(GANTRY_INFO="transfer", GANTRY_DEVICES="cpu+separate")
        self.assertRegex(text, r"target data: 40 bytes of 'a' to device")
        self.assertRegex(text, r"end of target data: 40 bytes of 'a' from device")

    def test_nothing_is_copied_where_memory_is_shared(self):
        self.assertEqual(self.information(GANTRY_INFO="transfer"), "")

    def test_llvms_bits(self):
        text = self.information(LIBOMPTARGET_INFO="0x9")
        self.assertIn("launched on", text)
        self.assertIn("mapped to", text)
        self.assertNotIn("registered", text)

    def test_images_are_left_for_debuggers(self):
        done = self.start("fallback-22", OMP_TARGET_OFFLOAD="MANDATORY",
                          GANTRY_SAVE_IMAGES=str(self.folder))
        self.assertEqual(done.returncode, 0, done.stderr)
        saved = list(self.folder.glob("fallback-22.*.1.device0.so"))
        self.assertEqual(len(saved), 1)
        self.assertEqual(saved[0].read_bytes()[:4], b"\x7fELF")
        self.assertEqual(saved[0].stat().st_mode & 0o777, 0o600)


if __name__ == "__main__":
    unittest.main(argv=["diagnostics"], verbosity=1)

"""Where constructs run: OMP_TARGET_OFFLOAD, GANTRY_DEVICES, and programs linked to LLVM's library."""

import unittest

from runtime_case import BUILD, RuntimeCase


class Policy(RuntimeCase):
    def test_default_uses_the_device(self):
        self.assertEqual(self.run_program("fallback-22", OMP_TARGET_OFFLOAD="DEFAULT"),
                         "device 5 1\n")

    def test_unset_means_default(self):
        self.assertEqual(self.run_program("fallback-22"), "device 5 1\n")

    def test_disabled_runs_everything_on_the_host(self):
        self.assertEqual(self.run_program("fallback-22", OMP_TARGET_OFFLOAD="disabled"),
                         "host 5 0\n")

    def test_a_count_gives_that_many_devices(self):
        self.assertEqual(
            self.run_program("fallback-22", OMP_TARGET_OFFLOAD="MANDATORY", GANTRY_DEVICES="cpu:4"),
            "device 5 4\n")

    def test_items_are_devices_in_order(self):
        self.assertEqual(
            self.run_program("fallback-22", GANTRY_DEVICES="cpu,cpu:2+separate"),
            "device 5 3\n")

    def test_the_default_device_may_be_the_host(self):
        self.assertEqual(self.run_program("fallback-22", OMP_DEFAULT_DEVICE="1"), "host 5 1\n")

    def test_the_default_device_is_read_before_libomp_is_at_work(self):
        self.assertEqual(
            self.run_program("defaults-22", OMP_DEFAULT_DEVICE="2", GANTRY_DEVICES="cpu:4"),
            "before 2, after 1, end 1\n")

    def test_a_default_device_that_is_no_number(self):
        self.assertIn("OMP_DEFAULT_DEVICE: 'two' is not a device number",
                      self.error_of("fallback-22", OMP_DEFAULT_DEVICE="two"))

    def test_teams_smaller_than_named_are_hinted_at_once(self):
        for device in ("cpu", "cpu+separate", "worker", "worker+threads=3"):
            with self.subTest(device=device):
                done = self.start("team_sizes-22", GANTRY_DEVICES=device, OMP_NUM_THREADS="2")
                self.assertEqual(done.returncode, 0)
                threads = done.stdout.strip()
                hints = [line for line in done.stderr.splitlines() if line.startswith("gantry:")]
                self.assertEqual(len(hints), 1, done.stderr)
                name = device.split("+")[0]
                self.assertRegex(
                    hints[0], rf"^gantry: hint: \S*team_sizes\.cpp:\d+: target: device 0 \({name}\): the "
                    rf"construct names 500 threads for a team, and a team gets {threads} here; .* "
                    rf"GANTRY_DEVICES={name}\+threads=limit$")

    def test_teams_as_large_as_named_need_no_hint(self):
        for device in ("cpu+threads=limit", "cpu+separate+threads=limit", "worker+threads=limit",
                       "worker+threads=2+threads=limit"):
            self.assertEqual(self.run_program("team_sizes-22", GANTRY_DEVICES=device), "500\n")
        self.assertEqual(self.run_program("team_sizes-22", "loop", GANTRY_DEVICES="cpu"), "100\n")

    def test_a_limit_of_the_program_that_makes_full_teams_smaller_is_hinted_at_once(self):
        for device in ("cpu+threads=limit", "worker+threads=limit"):
            with self.subTest(device=device):
                done = self.start("team_sizes-22", GANTRY_DEVICES=device, OMP_THREAD_LIMIT="8")
                self.assertEqual((done.returncode, done.stdout), (0, "8\n"))
                hints = [line for line in done.stderr.splitlines() if line.startswith("gantry:")]
                self.assertEqual(len(hints), 1, done.stderr)
                self.assertRegex(hints[0], r"^gantry: hint: .*: the construct names 500 threads for a team, and "
                                 r"OMP_THREAD_LIMIT lets it have 8; ")

    def test_a_program_linked_to_llvms_library_runs_on_gantry(self):
        self.assertIn("libomptarget.so.22.1", self.dynamic_libraries("stock-22"))
        output = self.run_program("stock-22", OMP_TARGET_OFFLOAD="MANDATORY",
                                  LD_LIBRARY_PATH=str(BUILD / "lib/gantry"), GANTRY_DEVICES="cpu:3")
        self.assertEqual(output, "device 5 3\n")

    def test_programs_need_libgantry_and_not_llvms_library(self):
        libraries = self.dynamic_libraries("fallback-22")
        self.assertIn("libgantry.so.1", libraries)
        self.assertFalse([name for name in libraries if name.startswith("libomptarget")])


if __name__ == "__main__":
    unittest.main(argv=["policy"], verbosity=1)

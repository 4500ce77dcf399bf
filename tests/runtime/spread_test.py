"""GANTRY_SPREAD: which regions without a device clause are moved, and that no result changes by it."""

import re
import unittest

from runtime_case import PROGRAMS, RuntimeCase

COMPILERS = [name for name in ("22", "gcc12") if (PROGRAMS / f"spread-{name}").exists()]
# What regions of programs/spread.cpp do on three devices that are alike, of which 0 is the default device.
ONE_BY_ONE = {
    "free": {0, 1, 2},
    "present": {0},
    "pointer": {0},
    "present on 1": {0, 2},
    "named": {1},
    "is_device_ptr": {0},
    "in a structure": {0},
    "freed": {0, 1, 2},
    "default device set": {1},
    "address told": {0},
}


class Spread(RuntimeCase):
    def run_on(self, program, devices, *arguments, spread="load", **variables):
        done = self.start(program, *arguments, GANTRY_DEVICES=devices, GANTRY_SPREAD=spread,
                          OMP_TARGET_OFFLOAD="MANDATORY", **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def devices_of(self, *arguments, **more):
        """The devices of the regions of each case."""
        lines = self.run_on(*arguments, **more).stdout.splitlines()
        return {case: [int(number) for number in numbers.split()]
                for case, numbers in (line.split(":") for line in lines)}

    def test_who_is_moved(self):
        for compiler in COMPILERS:
            for devices in ("cpu:3", "cpu:3+separate", "worker:3"):
                with self.subTest(compiler=compiler, devices=devices):
                    found = self.devices_of(f"spread-{compiler}", devices)
                    counts = found.pop("under way at once")
                    self.assertTrue(all(counts), counts)
                    self.assertEqual({case: set(numbers) for case, numbers in found.items()}, ONE_BY_ONE)
                    self.assertEqual(found["free"], [0, 1, 2, 0, 1, 2])

    def test_nobody_is_without_it(self):
        for compiler in COMPILERS:
            for spread in ("", "none"):
                found = self.devices_of(f"spread-{compiler}", "cpu:3", spread=spread)
                self.assertEqual(found.pop("under way at once"), [6, 0, 0])
                self.assertEqual(found.pop("named") + found.pop("default device set"), [1] * 12)
                self.assertEqual(set(sum(found.values(), [])), {0})

    def test_regions_follow_their_data(self):
        found = self.devices_of("spread-22", "worker:3", spread="data")
        self.assertEqual(set(found["present on 1"]), {1})
        self.assertEqual(set(found["present"]), {0})

    def test_devices_with_another_memory_get_none(self):
        for devices in ("cpu,cpu+separate,cpu", "cpu,worker,cpu"):
            self.assertEqual(self.devices_of("spread-22", devices)["free"], [0, 2] * 3)

    def test_another_default_device(self):
        found = self.devices_of("spread-22", "worker:3", OMP_DEFAULT_DEVICE="2")
        self.assertEqual(set(found["free"]), {0, 1, 2})
        self.assertEqual(set(found["present"]), {2})

    def test_variables_of_the_device(self):
        for compiler in COMPILERS:
            for variables in ("declared", "static"):
                done = self.run_on(f"spread_{variables}-{compiler}", "worker:3")
                self.assertEqual(done.stdout, "as many as regions\n")

    def test_random_programs(self):
        for compiler in COMPILERS:
            for devices in ("cpu:3", "cpu:2+separate", "worker:3"):
                with self.subTest(compiler=compiler, devices=devices):
                    model = self.run_on(f"spread_random-{compiler}", devices, "1", "12", spread="none")
                    spread = self.run_on(f"spread_random-{compiler}", devices, "1", "12")
                    self.assertEqual(spread.stdout, model.stdout)
                    self.assertEqual(model.stderr, "0 moved\n")
                    self.assertGreater(int(re.fullmatch(r"(\d+) moved\n", spread.stderr)[1]), 50)

    def test_regions_that_need_two_devices_wait(self):
        for compiler in COMPILERS:
            # With one thread for target tasks, which waits, nobody else ends what it waits for.
            for helpers in "1", "8":
                self.run_on(f"spread_chain-{compiler}", "worker:3", LIBOMP_NUM_HIDDEN_HELPER_THREADS=helpers)

    def test_what_a_lost_device_refuses_the_default_device_does(self):
        # Killed in a region, it has begun what it does not end; killed from outside, it may have.
        for compiler, *killed in ("22",), *((compiler, "by itself") for compiler in COMPILERS):
            with self.subTest(compiler=compiler, killed=killed):
                done = self.run_on(f"spread_lost-{compiler}", "worker:3", *killed)
                self.assertEqual(done.stdout, "0 1 2 0 1 2 0 1 0 0 1 0 total 12\n")
                self.assertRegex(done.stderr, r"\Agantry: warning: .*target: device 2 \(worker\): .*the device is lost: "
                                 r".*; the default device runs the region, and others that this device refuses\n\Z")

    def test_a_value_that_is_none(self):
        self.assertIn("GANTRY_SPREAD: 'even' is not one of none, load, data",
                      self.error_of("spread-22", GANTRY_DEVICES="cpu:3", GANTRY_SPREAD="even"))

    def test_messages_name_the_device(self):
        done = self.run_on("spread-22", "cpu:3", GANTRY_INFO="launch")
        self.assertRegex(done.stderr, r"spread\.cpp:\d+: target: \S* launched on device 2 \(cpu\)")


if __name__ == "__main__":
    unittest.main(argv=["spread_test"])

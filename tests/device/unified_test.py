#!/usr/bin/env python3
"""Unified shared memory on the PTX executor, compiled and interpreted.

usage: unified_test.py PROGRAM
"""

import os
import pathlib
import subprocess
import sys
import unittest

PROGRAM = sys.argv[1]
SOURCE = pathlib.Path(__file__).with_name("unified.cpp").read_text().splitlines()


def run(mode, *arguments, **variables):
    return subprocess.run([PROGRAM, *arguments],
                          env=dict(os.environ, GANTRY_SIMT_MODE=mode, **variables),
                          capture_output=True, text=True, timeout=100, check=False)


class Unified(unittest.TestCase):
    def for_each_mode(self, check):
        for mode in ("compile", "interpret"):
            with self.subTest(mode=mode):
                check(mode)

    def fails(self, name, text, meaning="where neither the device nor the host has memory"):
        def check(mode):
            done = run(mode, name)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(text, done.stderr)
            self.assertRegex(done.stderr.splitlines()[-1],
                             r"unified.cpp:\d+: the region of 'use\(.*: " + meaning + "$")
        self.for_each_mode(check)

    def test_host_memory_is_used_where_it_is(self):
        def check(mode):
            done = run(mode)
            self.assertEqual((done.stdout, done.stderr), ("507500 1007\n", ""))
        self.for_each_mode(check)

    def test_a_null_pointer_is_a_fault(self):
        self.fails("null", "the address is null", "a null pointer")

    def test_an_address_without_memory_is_a_fault(self):
        self.fails("wild", "nothing is at the address, neither on the device nor the host")

    def test_the_last_address_of_all_is_a_fault(self):
        self.fails("last", "nothing is at the address, neither on the device nor the host")

    def test_a_misaligned_store_is_not_one_that_is_refused(self):
        def check(mode):
            done = run(mode, "misaligned")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("the address is host memory\n", done.stderr)
            self.assertRegex(done.stderr.splitlines()[-1],
                             r"misaligned global store of 4 bytes at \S+: (host memory|'aligned' at offset 2\b.*)$")
        self.for_each_mode(check)

    def test_a_race_names_what_is_mapped(self):
        line = 1 + next(i for i, text in enumerate(SOURCE) if "// LINE race_map" in text)

        def check(mode):
            done = run(mode, "race", GANTRY_SIMT_CHECK="race")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertNotIn("may not be written", done.stderr)
            self.assertRegex(done.stderr.splitlines()[-1],
                             rf": race in global memory: .*: 'sum', which has 4 bytes and was mapped at \S*unified.cpp:{line}$")
        self.for_each_mode(check)

    def test_memory_that_the_host_has_unmapped_is_a_fault(self):
        self.fails("unmapped", "nothing is at the address, neither on the device nor the host")

    def test_the_host_does_not_run_a_region_again_that_may_have_changed_its_memory(self):
        def check(mode):
            done = run(mode, "null", OMP_TARGET_OFFLOAD="DEFAULT")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("the host cannot run the region again", done.stderr)
        self.for_each_mode(check)

    def test_memory_that_may_not_be_written_is_a_fault(self):
        self.fails("read-only", "the address is host memory that may not be written",
                   "host memory that may not be written")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

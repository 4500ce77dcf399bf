"""What regions print.

printing_test.py DEVICE PROGRAM...
"""

import os
import re
import subprocess
import sys
import unittest

device, *programs = sys.argv[1:]
FULL = 100000


def run(program, how):
    environment = dict(os.environ, GANTRY_DEVICES=device, OMP_TARGET_OFFLOAD="MANDATORY")
    return subprocess.run([program, how], env=environment, capture_output=True, text=True, timeout=300)


class Printing(unittest.TestCase):
    def prints(self, how, wanted):
        for program in programs:
            with self.subTest(program=program):
                done = run(program, how)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout, wanted)

    def fails(self, how, wanted):
        for program in programs:
            with self.subTest(program=program):
                done = run(program, how)
                self.assertNotEqual(done.returncode, 0)
                self.assertRegex(done.stdout, wanted)
                self.assertIn("the device is lost", done.stderr)

    def test_conversions(self):
        self.prints("conversions",
                    "|-1|1099511627776|text| 3.14|   42|x|0x1234|%|-1125899906842624|\n"
                    "1 2 3 4.500000 5 own -1 ab left  | ff\n9\n")

    def test_streams(self):
        self.prints("streams", "puts\nprintf\nfprintf 1\nfputs %d\nc\na line\n")

    def test_teams_and_threads(self):
        for program in programs:
            done = run(program, "threads")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(sorted(done.stdout.splitlines()), sorted(f"<{i}>" for i in range(256)))

    def test_many_in_order(self):
        self.prints("many", "".join(f"{i}\n" for i in range(1000)))

    def test_region_after_region(self):
        lines = "".join(f"{i}\n" for i in range(1000))
        self.prints("twice", "".join(f"host {i}\n{lines}" for i in range(30)))

    def test_each_message_is_printed_or_lost(self):
        for program in programs:
            done = run(program, "full")
            self.assertEqual(done.returncode, 0)
            lines = done.stdout.splitlines()
            self.assertEqual(len(set(lines)), len(lines))
            lost = re.fullmatch(r"gantry: warning: (\d+) messages of device code were lost: .*\n", done.stderr)
            self.assertEqual(len(lines) + (int(lost[1]) if lost else 0), FULL, done.stderr)
            self.assertLessEqual(set(lines), {f"{i:08}" for i in range(FULL)})

    def test_a_message_that_is_too_large(self):
        for program in programs:
            done = run(program, "large")
            self.assertEqual((done.returncode, done.stdout), (0, "-1\nafterwards\n"))
            self.assertEqual(done.stderr, "gantry: warning: a message of device code was lost: more was printed at a "
                                          "time than the 1024 KiB that there are for it\n")

    def test_a_failed_assertion(self):
        self.fails("assert", r"^\S+printing\.cpp:\d+: \S.*: block: \[0,0,0\], thread: \[\d+,0,0\] "
                             r"Assertion `argc == 0` failed\.\n$")

    def test_exit(self):
        self.fails("exit", r"^gantry: error: in device code: the program was to end with status 7 \(team 0, ")

    def test_a_fatal_error(self):
        self.fails("fatal", "^before\ngantry: error: in device code, .*printing.cpp.* it is wrong\n$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""Messages about faults and races on the PTX executor: they name the line, the variable, its extent
and where it was mapped, whatever the optimiser's level.

usage: faults_test.py SOURCE PROGRAM…
"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE, PROGRAMS = pathlib.Path(sys.argv[1]), sys.argv[2:]
LINES = {match[1]: number for number, text in enumerate(SOURCE.read_text().splitlines(), 1)
         if (match := re.search(r"// LINE (\w+)$", text))}
ADDRESS = "0x[0-9a-f]+"


def run(program, name, **variables):
    return subprocess.run([program, name], env=dict(os.environ, **variables), capture_output=True,
                          text=True, timeout=100, check=False)


class Faults(unittest.TestCase):
    def says(self, name, pattern, **variables):
        """The last line is the runtime's; `{LINE}` in the pattern is the number of that line."""
        expected = pattern.format(**LINES, address=ADDRESS)
        for program in PROGRAMS:
            for mode in ("compile", "interpret"):
                with self.subTest(program=program, mode=mode):
                    done = run(program, name, GANTRY_SIMT_MODE=mode, **variables)
                    self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
                    self.assertRegex(done.stderr.splitlines()[-1], expected)

    def test_an_access_past_the_end_of_an_array_section(self):
        self.says("past", r"faults.cpp:{past_region}: target: device 0 \(simt\): the device is lost: \S*faults.cpp:{past}: "
                  r"the region of 'past_the_end\(double\*\)' at line {past_region} wrote to address {address}: "
                  r"(right behind|\d+ bytes past) the end of 'data\[0:kCount\]', which has 8000 bytes and was mapped at \S*faults.cpp:{past_map}$")

    def test_a_race(self):
        self.says("race", r"\S*faults.cpp:({race}|{race_region}): the region of 'race\(\)' at line {race_region} ended: race in global memory: "
                  r".* of 4 bytes at {address}, not ordered with (a read|a write|reads) at (near )?\S*faults.cpp:({race}|{race_region}) by "
                  r"(thread \(\d+,0,0\)|several threads of the block): 'sum', which has 4 bytes and was mapped at "
                  r"\S*faults.cpp:{race_region}$", GANTRY_SIMT_CHECK="race")

    def test_a_pointer_of_the_host(self):
        self.says("unmapped", r"\S*faults.cpp:{unmapped}: the region of 'unmapped\(double const\*\)' at line {unmapped_region} read from "
                  r"address {address}: host address of .*not mapped on this device")

    def test_abort(self):
        self.says("aborts", r"the region of 'aborts\(\)' at line {aborts_region} ended: the instruction trap was executed$")

    def test_copies_and_fills_name_the_line_of_the_call(self):
        for name in ("copies", "fills"):
            self.says(name, rf"the device is lost: (near )?\S*faults.cpp:{{{name}}}: the region of '{name}\(double\*\)' at line "
                      rf"{{{name}_region}} wrote to address {{address}}: .* the end of 'data\[0:kCount\]'")

    def test_memory_of_the_device_that_is_mapped(self):
        told = (r"faults.cpp:{maps}: target: device 0 \(simt\): copy to the device of 'of_device\[0:10\]' \[{address}, 80 bytes\), "
                r"mapped at \S*faults.cpp:{maps}: the host address {address} is memory of device 0 \(simt\): ")
        named = r"; a pointer to device memory is named by is_device_ptr or has_device_addr, not mapped"
        self.says("freed", told + r"freed device memory: the allocation \[{address}, 8000 bytes\)" + named)
        self.says("mapped", told + r"'data\[0:kCount\]', which has 8000 bytes and was mapped at \S*faults.cpp:{mapped}" + named)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""Launches that `gantry record` writes to files, and `gantry replay` runs again.

    replay_test.py BUILD kernels|conformance
"""

import contextlib
import ctypes
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

build = pathlib.Path(sys.argv[1])
GANTRY = build / "bin/gantry"
PROGRAM = build / "tests/replay/kernels"
SOURCE = pathlib.Path(__file__).with_name("kernels.cpp").read_text().splitlines()
# Constructs of every kind, of which one launch is recorded.
CASES = ("array_sections async_routines clang_extensions copied_boxes data_sharing declare_target declare_target_code "
         "defaultmap device_memory device_pointers firstprivate implicit_mapping indirect_functions map_types mappers "
         "nowait pointers struct_members target_construct update").split()


def line_of(text):
    return next(number for number, line in enumerate(SOURCE, 1) if text in line)


def with_checksum(recording):
    """A recording of which bytes were changed, with the checksum that they have now."""
    mark = b"gantry recording 2\n"
    contents = bytes(recording[len(mark) + 8:])
    function = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
    function.argtypes, function.restype = (ctypes.c_char_p, ctypes.c_size_t), ctypes.c_uint64
    return mark + function(contents, len(contents)).to_bytes(8, "little") + contents


def run(*words, **environment):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GANTRY_")}
    return subprocess.run([GANTRY, *words], capture_output=True, text=True, check=False, timeout=300,
                          env=kept | {"GANTRY_SIMT_CACHE": str(folder / "cache")} | environment)


def replay(file, *words):
    done = run("replay", file, "--json", *words)
    for _ in range(3):  # what the system places at random in a process may be where memory was
        if not re.search("cannot be had|has something at", done.stderr):
            break
        done = run("replay", file, "--json", *words)
    return (json.loads(done.stdout) if done.stdout else None), done


class Kernels(unittest.TestCase):
    def record(self, device, what, *words):
        file = folder / f"{device}.{what}.recording"
        done = run("record", "--device", device, "-o", file, *words, PROGRAM, what)
        self.assertTrue(file.exists(), done.stderr)
        self.assertIn(f"gantry replay {file}", done.stderr)
        return file, done

    def test_results_are_the_same(self):
        place = f"kernels.cpp:{line_of('map(tofrom : y[0 : kSize])')}"
        for device in ("worker", "simt", "simt-amd"):
            file, done = self.record(device, "scale", "--region", place, "--launch", "2")
            self.assertEqual(done.returncode, 0)
            self.assertEqual(len(done.stdout.splitlines()), 3)
            for other in ("worker", "simt", "simt-amd", "cpu"):
                with self.subTest(recorded=device, replayed=other):
                    report, done = replay(file, "--device", other, "--times", "2")
                    if other != device and report is not None and not report["same"]:
                        # Another order of additions; the sum alone may be another one.
                        self.assertLessEqual(report["runs"][0]["different"], 2, done.stdout)
                        continue
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertTrue(report["same"])
                    self.assertEqual(len(report["runs"]), 2)
                    self.assertGreater(report["runs"][0]["words"], 4000)

    def test_changed_results_are_told(self):
        file, _ = self.record("worker", "scale", "--launch", "1")
        image = bytearray(file.read_bytes())
        at = image.rindex(b"\0\0\0\0\0\0\x04\x40") # factor: 2.5
        image[at + 6] ^= 1
        changed = folder / "changed.recording"
        changed.write_bytes(image)
        done = run("replay", changed)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stderr, "^gantry: error: '.*': it is damaged: .*checksum")
        changed.write_bytes(with_checksum(image))
        done = run("replay", changed)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, r"^\d+ of \d+ words of 4 bytes are other than recorded\n")
        number = r"0x\w{16} \([\d.]+ as a double.*\)"
        self.assertRegex(done.stdout, rf"'y\[0:kSize\]' at byte \d+: {number}, recorded was {number}\n")
        self.assertIn(", recorded was 0x400c000000000000 (3.5 as a double, 0 and 2.1875 as floats)\n", done.stdout)

    def test_other_numbers_of_teams_and_threads(self):
        file, _ = self.record("worker", "scale")
        for words in (["--teams", "1"], ["--teams", "3", "--threads", "2"]):
            report, done = replay(file, *words)
            self.assertEqual(done.stderr, "")
            # The sum may have been added up in another order.
            self.assertLessEqual(report["runs"][0]["different"], 2, done.stdout)

    def test_a_race_is_found(self):
        file, _ = self.record("simt", "race")
        self.assertNotIn("failure", replay(file, "--check", "memory")[0]["runs"][0])
        report, done = replay(file, "--check", "race")
        self.assertEqual(done.returncode, 1)
        self.assertIn("race in global memory", report["runs"][0]["failure"])
        self.assertIn(f"kernels.cpp:{line_of('without order')}", report["runs"][0]["failure"])

    def test_faults(self):
        for device in ("worker", "simt"):
            with self.subTest(device=device):
                file, done = self.record(device, "miss", "--fault")
                self.assertIn("wrote to address", done.stderr)
                report, done = replay(file)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotEqual(report["recorded_failure"], "")
                self.assertNotEqual(report["runs"][0]["failure"], "")
                self.assertLess(file.stat().st_size, 4 << 20)
        self.assertIn(f"kernels.cpp:{line_of('the line of the fault')}", report["runs"][0]["failure"])

    def test_a_variable_has_its_own_size(self):
        for device in ("worker", "simt", "simt-amd"):
            with self.subTest(device=device):
                file, _ = self.record(device, "add_one")
                self.assertRegex(run("replay", file, "--show").stdout, r"0x\w+ +4 s\n")
                for words in ([], ["--check", "memory"] * device.startswith("simt"), ["--device", "cpu"]):
                    report, done = replay(file, *words)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertEqual(report["runs"][0]["words"], 1 + 3)  # s, and the variables of the image

    def test_a_fault_on_the_cpu_is_an_outcome(self):
        file, _ = self.record("worker", "miss", "--fault")
        failure = "the kernel ended the process with signal 11 (Segmentation fault)"
        report, done = replay(file, "--device", "cpu", "--times", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([run["failure"] for run in report["runs"]], [failure])
        self.assertEqual(run("replay", file, "--device", "cpu").stdout,
                         f"the kernel failed, as it did when it was recorded: {failure}\n")
        file, _ = self.record("worker", "miss", "--launch", "1")
        image = bytearray(file.read_bytes())
        at = image.index((500).to_bytes(4, "little") + (501).to_bytes(4, "little"))
        image[at:at + 4] = (1 << 30).to_bytes(4, "little")  # places[500], as in the fourth launch
        file.write_bytes(with_checksum(image))
        report, done = replay(file, "--device", "cpu")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual([run["failure"] for run in report["runs"]], [failure])

    def test_counts_begin_at_one(self):
        for words in (["replay", "--times"], ["record", "--launch"]):
            for number in ("0", "-1", "1.5", "some"):
                done = run(*words, number, "file")
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr,
                                 rf"^gantry: error: {words[1]}: '{number}' is not a whole number from 1 up;")

    def test_a_program_gets_its_own_arguments(self):
        for words, program in ((["echo", "-x", "--", "--launch", "2", "--help"],) * 2,
                               (["--device=cpu", "--", "echo", "--", "-o", "file"], ["echo", "--", "-o", "file"]),
                               (["--launch", "2", "-oname", "--device", "cpu", "echo", "-h"], ["echo", "-h"])):
            done = run("record", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, " ".join(program[1:]) + "\n")
        for words, text in ((["--bogus", "echo"], "--bogus"), (["-q", "echo"], "-q"),
                            (["--fualt", "--", "echo"], "--fualt"), (["--fault"], "no program is named"),
                            ([], "no program is named"), (["--device"], "--device"),
                            (["--device", "cpu", "--"], "no program is named")):
            done = run("record", *words)
            self.assertEqual((done.returncode, done.stdout), (1, ""), words)
            self.assertRegex(done.stderr, rf"^gantry: error: .*{text}.*; `gantry record --help` explains\n$")

    def test_show(self):
        file, _ = self.record("worker", "scale")
        done = run("replay", file, "--show")
        for text in ("kernel    __omp_offloading", "region    ", "kernels.cpp:", "list.values[0:kSize]",
                     "declare target     8 factor", "outcome   done"):
            self.assertIn(text, done.stdout)

    def test_what_is_not_recorded_is_told(self):
        for device, words, text in (
                ("worker", ["--region", "elsewhere.cpp:1"], "nothing is recorded: there was no such launch"),
                ("worker", ["--launch", "100"], "nothing is recorded: there was no such launch"),
                ("worker", ["--fault"], "nothing is recorded: no kernel failed"),
                ("cpu", [], "not recorded: kernels use the program's own memory")):
            with self.subTest(device=device, words=words):
                file = folder / "none.recording"
                done = run("record", "--device", device, "-o", file, *words, PROGRAM, "scale")
                self.assertEqual(done.returncode, 0)
                self.assertIn(text, done.stderr)
                self.assertFalse(file.exists())

    def test_what_is_no_recording(self):
        for text in (b"", b"hello", b"gantry recording 7\n", b"gantry recording 2\n\xff\xff\xff"):
            file = folder / "no.recording"
            file.write_bytes(text)
            done = run("replay", file)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"^gantry: error: '.*': it is ")

    def test_memory_that_no_machine_has(self):
        def number(value):
            return value.to_bytes(8, "little")

        def text(value):
            return number(len(value)) + value

        file = folder / "large.recording"
        file.write_bytes(with_checksum(
            b"gantry recording 2\n" + number(0) + text(b"") * 2 + text(b"worker") + text(b"kernel")
            + number(1) + text(b"image") + number(0) * 9  # the launch
            + number(0)  # arguments
            + number(1) + number(1 << 32) + number(1 << 46) + text(b"")  # a block
            + number(0) * 4 + text(b"")))
        self.assertIn("70368744177664", run("replay", file, "--show").stdout)
        for device in ("worker", "simt", "cpu"):
            done = run("replay", file, "--device", device)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertRegex(done.stderr, "^gantry: error: ")

    def test_checks_are_of_the_executors(self):
        file, _ = self.record("worker", "scale")
        done = run("replay", file, "--check", "race")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--check is of the executors", done.stderr)

    def test_under_gdb(self):
        if not os.path.exists("/usr/bin/gdb"):
            self.skipTest("gdb is not installed")
        file, _ = self.record("worker", "scale")
        # gdb and what it runs are ended together, and nobody waits for the one by the other's output.
        with open(folder / "gdb.txt", "w+", encoding="utf-8") as output, subprocess.Popen(
                [GANTRY, "replay", file, "--gdb"], stdin=subprocess.PIPE, stdout=output, stderr=output,
                start_new_session=True, env=os.environ | {"DEBUGINFOD_URLS": ""}) as debugger:
            try:
                debugger.communicate(b"backtrace 1\ncontinue\nquit\n", timeout=120)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(debugger.pid, signal.SIGKILL)
            output.seek(0)
            self.assertRegex(output.read(), r"(?s)__omp_offloading.*the results are those that were recorded")


class Conformance(unittest.TestCase):
    def test_twenty_kernels(self):
        programs = build / "tests/conformance/programs"
        told = 0
        for device, suffix in (("worker", "clang22"), ("simt", "clang22-sm_70")):
            for case in CASES:
                with self.subTest(case=case, device=device):
                    program = programs / f"{case}-{suffix}"
                    self.assertTrue(program.exists(), program)
                    file = folder / f"{case}.{device}.recording"
                    done = run("record", "--device", device, "-o", file, program)
                    self.assertTrue(file.exists(), done.stderr)
                    report, done = replay(file)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertTrue(report["same"])
                    told += 1
                    file.unlink()
        self.assertEqual(told, 2 * len(CASES))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        part = {"kernels": "Kernels", "conformance": "Conformance"}[sys.argv[2]]
        unittest.main(argv=[sys.argv[0], part], verbosity=2)

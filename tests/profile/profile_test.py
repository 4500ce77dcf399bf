#!/usr/bin/env python3
"""`gantry profile` of programs that end in many ways, on one device or two.

profile_test.py BUILD PROGRAM DEVICE: DEVICE is an item of GANTRY_DEVICES without a number.
"""
import copy
import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

import trace_check

BUILD, PROGRAM, DEVICE = sys.argv[1:4]
SOURCE = pathlib.Path(__file__).resolve().parent / "programs/runs.cpp"
IS_SEPARATE_PROCESS = DEVICE != "cpu+separate"


def line_of(mark):
    return next(number for number, line in enumerate(SOURCE.read_text().splitlines(), 1)
                if line.endswith(f"// {mark}"))


def devices(count):
    kind, *options = DEVICE.split("+")
    return "+".join([f"{kind}:{count}", *options])


class Profile(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gantry-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_gantry(self, *arguments, count=1, **variables):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GANTRY_"))}
        environment |= {"GANTRY_DEVICES": devices(count), "OMP_TARGET_OFFLOAD": "MANDATORY",
                        "GANTRY_SIMT_DEVICES": "2", "TMPDIR": str(self.folder)} | variables
        return subprocess.run([f"{BUILD}/bin/gantry", "profile", *map(str, arguments)], env=environment,
                              capture_output=True, text=True, timeout=120, check=False, cwd=self.folder)

    def profile(self, *arguments, status=0, count=1, program=PROGRAM, **variables):
        """The processes of a report for programs."""
        report = self.folder / "report.json"
        done = self.run_gantry("--json", "-o", report, *arguments[:-1], program, arguments[-1], count=count,
                               **variables)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual([entry.name for entry in self.folder.iterdir() if entry.is_dir()], [],
                         "its folder is gone")
        return json.loads(report.read_text())["processes"]

    def assert_ran(self, process, calls=3):
        regions = {(pathlib.Path(row["position"]).name, row["calls"]) for row in process["regions"]}
        self.assertIn((f"runs.cpp:{line_of('region')}", calls), regions)
        self.assertGreater(process["kernel_ns"], 0)
        to_device = sum(row["bytes"] for row in process["copies"]
                        if row["variable"] == "x" and row["to_device"])
        self.assertEqual(to_device, calls * 4096 * 8)

    def test_text(self):
        done = self.run_gantry(PROGRAM, "exit")
        self.assertEqual((done.returncode, done.stdout), (0, "ran\n"))
        where = f"runs.cpp:{line_of('region')}"
        self.assertRegex(done.stderr, rf"(?s)\A\S+ \(process \d+\) ended with exit status 0: .*1 device; in constructs"
                         rf".*\n  REGIONS.*\s3 .*{where} .*target\n.*COPIES.* to device +x +tofrom +{where}\n.*"
                         rf"DEVICES\n  device 0 \(.*\): kernels.*\n  not looked for without --data: ")
        self.assertLess(max(map(len, done.stderr.splitlines())), 400)
        self.assertLess(len(done.stderr.splitlines()), 40)

    def test_exit_status_is_the_programs(self):
        process, = self.profile("fail", status=7)
        self.assertEqual((process["ending"], process["exited"]), ("ended with exit status 7", True))
        self.assert_ran(process)

    def test_abort(self):
        process, = self.profile("abort", status=134)
        self.assertEqual((process["ending"], process["exited"]), ("was ended by signal 6 (Aborted)", False))
        self.assert_ran(process)

    def test__exit(self):
        process, = self.profile("_exit", status=3)
        self.assertEqual((process["ending"], process["exited"]), ("ended with exit status 3", False))
        self.assert_ran(process)

    def test_kill(self):
        process, = self.profile("kill", status=137)
        self.assertEqual(process["ending"], "was ended by signal 9 (Killed)")
        self.assert_ran(process)

    @unittest.skipUnless(IS_SEPARATE_PROCESS, "a fault of the CPU's device is one of the process")
    def test_lost_device(self):
        process, = self.profile("fault", status=1)
        self.assertEqual(process["ending"], "ended with exit status 1")
        self.assertNotEqual(process["devices"][0]["lost"], "")
        failure, = process["failures"]
        self.assertRegex(failure, r"target: the device is lost: .*: a null pointer")
        self.assert_ran(process)

    @unittest.skipIf(DEVICE == "simt", "the driver refuses forked processes")
    @unittest.skipIf(DEVICE == "worker", "a worker is its parent's")
    def test_fork(self):
        parent, child = self.profile("fork")
        self.assertEqual((child["parent"], child["ending"]), (parent["process"], "ended without exit()"))
        self.assert_ran(parent)
        self.assert_ran(child, 1)

    def test_exec(self):
        first, second = self.profile("exec")
        self.assertEqual(first["process"], second["process"])
        self.assert_ran(first)
        self.assert_ran(second)

    def test_program_without_regions(self):
        process, = self.profile("none")
        self.assertEqual((process["regions"], process["copies"], process["in_constructs_ns"]), ([], [], 0))

    def test_program_without_gantry(self):
        done = self.run_gantry("/bin/false")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Agantry: warning: /bin/false ended with exit status 1; '/bin/false' has used no "
                         r"Gantry")

    def test_program_that_is_not_there(self):
        done = self.run_gantry("./nothing")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Agantry: error: cannot run './nothing': No such file or directory; ")

    def test_limit(self):
        process, = self.profile("--limit", "1", "many")
        self.assertGreater(process["dropped_events"], 1000)
        self.assertEqual(process["damaged_records"], 0)
        self.assertLess(sum(row["calls"] for row in process["regions"]), 3003)

    def test_record_can_be_kept_and_read(self):
        kept = self.folder / "kept"
        kept.mkdir()
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GANTRY_"))}
        environment |= {"GANTRY_DEVICES": devices(1), "GANTRY_PROFILE": str(kept)}
        subprocess.run([PROGRAM, "exit"], env=environment, check=True, capture_output=True, timeout=60)
        file, = kept.iterdir()
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        done = self.run_gantry("--json", "--read", kept)
        process, = json.loads(done.stdout)["processes"]
        self.assertEqual((process["ending"], process["exited"]), ("ended", True))
        self.assert_ran(process)
        with file.open("r+b") as damaged:
            damaged.write(b"\0" * 8)
        done = self.run_gantry("--read", kept)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Agantry: warning: '\S+' is left out: the file does not begin as a profile does\ngantry: error: the folder ")

    def test_folder_that_is_not_there(self):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GANTRY_"))}
        environment |= {"GANTRY_DEVICES": devices(1), "GANTRY_PROFILE": "/nowhere"}
        done = subprocess.run([PROGRAM, "exit"], env=environment, check=False, capture_output=True, text=True,
                              timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, "ran\n"))
        self.assertRegex(done.stderr, r"\Agantry: warning: GANTRY_PROFILE: cannot make the file '/nowhere/\d+\.\S+': "
                         r"No such file or directory; nothing is recorded\n\Z")

    def test_signals_reach_the_program(self):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GANTRY_"))}
        report = self.folder / "report.json"
        with subprocess.Popen([f"{BUILD}/bin/gantry", "profile", "--json", "-o", report, "/bin/sh", "-c",
                               f"'{PROGRAM}' exit; exec sleep 60"],
                              env=environment | {"GANTRY_DEVICES": devices(1), "TMPDIR": str(self.folder)},
                              stdout=subprocess.PIPE, text=True) as running:
            self.assertEqual(running.stdout.readline(), "ran\n")
            time.sleep(0.2)
            running.terminate()
            self.assertEqual(running.wait(timeout=60), 143)
        process, = json.loads(report.read_text())["processes"]
        self.assert_ran(process)

    def test_what_a_killed_one_has_left_goes(self):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GANTRY_"))}
        environment |= {"GANTRY_DEVICES": devices(1), "TMPDIR": str(self.folder)}
        with subprocess.Popen([f"{BUILD}/bin/gantry", "profile", "/bin/sh", "-c", "echo $$; exec sleep 60"],
                              env=environment, stdout=subprocess.PIPE, text=True) as running:
            program = int(running.stdout.readline())
            self.profile_beside(1)
            running.kill()
        os.kill(program, signal.SIGKILL)
        self.profile_beside(0)

    def profile_beside(self, others):
        """Another profile, which leaves so many folders of others."""
        self.assertEqual(self.run_gantry("-o", self.folder / "report.txt", PROGRAM, "exit").returncode, 0)
        self.assertEqual(len([entry for entry in self.folder.iterdir() if entry.is_dir()]), others)

    def test_options_are_in_front_of_the_program(self):
        script = "/bin/sh", "-c", "echo $0 $@", "0", "--data", "-x", "--"
        for words in (script, ("--", *script)):
            done = self.run_gantry("-o", self.folder / "r.txt", *words)
            self.assertEqual((done.returncode, done.stdout), (0, "0 --data -x --\n"), done.stderr)
        done = self.run_gantry("--dat", PROGRAM, "exit")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"--dat\b")
        self.assertEqual(done.stdout, "")

    def test_outputs_that_cannot_be_written_are_told_before_the_program_runs(self):
        for option in ("--html", "--trace", "-o"):
            done = self.run_gantry(option, self.folder / "nowhere/file", PROGRAM, "exit")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"\Agantry: error: cannot write '.*nowhere/file'")

    def test_compare_takes_no_other_options(self):
        for option in ("--json", "--data", "--trace=t"):
            done = self.run_gantry("--compare", "a", "b", option)
            self.assertNotEqual(done.returncode, 0)
            self.assertRegex(done.stderr, "excludes")

    def test_compare(self):
        before = self.folder / "before.json"
        after = self.folder / "after.json"
        self.assertEqual(self.run_gantry("--json", "-o", before, PROGRAM, "many").returncode, 0)
        self.assertEqual(self.run_gantry("--json", "-o", after, PROGRAM, "exit").returncode, 0)
        done = self.run_gantry("--compare", before, after)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?s)TOTALS before +after +ratio.*whole run.*REGIONS before.*target \S*runs\.cpp:\d+\n"
                         r".*COPIES before.*\d\.\d\dx  x to device")
        done = self.run_gantry("--compare", before, PROGRAM)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"is neither a report of `gantry profile --json` nor a page of `--html`\n\Z")

    def test_trace_of_threads_with_nowait_on_two_devices(self):
        trace = self.folder / "trace.json"
        process, = self.profile("--trace", trace, "threads", count=2)
        events = json.loads(trace.read_text())
        self.assertEqual(trace_check.problems(events), [])
        kernels = [event for event in events["traceEvents"]
                   if event["ph"] == "X" and "kernel" in event.get("args", {})]
        self.assertEqual(len(kernels), 35)
        self.assertEqual(len({event["pid"] for event in kernels}), 2, "a process for each device")
        begins = [event for event in events["traceEvents"] if event["ph"] in "Xb"
                  and "device" in event.get("args", {})]
        self.assertEqual(len(begins), sum(row["calls"] for row in process["regions"]))
        self.assertEqual({event["name"] for event in events["traceEvents"] if event["ph"] == "C"},
                         {"bytes mapped", "kernels under way", "copies in GB/s"})

    def test_the_check_of_traces_finds_what_is_wrong(self):
        slice_of = {"ph": "X", "pid": 1, "tid": 1, "ts": 1.0, "dur": 2.0, "name": "a", "args": {}}
        flow = [slice_of, *({"ph": phase, "pid": 1, "tid": 1, "ts": 1.0 + i, "cat": "flow", "id": 1, "name": "f"}
                            for i, phase in enumerate("sf"))]
        self.assertEqual(trace_check.problems({"traceEvents": flow}), [])
        for wrong, what in (([slice_of, slice_of | {"ts": 2.0}], "overlaps"),
                            ([slice_of | {"ts": 9.0}, slice_of], "not in order"),
                            (flow[:2], "has the steps s"),
                            ([*flow[:2], flow[2] | {"ts": 9.0}], "without a slice"),
                            ([slice_of | {"dur": -1.0}], "negative")):
            with self.subTest(what=what):
                self.assertIn(what, " ".join(trace_check.problems({"traceEvents": copy.deepcopy(wrong)})))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])

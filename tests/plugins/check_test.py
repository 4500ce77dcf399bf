"""plugin-check: every plugin of Gantry's and the example keep to the contract, and each defect of a broken one is
told by the rule that it breaks.

check_test.py BUILD SOURCE
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

build, source = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
GANTRY = build / "bin/gantry"
BROKEN = build / "tests/plugins/broken/libgantry-plugin-broken.so"

# The rule that a defect breaks, and what is said of it.
DEFECTS = {
    "overtakes": ("what is put in happens in order", "came before the kernel in front of it"),
    "loses_errors": ("a fault ends what is behind it in the queue",
                     "synchronize_queue .* returned GANTRY_SUCCESS, expected GANTRY_DEVICE_LOST"),
    "leaks_memory": ("released memory is given out again", "memory is not given back"),
    "leaks_descriptors": ("a closed device leaves nothing behind", "file descriptors are not given back"),
    "copies_late": ("nothing happens after the queue is done", "written after synchronize_queue has returned"),
    "no_message": ("unknown options are refused with a message", "there is no message"),
    "shared_message": ("each thread has its own message", "was changed by another thread's"),
    "unaligned": ("blocks are aligned and do not overlap", "not aligned to 64 bytes"),
    "borrows_arguments": ("a launch's arguments are copied", "used its arguments after|ended by signal"),
    "borrows_images": ("an image is copied when it is created", "damaged|not the one|ended by signal"),
    "finds_everything": ("all symbols are found in one call", "returned GANTRY_SUCCESS, expected GANTRY_NOT_FOUND"),
    "mixes_threads": ("eight threads copy at once", "mix their bytes"),
    "exits": ("unknown options are refused with a message", "ended the process, with status 3"),
    "prints": ("a closed device leaves nothing behind", "the plugin printed: broken: a device is opened"),
    "ignores_sizes": ("structures are filled in up to their size", "wrote behind the structure's size"),
    "ignores_addresses": ("memory is had at a chosen address",
                          "allocate gave .*, asked for|at an address that is taken returned GANTRY_SUCCESS"),
    "ignores_choices": ("the device chooses teams and threads", "launch with the device's choice .* did not run"),
    "drops_long_lists": ("kernels of 41 to 321 parameters", "a kernel with 41 parameters computed"),
    "pretends": ("kernels use the host's memory", "does not have GANTRY_CAPABILITY_HOST_ACCESSIBLE"),
    "gives_less": ("a large block is whole", "ended by signal 11|loses what is at its ends"),
    "blocks_queries": ("a query answers at once, and rightly", "does not return before the queue is done"),
    "counts_instead": ("times of what a queue did", "is said to have lasted 1 ns"),
    "leaks_devices": ("a closed device leaves nothing behind", "memory is not given back"),
    "leaves_processes": ("a process may exit with devices open", "left a process behind"),
    "forgets_messages": ("each thread has its own message", "gone when it is asked for again"),
    "clears_messages": ("each thread has its own message", "a call that succeeded changed it"),
    "drops_dimensions": ("a grid runs whole or is refused", r"threads ran of a grid of \(2, 3, 1\)"),
    "revives": ("a lost device stays lost", "returned GANTRY_SUCCESS, expected GANTRY_DEVICE_LOST"),
    "no_cause": ("a lost device tells its fault", "expected GANTRY_FAULT_ACCESS"),
    "is_done_too_soon": ("a query answers at once, and rightly", "says that the queue is done, and it is not"),
    "hangs": ("what is put in happens in order", "the case has not ended after 5 s"),
    "lacks_launch": ("the plugin is found and loads", "lacks the function launch"),
    "other_version": ("the plugin is found and loads", "written for version 1 of the plugin interface"),
}


INDIRECT = r"""
#include <cstdio>
#include <omp.h>
#pragma omp begin declare target indirect
int answer(int x) { return omp_is_initial_device() ? -1 : x + 2; }
#pragma omp end declare target
int main() {
  int (*volatile function)(int) = answer;
  int (*copy)(int) = function;
  int result = 0, host = 1;
#pragma omp target map(from : result, host)
  {
    result = copy(40);
    host = omp_is_initial_device();
  }
  std::printf("%d on the %s\n", result, host ? "host" : "device");
}
"""


def check(plugin, *options, **environment):
    done = subprocess.run([GANTRY, "plugin-check", "--json", plugin, *options], capture_output=True, text=True,
                          timeout=300, check=False, env={**os.environ, **environment})
    return done.returncode, json.loads(done.stdout)


class Check(unittest.TestCase):
    def passes(self, plugin, *options, skipped=(), **environment):
        status, report = check(plugin, *options, **environment)
        self.assertEqual([case for case in report["cases"] if case["result"] == "failed"], [])
        self.assertEqual(status, 0)
        self.assertEqual({case["text"] for case in report["cases"] if case["result"] == "skipped"}, set(skipped))

    LACKS = {name: f"the plugin does not have {name}" for name in (
        "rank_image", "copy_between", "queue_copy_between", "launch_hint", "set_function_map", "queue_launch_data",
        "get_fault", "use_host_memory")}
    NO_QUEUES = "the device has no queues"
    NO_PLACES = "the device does not have GANTRY_CAPABILITY_PLACED_MEMORY"
    NO_CLOCK = "the device has no clock"
    NO_CHOICE = "the device does not have GANTRY_CAPABILITY_CHOSEN_ADDRESS"

    def lacks(self, *names):
        return [self.LACKS[name] for name in names]

    def test_cpu(self):
        skipped = [self.NO_QUEUES, self.NO_PLACES, self.NO_CHOICE, *self.lacks("rank_image", "copy_between", "get_fault")]
        for options in ([], ["--options", "separate"], ["--options", "separate+threads=limit"]):
            with self.subTest(options=options):
                self.passes("cpu", *options, skipped=skipped)

    def test_worker(self):
        self.passes("worker", "--options", "memory=1G",
                    skipped=self.lacks("rank_image", "queue_copy_between", "queue_launch_data", "use_host_memory"))

    def test_simt(self):
        with tempfile.TemporaryDirectory() as cache:
            self.passes("simt", GANTRY_SIMT_CACHE=cache,
                        skipped=[self.NO_PLACES, *self.lacks("launch_hint")])

    def test_cuda_on_the_executor(self):
        with tempfile.TemporaryDirectory() as cache:
            self.passes("cuda", GANTRY_SIMT_CACHE=cache, LD_LIBRARY_PATH=str(build / "lib/simt"),
                        skipped=[self.NO_PLACES, *self.lacks("launch_hint")])

    def test_simt_amd(self):
        self.passes("simt-amd", skipped=[self.NO_PLACES, *self.lacks("launch_hint")])

    def test_hsa_on_the_executor(self):
        self.passes("hsa", LD_LIBRARY_PATH=str(build / "lib/simt-amd"),
                    skipped=[self.NO_PLACES, *self.lacks("launch_hint")])

    def test_the_example(self):
        with tempfile.TemporaryDirectory() as folder:
            # The header that is installed, and nothing else of Gantry's.
            header = pathlib.Path(folder) / "include/gantry/plugin.h"
            header.parent.mkdir(parents=True)
            header.write_text((source / "include/gantry/plugin.h").read_text())
            library = pathlib.Path(folder) / "libgantry-plugin-example.so"
            for compiler in ("clang++-22", "g++-12"):
                subprocess.run([compiler, "-std=c++20", "-Wall", "-Werror", "-O1", "-fPIC", "-shared", "-I",
                                header.parent.parent, source / "examples/plugin/example_plugin.cpp", "-o", library],
                               check=True)
                self.passes(str(library),
                            skipped=[self.NO_QUEUES, self.NO_PLACES, self.NO_CHOICE, *self.lacks(
                                "rank_image", "copy_between", "launch_hint", "set_function_map", "get_fault", "use_host_memory")])

    def test_the_header_is_c(self):
        for compiler in ("clang-22", "gcc-12"):
            subprocess.run([compiler, "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-xc", "-I",
                            source / "include", "-"], input=b"#include <gantry/plugin.h>\n", check=True)

    def test_the_broken_one_without_a_defect(self):
        self.passes(str(BROKEN), skipped=[self.NO_PLACES, self.NO_CHOICE, self.NO_CLOCK, *self.lacks(
            "rank_image", "copy_between", "queue_copy_between", "launch_hint", "queue_launch_data", "use_host_memory")])

    def test_defects_are_told(self):
        def check_defect(defect):
            rule, _ = DEFECTS[defect]
            only = [] if "loads" in rule else ["--only", rule]
            limit = ["--timeout", "5"] if defect == "hangs" else []
            return check(str(BROKEN), *limit, *only, GANTRY_TEST_DEFECT=defect)

        # Some wait for seconds: several at a time.
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            checked = dict(zip(DEFECTS, pool.map(check_defect, DEFECTS)))
        for defect, (rule, text) in DEFECTS.items():
            with self.subTest(defect=defect):
                status, report = checked[defect]
                self.assertEqual(status, 1)
                told = {case["rule"]: case["text"] for case in report["cases"] if case["result"] == "failed"}
                self.assertIn(rule, told)
                self.assertRegex(told[rule], text)

    def test_a_plugin_that_is_written_to_clangs_design(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program"
            program.with_suffix(".cpp").write_text(INDIRECT)
            subprocess.run([GANTRY, "clang++", "-O1", program.with_suffix(".cpp"), "-o", program], check=True)
            for defect, output in (("founding_design", "42 on the device\n"), ("", "42 on the device\n")):
                done = subprocess.run([program], capture_output=True, text=True, check=False, env={
                    **os.environ, "GANTRY_PLUGIN_PATH": str(BROKEN.parent), "GANTRY_DEVICES": "broken",
                    "OMP_TARGET_OFFLOAD": "MANDATORY", "GANTRY_TEST_DEFECT": defect})
                self.assertEqual((done.stdout, done.stderr), (output, ""))

    def test_what_is_no_plugin(self):
        for plugin, text in (("no-such-kind", "is not a kind of device"),
                             ("/nonexistent/plugin.so", "does not load"),
                             (str(build / "lib/libgantry.so.1"), "does not export gantry_get_plugin")):
            status, report = check(plugin)
            self.assertEqual(status, 1)
            self.assertEqual(len(report["cases"]), 1)
            self.assertRegex(report["cases"][0]["text"], text)

    def test_text(self):
        done = subprocess.run([GANTRY, "plugin-check", "cpu", "--only", "messages"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0)
        self.assertTrue(re.fullmatch(r"messages +unknown options are refused with a message +passed\n"
                                     r"messages +each thread has its own message +passed\n"
                                     r"plugin-check: cpu: 2 passed, 0 failed, 0 skipped\n", done.stdout), done.stdout)
        for options, message in ((["--only", "nothing", "cpu"], "there are no rules of 'nothing'; the subjects are:"),
                                 ([], "name a plugin"), (["cpu", "--timeout", "0"], "--timeout")):
            done = subprocess.run([GANTRY, "plugin-check", *options], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.stderr)
            self.assertNotIn("terminate", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

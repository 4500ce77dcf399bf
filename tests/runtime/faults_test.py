"""A device whose calls fail, one after the other: a plugin for tests makes the Nth call fail, for
every N, and a program that uses every construct says what comes of it."""

import re
import sys
import unittest

from runtime_case import BUILD, RuntimeCase

PLUGINS = BUILD / "tests/plugins/lib"
DONE = "all was done\n"
ANSWERED = "a routine answered its failure\n"


class Faults(RuntimeCase):
    def run_with(self, policy, call, program):
        """The outcome with the call of that number failing, and the name of its function."""
        report = self.folder / "report"
        report.unlink(missing_ok=True)
        done = self.start(program, GANTRY_PLUGIN_PATH=str(PLUGINS), GANTRY_DEVICES="queued,cpu",
                          GANTRY_TEST_FAIL=str(call), GANTRY_TEST_REPORT=str(report),
                          OMP_TARGET_OFFLOAD=policy, GANTRY_CHECK="leaks")
        return done, report.read_text().strip() if report.exists() else None

    def every_call(self, policy, program, output):
        """Outcomes with the function that failed, until no call is left to fail."""
        outcomes = []
        for call in range(1, 1000):
            done, function = self.run_with(policy, call, program)
            if function is None:
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, output, ""))
                return outcomes
            outcomes.append((done, function))
        self.fail("calls have no end")

    def failed(self, done, function):
        """One message that says where and what, as after every failure of a construct."""
        self.assertEqual(done.returncode, 1)
        self.assertRegex(
            done.stderr,
            r"\Agantry: error: ((\S*(faults|takeover)\.cpp:\d+: )?(end of )?target( data| update)?: |"
            r"omp_target_\w+: )?device 0 \(queued\): .*"
            rf"injected failure of {function}[^\n]*\n\Z")

    def answered(self, done, function):
        """The routine said so and answered its failure; the program went on."""
        self.assertEqual((done.returncode, done.stdout), (0, ANSWERED))
        self.assertRegex(done.stderr, r"\Agantry: error: omp_target_(alloc|memcpy): device 0 "
                         rf"\(queued\): [^\n]*injected failure of {function}\n\Z")

    def test_a_device_that_is_needed(self):
        functions = set()
        for done, function in self.every_call("MANDATORY", "faults-22", DONE):
            functions.add(function)
            if done.returncode == 0 and done.stdout == ANSWERED:
                self.answered(done, function)
            elif done.returncode == 0:
                # Memory of private copies, which no result depends on any more.
                self.assertEqual((function, done.stdout, done.stderr), ("release", DONE, ""))
            else:
                self.failed(done, function)
        self.assertEqual(functions, {
            "open_device", "create_image", "load_image", "allocate", "release", "copy_to_device",
            "copy_to_host", "launch", "create_queue", "queue_copy_to_device",
            "queue_copy_to_host", "queue_launch", "synchronize_queue"})

    def test_a_device_that_the_host_can_stand_in_for(self):
        taken_over = set()
        for done, function in self.every_call("DEFAULT", "faults-22", DONE):
            if function == "open_device":
                continue  # there is no such device then, and the other has its number
            if done.returncode != 0:
                self.failed(done, function)
            elif "gantry: warning: " in done.stderr:
                taken_over.add(function)
                self.assertEqual(done.stdout, DONE)
                self.assertRegex(done.stderr, r"\Agantry: warning: [^\n]*device 0 \(queued\): [^\n]*"
                                 rf"injected failure of {function}; [^\n]*\n\Z")
        self.assertEqual(taken_over, {"create_image", "load_image"})

    def test_a_region_that_the_host_runs_instead(self):
        taken_over, lost = set(), set()
        for done, function in self.every_call("DEFAULT", "takeover-22", "device\n"):
            if done.returncode == 0 and done.stderr:
                taken_over.add(function)
                # Without open_device there is no such device, and the program has another.
                self.assertEqual(done.stdout, "device\n" if function == "open_device" else "host\n")
                self.assertRegex(done.stderr, r"\Agantry: warning: [^\n]*device 0 \(queued\): [^\n]*"
                                 rf"injected failure of {function}; the [^\n]*\n\Z")
            elif done.returncode != 0:
                lost.add(function)
                self.failed(done, function)
        self.assertLessEqual({"open_device", "create_image", "load_image", "allocate", "copy_to_device",
                              "queue_launch", "launch"}, taken_over)
        self.assertIn("copy_to_host", lost)


if __name__ == "__main__":
    unittest.main(argv=["faults"], verbosity=1)

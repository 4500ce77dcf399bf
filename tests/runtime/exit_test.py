"""Programs that end while target tasks are not complete."""

import unittest

from runtime_case import BUILD, RuntimeCase


class Exit(RuntimeCase):
    """Not beside another thread's parallel region, nor beside one that generates tasks: libomp may fail there
    with assertions of its own."""

    def lines(self, case, device):
        done = self.start("early_exit-22", case, GANTRY_DEVICES=device, OMP_TARGET_OFFLOAD="MANDATORY")
        self.assertEqual((done.returncode, done.stderr), (3, ""), f"{case} on {device}")
        return done.stdout.splitlines()

    def test_tasks_of_the_initial_task_are_complete(self):
        for device in ("cpu", "cpu+separate", "worker"):
            for case in ("end of main", "exit", "thread that generates"):
                self.assertCountEqual(self.lines(case, device), [f"device {k}" for k in range(40)])

    def test_others_end_with_the_process_and_find_their_images_until_then(self):
        for device in ("cpu", "cpu+separate", "worker"):
            for case in ("another thread", "parallel region", "task", "beside a thread that goes on"):
                for line in self.lines(case, device):
                    self.assertRegex(line, r"^device \d+$")

    def test_devices_may_be_opened_while_the_process_ends(self):
        """By the thread of a task. Which of the two comes first is a matter of luck."""
        for _ in range(15):
            self.lines("task", "cpu+separate")

    def test_what_is_linked_by_llvms_wrapper(self):
        """It unregisters in an exit handler."""
        for device in ("cpu", "worker"):
            done = self.start("early_exit-stock", "end of main", GANTRY_DEVICES=device, OMP_TARGET_OFFLOAD="MANDATORY",
                              LD_LIBRARY_PATH=str(BUILD / "lib/gantry"))
            self.assertEqual((done.returncode, done.stderr), (3, ""), device)
            self.assertCountEqual(done.stdout.splitlines(), [f"device {k}" for k in range(40)])

    def test_leaks_are_found(self):
        for case in ("leak in a thread", "leak in a parallel region"):
            done = self.start("early_exit-22", case, GANTRY_DEVICES="worker", GANTRY_CHECK="leaks",
                              OMP_TARGET_OFFLOAD="MANDATORY")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"\Agantry: warning: device 0 \(worker\): 'values' [^\n]* is still mapped at the "
                             r"end, referenced 1 time\n\Z")

    def test_without_tasks(self):
        for device in ("cpu", "worker"):
            self.assertEqual(self.lines("nothing pending", device), [])


if __name__ == "__main__":
    unittest.main(argv=["exit"], verbosity=1)

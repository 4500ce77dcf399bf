"""Programs that end while target tasks are not complete."""

import unittest

from runtime_case import RuntimeCase


class Exit(RuntimeCase):
    def lines(self, case, device):
        done = self.start("early_exit-22", case, GANTRY_DEVICES=device, OMP_TARGET_OFFLOAD="MANDATORY")
        self.assertEqual((done.returncode, done.stderr), (3, ""), f"{case} on {device}")
        return done.stdout.splitlines()

    def test_tasks_of_the_initial_task_are_complete(self):
        for device in ("cpu", "cpu+separate", "worker"):
            for case in ("end of main", "exit"):
                self.assertCountEqual(self.lines(case, device), [f"device {k}" for k in range(40)])

    def test_others_end_with_the_process_and_find_their_images_until_then(self):
        for device in ("cpu", "cpu+separate", "worker"):
            for case in ("another thread", "parallel region"):
                for line in self.lines(case, device):
                    self.assertRegex(line, r"^device \d+$")

    def test_without_tasks(self):
        for device in ("cpu", "worker"):
            self.assertEqual(self.lines("nothing pending", device), [])


if __name__ == "__main__":
    unittest.main(argv=["exit"], verbosity=1)

#!/usr/bin/env python3
"""The model against examples of the standard's rules, worked out by hand, and against itself: programs
are the same for the same seed, and shrinking keeps them conforming."""

import random
import shutil
import subprocess
import unittest

import program
import random_programs
import random_shapes
from model import CELLS, INT, NODE, NODES, Item, Model, Partial, Refused
from runner import FOLDER, ROOT, Prediction, difference
from shrink import conforming, without


def cells(first, count):
    return CELLS.base + first * INT, CELLS.base + (first + count) * INT


class Rules(unittest.TestCase):
    def setUp(self):
        self.model = Model(shared=False)
        self.device, self.host = self.model.devices[0], self.model.host

    def test_copies_are_made_for_the_first_and_the_last_reference(self):
        whole = Item(*cells(0, 4), "tofrom")
        self.device.enter([whole])
        self.host[CELLS.base] = 7
        self.device.enter([whole])
        self.assertEqual(self.device.value(CELLS.base), 1000)
        self.device.store(CELLS.base, 8)
        self.device.leave([whole])
        self.assertEqual(self.host[CELLS.base], 7)
        self.device.leave([whole])
        self.assertEqual(self.host[CELLS.base], 8)
        self.assertIsNone(self.device.at(CELLS.base))

    def test_always_copies_at_every_reference(self):
        self.device.enter([Item(*cells(0, 4), "alloc")])
        self.assertIsNone(self.device.value(CELLS.base))
        self.device.enter([Item(*cells(1, 2), "to", ["always"])])
        self.assertIsNone(self.device.value(CELLS.base))
        self.assertEqual(self.device.value(CELLS.base + INT), 1001)

    def test_delete_leaves_what_is_held(self):
        self.device.enter([Item(*cells(0, 4), "to")])
        self.device.enter([Item(*cells(0, 4), "to", ["ompx_hold"])])
        self.device.leave([Item(*cells(0, 4), "delete")])
        self.assertIsNotNone(self.device.at(CELLS.base))
        self.device.leave([Item(*cells(0, 4), "to", ["ompx_hold"])])
        self.assertIsNone(self.device.at(CELLS.base))

    def test_what_is_present_is_not_extended(self):
        self.device.enter([Item(*cells(2, 2), "to")])
        for first, count in ((0, 3), (3, 2), (0, 8)):
            with self.assertRaises(Partial):
                self.device.enter([Item(*cells(first, count), "to")])
        self.device.enter([Item(*cells(4, 1), "to")])  # a neighbour

    def test_present_refuses_what_is_absent(self):
        with self.assertRaises(Refused):
            self.device.enter([Item(*cells(0, 1), "to", ["present"])])

    def test_pointers_are_attached_when_either_is_new(self):
        slot = NODES.base + 24
        self.host[slot] = ("host", CELLS.base)
        node = Item(NODES.base, NODES.base + NODE, "to")
        self.device.enter([node])
        self.device.enter([Item(*cells(0, 4), "to", attach=slot)])
        self.assertEqual(self.device.pointee(slot, CELLS.base)[1], CELLS.base)
        self.host[slot] = ("host", CELLS.base + 2 * INT)
        self.device.enter([Item(*cells(2, 1), "to", attach=slot)])  # both were present
        self.assertEqual(self.device.pointee(slot, CELLS.base + 2 * INT)[1], CELLS.base)

    def test_shared_storage_is_the_original(self):
        device = Model(shared=True).devices[0]
        device.enter([Item(*cells(0, 1), "alloc")])
        device.store(CELLS.base, 5)
        self.assertEqual(device.host[CELLS.base], 5)


class Programs(unittest.TestCase):
    def setUp(self):
        self.shapes = random_shapes.random_shapes(random.Random(3), 60)

    def test_a_seed_says_all(self):
        texts = {program.script(random_programs.program(17, self.shapes), 17, self.shapes) for _ in range(2)}
        self.assertEqual(len(texts), 1)

    def test_programs_take_away_what_they_mapped(self):
        for seed in range(40):
            prediction = Prediction.of_steps(seed, random_programs.program(seed, self.shapes), self.shapes)
            self.assertTrue(prediction.clean or prediction.refused)

    def test_what_is_left_out_leaves_a_conforming_program(self):
        steps = random_programs.program(23, self.shapes)
        count = sum(1 for _ in program.all_steps(steps))
        shorter = conforming(without(steps, set(range(0, count, 3)), [0]), self.shapes)
        program.execute(shorter, self.shapes, shared=False)
        self.assertLess(sum(1 for _ in program.all_steps(shorter)), count)

    def test_a_value_that_differs_is_noticed(self):
        self.assertEqual(difference({1: "4 ? 6"}, {1: "4 9 6"}), "")
        self.assertIn("step 1", difference({1: "4 5 6"}, {1: "4 9 6"}))
        self.assertIn("step 1", difference({1: "4 5"}, {}))


@unittest.skipUnless(shutil.which("patch"), "patch is not installed")
class Mutants(unittest.TestCase):
    def test_patches_fit_the_code(self):
        for patch in sorted((FOLDER / "mutants").glob("*.patch")):
            with self.subTest(patch.stem):
                done = subprocess.run(["patch", "-p1", "--dry-run", "--batch", "--fuzz=0", "-i", patch], cwd=ROOT,
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertRegex(patch.read_text(), r"\n\+\+\+ b/\S+\.cpp\n", "one file is compiled again, so no header")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The advice of `gantry profile`: each of twelve programs wastes one known thing, and the report names the
variable, the line and the remedy; its mended twin is not blamed for it.

advice_test.py BUILD PROGRAM_FOLDER SUFFIX DEVICE: SUFFIX says which of the two compiled programs,
wastes-SUFFIX and mended-SUFFIX.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD, FOLDER, SUFFIX, DEVICE = sys.argv[1:5]
SOURCES = pathlib.Path(__file__).resolve().parent / "programs"
# Programs for which one device is not enough.
PAIRS = {"missing_nowait", "unequal_load", "late_image"}
# What the remedy says, among other things.
REMEDIES = {
    "duplicate_copy": "target data map(to: {})",
    "round_trip": "map(release: {})",
    "loop_mapping": "target data map(alloc: {})",
    "unchanged_back": "map(to: {})",
    "implicit_tofrom": "map(to: {})",
    "small_copies": "one struct",
    "short_region": "do more in one region",
    "single_team": "target teams distribute parallel for",
    "missing_nowait": "nowait",
    "unequal_load": "device 1 a larger part",
    "late_image": "target device(1)",
    "idle_memory": "target exit data map(release: {})",
}


# Programs that waste nothing that a change would save, or need another remedy than it seems: what may not be advised.
INNOCENT = {
    "attached": ("idle-memory",),
    "repeated_result": ("unchanged-back", "implicit-tofrom", "round-trip"),
    "alternating": ("unchanged-back", "implicit-tofrom", "round-trip"),
    "buffers": ("loop-mapping", "duplicate-copy"),
    "chains": ("short-region",),
}


def devices(name):
    kind, *options = DEVICE.split("+")
    count = ":2" if name in PAIRS or name == "carried" else ""
    return "+".join([kind + count, *options])


def wasted(name):
    """The line and the variable that the source names."""
    for number, line in enumerate((SOURCES / f"{name}.h").read_text().splitlines(), 1):
        if "// waste:" in line:
            return number, line.split("// waste:")[1].strip()
    raise AssertionError(f"{name} has no line with 'waste:'")


class Advice(unittest.TestCase):
    maxDiff = None

    def profile(self, kind, name):
        """The advice of a run with that finding's name."""
        with tempfile.TemporaryDirectory(prefix="gantry-test-") as folder:
            report = pathlib.Path(folder) / "report.json"
            environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GANTRY_"))}
            environment |= {"GANTRY_DEVICES": devices(name), "OMP_TARGET_OFFLOAD": "MANDATORY",
                            "GANTRY_SIMT_DEVICES": "2"}
            done = subprocess.run(
                [f"{BUILD}/bin/gantry", "profile", "--data", "--json", "-o", report,
                 f"{FOLDER}/{kind}-{SUFFIX}", name],
                env=environment, capture_output=True, text=True, timeout=120, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            process, = json.loads(report.read_text())["processes"]
        self.assertEqual((process["dropped_events"], process["damaged_records"]), (0, 0))
        return process

    def remedies(self, name):
        return [(row["id"], row["change"]) for row in self.profile("innocent", name)["advice"]]

    def test_what_is_read_and_written_is_kept_mapped_as_such(self):
        changes = [change for finding, change in self.remedies("read_and_written") if finding == "duplicate-copy"]
        self.assertTrue(changes)
        self.assertTrue(all("map(tofrom: " in change for change in changes), changes)

    def test_updates_are_left_out_and_not_mapped(self):
        remedies = self.remedies("updates")
        self.assertIn("unchanged-back", [finding for finding, _ in remedies])
        self.assertFalse([change for _, change in remedies if "map(" in change])

    def test_a_number_that_the_host_takes_on_is_waited_for(self):
        lines = (SOURCES / "innocent.cpp").read_text().splitlines()
        line = next(number for number, line in enumerate(lines, 1) if "reduction(+ : norm)" in line)
        places = [row["position"] for row in self.profile("innocent", "carried")["advice"] if row["id"] == "missing-nowait"]
        self.assertFalse([place for place in places if place.endswith(f":{line}")])

    def test_copies_of_routines_are_rows(self):
        process = self.profile("innocent", "routines")
        size = (1 << 15) * 8
        self.assertEqual({(row["to_device"], row["calls"], row["bytes"]) for row in process["copies"]
                          if row["kind"] == "routine"}, {(True, 7, 7 * size), (False, 1, size)})


def add_tests(name):
    def test_waste(self):
        line, variable = wasted(name)
        # An image that is loaded in less than 50 us, as some are here now and then, is no finding.
        for _ in range(20 if name == "late_image" else 1):
            process = self.profile("wastes", name)
            if found := [row for row in process["advice"] if row["id"] == name.replace("_", "-")]:
                break
        places = [(pathlib.Path(row["position"]).name, row["variable"].split("::")[-1]) for row in found]
        self.assertIn((f"{name}.h:{line}", variable), places if variable else [(p, "") for p, _ in places],
                      json.dumps(process, indent=1))
        row = next(row for row in found if pathlib.Path(row["position"]).name == f"{name}.h:{line}"
                   and (not variable or row["variable"].split("::")[-1] == variable))
        self.assertIn(REMEDIES[name].format(row["variable"]), row["change"])
        self.assertGreater(row["saves_ns"] + row["saves_bytes"], 0)

    def test_mended(self):
        process = self.profile("mended", name)
        self.assertEqual([row for row in process["advice"] if row["id"] == name.replace("_", "-")], [])

    setattr(Advice, f"test_{name}", test_waste)
    setattr(Advice, f"test_{name}_mended", test_mended)


def add_innocent(name, findings):
    def test_innocent(self):
        process = self.profile("innocent", name)
        self.assertEqual([row for row in process["advice"] if row["id"] in findings], [])

    setattr(Advice, f"test_innocent_{name}", test_innocent)


for finding in REMEDIES:
    add_tests(finding)
for innocent in INNOCENT:
    add_innocent(innocent, INNOCENT[innocent])

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])

#!/usr/bin/env python3
"""The workflow file of docs/gpu-code-in-ci.md: it is YAML with the parts that a runner needs, and each of its
steps does on this machine what it is to do there, one after the other, in a project that has the document's files.
What builds Gantry is not run: that it is what scripts/demo runs is checked instead.

  tests/docs/workflow_test.py BUILD
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import commands

try:
    import yaml
except ImportError:
    print("SKIPPED: Debian's package python3-yaml is not installed")
    sys.exit(77)

BUILD = pathlib.Path(sys.argv[1]).resolve()
PAGE = commands.ROOT / "docs/gpu-code-in-ci.md"
NAME = ".github/workflows/offload.yml"


class Workflow(unittest.TestCase):
    def setUp(self):
        steps = commands.read(PAGE)
        self.files = dict(step for step in steps if isinstance(step, tuple))
        self.preparation = [step.text for step in steps if not isinstance(step, tuple) and step.text.startswith("cp ")]
        self.workflow = yaml.safe_load(self.files[NAME])
        (self.job,) = self.workflow["jobs"].values()
        self.runs = [step["run"] for step in self.job["steps"] if "run" in step]

    def test_it_has_what_a_runner_needs(self):
        # YAML 1.1 takes the key `on` for true.
        self.assertEqual(set(self.workflow), {"name", True, "jobs"})
        self.assertLessEqual({"runs-on", "container", "steps"}, set(self.job))
        for step in self.job["steps"]:
            self.assertEqual(len({"run", "uses"} & set(step)), 1, step)
            self.assertLessEqual(set(step), {"name", "run", "uses", "with"})

    def test_gantry_is_built_as_the_demo_builds_it(self):
        demo = [line.strip() for line in (commands.ROOT / "scripts/demo").read_text().splitlines()]
        building = [run for run in self.runs if run.startswith("gantry/scripts/")]
        self.assertEqual([run.removeprefix("gantry/") for run in building],
                         [line for line in demo if line.startswith("scripts/")])

    def test_the_other_steps_pass(self):
        steps = [run for run in self.runs if not run.startswith("gantry/scripts/")]
        installed = [run.split()[-1] for run in steps if run.startswith("apt-get install ")]
        steps = [run for run in steps if not run.startswith("apt-get ")]
        self.assertEqual(len(steps), 2)
        for step in steps: # the container has what Gantry needs, and no more
            self.assertTrue(step.startswith("gantry/") or step.split()[0] in installed, step)
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in self.files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            shutil.copytree(commands.ROOT / "examples", root / "examples")
            (root / "gantry").mkdir()
            (root / "gantry/build").symlink_to(BUILD)
            environment = {"PATH": "/usr/bin:/bin", "HOME": folder, "CI": "true"} | {
                name: value for name, value in os.environ.items() if name.startswith(("ASAN_", "LSAN_", "TSAN_"))}
            for step in self.preparation + steps:
                with self.subTest(step=step):
                    done = subprocess.run(["sh", "-e", "-c", step], cwd=root, env=environment, text=True, timeout=300,
                                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
                    self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main(argv=["workflow"], verbosity=1)

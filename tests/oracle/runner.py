"""Units, compiled programs of many shapes, and runs of scripts with them on each kind of device."""

import dataclasses
import hashlib
import os
import pathlib
import random
import subprocess
import sys

import program
import random_programs
import random_shapes
from model import NonConforming, Refused
from shapes import unit_source

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
SHAPES = 70          # of a unit
TIMEOUT = 120        # seconds for a batch; a program takes some milliseconds
STEERING = ("OMP_", "GANTRY_", "LIBOMPTARGET_")


@dataclasses.dataclass
class Device:
    """A configuration: what is set in the environment, what the unit is compiled for, whether storage is
    shared."""
    name: str
    variables: dict
    target: str = "cpu"      # cpu, gpu or llvm
    shared: bool = False


def devices(build):
    return {device.name: device for device in (
        Device("cpu", {"GANTRY_DEVICES": "cpu:2"}, shared=True),
        Device("cpu+separate", {"GANTRY_DEVICES": "cpu:2+separate"}),
        Device("queued", {"GANTRY_DEVICES": "queued:2", "GANTRY_PLUGIN_PATH": f"{build}/tests/plugins/lib"}),
        Device("worker", {"GANTRY_DEVICES": "worker:2"}),
        Device("simt", {"GANTRY_DEVICES": "simt", "GANTRY_SIMT_DEVICES": "2",
                        "GANTRY_SIMT_CACHE": f"{build}/simt-cache"}, target="gpu"),
        Device("llvm", {}, target="llvm"))}


class Unit:
    """Shapes, and the programs that were compiled of them."""

    def __init__(self, build, shapes, compiler="clang22"):
        self.build, self.shapes, self.compiler = build, shapes, compiler
        self.folder = build / "oracle"
        self.folder.mkdir(exist_ok=True)
        self.made = set()  # files of ours

    @staticmethod
    def of_seed(build, seed, compiler="clang22"):
        """The unit that a seed says; also seeds of programs begin with it."""
        shapes = random_shapes.random_shapes(random.Random(seed), SHAPES, compiler)
        return Unit(build, shapes, compiler)

    def command(self, target, source, executable):
        common = ["-O1", "-g", "-std=c++17", "-w", f"-I{FOLDER}", str(source), "-o", str(executable)]
        gantry = str(self.build / "bin/gantry")
        if self.compiler == "gcc12":
            return [gantry, "g++", "-foffload=cpu,nvptx-none", "-foffload-options=nvptx-none=-latomic -lm",
                    *common]
        if target == "llvm":
            return ["clang++-22", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", *common]
        gpu = ["--offload-arch=sm_70"] if target == "gpu" else []
        return [gantry, "clang++", f"--clang={self.compiler.removeprefix('clang')}", *gpu, *common]

    def executable(self, target):
        """Compiles the unit if that was not done before."""
        text = unit_source(self.shapes)
        if self.compiler == "gcc12":
            target = "all"
        key = hashlib.sha256((text + (FOLDER / "oracle.h").read_text()).encode()).hexdigest()[:16]
        path = self.folder / f"unit-{key}-{self.compiler}-{target}"
        if not path.exists():
            # Others may compile the same unit at this time.
            source = self.folder / f"unit-{key}-{os.getpid()}.cpp"
            source.write_text(text)
            partial = path.with_suffix(f".{os.getpid()}")
            done = subprocess.run(self.command(target, source, partial), capture_output=True, text=True,
                                  check=False)
            if done.returncode != 0:
                sys.exit(f"oracle: {source} was not compiled:\n{done.stderr}")
            partial.rename(path)
            self.made |= {source, path}
        return path

    def discard(self):
        """Removes what was compiled."""
        for path in self.made:
            path.unlink(missing_ok=True)


@dataclasses.dataclass
class Prediction:
    """A program and what the model says of it."""
    seed: int
    steps: list
    expected: dict       # shared or not: (lines by step number, whether it ends with a message)
    clean: bool          # whether nothing is mapped at its end

    @staticmethod
    def of_steps(seed, steps, shapes):
        executions = {shared: program.execute(steps, shapes, shared) for shared in (False, True)}
        expected = {shared: (execution.expected, execution.refused)
                    for shared, execution in executions.items()}
        clean = all(len(device.mappings) == 1 for execution in executions.values()
                    for device in execution.model.devices)
        return Prediction(seed, steps, expected, clean)

    @staticmethod
    def of_seed(seed, unit):
        """None if the program is not conforming, is refused, or leaves something mapped, where memory is
        shared: pointers may have other values there, because nothing is copied back over them."""
        try:
            prediction = Prediction.of_steps(seed, random_programs.program(seed, unit.shapes), unit.shapes)
        except (NonConforming, Refused):
            return None
        return prediction if prediction.clean or prediction.refused else None

    @property
    def refused(self):
        return self.expected[False][1]


def agrees(expected, seen):
    if expected == seen:
        return True
    wanted, got = expected.split(), (seen or "").split()
    return len(wanted) == len(got) and all(x in ("?", y) for x, y in zip(wanted, got))


def difference(expected, seen):
    """The first observation that is not as expected; empty if all are."""
    for number in sorted(expected.keys() | seen.keys()):
        if number not in expected or not agrees(expected[number], seen.get(number)):
            return (f"step {number}: expected '{expected.get(number, 'nothing')}', "
                    f"seen '{seen.get(number, 'nothing')}'")
    return ""


class Runner:
    """Runs scripts of a unit on one device."""

    def __init__(self, build, device, library=None):
        self.build, self.device = build, device
        self.timeout = TIMEOUT
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(STEERING)}
        self.environment |= {"OMP_TARGET_OFFLOAD": "MANDATORY",
                             "OMP_WAIT_POLICY": "passive"} | device.variables
        if library:  # a folder with another libgantry
            others = self.environment.get("LD_LIBRARY_PATH")
            self.environment["LD_LIBRARY_PATH"] = str(library) + (f":{others}" if others else "")

    def start(self, unit, predictions, timeout):
        path = unit.folder / f"script-{os.getpid()}-{self.device.name}"
        path.write_text("".join(program.script(each.steps, each.seed, unit.shapes) for each in predictions))
        try:
            check = "leaks" if all(each.clean for each in predictions) else ""
            done = subprocess.run([unit.executable(self.device.target), path],
                                  env=self.environment | ({"GANTRY_CHECK": check} if check else {}),
                                  capture_output=True, text=True, errors="replace", timeout=timeout,
                                  check=False)
            return done.stdout, done.stderr, done.returncode
        except subprocess.TimeoutExpired as error:
            text = error.stdout.decode(errors="replace") if error.stdout else ""
            return text, f"not done after {timeout} s", None
        finally:
            path.unlink()

    @staticmethod
    def parse(text):
        """Observations by program."""
        programs, current = {}, None
        for line in text.splitlines():
            if line.startswith("program "):
                current = programs.setdefault(int(line.split()[1]), {})
            elif current is not None:
                number, _, values = line.partition(":")
                current[int(number)] = values.strip()
        return programs

    def alone(self, unit, prediction, timeout=None):
        """What is wrong with a program in a process of its own; empty if nothing is."""
        out, errors, status = self.start(unit, [prediction], timeout or self.timeout)
        expected, refused = prediction.expected[self.device.shared]
        if refused:
            if self.device.target == "llvm":
                return "" if status else "no error"
            if status != 1 or not errors.startswith("gantry: error: "):
                return f"no error message; exit status {status}: {errors.strip()[:500]}"
            return ""
        wrong = difference(expected, self.parse(out).get(prediction.seed, {})) if status == 0 else ""
        if wrong:
            return wrong
        return "" if status == 0 and not errors else f"exit status {status}: {errors.strip()[:500]}"

    def failures(self, unit, predictions):
        """(prediction, what is wrong) of those that the model does not agree with. Most share a process;
        what looks wrong there is run alone."""
        together = [each for each in predictions if not each.refused]
        suspects = [each for each in predictions if each.refused]
        if together:
            out, errors, status = self.start(unit, together, self.timeout)
            seen = self.parse(out)
            wrong = [each for each in together
                     if difference(each.expected[self.device.shared][0], seen.get(each.seed, {}))]
            if status != 0 or errors:
                wrong = wrong or together
            for prediction in wrong:
                what = self.alone(unit, prediction)
                if what:
                    yield prediction, what
                    break
            else:
                if wrong:
                    yield wrong[0], f"only after other programs: exit status {status}: {errors.strip()[:500]}"
        for prediction in suspects:
            what = self.alone(unit, prediction)
            if what:
                yield prediction, what

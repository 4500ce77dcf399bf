"""The files of the conformance suite: rules, devices, exceptions and the results of runs."""

import fnmatch
import json
import pathlib
import shutil
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
SKIPPED = 77  # what ctest takes for it


def fail(message):
    sys.exit(f"conformance: {message}")


def rows(path):
    """The lines of a file that say something, each with its place for messages."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield f"{path.name}:{number}", line.strip()


class Rule:
    def __init__(self, subject, identity, section, text):
        self.subject = subject
        self.identity = identity
        self.section = section
        self.text = text


def read_rules():
    """The rules by their names, in order. A line in brackets begins a subject."""
    rules, subject = {}, None
    for place, line in rows(FOLDER / "rules.txt"):
        if line.startswith("["):
            subject = line.strip("[]")
            continue
        fields = [field.strip() for field in line.split("|")]
        if len(fields) != 3 or not all(fields) or subject is None:
            fail(f"{place}: a rule is NAME | SECTION | TEXT under a [subject]")
        if fields[0] in rules:
            fail(f"{place}: there is a rule '{fields[0]}' already")
        rules[fields[0]] = Rule(subject, *fields)
    return rules


class Device:
    """A device configuration: what its programs are compiled for, and what to set in the environment."""

    def __init__(self, line):
        self.name, *variables = line.split()
        self.variables = dict(variable.split("=", 1) for variable in variables)
        self.gpu = self.variables.pop("for", None)
        self.variables.pop("compilers", None)  # what CMakeLists.txt makes tests of
        self.like = self.variables.pop("like", None)  # the device whose exceptions hold here too

    def executable(self, build, program, compiler):
        # A program of GCC's has an image for each kind of device.
        gpu = f"-{self.gpu}" if self.gpu and compiler.startswith(("clang", "flang")) else ""
        name = f"{program}-{compiler}{gpu}"
        return build / "tests/conformance/programs" / name

    def environment(self, build):
        return {name: value.replace("BUILD", str(build)) for name, value in self.variables.items()}


def read_devices(file="devices.txt"):
    return [Device(line) for _, line in rows(FOLDER / file)]


def why_not_compiled(build, run):
    """Why a (program, compiler, device) cannot be run; empty if it can."""
    program, compiler, device = run
    packages = {"gcc12": "g++-12 or gcc-12-offload-nvptx", "gfortran12": "gfortran-12 or gcc-12-offload-nvptx",
                "flang22": "flang-22"}
    if compiler in packages and not read_device(device).executable(build, program, compiler).exists():
        return f"{packages[compiler]} was not installed when the build was configured"
    return ""


def why_no_job(launcher):
    """Why no job can be started by a launcher; empty if one can."""
    if shutil.which(launcher[0]) is None:
        return f"{launcher[0]} is not installed"
    for _ in range(3):  # hydra fails at times, without a word, when a job has ended before it has begun
        done = subprocess.run([*launcher, "-n", "3", "true"], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return ""
    return f"{launcher[0]} cannot start a job here: {done.stderr.strip() or f'status {done.returncode}'}"


def read_device(name):
    files = ("devices.txt", "devices-foreign.txt", "devices-mpi.txt")
    return next(device for file in files for device in read_devices(file) if device.name == name)


class ExceptionRow:
    """A row of exceptions.txt: what a case does on some runs, and why."""

    def __init__(self, place, line):
        fields = [field.strip() for field in line.split("|")]
        kind, _, self.message = fields[2].partition(": ") if len(fields) == 4 else ("", "", "")
        if not all(fields) or kind not in ("unsupported", "expected failure"):
            fail(f"{place}: an exception is RUNS | PROGRAM:CASE | unsupported or expected failure[: MESSAGE] | "
                 "REASON")
        self.place = place
        self.kind = kind
        self.runs, self.case, _, self.reason = fields
        self.compiler, _, devices = self.runs.partition(" ")
        self.devices = (devices or "*").split(",")

    def covers(self, program, compiler, device, case):
        return (fnmatch.fnmatchcase(compiler, self.compiler)
                and any(fnmatch.fnmatchcase(device, pattern) for pattern in self.devices)
                and fnmatch.fnmatchcase(f"{program}:{case}", self.case))


def read_exceptions():
    return [ExceptionRow(place, line) for place, line in rows(FOLDER / "exceptions.txt")]


def results_folder(build):
    return pathlib.Path(build) / "conformance"


def results_path(build, program, compiler, device):
    return results_folder(build) / f"{program}.{compiler}.{device}.json"


def write_results(path, results):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1) + "\n")


def planned_runs(build):
    """Every (program, compiler, device) that the build has a test for."""
    path = results_folder(build) / "runs.txt"
    if not path.exists():
        fail(f"'{path}' is missing; configure and build first")
    return [tuple(line.split()) for line in path.read_text().splitlines()]

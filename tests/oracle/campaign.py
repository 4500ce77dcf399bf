"""What scripts/oracle does with seeds: units, programs of them, devices, failures, and kept programs."""

import dataclasses
import itertools
import json
import shutil
import sys
import time

import program
from runner import FOLDER, Prediction, Runner, Unit, devices
from shapes import Shape
from shrink import shrink

PROGRAMS_OF_A_SEED = 10000
DEVICES = {"clang22": ["cpu", "cpu+separate", "queued", "worker", "simt"],
           "clang19": ["cpu", "cpu+separate", "queued", "worker"],
           "gcc12": ["cpu", "cpu+separate", "queued", "worker"]}


def why_not(build, compiler):
    """Why there is nothing to run with; empty if there is."""
    if not (build / "bin/gantry").exists():
        return f"'{build}' is no build of Gantry; run scripts/build release"
    program_name = {"clang22": "clang++-22", "clang19": "clang++-19", "gcc12": "g++-12"}[compiler]
    return "" if shutil.which(program_name) else f"{program_name} is not installed"


@dataclasses.dataclass
class Failure:
    seed: int
    device: str
    what: str
    text: str
    path: str


@dataclasses.dataclass
class Result:
    programs: dict = dataclasses.field(default_factory=dict)  # device: number of programs run
    failures: list = dataclasses.field(default_factory=list)
    skipped: str = ""

    def to_json(self):
        return {"programs": self.programs,
                "failures": [dataclasses.asdict(failure) for failure in self.failures]}


class Campaign:
    def __init__(self, arguments):
        self.arguments = arguments
        self.build = arguments.build
        known = devices(self.build)
        names = arguments.devices.split(",") if arguments.devices else DEVICES[arguments.compiler]
        unknown = [name for name in names if name not in known]
        if unknown:
            sys.exit(f"oracle: no device '{unknown[0]}'; there are {', '.join(known)}")
        self.devices = [known[name] for name in names]
        self.result = Result({name: 0 for name in names})
        self.started = time.monotonic()
        self.library = getattr(arguments, "library", None)
        self.quiet = getattr(arguments, "quiet", False)
        self.told = self.started

    def run(self):
        arguments = self.arguments
        self.result.skipped = why_not(self.build, arguments.compiler)
        if self.result.skipped:
            return self.result
        if arguments.regressions:
            self.run_regressions()
        elif arguments.replay is not None:
            self.replay(arguments.replay)
        else:
            self.run_seeds()
        self.progress(end=True)
        return self.result

    def progress(self, end=False):
        """A line that is written again on a terminal; elsewhere one a minute."""
        if self.quiet:
            return
        counts = ", ".join(f"{name} {count}" for name, count in self.result.programs.items())
        line = (f"oracle: programs: {counts}; {len(self.result.failures)} failed; "
                f"{time.monotonic() - self.started:.0f} s")
        if sys.stderr.isatty():
            print(f"\r{line}", end="\n" if end else "", file=sys.stderr, flush=True)
        elif end or time.monotonic() - self.told > 60:
            print(line, file=sys.stderr, flush=True)
            self.told = time.monotonic()

    def goes_on(self, made):
        arguments = self.arguments
        if self.result.failures and not arguments.keep_going:
            return False
        if arguments.programs is not None:
            return made < arguments.programs
        seconds = arguments.hours * 3600 if arguments.hours else arguments.seconds
        return time.monotonic() - self.started < seconds

    def run_seeds(self):
        """Programs of one unit after the other. Batches keep to the time."""
        first = self.arguments.seed if self.arguments.seed is not None else int(time.time()) % 1000000000
        made = 0
        for seed in itertools.count(first):
            if not self.goes_on(made):
                return
            unit = Unit.of_seed(self.build, seed, self.arguments.compiler)
            numbers = iter(range(self.arguments.unit_programs))
            while self.goes_on(made):
                batch = list(itertools.islice(numbers, 50))
                if not batch:
                    break
                predictions = [self.predict(unit, seed * PROGRAMS_OF_A_SEED + number) for number in batch]
                predictions = [each for each in predictions if each is not None]
                made += len(predictions)
                self.run_batch(unit, predictions)
            unit.discard()

    @staticmethod
    def predict(unit, seed):
        return Prediction.of_seed(seed, unit)

    def run_batch(self, unit, predictions):
        for device in self.devices:
            runner = Runner(self.build, device, self.library)
            for prediction, what in runner.failures(unit, predictions):
                self.fail(runner, unit, prediction, what)
                if not self.arguments.keep_going:
                    return
            self.result.programs[device.name] += len(predictions)
            self.progress()

    def fail(self, runner, unit, prediction, what):
        """Makes a failure short, prints it and keeps it."""
        if not what.startswith("only after"):
            prediction, what = shrink(runner, unit, prediction, what)
        text = program.listing(prediction.steps, unit.shapes)
        folder = self.build / "oracle/failures"
        folder.mkdir(exist_ok=True)
        path = folder / f"{prediction.seed}-{runner.device.name}.json"
        path.write_text(kept_text(unit, prediction.steps, self.arguments.compiler, what))
        self.result.failures.append(Failure(prediction.seed, runner.device.name, what, text, str(path)))
        if not self.quiet:
            print(f"\noracle: seed {prediction.seed} on {runner.device.name}: {what}\n{text}\n"
                  f"oracle: kept in {path}; again: scripts/oracle --replay {prediction.seed} "
                  f"--devices {runner.device.name} --compiler {self.arguments.compiler}", flush=True,
                  file=sys.stderr if self.arguments.json else sys.stdout)

    def replay(self, seed):
        unit = Unit.of_seed(self.build, seed // PROGRAMS_OF_A_SEED, self.arguments.compiler)
        prediction = self.predict(unit, seed)
        if prediction is None:
            sys.exit(f"oracle: the program of seed {seed} is not conforming where memory is shared")
        print(program.listing(prediction.steps, unit.shapes))
        self.run_batch(unit, [prediction])

    def run_regressions(self):
        """All kept programs of the compiler, in one unit."""
        shapes, kept = [], []
        for path in sorted((FOLDER / "regressions").glob("*.json")):
            fields = json.loads(path.read_text())
            if self.arguments.compiler not in fields["compilers"]:
                continue
            steps = [program.Step.from_json(step) for step in fields["steps"]]
            for step in program.all_steps(steps):
                if step.operation >= 0:
                    step.operation += len(shapes)
            shapes += [Shape.from_json(shape) for shape in fields["shapes"]]
            kept.append((path.stem, steps))
        if not kept:
            self.result.skipped = f"no program is kept for {self.arguments.compiler}"
            return
        unit = Unit(self.build, shapes, self.arguments.compiler)
        for number, (name, steps) in enumerate(kept):
            before = len(self.result.failures)
            self.run_batch(unit, [Prediction.of_steps(number, steps, shapes)])
            if len(self.result.failures) > before:
                print(f"oracle: this was the regression '{name}'", flush=True)


def kept_text(unit, steps, compiler, why):
    """A program with its shapes, as a file of tests/oracle/regressions."""
    used = sorted({step.operation for step in program.all_steps(steps) if step.operation >= 0})
    numbers = {operation: number for number, operation in enumerate(used)}

    def renumbered(step):
        fields = step.to_json()
        fields["operation"] = numbers.get(step.operation, step.operation)
        fields["body"] = [renumbered(inner) for inner in step.body]
        return fields
    lines = [f'"why": {json.dumps(why)}', f'"compilers": {json.dumps([compiler])}',
             '"shapes": [\n  ' + ",\n  ".join(json.dumps(unit.shapes[operation].to_json())
                                              for operation in used) + "]",
             '"steps": [\n  ' + ",\n  ".join(json.dumps(renumbered(step)) for step in steps) + "]"]
    return "{" + ",\n ".join(lines) + "}\n"

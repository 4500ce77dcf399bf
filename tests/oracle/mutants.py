"""How much the oracle finds: libraries with one rule broken each (mutants/*.patch, whose first line says
which), against random programs, two minutes each.

Only the file that a patch changes is compiled again; the rest of the library is linked as the build has
it, with a cache of what the link-time optimisation made of it.
"""

import itertools
import json
import re
import shlex
import shutil
import subprocess
import sys
import time

from campaign import PROGRAMS_OF_A_SEED, why_not
from runner import FOLDER, ROOT, Prediction, Runner, Unit, devices

SECONDS = 120
TARGET = 18 / 20        # of the mutants have to be found
LIBRARY = "lib/libgantry.so.1"
PROGRAMS_OF_A_UNIT = 400
BATCH = 50


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"oracle: failed: {command if isinstance(command, str) else shlex.join(map(str, command))}\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout


class Mutant:
    """One patch, and the library that it makes."""

    def __init__(self, patch, build):
        self.patch, self.build = patch, build
        self.name = patch.stem
        text = patch.read_text()
        self.rule = text.splitlines()[0]
        self.file = re.search(r"^\+\+\+ b/(\S+)", text, re.MULTILINE)[1]
        self.folder = build / "oracle/mutants" / self.name

    def make(self, commands):
        """Builds the library; `commands` are those by which the build makes it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        source = self.folder / self.file
        source.parent.mkdir(parents=True)
        shutil.copy(ROOT / self.file, source)
        run(["patch", "-p1", "--silent", "--no-backup-if-mismatch", "-i", self.patch], cwd=self.folder)
        compiled = self.folder / "mutant.o"
        compile_command = next(shlex.split(line) for line in commands if line.endswith(f"-c {ROOT / self.file}"))
        original = compile_command[compile_command.index("-o") + 1]
        keep = [word for word in compile_command if word != "-flto=thin"]
        for option, value in (("-o", str(compiled)), ("-MF", str(self.folder / "mutant.d")), ("-c", str(source))):
            keep[keep.index(option) + 1] = value
        run(keep, cwd=self.build)
        self.link(next(line for line in commands if f"-o {LIBRARY} " in line), original, compiled)

    def link(self, command, original, compiled):
        library = self.folder / "lib"
        library.mkdir()
        words = command.removeprefix(": && ").removesuffix(" && :").split()
        if original in words:
            words[words.index(original)] = str(compiled)
        else:  # in an archive, from which the linker then does not take it
            words.insert(words.index(LIBRARY) + 1, str(compiled))
        words[words.index(LIBRARY)] = str(library / "libgantry.so.1")
        words.insert(1, f"-Wl,--thinlto-cache-dir={self.build}/oracle/link-cache")
        run(" ".join(words), shell=True, cwd=self.build)
        # What lies beside a library in a build.
        plugins = library / "gantry"
        plugins.mkdir()
        for folder in (self.build / "lib/gantry", self.build / "tests/plugins/lib"):
            for path in folder.iterdir():
                if not (plugins / path.name).exists():
                    (plugins / path.name).symlink_to(path)
        for name in ("libexec", "share"):
            (self.folder / name).symlink_to(self.build / name)


class Programs:
    """Batches of programs, made once for all mutants; each pays for those that it is the first to need.
    Programs that fail with the library as it is show nothing of a mutant and are left out."""

    def __init__(self, build, first):
        self.build, self.first = build, first
        self.batches = []

    def __iter__(self):
        for number in itertools.count():
            if number == len(self.batches):
                self.batches.append(self.make(number))
            yield self.batches[number]

    def make(self, number):
        per_unit = PROGRAMS_OF_A_UNIT // BATCH
        seed = self.first + number // per_unit
        unit = self.batches[-1][0] if number % per_unit else Unit.of_seed(self.build, seed)
        begin = seed * PROGRAMS_OF_A_SEED + number % per_unit * BATCH
        made = [Prediction.of_seed(each, unit) for each in range(begin, begin + BATCH)]
        return unit, [each for each in made if each is not None]

    def discard(self):
        for unit, _ in self.batches:
            unit.discard()


def search(mutant, programs, names):
    """(seed, device, what was wrong, seconds) of the first program that finds a mutant, or None."""
    started = time.monotonic()
    known = devices(mutant.build)
    for unit, predictions in programs:
        for name in names:
            if time.monotonic() - started > SECONDS:
                return None
            runner = Runner(mutant.build, known[name], mutant.folder / "lib")
            runner.timeout = 20
            while failed := next(runner.failures(unit, predictions), None):
                prediction, what = failed
                without = Runner(mutant.build, known[name]).alone(unit, prediction)
                if not without:
                    return prediction.seed, name, what, time.monotonic() - started
                print(f"oracle: seed {prediction.seed} fails with the library as it is: {without[:200]}",
                      file=sys.stderr)
                predictions.remove(prediction)
    return None


def report(arguments):
    build = arguments.build
    patches = sorted((FOLDER / "mutants").glob("*.patch"))
    unknown = set(arguments.mutants) - {patch.stem for patch in patches}
    if unknown:
        sys.exit(f"oracle: no mutant '{min(unknown)}'; there are {', '.join(patch.stem for patch in patches)}")
    if arguments.mutants:
        patches = [patch for patch in patches if patch.stem in arguments.mutants]
    if problem := why_not(build, "clang22"):
        sys.exit(f"oracle: {problem}")
    names = (arguments.devices or "cpu+separate,queued").split(",")
    commands = run(["ninja", "-C", build, "-t", "commands", LIBRARY]).splitlines()
    programs = Programs(build, arguments.seed if arguments.seed is not None else int(time.time()) % 1000000000)
    rows = []
    for patch in patches:
        mutant = Mutant(patch, build)
        mutant.make(commands)
        found = search(mutant, programs, names)
        shutil.rmtree(mutant.folder)
        rows.append({"mutant": mutant.name, "rule": mutant.rule, "found": bool(found)} | (
            dict(zip(("seed", "device", "what", "seconds"), found)) if found else {}))
        if not arguments.json:
            where = f"not found in {SECONDS} s"
            if found:
                seed, device, what, seconds = found
                where = f"{seconds:3.0f} s, seed {seed} on {device}: {what.splitlines()[0][:80]}"
            print(f"{mutant.name:26} {where}", flush=True)
    programs.discard()
    count = sum(row["found"] for row in rows)
    if arguments.json:
        print(json.dumps(rows, indent=2))
    else:
        print(f"oracle: {count} of {len(rows)} mutants found")
    return 0 if count >= TARGET * len(rows) else 1

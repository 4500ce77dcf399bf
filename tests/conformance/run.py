#!/usr/bin/env python3
"""Runs a program of the conformance suite on one device and writes the results.

usage: run.py [--together | --memcheck | --device-checks | --processor=NAME] [--mpi=MPI] BUILD PROGRAM COMPILER DEVICE

Each case of Clang 22 is a process of its own; cases of other compilers that must succeed share one, and are run again
each alone if it fails. --together asks for that process alone;
--memcheck runs that one under valgrind's memcheck, --device-checks with all checks of the PTX executor,
--processor the program for another processor of AMD's than the device's, on the executor as that one;
--mpi in a job of that MPI (openmpi, mpich) with two nodes.
exceptions.txt says which cases are left out and which must fail; a case that must fail and does not
is an error. The results stand in BUILD/conformance/PROGRAM.COMPILER.DEVICE.json.
Ends with 77 (skipped) if there was no GCC to compile the program with.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

import suite

TIMEOUT = 200  # seconds; a case takes some hundredths of one, under valgrind seconds
STEERING = ("OMP_", "GANTRY_", "LIBOMPTARGET_")  # variables that a case sees only if we set them
KEPT = ("OMP_TOOL_LIBRARIES",)  # of a sanitizer
# Two processes of a job may share a processor.
LAUNCHERS = {"openmpi": ("mpirun.openmpi", "--oversubscribe"), "mpich": ("mpiexec.hydra",)}


class Case:
    def __init__(self, line):
        self.name, rules, environment, self.message = line.split("\t")
        self.rules = rules.split()
        self.environment = dict(variable.split("=", 1) for variable in environment.split())

    def shares_a_process(self):
        return not self.message and not self.environment


class Runner:
    def __init__(self, executable, variables):
        self.executable = executable
        self.command = (executable,)
        self.behind = ()
        self.environment = {name: value for name, value in os.environ.items()
                            if name in KEPT or not name.startswith(STEERING)}
        # Every program takes off the devices what it put there.
        self.environment |= {"OMP_TARGET_OFFLOAD": "MANDATORY", "GANTRY_CHECK": "leaks"} | variables

    def start(self, *arguments, **variables):
        return subprocess.run([*self.command, *arguments, *self.behind], env=self.environment | variables,
                              capture_output=True, text=True, errors="replace", timeout=TIMEOUT,
                              check=False)

    def cases(self):
        done = subprocess.run([self.executable, "--list"], env={}, capture_output=True, text=True, check=True)
        return [Case(line) for line in done.stdout.splitlines()]

    def passes_together(self, cases):
        """Whether a process that runs all of the cases, some at least, ends well."""
        try:
            return bool(cases) and self.start(*(case.name for case in cases)).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def failure(self, case):
        """What is wrong with a case that ends; empty if nothing is."""
        done = self.start(case.name, **case.environment)
        if not case.message:
            return "" if done.returncode == 0 else f"exit status {done.returncode}: {done.stdout}{done.stderr}"
        if self.behind:  # the launcher says much more
            said = re.findall(r"^gantry(?:-node)?: .*\n", done.stderr, re.MULTILINE)
            # A node on another machine may find that the program is gone before its launcher ends it.
            done.stderr = "".join(line for line in said if not line.startswith("gantry-node: error: MPI_"))
        expected = {1, done.returncode or 1} if self.behind else {1}  # a launcher has its own
        if done.returncode not in expected or not re.fullmatch(r"gantry: error: [^\n]+\n", done.stderr):
            return f"no single error message; exit status {done.returncode}: {done.stderr}"
        if not re.search(case.message, done.stderr):
            return f"expected '{case.message}': {done.stderr}"
        return ""


def outcome_of(runner, case, exception, has_passed):
    """The outcome for the results and a text for the reader."""
    if has_passed:
        return "passed", ""
    if exception and exception.kind == "unsupported":
        return "unsupported", exception.reason
    try:
        failure = runner.failure(case)
    except subprocess.TimeoutExpired:
        return "failed", f"not done after {TIMEOUT} s"
    if exception and not failure:
        return "unexpected pass", f"{exception.place} says: {exception.reason}"
    if exception and exception.message in failure:
        return "expected failure", exception.reason
    if exception:
        failure = f"{exception.place} says that it fails with '{exception.message}': {failure}"
    return ("failed", failure) if failure else ("passed", "")


# Memory that libomp keeps to its end is reachable. Memcheck cannot read Clang's newest debug information
# and says so in many lines. One thread runs at a time: without fair turns those of libomp that wait
# actively can keep the device's thread from running for minutes.
MEMCHECK = ("valgrind", "--quiet", "--fair-sched=yes", "--error-exitcode=9", "--leak-check=full", "--num-callers=30",
            "--errors-for-leak-kinds=definite,indirect", "--show-leak-kinds=definite,indirect",
            f"--suppressions={suite.FOLDER / 'memcheck.supp'}")


def run_together(runner, cases):
    if not cases:
        print("SKIPPED: every case is an exception, ends with a message or needs an environment of its own")
        return suite.SKIPPED
    done = runner.start(*(case.name for case in cases))
    sys.stderr.write(done.stderr)
    print(f"{len(cases)} cases, exit status {done.returncode}")
    return done.returncode != 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--memcheck", action="store_true")
    parser.add_argument("--device-checks", action="store_true")
    parser.add_argument("--processor")
    parser.add_argument("--mpi", choices=LAUNCHERS)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("program")
    parser.add_argument("compiler")
    parser.add_argument("device")
    arguments = parser.parse_args()
    run = (arguments.program, arguments.compiler, arguments.device)

    device = suite.read_device(arguments.device)
    if why_not := suite.why_not_compiled(arguments.build, run):
        print(f"SKIPPED: {why_not}")
        return suite.SKIPPED
    executable = device.executable(arguments.build, *run[:2])
    if arguments.processor:
        executable = executable.with_name("-".join((*run[:2], arguments.processor)))
        device.variables["GANTRY_SIMT_PROCESSOR"] = arguments.processor
    runner = Runner(executable, device.environment(arguments.build))
    if arguments.mpi:
        if why_not := suite.why_no_job(LAUNCHERS[arguments.mpi]):
            print(f"SKIPPED: {why_not}")
            return suite.SKIPPED
        runner.command = (*LAUNCHERS[arguments.mpi], "-n", "1", runner.executable)
        runner.behind = (":", "-n", "2", arguments.build / "libexec/gantry-node")
    cases = runner.cases()
    if arguments.mpi == "mpich":
        # Its launcher starts each process in a session of its own, and threads that yield, as libomp's hidden helpers
        # do, keep those of other sessions from running where processors are few (docs/distributed.md).
        runner.environment["LIBOMP_USE_HIDDEN_HELPER_TASK"] = "0"
    if arguments.mpi:  # others have the devices that they name
        cases = [case for case in cases if "GANTRY_DEVICES" not in case.environment]
    if not cases:
        suite.fail(f"'{runner.executable}' lists no cases")
    exceptions = suite.read_exceptions()
    excepted = {case.name: next((row for row in exceptions
                                 if row.covers(*run, case.name)
                                 or device.like and row.covers(*run[:2], device.like, case.name)), None)
                for case in cases}
    if arguments.memcheck:
        runner.command = (*MEMCHECK, runner.executable)
    if arguments.device_checks:
        runner.environment["GANTRY_SIMT_CHECK"] = "all"
    sharing = [case for case in cases if case.shares_a_process() and not excepted[case.name]]
    if arguments.together or arguments.memcheck or arguments.device_checks:
        return run_together(runner, sharing)

    if run[1] == "clang22" and not arguments.mpi or not runner.passes_together(sharing):
        sharing = []

    rules = suite.read_rules()
    results, failed = [], False
    for case in cases:
        for rule in case.rules:
            if rule not in rules:
                suite.fail(f"{run[0]}:{case.name} names the rule '{rule}', which rules.txt has not")
        outcome, text = outcome_of(runner, case, excepted[case.name], case in sharing)
        failed |= outcome in ("failed", "unexpected pass")
        print(f"{outcome:16} {case.name}{': ' if text else ''}{text.strip()}", flush=True)
        results.append({"case": case.name, "rules": case.rules, "outcome": outcome})
    if not arguments.processor and not arguments.mpi:
        suite.write_results(suite.results_path(arguments.build, *run), results)
    return failed


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Shows what compilers do not compile: Clang 22 the snippets of refused/, Flang 22 and gfortran 12 those of
refused/fortran/.

usage: refused.py BUILD

A snippet is refused/RULE.cpp; its first line is `// FLAGS | REGULAR EXPRESSION`: flags besides
-fopenmp and what the messages of Clang and its linker have to contain. The results stand in BUILD/conformance/refused.json:
each rule with the message. A snippet that compiles is an error: its rule then needs a case.

A snippet of Fortran is refused/fortran/NAME.f90; its first line is `! COMMAND | REGULAR EXPRESSION`, a
command of `gantry` with its flags, and its second says what is asked for. The results stand in
refused-fortran.json.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import suite

PROGRAMS = {"flang": "/usr/bin/flang-22", "gfortran": "/usr/bin/gfortran-12"}
TIMEOUT = 10  # seconds; for snippets that Clang does not come to an end with
CLANG = ["clang++-22", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", "-O1", "-o", "/dev/null"]


def messages_about(command):
    """What a compiler and its linker say; empty if they have nothing against the snippet."""
    # A session of its own: the driver that is killed would leave the compiler it runs behind.
    with subprocess.Popen(command, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          start_new_session=True) as compiler:
        try:
            messages = compiler.communicate(timeout=TIMEOUT)[1]
        except subprocess.TimeoutExpired:
            os.killpg(compiler.pid, signal.SIGKILL)
            return "no end of the compilation"
    return messages if compiler.returncode != 0 else ""


def complaint(snippet, command, expected):
    """What is said about a snippet; ends the program if it is nothing or not what the snippet says."""
    messages = messages_about([*command, snippet])
    if not messages:
        suite.fail(f"{snippet.name} compiles; show its rule by a case")
    found = re.search(expected.strip(), messages)
    if not found:
        suite.fail(f"{snippet.name}: expected '{expected.strip()}': {messages}")
    return found.group()


def refuse_fortran(build):
    results = {}
    with tempfile.TemporaryDirectory() as modules:
        for snippet in sorted((suite.FOLDER / "refused/fortran").glob("*.f90")):
            first, what = snippet.read_text().splitlines()[:2]
            command, _, expected = first.removeprefix("!").partition("|")
            compiler, *flags = command.split()
            if not pathlib.Path(PROGRAMS[compiler]).exists():
                continue # scripts/conformance then has no results of its programs either
            into = ["-module-dir", modules] if compiler == "flang" else ["-J", modules]
            message = complaint(snippet, [build / "bin/gantry", compiler, *flags, *into, "-O1", "-o", f"{modules}/program"],
                                expected)
            results[snippet.stem] = {"what": what.removeprefix("!").strip(), "command": command.strip(),
                                     "message": message}
            print(f"refused          {snippet.stem}: {message}", flush=True)
    suite.write_results(suite.results_folder(build) / "refused-fortran.json", results)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[2])
    rules = suite.read_rules()
    results = {}
    for snippet in sorted((suite.FOLDER / "refused").glob("*.cpp")):
        if snippet.stem not in rules:
            suite.fail(f"{snippet.name}: rules.txt has no rule of this name")
        flags, _, expected = snippet.read_text().splitlines()[0].removeprefix("//").partition("|")
        results[snippet.stem] = complaint(snippet, [*CLANG, "-fno-crash-diagnostics", *flags.split()], expected)
        print(f"refused          {snippet.stem}: {results[snippet.stem]}", flush=True)
    suite.write_results(suite.results_folder(sys.argv[1]) / "refused.json", results)
    refuse_fortran(pathlib.Path(sys.argv[1]))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs the commands of a document as they stand in it, and compares what they print with the text.

In an indented block of README.md or docs/*.md a line that begins with `$ ` is a command; what follows it up
to the next one is its output, on stdout and stderr. An ellipsis in the output stands for any text, alone on
a line for any lines; how lines are broken does not matter, because documents break long ones. A command
without output prints nothing. An indented block behind a paragraph that ends with "`name.c`:" is a file.

The commands run in a new folder that has the project's build/, examples/ and scripts/, and the programs of
build/bin on its path. Exit status: 0, or 1 where a command's output differs.

  tests/docs/commands.py [--build FOLDER] DOCUMENT…
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INDENT = "    "


class Command:
    def __init__(self, line, text):
        self.line = line
        self.text = text
        self.output = []

    def expects(self):
        """A regular expression for the output with its white space made single spaces."""
        words = " ".join(" ".join(self.output).split())
        return ".*?".join(re.escape(part) for part in words.split("…"))


def read(document):
    """The document's files, as name and text, and commands, in their order."""
    steps = []
    paragraph = ""
    block = []
    lines = [line.rstrip() for line in document.read_text().split("\n")] + ["end"]
    for number, line in enumerate(lines, 1):
        if line.startswith(INDENT) or (not line and block):
            block.append((number, line.removeprefix(INDENT)))
            continue
        if block:
            steps += read_block(block, paragraph)
            block = []
            paragraph = ""
        paragraph = line if line else paragraph
    return steps


def read_block(block, paragraph):
    named = re.search(r"`([\w.]+\.[\w]+|Makefile|meson\.build)`:$", paragraph)
    if named and not any(line.startswith("$ ") for _, line in block):
        return [(named[1], "\n".join(line for _, line in block).rstrip() + "\n")]
    commands = []
    continued = False
    for number, line in block:
        if line.startswith("$ "):
            commands.append(Command(number, line[2:]))
            continued = line.endswith("\\")
        elif continued:
            commands[-1].text += "\n" + line
            continued = line.endswith("\\")
        elif commands:
            commands[-1].output.append(line)
    return commands


def check(command, folder, environment, shown):
    """None, or what is wrong."""
    done = subprocess.run(["bash", "-c", command.text], cwd=folder, env=environment, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=300)
    printed = " ".join(done.stdout.split())
    expected = " ".join(" ".join(command.output).split())
    if not re.fullmatch(command.expects(), printed):
        return (f"{shown}:{command.line}: $ {command.text}\n  the text shows: {expected or 'nothing'}\n"
                f"  it prints (exit status {done.returncode}): {printed or 'nothing'}")
    if done.returncode != 0 and "error:" not in expected:
        return f"{shown}:{command.line}: $ {command.text}\n  its exit status is {done.returncode}"
    return None


def run(document, build):
    shown = document.relative_to(ROOT)
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("GANTRY_", "OMP_", "LIBOMP", "KMP_"))}
    environment["PATH"] = f"{build}/bin:/usr/bin:/bin"
    failures = []
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        environment["GANTRY_SIMT_CACHE"] = f"{folder}/.cache"
        os.symlink(build, f"{folder}/build")
        for name in ("examples", "scripts"):
            os.symlink(ROOT / name, f"{folder}/{name}")
        for step in read(document):
            if isinstance(step, tuple):
                pathlib.Path(folder, step[0]).write_text(step[1])
                continue
            count += 1
            failure = check(step, folder, environment, shown)
            print(f"{shown}:{step.line}: {'differs' if failure else 'as it stands'}: $ {step.text}", flush=True)
            if failure:
                failures.append(failure)
    for failure in failures:
        print(f"\n{failure}")
    print(f"{shown}: {count - len(failures)} of {count} commands print what the text shows")
    return not failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="a build (default: build)")
    parser.add_argument("documents", nargs="+", type=pathlib.Path, metavar="DOCUMENT")
    arguments = parser.parse_args()
    results = [run(document.resolve(), arguments.build.resolve()) for document in arguments.documents]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())

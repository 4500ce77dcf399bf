#!/usr/bin/env python3
"""Runs the commands of a document as they stand in it, and compares what they print with the text.

In an indented block of README.md or docs/*.md a line that begins with `$ ` is a command; what follows it up
to the next one is its output, on stdout and stderr. An ellipsis in the output stands for any text or none, alone
on a line for any lines; how lines are broken does not matter, because documents break long ones. A command
without output prints nothing. An indented block behind a paragraph that ends with "`name.c`:" is a file.

The commands run in a new folder that has the project's build/, examples/ (a copy), scripts/ and tests/, in the
environment that the ones before it have exported. Where the text says that they need more of Debian's packages
(NEEDS) and one is not installed, all are skipped. A command whose output has "error:" has to fail, unless it is a
pipe. Exit status: 0, 1 where a command's output differs, or 77 where one was skipped.

  tests/docs/commands.py [--build FOLDER] DOCUMENT…
"""

import argparse
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INDENT = "    "


NEEDS = re.compile(r"Beside what `scripts/demo` installs, the commands need Debian's packages? ([^.]*)\.")


class Command:
    def __init__(self, line, text):
        self.line = line
        self.text = text
        self.output = []

    def expects(self):
        """A regular expression for the output's words, each behind a space. A lone ellipsis may be none of them."""
        words = " ".join(self.output).split()
        return "".join("(?: .*?)?" if word == "…" else " " + ".*?".join(map(re.escape, word.split("…")))
                       for word in words)


def read(document):
    """The document's files, as (name, text), and commands, in their order."""
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
    named = re.search(r"^`([\w./-]+\.\w+|Makefile)`:$", paragraph)
    commands = []
    if named:
        text = list(itertools.takewhile(lambda numbered: not numbered[1].startswith("$ "), block))
        commands.append((named[1], "\n".join(line for _, line in text).rstrip() + "\n"))
        block = block[len(text):]
    continued = False
    for number, line in block:
        if line.startswith("$ "):
            commands.append(Command(number, line[2:]))
            continued = line.endswith(("\\", "&&"))
        elif continued:
            commands[-1].text += "\n" + line
            continued = line.endswith(("\\", "&&"))
        elif commands:
            commands[-1].output.append(line)
    return commands


def missing(command, build):
    """What a command needs and this build lacks; empty if nothing."""
    if "/usr/local/cuda/" in command.text and not os.path.exists("/usr/local/cuda/bin/ptxas"):
        return "no CUDA toolkit here"
    foreign = [cpu for cpu in ("aarch64", "powerpc64le")
               if cpu in command.text and not (build / f"libexec/gantry-worker-{cpu}").exists()]
    return f"no devices of {foreign[0]} here: scripts/setup foreign" if foreign else ""


def check(command, folder, environment, shown):
    """None, or what is wrong."""
    if re.fullmatch("export [^;&|]*", command.text):
        done = subprocess.run(["bash", "-c", f"{command.text}\nenv -0"], cwd=folder, env=environment, text=True,
                              stdout=subprocess.PIPE, check=True)
        environment.update(variable.split("=", 1) for variable in done.stdout.split("\0") if variable)
        return None
    done = subprocess.run(["bash", "-c", command.text], cwd=folder, env=environment, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=300)
    words = done.stdout.split()
    printed = " ".join(words)
    expected = " ".join(" ".join(command.output).split())
    if not re.fullmatch(command.expects(), "".join(f" {word}" for word in words)):
        return (f"{shown}:{command.line}: $ {command.text}\n  the text shows: {expected or 'nothing'}\n"
                f"  it prints (exit status {done.returncode}): {printed or 'nothing'}")
    fails = "error:" in expected and "|" not in command.text
    if (done.returncode != 0) != fails:
        return f"{shown}:{command.line}: $ {command.text}\n  its exit status is {done.returncode}"
    return None


def missing_packages(document):
    needs = NEEDS.search(" ".join(document.read_text().split()))
    packages = re.findall(r"`([^`]+)`", needs[1]) if needs else []
    query = ["dpkg-query", "-W", "-f", "${db:Status-Status}"]
    return [package for package in packages
            if subprocess.run([*query, package], capture_output=True, text=True, check=False).stdout != "installed"]


def run(document, build):
    shown = document.relative_to(ROOT)
    if missing_packages(document):
        print(f"{shown}: SKIPPED: apt-get install {' '.join(missing_packages(document))}")
        return 77
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("GANTRY_", "OMP_", "LIBOMP", "KMP_"))}
    environment["PATH"] = "/usr/bin:/bin"
    # Stock libgomp tries AMD's library where that is installed, as for tests of AMD's GPUs, and complains that
    # there is none of them; it says nothing where there is no library.
    environment["HSA_RUNTIME_LIB"] = "none"
    failures = []
    count = skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        environment["GANTRY_SIMT_CACHE"] = f"{folder}/.cache"
        os.symlink(build, f"{folder}/build")
        for name in ("scripts", "tests"):
            os.symlink(ROOT / name, f"{folder}/{name}")
        shutil.copytree(ROOT / "examples", f"{folder}/examples") # Automake makes objects beside sources
        for step in read(document):
            if isinstance(step, tuple):
                file = pathlib.Path(folder, step[0])
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(step[1])
                continue
            if missing(step, build):
                skipped += 1
                print(f"{shown}:{step.line}: SKIPPED, {missing(step, build)}: $ {step.text}", flush=True)
                continue
            count += 1
            failure = check(step, folder, environment, shown)
            print(f"{shown}:{step.line}: {'differs' if failure else 'as it stands'}: $ {step.text}", flush=True)
            if failure:
                failures.append(failure)
    for failure in failures:
        print(f"\n{failure}")
    print(f"{shown}: {count - len(failures)} of {count} commands print what the text shows")
    return 1 if failures else 77 if skipped else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="a build (default: build)")
    parser.add_argument("documents", nargs="+", type=pathlib.Path, metavar="DOCUMENT")
    arguments = parser.parse_args()
    results = [run(document.resolve(), arguments.build.resolve()) for document in arguments.documents]
    return 1 if 1 in results else max(results)


if __name__ == "__main__":
    sys.exit(main())

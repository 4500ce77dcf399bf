#!/usr/bin/env python3
"""Shows that Clang 22 does not compile what the snippets of refused/ ask of it.

usage: refused.py BUILD

A snippet is refused/RULE.cpp; its first line is `// FLAGS | REGULAR EXPRESSION`: flags besides
-fopenmp and what the messages of Clang and its linker have to contain. The results stand in BUILD/conformance/refused.json:
each rule with the message. A snippet that compiles is an error: its rule then needs a case.
"""

import os
import re
import signal
import subprocess
import sys

import suite

TIMEOUT = 10  # seconds; for snippets that Clang does not come to an end with
CLANG = ["clang++-22", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", "-O1", "-o", "/dev/null"]


def messages_about(snippet, flags):
    """What Clang and its linker say; empty if they have nothing against the snippet."""
    # A session of its own: the driver that is killed would leave the compiler it runs behind.
    with subprocess.Popen([*CLANG, "-fno-crash-diagnostics", *flags, snippet], text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          start_new_session=True) as compiler:
        try:
            messages = compiler.communicate(timeout=TIMEOUT)[1]
        except subprocess.TimeoutExpired:
            os.killpg(compiler.pid, signal.SIGKILL)
            return "no end of the compilation"
    return messages if compiler.returncode != 0 else ""


def complaint(snippet):
    """What is said about a snippet; ends the program if it is nothing or not what the snippet says."""
    flags, _, expected = snippet.read_text().splitlines()[0].removeprefix("//").partition("|")
    messages = messages_about(snippet, flags.split())
    if not messages:
        suite.fail(f"{snippet.name} compiles; show its rule by a case")
    found = re.search(expected.strip(), messages)
    if not found:
        suite.fail(f"{snippet.name}: expected '{expected.strip()}': {messages}")
    return found.group()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[2])
    rules = suite.read_rules()
    results = {}
    for snippet in sorted((suite.FOLDER / "refused").glob("*.cpp")):
        if snippet.stem not in rules:
            suite.fail(f"{snippet.name}: rules.txt has no rule of this name")
        results[snippet.stem] = complaint(snippet)
        print(f"refused          {snippet.stem}: {results[snippet.stem]}", flush=True)
    suite.write_results(suite.results_folder(sys.argv[1]) / "refused.json", results)


if __name__ == "__main__":
    main()

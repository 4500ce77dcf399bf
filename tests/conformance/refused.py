#!/usr/bin/env python3
"""Shows that Clang 22 does not compile what the snippets of refused/ ask of it.

usage: refused.py BUILD

A snippet is refused/RULE.cpp; its first line is `// FLAGS | REGULAR EXPRESSION`: flags besides
-fopenmp and what Clang's messages have to contain. The results stand in BUILD/conformance/refused.json:
each rule with the message. A snippet that compiles is an error: its rule then needs a case.
"""

import re
import subprocess
import sys

import suite

CLANG = ["clang++-22", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", "-O1", "-c", "-o", "/dev/null"]


def complaint(snippet):
    """What Clang says about a snippet; ends the program if it has no complaint or another one."""
    flags, _, expected = snippet.read_text().splitlines()[0].removeprefix("//").partition("|")
    done = subprocess.run([*CLANG, "-fno-crash-diagnostics", *flags.split(), snippet],
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        suite.fail(f"{snippet.name} compiles; show its rule by a case")
    found = re.search(expected.strip(), done.stderr)
    if not found:
        suite.fail(f"{snippet.name}: expected '{expected.strip()}': {done.stderr}")
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

#!/usr/bin/env python3
"""Runs the cases of a program of this folder under all checks of the PTX executor: each wrong one must
end with a message that names the file, a line of the case that is marked `// here`, what is wrong and the
variable; a race, two such lines. A right one must end well and say nothing.

run.py SOURCE PROGRAM [CASE…]

programs/cases.h says how a source names its cases. The library path and the cache are the caller's."""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

TIMEOUT = 100  # seconds; a case takes some tenths of one


class Case:
    def __init__(self, name, what, variable):
        self.name, self.what, self.variable = name, what, variable
        self.lines = set()


def read_cases(source):
    cases = []
    comment = None
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if found := re.match(r"CASE\((\w+)\) {$", line):
            if comment is None:
                sys.exit(f"{source}:{number}: no comment in front of the case says whether it is right or wrong")
            cases.append(Case(found[1], *comment.groups()))
        elif line.endswith("// here"):
            cases[-1].lines.add(number)
        comment = re.match(r"// (?:right|wrong: (.*): (.*))$", line)
    return cases


def run(program, case):
    environment = os.environ | {"OMP_TARGET_OFFLOAD": "MANDATORY", "GANTRY_DEVICES": "simt",
                                "GANTRY_SIMT_CHECK": "all"}
    try:
        return subprocess.run([program, case.name], env=environment, capture_output=True, text=True,
                              errors="replace", timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return None


def failure(source, program, case):
    """What is wrong with a case; empty if nothing is."""
    done = run(program, case)
    if done is None:
        return f"not done after {TIMEOUT} s"
    if case.what is None:
        return "" if done.returncode == 0 and not done.stderr else f"status {done.returncode}: {done.stderr}"
    messages = [line for line in done.stderr.splitlines() if re.match(r"gantry: error: .*the region of", line)]
    if done.returncode != 1 or len(messages) != 1:
        return f"no single error message; exit status {done.returncode}: {done.stderr}"
    message = messages[0]
    # Behind the construct's own position.
    told = message.split("the device is lost: ", 1)[-1]
    lines = [int(line) for line in re.findall(re.escape(source.name) + r":(\d+)", told.split(", which has")[0])]
    missing = [part for part in (case.what, case.variable) if part not in told]
    if missing:
        return f"does not say {missing}: {message}"
    if case.lines and not (lines and set(lines) <= case.lines):
        return f"names lines {lines}, which are not all of {sorted(case.lines)}: {message}"
    if "race in" in case.what and len(lines) != 2:
        return f"does not name two lines: {message}"
    return ""


def main():
    source, program, names = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    cases = [case for case in read_cases(source) if not names or case.name in names]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failures = list(pool.map(lambda case: failure(source, program, case), cases))
    for case, why in zip(cases, failures):
        print(f"{'FAILED' if why else 'passed'} {case.name}{': ' if why else ''}{why}")
    return any(failures) or not cases


if __name__ == "__main__":
    sys.exit(main())

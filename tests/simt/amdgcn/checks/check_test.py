#!/usr/bin/env python3
"""Compiles regions.cpp for an AMD GPU and runs each region on the executor with the checks of races and of
uninitialised memory: a region with a mistake ends with a report that names one of the lines that are marked in the
source, and one without ends well. With one check alone, mistakes of the other kind pass. Ends with 77 (skipped) if
the compiler is not installed.

    check_test.py clang|gcc LEVEL --build FOLDER
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent / "regions.cpp"
HEADLINES = {"race": r"race in global memory: (?:load|store) of 4 bytes at 0x[0-9a-f]+, not ordered with a (?:read|write)",
             "init": r"load of 4 bytes at 0x[0-9a-f]+, which nothing has been written to"}
SECONDS = 120


def marked_lines():
    """By region: the check that finds its mistake, and the lines; nothing for those without."""
    found, region = {}, None
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1):
        if match := re.match(r"void (\w+)\(\) {", line):
            region = match[1]
            found[region] = None
        elif match := re.search(r"// (race|init)$", line):
            found[region] = (match[1], (found[region] or ("", []))[1] + [number])
    return found


def wrong_with(program, region, mistake, checks):
    """What is wrong with a run, or nothing."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GANTRY_")}
    result = subprocess.run([program, region], capture_output=True, text=True, check=False, timeout=SECONDS,
                            env=kept | {"GANTRY_DEVICES": "simt-amd", "OMP_TARGET_OFFLOAD": "mandatory",
                                        "GANTRY_SIMT_CHECK": checks})
    if mistake is None or mistake[0] not in checks.split(","):
        return None if result.returncode == 0 and result.stdout == "done\n" else result.stderr
    told = [line for line in result.stderr.splitlines() if re.search(HEADLINES[mistake[0]], line)]
    headline = told[0] if told else ""
    if len(told) != 2 or "the device is lost" not in told[1]:
        return f"the executor and the runtime were to tell of it\n{result.stderr}"
    lines = {int(number) for number in re.findall(r"regions\.cpp:(\d+)", headline)}
    return None if result.returncode != 0 and lines & set(mistake[1]) else (
        f"ended with {result.returncode}; lines {mistake[1]} were to be named\n{result.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compiler", choices=["clang", "gcc"])
    parser.add_argument("level", help="of optimisation, such as 2")
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the build's folder")
    options = parser.parse_args()
    program = options.build / "tests/simt/amdgcn/checks" / f"regions-{options.compiler}-O{options.level}"
    driver = {"clang": ["clang++", "--offload-arch=gfx906"], "gcc": ["g++", "-foffload=amdgcn-amdhsa"]}[options.compiler]
    compiled = subprocess.run([options.build / "bin/gantry", *driver, f"-O{options.level}", "-g", SOURCE, "-o", program],
                              capture_output=True, text=True, check=False, timeout=SECONDS)
    if compiled.returncode != 0:
        print(compiled.stderr)
        return 77 if "install" in compiled.stderr else 1
    regions = marked_lines()
    failed = 0
    for region, mistake in regions.items():
        for checks in ["race,init"] if mistake is None else ["race,init", "race", "init"]:
            if wrong := wrong_with(program, region, mistake, checks):
                failed += 1
                print(f"{region} with {checks}: {wrong}")
    print(f"{len(regions)} regions, {failed} runs not as expected")
    return 0 if regions and failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())

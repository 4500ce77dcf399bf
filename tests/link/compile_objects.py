"""Compiles the sources once for all tests, with both compilers, through `gantry clang`."""

import concurrent.futures
import os
import subprocess
import sys

from toolchain import GANTRY, OBJECTS, SOURCES, compiler

OBJECTS.mkdir(parents=True, exist_ok=True)


def jobs():
    """(output, command) of everything to make."""
    for clang in ("22", "19"):
        plain = ["main", "helper", "alone", "unused", "forward", "calls_forward", "undefined",
                 "host_only", "variable", "math", "caller", "weak", "strong"]
        for name in plain:
            yield f"{name}-{clang}.o", [*compiler(clang), "-O1", "-fPIC", "-c", SOURCES / f"{name}.cpp"]
        for name, flags in {
            "main-lto": ["-foffload-lto"],
            "helper-lto": ["-foffload-lto"],
            "undefined-lto": ["-foffload-lto"],
            "caller-lto": ["-foffload-lto"],
            "constructed-lto": ["-foffload-lto"],
            "weak-lto": ["-foffload-lto"],
            "strong-lto": ["-foffload-lto"],
            "main-hostlto": ["-flto"],
            "helper-hostlto": ["-flto"],
        }.items():
            source = SOURCES / f"{name.split('-')[0]}.cpp"
            yield f"{name}-{clang}.o", [*compiler(clang), "-O2", "-fPIC", *flags, "-c", source]
    for name, value in {"first": 1, "second": 2, "third": 1}.items():
        flags = [f"-DNAME={name}", f"-DVALUE={value}", "-c"]
        for suffix, more in {"": [], "-lto": ["-foffload-lto"]}.items():
            twice = [*compiler(), "-O1", *more, *flags, SOURCES / "twice.cpp"]
            yield f"twice-{name}{suffix}-22.o", twice
            yield f"outlined-{name}{suffix}-22.o", [*twice, "-DPARALLEL=parallel"]
            yield f"inline-{name}{suffix}-22.o", [
                *compiler(), f"-O{value}", *more, *flags, SOURCES / "inline_user.cpp"]
    for suffix, more in {"": [], "-lto": ["-foffload-lto"]}.items():
        common = [*compiler(language="c"), "-O1", "-fcommon", "-c", *more, SOURCES / "common.c"]
        yield f"common-main{suffix}-22.o", [*common, "-DMAIN", "-DSIZE=100"]
        yield f"common-small{suffix}-22.o", [*common, "-DSIZE=10"]
        for arch in ("native", "x86-64-v2"):
            flags = ["-O1", *more, f"-march={arch}", "-c"]
            yield f"caller-{arch}{suffix}-22.o", [*compiler(), *flags, SOURCES / "caller.cpp"]
            yield f"helper-{arch}{suffix}-22.o", [*compiler(), *flags, SOURCES / "helper.cpp"]
    yield "helper-unknown-22.o", [
        *compiler(), "-O1", "-fopenmp-targets=x86_64-unknown-linux-gnu", "-c",
        SOURCES / "helper.cpp"]
    yield "device_only-22.o", [*compiler(), "-O1", "-fPIC", "-c", SOURCES / "device_only.cpp"]
    yield "two_targets-22.o", [
        *compiler(), "-fopenmp-targets=x86_64-pc-linux-gnu,x86_64-unknown-linux-gnu", "-c",
        SOURCES / "alone.cpp"]
    yield "plain-22.o", ["c++", "-fPIC", "-c", SOURCES / "host_only.cpp"]
    yield "librecorder.so", ["cc", "-shared", "-fPIC", "-O1", SOURCES / "recorder.c", "-ldl"]
    yield "load", ["cc", "-O1", SOURCES / "load.c", "-ldl"]


def make(job):
    output, command = job
    path = OBJECTS / output
    newest = max(file.stat().st_mtime for file in SOURCES.iterdir())
    newest = max(newest, os.stat(__file__).st_mtime, GANTRY.stat().st_mtime)
    if path.exists() and path.stat().st_mtime > newest:
        return 0
    return subprocess.run([str(word) for word in [*command, "-o", path]]).returncode


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    failed = any(list(pool.map(make, jobs())))
sys.exit(1 if failed else 0)

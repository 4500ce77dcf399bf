"""What was measured and on what: the facts that figures are worth nothing without."""

import os
import pathlib
import platform
import subprocess


def package_version(name):
    shown = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True, text=True, check=False
    )
    return shown.stdout or "not installed"


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def commit():
    shown = subprocess.run(
        ["git", "-C", pathlib.Path(__file__).parent, "describe", "--always", "--dirty"],
        capture_output=True, text=True, check=False,
    )
    return shown.stdout.strip() or "unknown"


def facts():
    return {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "load": os.getloadavg()[0],
        "system": platform.freedesktop_os_release()["PRETTY_NAME"],
        "kernel": platform.release(),
        "clang-22": package_version("clang-22"),
        "liboffload-22": package_version("liboffload-22"),
        "gantry": commit(),
    }


def headline(known):
    return (
        f"{known['processor']}, {known['cores']} cores, load {known['load']:.1f}; "
        f"{known['system']}, Linux {known['kernel']}; "
        f"liboffload-22 {known['liboffload-22']}; Gantry {known['gantry']}"
    )

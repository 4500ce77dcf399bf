#!/usr/bin/python3
"""The page of `gantry profile --html` with a million events and more: how long it takes to write, how large it is,
how long Chromium takes to open it, and how often a second it draws while it zooms from the whole run to a
microsecond. `scripts/bench --page` builds Gantry and runs this."""

import argparse
import json
import pathlib
import statistics
import sys
import tempfile
import time

import machine
from toolchain import HERE, BenchError, progress, run

TESTS = HERE.parent / "tests/profile"
sys.path.insert(0, str(TESTS))
import browser  # noqa: E402

EVENTS_OF_A_TURN = 42.5  # of the program's four threads: ten for each region, and one region more in 16
GOAL_OPEN = 3.0
GOAL_FRAMES = 30
STEPS = 180
ZOOM = """
    const [steps, done] = arguments;
    const timeline = page.timelines[0];
    const middle = timeline.length * 0.37;
    const frames = [];
    let last = performance.now();
    const step = () => {
      const now = performance.now();
      frames.push((now - last) / 1000);
      last = now;
      if (frames.length > steps) return done({frames, span: timeline.to - timeline.from});
      const span = timeline.length * (1000 / timeline.length) ** (frames.length / steps);
      timeline.zoom(middle - span / 2, middle + span / 2);
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);"""
SLICES = "return page.timelines[0].rows.reduce((sum, {row}) => sum + row.count, 0)"


def measure(build, folder, events, samples):
    program, records, page = folder / "many_events", folder / "records", folder / "page.html"
    run([build / "bin/gantry", "clang++", "-O2", "-g", TESTS / "programs/many_events.cpp", "-o", program])
    records.mkdir()
    progress("recording")
    run([program, round(events / EVENTS_OF_A_TURN)], GANTRY_DEVICES="cpu+separate", GANTRY_PROFILE=str(records))
    begin = time.monotonic()
    run([build / "bin/gantry", "profile", "--read", records, "--html", page])
    written = time.monotonic() - begin
    report = json.loads(run([build / "bin/gantry", "profile", "--read", records, "--json"]).stdout)
    opened, frames = [], []
    for sample in range(samples):
        progress(f"opening and zooming, {sample + 1} of {samples}")
        chromium = browser.open_browser()
        try:
            opened.append(browser.load(chromium, page) / 1000)
            chromium.set_script_timeout(60)
            zoomed = chromium.execute_async_script(ZOOM, STEPS)
            slices = chromium.execute_script(SLICES)
        finally:
            chromium.quit()
        if zoomed["span"] > 1000:
            raise BenchError(f"the page did not zoom to a microsecond but to {zoomed['span']} ns")
        frames.append(zoomed["frames"][1:])
    return {"events": report["processes"][0]["events"], "slices": slices, "written": written,
            "bytes": page.stat().st_size, "opened": opened, "frames": frames}


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench --page", description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--events", type=int, default=2_400_000, help="of the program (default: 2400000, a million slices)")
    parser.add_argument("--samples", type=int, default=5, help="times that the page is opened (default: 5)")
    parser.add_argument("--json", action="store_true", help="print every sample, for programs")
    arguments = parser.parse_args()
    try:
        if reason := browser.missing():
            raise BenchError(reason)
        with tempfile.TemporaryDirectory(prefix="gantry-bench-") as folder:
            result = measure(arguments.build, pathlib.Path(folder), arguments.events, arguments.samples)
    except BenchError as error:
        print(f"bench: error: {error}", file=sys.stderr)
        return 1
    known = machine.facts()
    if arguments.json:
        print(json.dumps({"machine": known, "results": result}, indent=2))
        return 0
    all_frames = sorted(frame for frames in result["frames"] for frame in frames)
    worst = all_frames[len(all_frames) * 95 // 100]
    print(machine.headline(known))
    print(f"\n{result['events']:,} events, {result['slices']:,} slices: read, and a page of {result['bytes'] / 1e6:.1f} MB "
          f"written, in {result['written']:.2f} s")
    opened = statistics.median(result["opened"])
    print(f"opened in {opened:.2f} s (goal: {GOAL_OPEN:.0f} s, {'met' if opened <= GOAL_OPEN else 'missed'})")
    print(f"zooming, {1 / statistics.median(all_frames):.0f} frames a second, and {1 / worst:.0f} in the slowest twentieth "
          f"(goal: {GOAL_FRAMES}, {'met' if worst <= 1 / GOAL_FRAMES else 'missed'})")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Tools of OpenMP's chapter 19 on every kind of device: ompt_test.py BUILD CLASS.

The tool tools/logger.cpp writes a line for each callback, and programs/constructs.cpp one before each construct;
what is checked is what these lines say. The tool tools/tracer.cpp checks the records of traces itself.
"""
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAMS = BUILD / "tests/ompt/programs"
STOCK = pathlib.Path("/usr/lib/x86_64-linux-gnu/libomptarget.so.22.1")
OURS = ("OMP_", "GANTRY_", "LIBOMPTARGET_", "LOGGER_", "TRACER_", "DECLINING_", "LD_")
SANITIZED = any(name in os.environ for name in ("ASAN_OPTIONS", "TSAN_OPTIONS"))  # memory is theirs too
HAS_GCC = (PROGRAMS / "constructs-gcc12").exists()

# A program for each compiler and kind of device: the program, the device, whether its memory is the host's.
RUNS = [("constructs-22", "cpu", True), ("constructs-22", "cpu+separate", False), ("constructs-22", "worker", False),
        ("constructs-22-nvptx", "simt", False), ("constructs-22-amdgcn", "simt-amd", False),
        ("constructs-19", "cpu+separate", False), ("constructs-19", "worker", False)]
RUNS_OF_GCC = [("constructs-gcc12", "cpu", True), ("constructs-gcc12", "cpu+separate", False),
               ("constructs-gcc12", "worker", False), ("constructs-gcc12", "simt", False)] if HAS_GCC else []


class Event:
    """A line `word key=value…` of a tool."""

    def __init__(self, line):
        self.line = line
        self.word = line.split(" ", 1)[0]
        self.values = {key: quoted or plain for key, quoted, plain in re.findall(r"(\w+)=(?:'([^']*)'|(\S+))", line)}

    def __getitem__(self, key):
        return self.values[key]

    def __contains__(self, key):
        return key in self.values


def run(program, tool=None, devices=None, status=0, warning="", **variables):
    """What a program writes on stdout, as lines; on stderr it is the warning, or nothing."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(OURS)}
    environment |= {"OMP_TARGET_OFFLOAD": "MANDATORY", "GANTRY_SIMT_CACHE": str(BUILD / "simt-cache")}
    if devices is not None:
        environment["GANTRY_DEVICES"] = devices
    if tool is not None:
        environment["OMP_TOOL_LIBRARIES"] = str(PROGRAMS / f"{tool}.so")
    command, *arguments = program.split()
    done = subprocess.run([PROGRAMS / command, *arguments], env=environment | variables, capture_output=True, text=True,
                          timeout=240, check=False)
    if done.returncode != status or not re.fullmatch(warning and f"gantry: warning: {warning}\n", done.stderr):
        raise AssertionError(f"{program} on {devices}: status {done.returncode}\n{done.stdout[-3000:]}{done.stderr}")
    return done.stdout.splitlines()


def events_of(lines):
    return [Event(line) for line in lines if not line.startswith("step ")]


def steps_of(lines):
    """What was told in each step of the program, by the step's name; the first has none."""
    steps = {"": []}
    for line in lines:
        if line.startswith("step "):
            name = line.removeprefix("step ")
            steps[name] = []
        else:
            steps[name if len(steps) > 1 else ""].append(Event(line))
    return steps


def shape(event, host):
    """An event without what differs from run to run: addresses are there or not, the host is H."""
    def side(key):
        return "H" if event[f"{key}_device"] == host else event[f"{key}_device"]

    def there(key):
        return "address" if event[key] != "(nil)" else "null"
    if event.word == "target":
        return f"target {event['kind']} {event['endpoint']} device={event['device']}"
    if event.word == "submit":
        return f"submit {event['endpoint']} teams={event['teams']}"
    if event.word == "operation":
        return (f"{event['kind']} {event['endpoint']} {side('from')}->{side('to')} {event['bytes']} bytes "
                f"{there('from')} {there('to')}")
    return None


def shapes(events, host):
    return [text for text in (shape(event, host) for event in events) if text is not None]


def moved(told, word, first, behind):
    """The events with those of `word` that begin at number `behind` before those at number `first`."""
    assert told[first].startswith(word) and told[behind].startswith(word)
    return told[:first] + told[behind:behind + 2] + told[first:behind] + told[behind + 2:]


class Callbacks(unittest.TestCase):
    maxDiff = None

    def check_events(self, lines, program, endpoints=True):
        """What holds of every log, whatever the program does and wherever its regions run."""
        events = events_of(lines)
        self.assertEqual([event.line for event in events if event.word == "wrong:" or "late" in event], [])
        # The tool, then its devices, then what happens there, and the end the other way round.
        self.assertEqual(events[0].word, "tool")
        self.assertEqual([event.line for event in events[-2:]], ["device_finalize device=0", "tool finalize"])
        told = [event for event in events if event.word in ("target", "operation", "submit", "device_load")]
        first = next(i for i, event in enumerate(events) if event.word == "device_initialize")
        self.assertGreater(events.index(told[0]), first)
        load = next(event for event in events if event.word == "device_load")
        # libomp 19 and 22 have told the tool that it is never told of this.
        unloaded = [event["module"] for event in events if event.word == "device_unload"]
        self.assertEqual(unloaded, [load["module"]] * ("gcc" in program))
        self.assertGreater(int(load["bytes"]), 0)
        if load["file"] == "none":  # GCC's code for GPUs is put together at run time
            self.assertEqual((program, load["offset"]), ("constructs-gcc12", "-1"))
        else:
            self.assertEqual(pathlib.Path(load["file"]).name, program)
            offset = int(load["offset"])
            contents = pathlib.Path(load["file"]).read_bytes()
            self.assertLessEqual(offset + int(load["bytes"]), len(contents))
            self.assertTrue(contents[offset:].startswith((b"\x7fELF", b"//")), "shared objects, and PTX as text")
        allocated = {}
        codes = {}
        open_region = None
        open_operation = None
        numbers = set()
        for event in told:
            if event.word == "device_load":
                continue
            if event.word != "submit":
                self.assertEqual(event["file"], program, f"the code address of {event.line}")
            if event["region"] != "0":
                code = codes.setdefault(event["region"], event.values.get("code"))
                self.assertEqual(event.values.get("code", code), code, f"one region, one address: {event.line}")
                self.assertEqual(event["region"], open_region or event["region"], "in the region that it says")
            if event.word == "target":
                if event["endpoint"] == "begin":
                    self.assertIsNone(open_region)
                    open_region = event["region"]
                else:
                    self.assertEqual(open_region, event["region"])
                    open_region = None
                self.assertEqual(event["task"], "1")
                if event["own_task"] != "-":
                    self.assertEqual(event["own_task"] == "1", event["kind"].endswith("_nowait"), event.line)
                continue
            if endpoints and event["endpoint"] == "end":
                self.assertEqual(open_operation, event["number"])
                open_operation = None
            else:
                self.assertIsNone(open_operation, "operations do not overlap")
                self.assertNotIn(event["number"], numbers)
                numbers.add(event["number"])
                open_operation = event["number"] if endpoints else None
            if event.word == "submit" or event["endpoint"] == "begin":
                continue
            if event["kind"] == "alloc":
                allocated[event["to"]] = event["bytes"]
            elif event["kind"] == "delete":
                self.assertEqual(allocated.pop(event["from"], None), event["bytes"],
                                 f"what was allocated: {event.line}")
        self.assertEqual(allocated, {}, "what is allocated is deleted")

    def test_are_whole_on_every_device(self):
        for program, devices, _ in RUNS + RUNS_OF_GCC:
            with self.subTest(f"{program} on {devices}"):
                self.check_events(run(program, "logger", devices), program)

    def test_are_the_same_on_every_device_with_memory_of_its_own(self):
        expected = shapes(events_of(run("constructs-22", "logger", "cpu+separate")), "1")
        for program, devices, shared in RUNS:
            if not shared:
                with self.subTest(f"{program} on {devices}"):
                    self.assertEqual(shapes(events_of(run(program, "logger", devices)), "1"), expected)

    def test_of_gcc_are_those_of_clang(self):
        if not HAS_GCC:
            self.skipTest("GCC 12 has no compiler for nvptx-none")
        clang = steps_of(run("constructs-22", "logger", "cpu+separate"))
        gcc = steps_of(run("constructs-gcc12", "logger", "cpu+separate"))
        self.assertEqual(list(clang), list(gcc))
        for step in set(clang) - {"omp_target_memcpy_async"}:  # GCC 12 does not have it
            with self.subTest(step):
                # GCC has list items of one clause in an order of its own.
                change = sorted if step == "target update from" else list
                self.assertEqual(change(shapes(gcc[step], "1")), change(shapes(clang[step], "1")))

    def test_on_a_device_that_shares_memory_are_of_what_is_done_there(self):
        steps = steps_of(run("constructs-22", "logger", "cpu"))
        self.assertEqual(shapes(steps["target of two arrays"], "1"),
                         ["target target begin device=0", "submit begin teams=1", "submit end teams=1",
                          "target target end device=0"])

    def test_name_the_device(self):
        program = "constructs-22"
        for devices in ("cpu", "cpu+separate", "worker"):
            with self.subTest(f"{program} on {devices}"):
                kind = devices.split("+")[0]
                events = events_of(run(program, "logger", f"{devices},{devices}", OMP_DEFAULT_DEVICE="1"))
                initialized = [event for event in events if event.word == "device_initialize"]
                self.assertEqual([event["device"] for event in initialized], ["0", "1"])
                self.assertTrue(all(event["type"].startswith(f"Gantry;{kind};") for event in initialized))
                self.assertEqual({event["device"] for event in events if event.word == "target"}, {"1"})
                self.assertEqual({event[key] for event in events if event.word == "operation"
                                  for key in ("from_device", "to_device")}, {"1", "2", "-1"})
                self.assertEqual([event.line for event in events[-3:]],
                                 ["device_finalize device=0", "device_finalize device=1", "tool finalize"])

    def test_of_the_plain_form_are_told_once(self):
        for program, devices in [("constructs-22", "cpu+separate"), ("constructs-22", "worker"),
                                 ("constructs-gcc12", "cpu+separate")][:3 if HAS_GCC else 2]:
            with self.subTest(f"{program} on {devices}"):
                plain = run(program, "logger", devices, LOGGER_FORM="plain")
                self.check_events(plain, program, endpoints=False)
                # Of the other form, a launch's begin and an operation's end are left.
                emi = [text for text in shapes(events_of(run(program, "logger", devices)), "1")
                       if not text.startswith("submit end") and not re.match(r"(?!target|submit)\w+ begin", text)]
                self.assertEqual(shapes(events_of(plain), "1"),
                                 [re.sub(r"^(submit|(?!target)\w+) (begin|end)", r"\1 -", text) for text in emi])

    def test_of_both_forms_are_told_in_that_of_emi(self):
        both = run("constructs-22", "logger", "cpu+separate", LOGGER_FORM="both")
        self.assertEqual(shapes(events_of(both), "1"),
                         shapes(events_of(run("constructs-22", "logger", "cpu+separate")), "1"))

    def test_are_those_that_are_registered_at_the_begin_of_a_construct(self):
        for program in ["changing-22"] + ["changing-gcc12"] * HAS_GCC:
            with self.subTest(program):
                lines = run(program, devices="cpu+separate")
                # libomp does not tell Gantry of changes, which asks it at the begin of each construct.
                now = 2 if "gcc" in program else 0
                self.assertEqual(lines, [
                    "nothing: 0 0 0", "regions: 2 0 0", "and operations: 2 8 0",
                    f"and launches, in a callback: 2 8 {now}", "all: 2 8 2", "no regions: 0 8 2",
                    "launches alone: 0 0 2", "nothing: 0 0 0"])


class Stock(unittest.TestCase):
    """The callbacks of a program are those of LLVM 22's runtime, but for these differences."""
    maxDiff = None

    # What LLVM's runtime says of a step, as patterns, and what is right; `reason` is in docs/ompt.md too.
    DIFFERENCES = [
        ("the kinds of constructs with nowait are those of OpenMP 5.2", r".*nowait$",
         lambda told: [re.sub(r"^target (\w+)", r"target \1_nowait", text) for text in told]),
        ("a delete says how many bytes", ".*",
         lambda told: [re.sub(r"^(delete \w+ .*) \d+ bytes", r"\1 N bytes", text) for text in told]),
        ("a copy within a device is one operation, with the device's number on both sides", r"omp_target_memcpy within",
         lambda told: [text.replace("0->H", "0->0") for text in told if text.startswith("from")]),
        ("an attached pointer is not copied back, as the host's keeps its value; a struct comes before what it "
         "points to", "struct with a pointer",
         lambda told: moved([text.replace("0->H 16", "0->H 8") for text in told], "from", 13, 15)),
        ("private copies lie in one piece, which is of no object and is allocated first", "firstprivate",
         lambda told: moved([text.replace("1600 bytes address", "1600 bytes null") if text.startswith("alloc") else text
                             for text in told], "alloc", 1, 3)),
    ]

    def test_has_the_same_callbacks(self):
        for program in ("constructs", "objects"):
            self.compare(program)

    def compare(self, program):
        if not STOCK.exists():
            self.skipTest(f"{STOCK} is not installed")
        stock = steps_of(run(f"{program}-stock", "logger"))
        ours = steps_of(run(f"{program}-22", "logger", "cpu+separate"))
        self.assertEqual(list(stock), list(ours))
        host = next(e["from_device"] for events in stock.values() for e in events
                    if e.word == "operation" and e["kind"] == "to")
        for step in stock:
            with self.subTest(step):
                expected = shapes(stock[step], host)
                for _, pattern, change in self.DIFFERENCES:
                    if re.match(pattern, step):
                        expected = change(expected)
                told = [re.sub(r"^(delete \w+ .*) \d+ bytes", r"\1 N bytes", text) for text in shapes(ours[step], "1")]
                self.assertEqual(told, expected)

    def test_runs_a_program_that_it_has_linked_with_the_same_callbacks(self):
        ours = shapes(events_of(run("constructs-22", "logger", "cpu+separate")), "1")
        over_ours = run("constructs-stock", "logger", "cpu+separate", LD_LIBRARY_PATH=str(BUILD / "lib/gantry"))
        self.assertEqual(shapes(events_of(over_ours), "1"), ours)


class Connection(unittest.TestCase):
    def test_finds_a_tool_that_is_linked_in(self):
        linked = run("linked-22", devices="cpu+separate")
        self.assertEqual(shapes(events_of(linked), "1"),
                         shapes(events_of(run("constructs-22", "logger", "cpu+separate")), "1"))

    def test_finds_a_tool_that_is_preloaded(self):
        for program in ["constructs-22"] + ["constructs-gcc12"] * HAS_GCC:
            with self.subTest(program):
                preloaded = run(program, devices="cpu+separate", LD_PRELOAD=str(PROGRAMS / "logger.so"))
                self.assertEqual(shapes(events_of(preloaded), "1"),
                                 shapes(events_of(run(program, "logger", "cpu+separate")), "1"))

    def test_calls_nothing_of_a_tool_that_declines(self):
        steps = [line for line in run("constructs-22", devices="cpu+separate")]
        for program in ["constructs-22"] + ["constructs-gcc12"] * HAS_GCC:
            for where in ("start_tool", "initialize"):
                with self.subTest(f"{program} {where}"):
                    lines = run(program, "declining", "cpu+separate", DECLINING_IN=where)
                    self.assertEqual([line for line in lines if line.startswith("step ")], steps)
                    self.assertEqual([line for line in lines if not line.startswith("step ")],
                                     ["start_tool"] + ["initialize"] * (where == "initialize"))

    def test_takes_the_first_library_that_answers(self):
        libraries = f"{PROGRAMS}/nothing.so:{PROGRAMS}/declining.so:{PROGRAMS}/logger.so"
        for program in ["constructs-22"] + ["constructs-gcc12"] * HAS_GCC:
            with self.subTest(program):
                lines = run(program, devices="cpu+separate", OMP_TOOL_LIBRARIES=libraries)
                self.assertEqual([line for line in lines if line.startswith(("start_tool", "tool"))][1][:15],
                                 "tool initialize")

    def test_is_made_while_another_thread_has_the_loaders_lock(self):
        # By Clang: GCC's images run the constructors of libraries a second time.
        folder = "../../runtime/programs/"
        for tool in ("logger", "declining"):
            with self.subTest(tool):
                lines = run(f"{folder}first_use-22 {PROGRAMS / folder / 'first_use_library-22.so'}", tool, "cpu")
                self.assertEqual(any(line.startswith("submit") for line in lines), tool == "logger", lines)

    def test_is_not_made_where_tools_are_disabled(self):
        for program in ["constructs-22", "linked-22"] + ["constructs-gcc12"] * HAS_GCC:
            with self.subTest(program):
                tool = None if program == "linked-22" else "logger"
                lines = run(program, tool, "cpu+separate", OMP_TOOL="disabled")
                self.assertTrue(all(line.startswith("step ") for line in lines), lines)

    def test_says_what_was_looked_for(self):
        libraries = f"{PROGRAMS}/nothing.so:{PROGRAMS}/changing-22:{PROGRAMS}/logger.so"
        for program in ["constructs-22"] + ["constructs-gcc12"] * HAS_GCC:
            with self.subTest(program), tempfile.TemporaryDirectory() as folder:
                def log_of(where, **variables):
                    is_file = where not in ("stdout", "disabled")
                    closed_by_libomp = is_file and "gcc" not in program
                    lines = run(program, devices="cpu+separate", OMP_TOOL_VERBOSE_INIT=where, **variables,
                                warning=closed_by_libomp and "OMP_TOOL_VERBOSE_INIT names a file, .*" or "")
                    if is_file:
                        self.assertEqual(any(line.startswith("submit") for line in lines), not closed_by_libomp)
                        lines = pathlib.Path(where).read_text(encoding="utf-8").splitlines()
                    begin, end = (f"----- {word} LOGGING OF TOOL REGISTRATION -----" for word in ("START", "END"))
                    self.assertEqual(lines.count(begin), 0 if where == "disabled" else 1)
                    return lines[lines.index(begin) + 1:lines.index(end)] if where != "disabled" else None
                for where in ("stdout", f"{folder}/log"):
                    self.assertRegex(
                        "\n".join(log_of(where, OMP_TOOL_LIBRARIES=libraries)),
                        r"(?s)^Search for OMP tool in current address space... Failed.\nSearching tool libraries...\n"
                        r"OMP_TOOL_LIBRARIES = .*\nOpening .*/nothing.so... Failed: .*No such file.*\n"
                        r"Opening .*/changing-22... Failed: .*\nOpening .*/logger.so... Success. *\n"
                        r"Searching for ompt_start_tool in .*/logger.so... Success. *\n"
                        r"Tool was started and is using the OMPT interface.$")
                log_of("disabled", OMP_TOOL_LIBRARIES=libraries)
                if "gcc" in program:  # libomp is not at work in the other one
                    self.assertEqual(log_of("stdout", OMP_TOOL="disabled"), ["OMP tool disabled."])

    def test_is_not_made_where_the_setting_is_no_word_of_openmp(self):
        for program in ["constructs-22"] + ["constructs-gcc12"] * HAS_GCC:
            done = subprocess.run([PROGRAMS / program], capture_output=True, text=True, check=True,
                                  env={"OMP_TOOL": "bogus", "GANTRY_DEVICES": "cpu",
                                       "OMP_TOOL_LIBRARIES": str(PROGRAMS / "logger.so")})
            self.assertTrue(all(line.startswith("step ") for line in done.stdout.splitlines()), done.stdout)
            self.assertRegex(done.stderr, r"(?i)^.*warning: .*OMP_TOOL.*bogus")
            self.assertEqual(done.stderr.count("gantry: warning"), int("gcc" in program), "libomp says it itself")

    def test_leaves_the_program_alone_where_there_is_no_tool(self):
        # Asking libomp for one makes it read its settings and say so.
        settings = "OPENMP DISPLAY ENVIRONMENT BEGIN"
        quiet = subprocess.run([PROGRAMS / "regions-22", "10", "1"], capture_output=True, text=True, check=True,
                               env={"OMP_DISPLAY_ENV": "TRUE", "GANTRY_DEVICES": "cpu"})
        self.assertNotIn(settings, quiet.stdout + quiet.stderr)
        asked = subprocess.run([PROGRAMS / "regions-22", "10", "1"], capture_output=True, text=True, check=True,
                               env={"OMP_DISPLAY_ENV": "TRUE", "GANTRY_DEVICES": "cpu",
                                    "OMP_TOOL_LIBRARIES": str(PROGRAMS / "logger.so")})
        self.assertIn(settings, asked.stdout + asked.stderr)


class Traces(unittest.TestCase):
    maxDiff = None

    def records(self, program, devices, **variables):
        lines = run(program, "tracer", devices, **variables)
        self.assertEqual([line for line in lines if line.startswith("wrong")], [])
        # Everything is delivered when the device is finished.
        self.assertEqual([line.split()[0] for line in lines[-2:]], ["finalize", "totals"])
        return [line for line in lines if line.startswith("record ")], Event(lines[-1])

    def test_have_a_record_of_each_event_in_buffers_of_any_size(self):
        for (program, devices, _), size in zip(RUNS + RUNS_OF_GCC, itertools.cycle((104, 312, 4096, 1 << 20))):
            with self.subTest(f"{program} on {devices}, buffers of {size} bytes"):
                records, totals = self.records(program, devices, TRACER_BYTES=str(size))
                # Of a region two, of an operation or launch one, of which each has a number.
                regions = sum("target kind" in record for record in records) // 2
                self.assertEqual(len(records) - regions, int(totals["callbacks"]))
                self.assertGreaterEqual(int(totals["deliveries"]), len(records) * 104 // size)

    def test_have_what_is_selected(self):
        for kinds, word in (("t", "target"), ("o", "operation"), ("s", "submit")):
            with self.subTest(word):
                records, _ = self.records("constructs-22", "worker", TRACER_KINDS=kinds)
                self.assertEqual({record.split()[2] for record in records}, {word})

    def test_have_no_records_where_there_are_no_buffers(self):
        for size in ("0", "100"):
            with self.subTest(size):
                records, _ = self.records("constructs-22", "worker", TRACER_BYTES=size)
                self.assertEqual(records, [])

    def test_are_flushed_paused_and_stopped(self):
        for devices, of_one in (("cpu", 3), ("cpu+separate", 7), ("worker", 7)):
            with self.subTest(devices):
                lines = run("traced-22", devices=devices, TRACER_QUIET="1")
                self.assertEqual([line for line in lines if line.startswith("wrong")], [])
                self.assertIn(f"records {of_one}", lines)
                self.assertEqual(Event(lines[-1])["records"], str(5 * of_one))


class Regions(unittest.TestCase):
    """Many regions of many threads under a tool."""

    def test_leave_no_memory_behind_and_are_all_told(self):
        # A million were run by hand (docs/ompt.md).
        counts = {"cpu+separate": 40000} if SANITIZED else {"cpu+separate": 200000, "worker": 40000}
        for devices, count in counts.items():
            with self.subTest(devices):
                lines = run(f"regions-22 {count} 4", "tracer", devices, TRACER_QUIET="1", TRACER_BYTES="65536")
                self.assertEqual([line for line in lines if line.startswith("wrong")], [])
                self.assertEqual(Event(lines[-1])["records"], str(7 * count))
                grown = int(next(line for line in lines if line.startswith("grown")).split()[1])
                if not SANITIZED:
                    # Records that wait for the tool are 4 MiB at most; an object for each region would be more.
                    self.assertLess(grown, 8192, "KiB")


def main():
    program = unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False)
    tests = program.result
    if not tests.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if tests.testsRun and len(tests.skipped) == tests.testsRun else 0)


if __name__ == "__main__":
    main()

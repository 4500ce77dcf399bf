"""Devices that are processes: what the program says of mistakes that end one, word for word, and what
becomes of the processes.

usage: worker_test.py BUILD [DEVICE]     DEVICE is worker (the default) or one of another instruction set
"""

import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time
import unittest

from runtime_case import BUILD, PROGRAMS, RuntimeCase

SOURCE = pathlib.Path(__file__).parent / "programs/device_faults.cpp"
DEVICE = sys.argv[2] if len(sys.argv) > 2 else "worker"
FOREIGN = DEVICE != "worker"
FOLDER, SUFFIX = (BUILD / "tests/foreign/programs", "foreign") if FOREIGN else (PROGRAMS, "22")
FAULTS, LIFE, VARIABLE = (FOLDER / f"{name}-{SUFFIX}" for name in ("device_faults", "worker_life", "stale_variable"))
TARGET = f"target: device 0 ({DEVICE}): "
# The other ones run the images of the host's CPU.
WITH_COPIES = [DEVICE] if FOREIGN else [DEVICE, "cpu+separate"]
PATIENCE = 10  # seconds until a process has to be gone
# How long workers and programs are killed; minutes are for people.
SECONDS = float(os.environ.get("GANTRY_TEST_SECONDS", "5"))


def line_of(marker):
    lines = SOURCE.read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if line.endswith(f"// {marker}"))


def is_gone(process):
    """Nothing is left of it but what its new parent has not buried yet."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def workers_of(group):
    """The processes of workers that a program of this test has started."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            environment = (folder / "environ").read_bytes()
        except OSError:
            continue
        if any(b"gantry-worker" in word for word in words) and group.encode() in environment:
            found.append(int(folder.name))
    return found


class WorkerCase(RuntimeCase):
    def wait_until(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.01)


class Mistakes(WorkerCase):
    def mistake(self, case, **variables):
        return self.error_of(FAULTS, case, **{
            "GANTRY_DEVICES": DEVICE, "OMP_TARGET_OFFLOAD": "MANDATORY"} | variables)

    def cause(self, case, region=1, **variables):
        """What is said to have ended the device: behind the region and its line."""
        line = line_of(case)
        message = self.mistake(case, **variables)
        begin = (f"gantry: error: {SOURCE}:{line - region}: {TARGET}the device is lost: {SOURCE}:{line}: "
                 f"the region of '{case}()' at line {line - region} ")
        self.assertTrue(message.startswith(begin), f"{message}\nand not\n{begin}")
        return re.sub(r"\b0x[0-9a-f]+", "ADDRESS", message[len(begin):])

    def test_a_missing_map(self):
        self.assertEqual(self.cause("missing_map"),
                         "wrote to address ADDRESS: host address of what 'y' points to at offset 16, "
                         "which is not mapped on this device; map y, with its length")

    def test_a_missing_map_in_a_parallel_region(self):
        self.assertRegex(self.cause("in_parallel", 2),
                         r"^wrote to address ADDRESS: host address of what 'y' points to( at offset \d+)?, "
                         r"which is not mapped on this device; map y, with its length$")

    def test_a_pointer_to_a_variable_of_the_host(self):
        declared = SOURCE.read_text().splitlines().index("static double coeff[1024] = {1};") + 1
        self.assertEqual(self.cause("pointer_to_global"),
                         "read from address ADDRESS: host address of 'coeff' at offset 24 (8192 bytes, "
                         f"declared at {SOURCE}:{declared}), which is not mapped on this device")

    def test_a_section_that_is_too_short(self):
        self.assertRegex(self.cause("section_too_short", 2),
                         r"^wrote to address ADDRESS: (right behind|\d+ bytes past) the end of "
                         r"'y\[0:1000\]', which has 8000 bytes and was mapped at "
                         rf"{re.escape(str(SOURCE))}:{line_of('section_too_short') - 2}$")

    def test_use_after_exit_data(self):
        self.assertEqual(self.cause("after_exit_data"),
                         "wrote to address ADDRESS: freed device memory: 'y[0:1024]' at offset 40, which "
                         f"had 8192 bytes, was unmapped at {SOURCE}:{line_of('unmapped')}")

    def test_pointers_that_are_not_attached(self):
        self.assertEqual(self.cause("not_attached"),
                         "wrote to address ADDRESS: host address of 'vector.values[0:1024]' at offset 8, "
                         f"which is mapped at {SOURCE}:{line_of('not_attached') - 2}; the device's is "
                         "another one, and the pointer that was used is not attached to it")
        self.assertEqual(self.cause("pointer_of_member"),
                         "wrote to address ADDRESS: host address of what the pointer at offset 8 of "
                         "'vector' points to at offset 8, which is not mapped on this device, or the "
                         "pointer is not attached to it")

    def test_a_null_pointer(self):
        self.assertEqual(self.cause("null_pointer"),
                         "wrote to address ADDRESS: a null pointer at offset 16")

    def test_allocations(self):
        self.assertEqual(self.cause("freed_allocation"),
                         "wrote to address ADDRESS: freed device memory: the allocation "
                         "[ADDRESS, 8192 bytes) at offset 24")
        self.assertEqual(self.cause("past_allocation"),
                         "wrote to address ADDRESS: right behind the end of the allocation "
                         "[ADDRESS, 8192 bytes)")
        self.assertRegex(self.mistake("freed_twice"),
                         rf"^gantry: error: omp_target_free: device 0 \({DEVICE}\): the allocation "
                         r"\[0x[0-9a-f]+, 8192 bytes\) was freed already$")

    def test_what_is_written_into_a_red_zone(self):
        message = self.mistake("written_past")
        self.assertRegex(message,
                         rf"{re.escape(str(SOURCE))}:{line_of('written_past')}: end of target data: device 0 "
                         rf"\({DEVICE}\): unmapping of 'y' \[0x[0-9a-f]+, 100 bytes\): something on the device "
                         r"has written past the end of the 100 bytes at 0x[0-9a-f]+, at offset 104$")

        message = self.mistake("written_before")
        self.assertRegex(message, r"unmapping of 'y' \[0x[0-9a-f]+, 3000 bytes\): something on the device has "
                         r"written before the 3000 bytes at 0x[0-9a-f]+, at offset -1$")

    def test_what_lies_before_a_block(self):
        self.assertEqual(self.cause("before_large_block"),
                         "wrote to address ADDRESS: 4096 bytes before 'y[512:512]', which has 4096 bytes and was "
                         f"mapped at {SOURCE}:{line_of('before_large_block') - 1}")
        self.assertEqual(self.cause("before_allocation"),
                         "wrote to address ADDRESS: 800 bytes before the allocation [ADDRESS, 8192 bytes)")

    def test_who_tells_what_has_happened(self):
        self.assertEqual(self.cause("beside_others"),
                         "wrote to address ADDRESS: host address of what 'y' points to at offset 16, "
                         "which is not mapped on this device; map y, with its length")

    @unittest.skipIf(FOREIGN, "it is about the host's part alone")
    def test_two_threads_tell_of_a_lost_device_and_one_is_in_dlopen(self):
        done = self.start("lost_device-22", PROGRAMS / "lost_device_library-22.so", GANTRY_DEVICES=DEVICE,
                          OMP_TARGET_OFFLOAD="MANDATORY")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("the device is lost", done.stderr)

    def test_what_a_program_on_the_device_must_not_do(self):
        if not FOREIGN:  # where a division by zero has a result
            self.assertEqual(self.cause("divides"), "divided by zero")
        self.assertEqual(self.cause("aborts"), "called abort()")
        self.assertEqual(self.cause("exits"), "called exit(3), which ends the device")
        self.assertEqual(self.cause("calls_host"),
                         "called address ADDRESS: the host's function 'function_of_host()', of which the "
                         "device has no version; declare it target with the indirect clause")

    def test_a_stack_that_is_too_small(self):
        message = self.mistake("recurses")
        self.assertIn("the region of 'recurses()' at line", message)
        self.assertIn(" exhausted the stack of a thread; OMP_STACKSIZE makes", message)

        if DEVICE != "worker-powerpc64le":  # which writes to a frame to make it, like to any other address
            message = self.mistake("large_frame")
            self.assertIn("the region of 'large_frame()' at line", message)
            self.assertIn(" exhausted the stack of a thread; OMP_STACKSIZE makes", message)

    def test_a_kernel_that_does_not_end(self):
        self.assertEqual(self.cause("loops", 3, GANTRY_TIMEOUT="0.3"),
                         "took longer than GANTRY_TIMEOUT allows")
        for wrong in ("0", "-1", "soon", "nan", "1s"):
            self.assertIn(f"GANTRY_TIMEOUT: '{wrong}' is not a number of seconds such as 10 or 0.5",
                          self.mistake("loops", GANTRY_TIMEOUT=wrong))

    def test_an_end_without_a_word(self):
        self.assertTrue(self.mistake("ends").endswith(
            f"{TARGET}the device is lost: its worker process was killed, or code in it called _exit()"))

    def test_the_host_and_other_devices_go_on(self):
        done = self.start(FAULTS, "goes_on", GANTRY_DEVICES=f"{DEVICE}:2")
        self.assertEqual((done.returncode, done.stdout), (0, "the other device works\ndone\n"))
        warning, error = done.stderr.splitlines()
        self.assertRegex(warning, r"^gantry: warning: .*host address of what 'y' points to at offset 16, .*; "
                         r"the host runs the region, and others that this device refuses$")
        self.assertRegex(error, rf"^gantry: error: omp_target_alloc: device 0 \({DEVICE}\): the device is lost: "
                         r".*device_faults\.cpp:\d+: the region of 'missing_map\(\)' .* 'y' points to")


class Checks(WorkerCase):
    """GANTRY_CHECK=map: values that one side has and the other does not get to see."""

    def findings(self, case, devices=DEVICE, **variables):
        done = self.start(FAULTS, case, GANTRY_DEVICES=devices, GANTRY_CHECK="map",
                          OMP_TARGET_OFFLOAD="MANDATORY", **variables)
        self.assertEqual(done.returncode, 0)
        return done.stdout.removesuffix("done\n"), re.sub(r"\b0x[0-9a-f]+", "ADDRESS", done.stderr)

    def changed_on_host(self, region, offset, copied):
        """The warning at the region of a line about a copy of another one's."""
        return (f"gantry: warning: {SOURCE}:{line_of(region)}: target: 'y' [ADDRESS, 400 bytes) has changed on the host "
                f"(1 byte, the first at offset {offset}) since it was copied by target data at "
                f"{SOURCE}:{line_of(copied)}, and the device has the old values; add target update to, or map it "
                "always\n")

    def changed_on_device(self, construct, line, offset, region):
        """The warning at the end of a construct about what a region has changed."""
        return (f"gantry: warning: {SOURCE}:{line_of(line)}: {construct}: 'y' [ADDRESS, 400 bytes) leaves the device with "
                f"values of target at {SOURCE}:{line_of(region)} (1 byte, the first at offset {offset}), which the host "
                "does not get; map it from, or add target update from\n")

    def test_what_the_host_changes(self):
        for devices in WITH_COPIES:
            self.assertEqual(self.findings("stale_on_device", devices),
                             ("0\n1\n", self.changed_on_host("stale_on_device", 0, "copied to the device")))

    def test_variables_of_both_that_the_host_changes(self):
        for devices in WITH_COPIES:
            done = self.start(VARIABLE, GANTRY_DEVICES=devices, GANTRY_CHECK="map", OMP_TARGET_OFFLOAD="MANDATORY")
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr,
                             r"\Agantry: warning: \S+/stale_variable\.cpp:11: target: 'on_both' \[0x[0-9a-f]+, 400 "
                             r"bytes\) has changed on the host \(1 byte, the first at offset 0\) since it was copied by "
                             r"target update at "
                             r"\S+/stale_variable\.cpp:19, and the device has the old values; add target update to, "
                             r"or map it always\n\Z")

    def test_a_mistake_comes_alone(self):
        message = self.error_of(FAULTS, "before_large_block", GANTRY_DEVICES=DEVICE, GANTRY_CHECK="map",
                                OMP_TARGET_OFFLOAD="MANDATORY")
        self.assertTrue(message.startswith("gantry: error: "), message)
        self.assertIn("4096 bytes before", message)

    def test_what_the_device_changes(self):
        for devices in WITH_COPIES:
            self.assertEqual(
                self.findings("stale_on_host", devices),
                ("0\n", self.changed_on_device("end of target data", "stale_on_host", 0, "changes on the device")))
            self.assertEqual(self.findings("not_asked_for", devices),
                             ("0\n", self.changed_on_device("target", "not_asked_for", 0, "not_asked_for")))

    def test_copies_of_a_part(self):
        for devices in WITH_COPIES:
            self.assertEqual(
                self.findings("parts_copied", devices),
                ("1 0\n2 0\n", self.changed_on_host("uses the rest", 200, "copied whole") +
                 self.changed_on_device("end of target data", "parts_copied", 396, "changes two")))

    def test_what_a_construct_leaves_different(self):
        changes = line_of("changes on the device")
        for devices in WITH_COPIES:
            told = self.findings("stale_on_host", devices, GANTRY_INFO="stale")[1]
            self.assertIn(
                f"gantry: info: {SOURCE}:{changes}: target: 'y' [ADDRESS, 400 bytes) has changed on the device "
                "(1 byte, the first at offset 0) since it was copied by target data at "
                f"{SOURCE}:{changes - 1}, and the host has the old values until they are copied\n", told)
            self.assertEqual(told.count("gantry: info"), 1)

    def test_what_is_in_order(self):
        for devices in (*WITH_COPIES, *([] if FOREIGN else ["cpu"])):
            self.assertEqual(self.findings("all_asked_for", devices), ("6\n", ""))

    def test_what_was_never_set_shows(self):
        self.assertEqual(self.findings("never_set"), ("a5a5a5a5\n", ""))


class Life(WorkerCase):
    def run_life(self, case, devices=DEVICE, **variables):
        return self.run_program(LIFE, case, **{
            "GANTRY_DEVICES": devices, "OMP_TARGET_OFFLOAD": "MANDATORY"} | variables)

    def begin(self, case, devices=DEVICE, **variables):
        environment = os.environ | {"GANTRY_DEVICES": devices, "OMP_TARGET_OFFLOAD": "MANDATORY"} | variables
        program = subprocess.Popen([LIFE, case], env=environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(program.communicate)
        self.addCleanup(program.kill)
        return program

    def test_a_program_does_not_notice_its_workers(self):
        self.run_life("unnoticed")
        self.run_life("closes")

    def test_output_is_in_order(self):
        self.assertEqual(self.run_life("ordered"),
                         "".join(f"host {i}\ndevice {i}, host {i}\n" for i in range(100)))

    def test_threads_are_as_many_as_asked_for(self):
        self.assertEqual(self.run_life("counts_threads", f"{DEVICE}+threads=3"), "3 threads\n")
        self.assertEqual(self.run_life("counts_threads", OMP_NUM_THREADS="5"), "5 threads\n")
        self.assertIn("'threads=0': threads= takes a number from 1 to 4096",
                      self.error_of(LIFE, "runs", GANTRY_DEVICES=f"{DEVICE}+threads=0"))

    def test_all_processors_are_used(self):
        self.run_life("uses_all_processors")

    def test_several_devices(self):
        self.run_life("works", f"{DEVICE}:3")

    def test_a_program_whose_stack_has_no_limit(self):
        done = self.start(pathlib.Path("/bin/sh"), "-c",
                          f"ulimit -s unlimited && exec {LIFE} works",
                          GANTRY_DEVICES=f"{DEVICE}:2", OMP_TARGET_OFFLOAD="MANDATORY")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_forks(self):
        done = self.start(LIFE, "forks", GANTRY_DEVICES=DEVICE, OMP_TARGET_OFFLOAD="MANDATORY")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, rf"\Agantry: error: [^\n]*device 0 \({DEVICE}\): [^\n]*: this process was forked "
                         r"from the one that uses the device, and cannot use it too; fork before the first "
                         r"construct, or use the device in the parent alone\n\Z")
        self.run_life("forks_first")

    def test_a_worker_ends_with_its_program(self):
        for end in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            program = self.begin("runs")
            _, worker = map(int, program.stdout.readline().split())
            self.assertFalse(is_gone(worker))
            program.send_signal(end)
            program.wait()
            self.wait_until(lambda: is_gone(worker), f"a worker outlives its program after {end}")

    def test_a_worker_ends_when_its_program_becomes_another(self):
        program = self.begin("begins_another")
        _, worker = map(int, program.stdout.readline().split())
        self.wait_until(lambda: is_gone(worker), "a worker serves another program")

    def test_a_worker_is_in_its_programs_session_and_not_in_its_group(self):
        """A session's threads that yield can take all the time of another's; the terminal's signals go to
        a group."""
        program = self.begin("runs")
        _, worker = map(int, program.stdout.readline().split())
        self.assertEqual(os.getsid(worker), os.getsid(program.pid))
        self.assertNotEqual(os.getpgid(worker), os.getpgid(program.pid))

    def test_a_worker_that_is_killed(self):
        for end, what in ((signal.SIGKILL, "its worker process was killed, or code in it called _exit()"),
                          (signal.SIGTERM, f"the worker process was ended by signal {signal.SIGTERM.value} "
                           "(Terminated)")):
            program = self.begin("runs")
            _, worker = map(int, program.stdout.readline().split())
            os.kill(worker, end)
            _, message = program.communicate(timeout=PATIENCE)
            self.assertEqual(program.returncode, 1)
            self.assertRegex(message, r"\Agantry: error: [^\n]*: the device is lost: " + re.escape(what) +
                             r"(; the region has run there, and what it came to is lost)?\n\Z")

    def test_killing_at_random(self):
        """Nothing stays behind of programs that are killed, or whose workers are, and others do not
        notice."""
        mark = f"GANTRY_TEST_MARK={os.getpid()}.{self.id()}"
        seed = random.randrange(1 << 32)
        chance = random.Random(seed)
        files = set(os.listdir("/dev/shm"))
        end = time.monotonic() + SECONDS
        survivors = 0
        while time.monotonic() < end:
            variables = dict([mark.split("=")])
            victim = self.begin("works", f"{DEVICE}:2", **variables)
            survivor = self.begin("works", f"{DEVICE}:2", GANTRY_TEST_MARK="another")
            time.sleep(chance.uniform(0, 0.3))
            workers = workers_of(mark)
            if workers and chance.random() < 0.5:
                for worker in chance.sample(workers, chance.randint(1, len(workers))):
                    try:
                        os.kill(worker, chance.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV]))
                    except ProcessLookupError:
                        pass
                _, message = victim.communicate(timeout=30)
                # It was done already, or says what has happened.
                self.assertIn(victim.returncode, (0, 1), f"seed {seed}: {message}")
                lost = "the device is lost: " in message or "ended before it was ready" in message
                self.assertEqual(victim.returncode == 1, lost,
                                 f"seed {seed}: {message}")
            else:
                victim.kill()
                victim.communicate()
            self.wait_until(lambda: not workers_of(mark), f"seed {seed}: a worker outlives its program")
            _, message = survivor.communicate(timeout=60)
            self.assertEqual((survivor.returncode, message), (0, ""), f"seed {seed}")
            survivors += 1
        self.assertGreater(survivors, 0)
        # libomp's files of the programs themselves, which it leaves behind when they are killed.
        left = {name for name in set(os.listdir("/dev/shm")) - files if "gantry" in name}
        self.assertEqual(left, set())


if __name__ == "__main__":
    unittest.main(argv=["worker"], verbosity=1)

#!/usr/bin/env python3
"""Jobs whose nodes are killed, stopped, or have no program; and what is said then.

    mpi_test.py BUILD MPI [SECONDS]     MPI: openmpi or mpich

SECONDS: nodes are killed again and again for as long.
"""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "conformance"))
import suite  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "profile"))
import trace_check  # noqa: E402

BUILD = pathlib.Path(sys.argv[1])
MPI = sys.argv[2]
SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 0
PROGRAMS = BUILD / "tests/mpi/programs"
TRACED = BUILD / "tests/ompt/programs/traced-22"
GANTRY = BUILD / "bin/gantry"
NODE = BUILD / "libexec/gantry-node"
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe"], "mpich": ["mpiexec.hydra"]}
TWO_MACHINES = pathlib.Path(__file__).parent.parent / "support/two_machines.sh"
SKIPPED = 77
LOST = re.compile(r"gantry: error: .* is lost: .*; the region has run there, and what it came to is lost")
PATIENCE = 1000  # ms


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GANTRY_", "OMP_"))}
    return kept | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "PMIX_MCA_pcompress_base_silence_warning": "1", "GANTRY_MPI_PATIENCE": str(PATIENCE)} | more


def processes(job=None):
    """The processes of Gantry's, of a job that was started here or of all, by name."""
    found = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            name = (entry / "comm").read_text().strip()
            variables = (entry / "environ").read_bytes() if job else b""
        except OSError:
            continue
        if name.startswith("gantry-") and (job is None or f"GANTRY_TEST_JOB={job}\0".encode() in variables):
            found.setdefault(name, []).append(int(entry.name))
    return found


def parent_of(process):
    try:
        return int(re.search(r"PPid:\s*(\d+)", pathlib.Path(f"/proc/{process}/status").read_text())[1])
    except OSError:
        return None


def rank_of(process):
    """In its job."""
    variables = pathlib.Path(f"/proc/{process}/environ").read_bytes().decode(errors="replace")
    return int(re.search(r"\b(?:OMPI_COMM_WORLD_RANK|PMI_RANK)=(\d+)", variables)[1])


class Job:
    """A job of `gantry mpirun`, or of a launcher's line."""

    number = 0

    def __init__(self, *program, nodes=2, devices="mpi:worker", line=None, **variables):
        Job.number += 1
        self.mark = f"{os.getpid()}.{Job.number}"
        command = line or [GANTRY, "mpirun", "--mpi", MPI, "-n", str(nodes + 1), "--devices", devices, *program]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
            env=environment(GANTRY_TEST_JOB=self.mark, **variables), start_new_session=True)

    def nodes(self, count=2):
        """The nodes' processes, when they are there."""
        for _ in range(200):
            found = processes(self.mark).get("gantry-node", [])
            guardians = processes(self.mark).get("gantry-guardian", [])
            # A guardian has the node's name at first.
            guarded = [node for node in found if parent_of(node) in guardians]
            if len(guarded) >= count:
                return guarded
            time.sleep(0.05)
        raise AssertionError("there are no nodes")

    def end(self, limit=30):
        """Waits; a job that does not end is a failure. Nothing is left of it."""
        try:
            self.out, self.err = self.process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise AssertionError(f"the job does not end: {processes(self.mark)}") from None
        for _ in range(100):
            left = processes(self.mark)
            if not left:
                break
            time.sleep(0.1)
        if left:
            raise AssertionError(f"processes are left: {left}")
        return self


def goes_on_without_a_node():
    """Whether the launcher lets the others go on."""
    return MPI == "openmpi"


class Nodes(unittest.TestCase):
    def finished(self, job):
        """The program has gone on, with right results; or it has lost some with the node, and says so."""
        if job.process.returncode == 1 and LOST.search(job.err):
            return
        self.assertRegex(job.out, r"\d+ regions, 0 wrong\n", job.err)
        self.assertEqual(job.process.returncode, 0, job.err)

    def ended_with(self, job, words):
        """The job has ended, and the last line says why."""
        self.assertNotEqual(job.process.returncode, 0)
        self.assertRegex(job.err.strip().splitlines()[-1], words)

    def check_loss(self, job, ended):
        if goes_on_without_a_node():
            self.finished(job)
            self.assertRegex(job.err, r"(warning|error): .*device \d \(mpi-\d-worker-0 on .*\): node \d \(.*\) is lost: nothing "
                             rf"was heard of it for {PATIENCE} ms")
        else:
            self.ended_with(job, ended)

    def test_work(self):
        job = Job(PROGRAMS / "work", "0.5", nodes=3).end()
        self.finished(job)
        self.assertEqual(job.out.count("device"), 3)
        self.assertEqual(job.err, "")

    def test_threads_go_on_while_the_program_ends(self):
        for devices in "mpi:cpu", "mpi:worker":
            for words in [[], ["tasks"]] * 2 + [["first", str(time)] for time in (0, 3, 10, 20)]:
                # No node is lost: one that only waits for a processor counts as lost soon in other tests.
                job = Job(PROGRAMS / "leaving", *words, devices=devices, GANTRY_MPI_PATIENCE="20000").end(60)
                # Open MPI's launcher has something to say of every status.
                said = [line for line in job.err.splitlines() if "PMIX ERROR" not in line]
                # MPICH's has it on stdout, where it sees the status before the job ends.
                out = job.out.partition("\n=====")[0]
                self.assertEqual((said, out, job.process.returncode), ([], "leaves\n", 7))

    def test_killed_at_work(self):
        job = Job(PROGRAMS / "work", "3")
        nodes = job.nodes()
        time.sleep(0.7)
        os.kill(nodes[0], signal.SIGKILL)
        self.check_loss(job.end(), r"gantry: error: the job has ended with status \d+: the node's process "
                        rf"{nodes[0]} on .* was ended by signal 9")

    def test_killed_with_its_guardian(self):
        job = Job(PROGRAMS / "work", "3")
        node = job.nodes()[0]
        time.sleep(0.7)
        os.kill(parent_of(node), signal.SIGKILL)
        self.check_loss(job.end(), "gantry: error: the job has ended with status .* the program has not come to its end")

    def test_killed_before_the_start(self):
        job = Job(PROGRAMS / "work", "1", line=[*LAUNCHERS[MPI], "-n", "1", PROGRAMS / "work", "1", ":", "-n", "2", NODE],
                  GANTRY_DEVICES="mpi:worker")
        for _ in range(400):
            if found := processes(job.mark).get("gantry-node", []):
                os.kill(found[0], signal.SIGKILL)
                break
            time.sleep(0.005)
        job.end(60)  # however it ends

    @unittest.skipUnless(MPI == "openmpi", "MPICH's launcher ends the job")
    def test_killed_in_copies_between_nodes(self):
        for victim in (0, 1):
            with self.subTest(victim=victim):
                job = Job(PROGRAMS / "between", "20", devices="mpi:cpu")
                nodes = sorted(job.nodes(), key=rank_of)
                time.sleep(0.7)
                os.kill(nodes[victim], signal.SIGKILL)
                job.end()
                self.assertEqual(job.out, "some copies\n" + "".join(
                    f"device {device}: {'lost' if device == victim else 'right'}\n" for device in (0, 1)), job.err)
                self.assertRegex(job.err, rf"omp_target_memcpy: .*node {victim + 1} \(.*\) is lost: nothing was heard of it")

    def test_the_last_line_of_stderr_is_not_ended(self):
        job = Job("sh", "-c", "printf 'no end' >&2; exit 3").end()
        self.assertEqual(job.process.returncode, 3, job.err)
        self.assertIn("no end", job.err)
        self.assertNotIn("the program's status", job.err)

    def test_a_program_that_is_not_there(self):
        job = Job("/no/program").end()
        self.assertEqual(job.process.returncode, 127, job.err)
        self.assertRegex(job.err, r"gantry: error: mpirun: '/no/program' cannot be started on \S+: No such file or directory\n")
        self.assertNotIn("has ended with status", job.err)

    def test_signals_come_to_the_program(self):
        job = Job("sh", "-c", "trap 'echo told; exit 4' USR1; echo ready; while :; do sleep 0.1; done")
        self.assertEqual(job.process.stdout.readline(), "ready\n")
        program = subprocess.run(["pgrep", "-f", "^sh -c trap"], capture_output=True, text=True, check=True).stdout.split()
        os.kill(parent_of(int(program[0])), signal.SIGUSR1)  # its guardian, which launchers know
        job.end()
        self.assertIn("told\n", job.out)
        self.assertEqual(job.process.returncode, 4, job.err)

    def test_gantry_mpirun_is_killed(self):
        job = Job(PROGRAMS / "work", "20")
        job.nodes()
        time.sleep(0.5)
        os.kill(job.process.pid, signal.SIGKILL)
        job.end()

    def test_stopped(self):
        job = Job(PROGRAMS / "work", "3")
        nodes = job.nodes()
        time.sleep(0.7)
        os.kill(nodes[1], signal.SIGSTOP)
        job.end()
        self.finished(job)
        self.assertIn("nothing was heard of it for", job.err)

    def test_goes_on_too_late(self):
        job = Job(PROGRAMS / "work", "4")
        nodes = job.nodes()
        time.sleep(0.5)
        os.kill(nodes[1], signal.SIGSTOP)
        time.sleep(1.5)
        os.kill(nodes[1], signal.SIGCONT)
        job.end()
        if goes_on_without_a_node():  # the other launcher may be quicker
            self.assertRegex(job.err, r"gantry-node: error: this process was stopped for \d+ ms, and the program waits")
            self.finished(job)

    def test_program_is_killed(self):
        job = Job(PROGRAMS / "work", "20")
        job.nodes()
        time.sleep(0.5)
        program = subprocess.run(["pgrep", "-f", f"^{PROGRAMS}/work 20"], capture_output=True, text=True,
                                 check=True).stdout.split()
        os.kill(int(program[-1]), signal.SIGKILL)
        job.end()
        self.assertNotEqual(job.process.returncode, 0, job.err)

    def test_launcher_is_killed(self):
        job = Job(PROGRAMS / "work", "20")
        job.nodes()
        time.sleep(0.5)
        os.killpg(job.process.pid, signal.SIGKILL)
        job.end()

    def test_launcher_alone_is_killed(self):
        job = Job(PROGRAMS / "work", "20")
        job.nodes()
        launcher, = subprocess.run(["pgrep", "-P", str(job.process.pid)], capture_output=True, text=True, check=True).stdout.split()
        os.kill(int(launcher), signal.SIGKILL)
        job.end()
        self.assertEqual(job.err.splitlines()[-1:], ["gantry: error: the launcher was ended by signal 9 (Killed)"])
        self.assertEqual(job.process.returncode, 128 + signal.SIGKILL)

    @unittest.skipUnless(MPI == "mpich", "Open MPI's launcher does not connect network namespaces")
    def test_cut_off(self):
        with tempfile.TemporaryDirectory() as folder:
            cut = pathlib.Path(folder) / "cut"
            job = Job(line=[TWO_MACHINES, "--cut-behind", cut, GANTRY, "mpirun", "--mpi", MPI, "-n", "3", "--devices",
                            "mpi:worker", PROGRAMS / "work", "3"], LIBOMP_USE_HIDDEN_HELPER_TASK="0")
            begun = job.process.stdout.readline()
            time.sleep(0.5)
            cut.touch()
            job.end()
        if job.process.returncode == SKIPPED:
            self.skipTest(begun)
        job.out = begun + job.out
        self.assertRegex(job.err, r"device 1 \(mpi-2-worker-0 on .*-2\): node 2 \(.*-2\) is lost: nothing was heard of it for "
                         rf"{PATIENCE} ms: its process was ended or stopped, or its machine cannot be reached")
        self.finished(job)

    def test_again_and_again(self):
        if SECONDS == 0:
            self.skipTest("no SECONDS are given")
        end = time.monotonic() + SECONDS
        chance = random.Random(1)
        count = 0
        while time.monotonic() < end:
            job = Job(PROGRAMS / "work", "1.5", nodes=3)
            nodes = job.nodes(3)
            time.sleep(chance.random() * 2)
            what = chance.choice([signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGSEGV])
            with self.subTest(what=what):
                victim = chance.choice(nodes)
                try:
                    os.kill(victim, what)
                except ProcessLookupError:
                    pass
                job.end()
                if goes_on_without_a_node() and "has not started for" not in job.err:
                    self.finished(job)
            count += 1
        print(f"{count} jobs", file=sys.stderr)


class Spread(unittest.TestCase):
    """Regions without a device clause, of which a node's device is the default device."""

    def regions(self, rounds, **variables):
        """How many there are on each device."""
        job = Job(PROGRAMS / "spread", rounds, OMP_TARGET_OFFLOAD="MANDATORY", GANTRY_MPI_PATIENCE="20000",
                  **variables).end()
        self.assertEqual((job.process.returncode, job.err), (0, ""))
        return [int(number) for number in re.findall(r"device \d: (\d+) regions", job.out)]

    def test_all_nodes_have_regions(self):
        regions = self.regions("20", GANTRY_SPREAD="load")
        self.assertEqual(len(regions), 2)
        self.assertGreater(min(regions), sum(regions) // 4)

    def test_the_standard_has_one(self):
        self.assertEqual(self.regions("2"), [16, 0])


class Messages(unittest.TestCase):
    def test_a_fault_reads_as_it_does_locally(self):
        done = subprocess.run([PROGRAMS / "missing_map"], capture_output=True, text=True, check=False,
                              env=environment(GANTRY_DEVICES="worker", OMP_TARGET_OFFLOAD="MANDATORY"))
        job = Job(PROGRAMS / "missing_map", OMP_TARGET_OFFLOAD="MANDATORY").end()
        said = next(line for line in job.err.splitlines() if line.startswith("gantry: error: "))
        plain = re.sub(r"0x[0-9a-f]+", "ADDRESS", said)
        local = re.sub(r"0x[0-9a-f]+", "ADDRESS", done.stderr.strip())
        self.assertRegex(plain, r"device 0 \(mpi-\d-worker-0 on [^)]+\)")
        self.assertEqual(re.sub(r"\(mpi-\d-worker-0 on [^)]+\)", "(worker)", plain), local)
        self.assertIn("'list[0:1]'", local)

    def test_a_program_that_is_in_no_job(self):
        done = subprocess.run([PROGRAMS / "missing_map"], capture_output=True, text=True, check=False,
                              env=environment(GANTRY_DEVICES="mpi", OMP_TARGET_OFFLOAD="MANDATORY"))
        self.assertRegex(done.stderr, r"mpi: the program was not started in a job of MPI's; start it with `gantry "
                         r"mpirun -n 4 ./app`")

    def test_a_job_without_nodes(self):
        job = Job(line=[*LAUNCHERS[MPI], "-n", "1", PROGRAMS / "missing_map"], GANTRY_DEVICES="mpi",
                  OMP_TARGET_OFFLOAD="MANDATORY").end()
        self.assertRegex(job.err, r"mpi: the job of 1 process has no node \(the program's MPI is .*\); start some")

    def test_nodes_without_a_program(self):
        job = Job(line=[*LAUNCHERS[MPI], "-n", "2", NODE]).end()
        self.assertRegex(job.err, "there is no program in the job; start one with it")

    def test_a_program_that_does_not_start_mpi(self):
        job = Job(line=[*LAUNCHERS[MPI], "-n", "1", "sleep", "8", ":", "-n", "1", NODE], GANTRY_MPI_PATIENCE="300").end()
        self.assertRegex(job.err, r"gantry-node: error: .* has not started for 2 s: a process of the job was ended, or does not start MPI")

    def test_a_program_that_goes_on_without_nodes(self):
        # Neither it nor the nodes have MPI: it has its own device alone.
        job = Job(PROGRAMS / "work", "6", devices="mpi:worker,cpu", GANTRY_MPI="/nowhere").end()
        self.assertRegex(job.err, "gantry-node: error: the library that GANTRY_MPI names cannot be loaded: /nowhere: ")
        self.assertRegex(job.out, r"\d+ regions, 0 wrong\n", job.err)
        self.assertEqual((job.out.count("device"), job.process.returncode), (1, 0), job.err)

    def test_kinds_that_nodes_do_not_have(self):
        job = Job(PROGRAMS / "missing_map", devices="mpi:worm", OMP_TARGET_OFFLOAD="MANDATORY").end()
        self.assertRegex(job.err, r"mpi: node 1 \(.*\): 'worm' is not a kind of device that is installed there; node 2")
        job = Job(PROGRAMS / "missing_map", devices="mpi:worker+thread=2", OMP_TARGET_OFFLOAD="MANDATORY").end()
        self.assertRegex(job.err, r"node 1 \(.*\): 'thread=2' is not an option of worker devices")

    @unittest.skipUnless(MPI == "openmpi", "it takes long, and is the same with both")
    def test_doctor_in_a_job(self):
        job = Job(GANTRY, "doctor").end(60)
        self.assertRegex(job.out, r"\n  mpi +ok +there is mpi-1-worker-0 on .*; not tried, because one program of a job can")
        self.assertEqual(job.process.returncode, 0, job.out)

    def test_slurm(self):
        # There is no Slurm here: what it is told runs the program, the first of the file's lines.
        with tempfile.TemporaryDirectory() as folder:
            srun = pathlib.Path(folder) / "srun"
            srun.write_text('#!/bin/sh\nfor file; do :; done\nread -r _ program <"$file"\ncat "$file"\nexec $program\n')
            srun.chmod(0o755)
            for program, status in ("true", 0), ("false", 1):
                done = subprocess.run([GANTRY, "mpirun", "--mpi", "slurm", "-n", "3", program], capture_output=True,
                                      text=True, check=False, env=environment(PATH=f"{folder}:{os.environ['PATH']}"))
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertEqual(done.stdout, f"0 {program}\n1-2 {NODE.resolve()}\n")

    def test_a_launcher_that_lets_the_program_end_behind_a_node(self):
        # The node's end is what the job ended for, whichever of both the launcher hands on first.
        of_node = "echo 'gantry-node: error: the process 5 on there was ended' >&2\n"
        for behind in False, True:
            with self.subTest(behind=behind), tempfile.TemporaryDirectory() as folder:
                hydra = pathlib.Path(folder) / "mpiexec.hydra"
                hydra.write_text(
                    "#!/bin/sh\n"
                    "[ \"$1\" = --version ] && echo HYDRA && exit\n"
                    '"$3" "$4" "$5" sleep 20 &\n'  # behind -n 1
                    f"sleep 0.3\n{'' if behind else of_node}"
                    f"kill -TERM $!\nwait\n{of_node if behind else ''}"
                    "echo ==== >&2\nexit 9\n")
                hydra.chmod(0o755)
                done = subprocess.run([GANTRY, "mpirun", "--mpi", "mpich", "-n", "2", "sleep", "20"], text=True,
                                      capture_output=True, check=False,
                                      env=environment(PATH=f"{folder}:{os.environ['PATH']}"))
                self.assertEqual(done.returncode, 128 + signal.SIGTERM, done.stderr)
                self.assertEqual(done.stderr.splitlines()[-2:], [
                    "====", "gantry: error: the job has ended with status 143: the process 5 on there was ended"])

    def test_lists_of_devices(self):
        job = Job(PROGRAMS / "work", "0", devices="mpi:cpu,mpi:worker:2,cpu").end()
        self.assertEqual(job.out.count("device"), 2 + 4 + 1, job.err)


class Times(unittest.TestCase):
    """When something ran on a node, on the program's timeline."""

    def test_are_in_a_profile(self):
        for devices in "mpi:worker", "mpi:cpu":
            with self.subTest(devices), tempfile.TemporaryDirectory() as folder:
                trace, report = pathlib.Path(folder) / "trace.json", pathlib.Path(folder) / "report.json"
                job = Job(GANTRY, "profile", "--trace", trace, "--json", "-o", report, PROGRAMS / "work", "0.5",
                          devices=devices, TMPDIR=folder).end()
                self.assertRegex(job.out, r"\d+ regions, 0 wrong\n", job.err)
                process, = json.loads(report.read_text())["processes"]
                self.assertEqual([device["clock"] for device in process["devices"]], ["CLOCK_MONOTONIC"] * 2)
                self.check_trace(json.loads(trace.read_text()), int(job.out.split(" regions")[0].split()[-1]))

    def check_trace(self, trace, regions):
        """Each kernel lies within a construct of its device."""
        self.assertEqual(trace_check.problems(trace), [])
        slices = [event for event in trace["traceEvents"] if event["ph"] == "X" and "args" in event]
        constructs = [event for event in slices if "device" in event["args"]]
        program, = {event["pid"] for event in constructs}

        def span(event):
            begin = round(event["ts"] * 1000)
            return begin, begin + round(event["dur"] * 1000)

        kernels = [event for event in slices if "kernel" in event["args"]]
        self.assertEqual(len(kernels), regions)
        for device in 0, 1:
            around = [span(event) for event in constructs if event["args"]["device"] == device]
            on_device = [span(event) for event in kernels if event["pid"] == program + 1 + device]
            self.assertEqual(len(on_device), len(around))
            for begin, end in on_device:
                self.assertTrue(any(first <= begin <= end <= last for first, last in around),
                                f"a kernel from {begin} to {end} is in no construct")

    def test_copies_in_queues(self):
        for devices in "mpi:worker", "mpi:cpu":
            with self.subTest(devices), tempfile.TemporaryDirectory() as folder:
                trace = pathlib.Path(folder) / "trace.json"
                job = Job(GANTRY, "profile", "--trace", trace, PROGRAMS / "queued", devices=devices,
                          GANTRY_MPI_PATIENCE="20000").end(60)
                self.assertEqual((job.out, job.process.returncode), ("right\n", 0), job.err)
                events = json.loads(trace.read_text())
                self.assertEqual(trace_check.problems(events), [])
                copies = sorted((event["args"]["id"], event["args"]["bytes"], event["ts"], event["dur"])
                                for event in events["traceEvents"] if event["name"].startswith("copy"))
                self.assertEqual([size for _, size, _, _ in copies], [8 << 20] * 3 + [1 << 19] * 8)
                # Each has taken its time, and the next of the first four has begun behind it.
                for _, size, _, lasted in copies:
                    self.assertGreater(lasted, size / 200e3)
                for (_, _, begin, lasted), (_, _, after, _) in zip(copies[:3], copies[1:4]):
                    self.assertLessEqual(begin + lasted, after)

    def test_are_in_records_of_ompt(self):
        for devices in "mpi:worker", "mpi:cpu":
            with self.subTest(devices):
                job = Job(TRACED, devices=devices, OMP_TARGET_OFFLOAD="MANDATORY").end()
                lines = job.out.splitlines()
                self.assertEqual([line for line in lines if line.startswith("wrong")], [], job.err)
                self.assertIn("records 7", lines, job.err)
                times = [int(time) for time in re.findall(r"record device=0 target .* time=(\d+)", job.out)]
                kernels = re.findall(r"record device=0 submit .* begin=(\d+) end=(\d+)", job.out)
                self.assertEqual((len(times), len(kernels)), (10, 5))
                for first, last, (begin, end) in zip(times[::2], times[1::2], kernels):
                    self.assertTrue(first < int(begin) <= int(end) < last, f"{begin} to {end} in {first} to {last}")


RANKS = PROGRAMS / f"ranks-{MPI}"


@unittest.skipUnless(RANKS.exists(), f"there are no headers of {MPI}")
class Ranks(unittest.TestCase):
    """Programs that use MPI themselves."""

    def run_ranks(self, *arguments, nodes=1, ranks=2, **variables):
        return Job(line=[GANTRY, "mpirun", "--mpi", MPI, "--ranks", str(ranks), "-n", str(ranks * (nodes + 1)),
                         "--devices", "mpi:worker", RANKS, *arguments],
                   **{"OMP_TARGET_OFFLOAD": "MANDATORY", "GANTRY_MPI_PATIENCE": "20000"} | variables)

    def test_each_level_of_threads(self):
        for level in range(4):
            with self.subTest(level=level):
                job = self.run_ranks(str(level)).end(60)
                self.assertEqual(job.out, "2 ranks, 2 on devices, sum right\n", job.err)
                self.assertEqual((job.process.returncode, job.err), (0, ""))

    def test_ranks_that_use_no_device(self):
        job = self.run_ranks("-1").end(60)
        self.assertEqual((job.out, job.err, job.process.returncode), ("2 ranks, 0 on devices, sum right\n", "", 0))

    @unittest.skipUnless(MPI == "openmpi", "MPICH's launcher ends the job when it is asked to")
    def test_a_relay_that_is_stopped(self):
        job = self.run_ranks("3", ranks=1, GANTRY_MPI_PATIENCE="1000")
        job.nodes(2)
        relay = next(node for node in processes(job.mark)["gantry-node"]
                     if b"--relay" in pathlib.Path(f"/proc/{node}/cmdline").read_bytes()
                     and parent_of(node) in processes(job.mark).get("gantry-guardian", []))
        os.kill(relay, signal.SIGSTOP)
        job.end(60)

    def test_without_ranks(self):
        job = Job(RANKS, nodes=1).end()
        self.assertRegex(job.err, r"gantry: error: the program uses MPI itself \('.*'\), and would find the nodes among its "
                         "processes; let it start a job of its own for them: gantry mpirun --ranks")
        self.assertNotEqual(job.process.returncode, 0)

    def test_a_rank_that_fails(self):
        job = self.run_ranks("0", "abort").end(60)
        self.assertNotEqual(job.process.returncode, 0)

    def test_a_rank_that_is_killed(self):
        job = self.run_ranks("3", nodes=2, ranks=1)
        os.kill(parent_of(parent_of(job.nodes(3)[0])), signal.SIGKILL)  # the job of the nodes goes with its launcher
        job.end(60)

    @unittest.skipIf(MPI == "openmpi", "ranks of Open MPI yield, which can keep MPICH's nodes from running "
                     "(docs/distributed.md)")
    def test_nodes_of_another_mpi(self):
        launcher = shutil.which(LAUNCHERS["openmpi"][0])
        if launcher is None:
            self.skipTest(f"{LAUNCHERS['openmpi'][0]} is not installed")
        job = Job(line=[*LAUNCHERS[MPI], "-n", "2", RANKS, "3"], GANTRY_DEVICES="mpi:worker", OMP_TARGET_OFFLOAD="MANDATORY",
                  GANTRY_MPI_LAUNCHER=launcher, GANTRY_MPI_PATIENCE="20000").end(60)
        self.assertEqual(job.out, "2 ranks, 2 on devices, sum right\n", job.err)

    def test_a_program_in_no_job(self):
        here = socket.gethostname()
        job = Job(line=[PROGRAMS / "work", "0.2"], GANTRY_DEVICES="mpi:worker", GANTRY_MPI_NODES="2",
                  GANTRY_MPI_HOSTS=f"{here},localhost", GANTRY_MPI_LAUNCHER=shutil.which(LAUNCHERS[MPI][0]),
                  GANTRY_MPI_PATIENCE="20000").end(60)
        self.assertRegex(job.out, r"\d+ regions, 0 wrong\n", job.err)
        self.assertEqual(job.out.count("device"), 2)

    def test_what_is_wrong_is_said(self):
        for variables, words in (
                ({"GANTRY_MPI_LAUNCHER": ""}, r"the program uses MPI itself \('.*'\), and would find the nodes among its "
                 "processes; let it start a job of its own"),
                ({"GANTRY_MPI_LAUNCHER": "/no/launcher"}, r"GANTRY_MPI_LAUNCHER names '/no/launcher', which cannot be run: No such file"),
                ({"GANTRY_MPI_NODES": "many"}, "GANTRY_MPI_NODES: 'many' is not a number from 1 to")):
            with self.subTest(**variables):
                job = Job(line=[*LAUNCHERS[MPI], "-n", "1", RANKS], GANTRY_DEVICES="mpi", OMP_TARGET_OFFLOAD="MANDATORY",
                          **{"GANTRY_MPI_LAUNCHER": shutil.which(LAUNCHERS[MPI][0])} | variables).end(60)
                self.assertRegex(job.err, words)
                self.assertNotEqual(job.process.returncode, 0)


if __name__ == "__main__":
    os.environ |= environment()
    if why_not := suite.why_no_job(LAUNCHERS[MPI]):
        print(f"SKIPPED: {why_not}")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)

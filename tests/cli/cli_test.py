"""`gantry` itself: its lists, its mistakes, and an installation that works wherever it is put."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BUILD, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
EXAMPLE = SOURCE / "examples/zaxpy_check.cpp"


def clean_environment(**variables):
    return {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GANTRY_"))} | variables


def run(*command, **variables):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=120, check=False, env=clean_environment(**variables))


class Lists(unittest.TestCase):
    def gantry(self, *arguments, **variables):
        done = run(BUILD / "bin/gantry", *arguments, **variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_devices_names_the_cpu_and_says_what_it_is(self):
        self.assertRegex(self.gantry("devices"), r"(?m)^  cpu +yes +1  this process, \S+, \d+ cores$")

    def test_devices_for_programs(self):
        cpu = json.loads(self.gantry("devices", "--json"))["devices"][0]
        self.assertEqual((cpu["name"], cpu["usable"], cpu["devices"], cpu["reason"]),
                         ("cpu", True, 1, ""))

    def test_env_shows_defaults_and_what_is_set(self):
        text = self.gantry("env", GANTRY_DEVICES="cpu:4")
        self.assertIn("OMP_TARGET_OFFLOAD=DEFAULT\n", text)
        self.assertIn("GANTRY_DEVICES=cpu:4  (set)\n", text)

    def test_every_variable_is_documented(self):
        documented = "".join((SOURCE / "docs" / page).read_text() for page in ("runtime.md", "simt.md"))
        names = [variable["name"] for variable in json.loads(self.gantry("env", "--json"))["variables"]]
        self.assertIn("GANTRY_SIMT_CHECK", names)
        self.assertEqual(len(names), len(set(names)))
        for name in names:
            self.assertIn(f"| `{name}` |", documented)

    def test_every_command_explains_itself(self):
        listed = re.findall(r"(?m)^  ([a-z+]+) {2,}\S", self.gantry("--help"))
        self.assertLessEqual({"clang++", "devices", "doctor", "env", "flang", "g++", "inspect", "run"}, set(listed))
        for command in listed:
            with self.subTest(command=command):
                self.assertRegex(self.gantry(command, "--help"), "(?i)usage|--help")

    def test_output_that_cannot_be_written_is_an_error(self):
        for arguments in (["devices"], ["env", "--json"], ["inspect", BUILD / "lib/libgantry.so"],
                          ["--help"], ["pack", "--help"]):
            with self.subTest(arguments=arguments), open("/dev/full", "w") as full:
                done = subprocess.run([BUILD / "bin/gantry", *arguments], stdout=full,
                                      stderr=subprocess.PIPE, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (1, "gantry: error: cannot write "
                                 "the output: No space left on device\n"))

    def test_mistakes_are_one_line(self):
        for arguments in (["devics"], ["devices", "--jsn"], ["env", "more"]):
            with self.subTest(arguments=arguments):
                done = run(BUILD / "bin/gantry", *arguments)
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, r"\Agantry: error: [^\n]+\n\Z")


    def test_a_mistyped_command_has_a_suggestion(self):
        self.assertEqual(run(BUILD / "bin/gantry", "devics").stderr,
                         "gantry: error: there is no command 'devics' (did you mean 'devices'?); "
                         "`gantry --help` lists them\n")

    def test_alone_it_says_what_to_type_first(self):
        done = run(BUILD / "bin/gantry")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        for command in ("gantry doctor", "gantry clang++ ", "GANTRY_DEVICES=worker ./app"):
            self.assertIn(f"\n  {command}", done.stdout)


class Doctor(unittest.TestCase):
    def findings(self, status, **variables):
        done = run(BUILD / "bin/gantry", "doctor", "--json", **variables)
        self.assertEqual((done.returncode, done.stderr), (status, ""))
        return {finding["subject"]: finding for finding in json.loads(done.stdout)["findings"]}

    def test_every_usable_device_is_tried(self):
        kinds = json.loads(run(BUILD / "bin/gantry", "devices", "--json").stdout)["devices"]
        findings = self.findings(0)
        for kind in kinds:
            self.assertEqual(findings[kind["name"]]["state"], "ok" if kind["usable"] else "absent")
        self.assertEqual(findings["cpu"]["what"], "a program ran right on 1 of 1 device(s)")

    def test_it_is_not_misled_by_what_is_set(self):
        findings = self.findings(1, GANTRY_DEVICES="nonsense", OMP_TARGET_OFFLOAD="DISABLED", GANTRY_INFO="all",
                                 LIBOMPTARGET_INFO="-1", OMP_DISPLAY_ENV="true", OMP_DEFAULT_DEVICE="7",
                                 GANTRY_SIMT_MODE="skip", GANTRY_TIMEOUT="0.001")
        for kind in ("cpu", "simt", "worker"):
            self.assertEqual(findings[kind]["what"], "a program ran right on 1 of 1 device(s)")
        self.assertEqual(findings["environment"]["what"],
                         "GANTRY_DEVICES has 'nonsense', which is no kind of device")

    def test_what_is_not_text_is_replaced(self):
        finding = self.findings(1, TMPDIR=b"/x\xff")["temporary files"]
        self.assertEqual(finding["what"], "no folder can be made in '/x\ufffd'")

    def test_a_pipe_that_closes_leaves_nothing_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["sh", "-c", '"$0" doctor | head -8', BUILD / "bin/gantry"], stdout=subprocess.DEVNULL,
                           env=clean_environment(TMPDIR=folder), timeout=100, check=True)
            for _ in range(100): # the reader's end does not wait for the writer's
                if not os.listdir(folder):
                    break
                time.sleep(0.1)
            self.assertEqual(os.listdir(folder), [])

    def test_an_interrupt_leaves_nothing_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            doctor = subprocess.Popen([BUILD / "bin/gantry", "doctor"], stdout=subprocess.PIPE, text=True,
                                      env=clean_environment(TMPDIR=folder))
            while not doctor.stdout.readline().startswith("  cpu "):
                pass
            doctor.send_signal(signal.SIGINT)
            doctor.stdout.read()
            self.assertEqual(doctor.wait(timeout=60), -signal.SIGINT)
            self.assertEqual(os.listdir(folder), [])

    def test_what_does_not_work_is_named_with_a_remedy(self):
        finding = self.findings(1, TMPDIR="/nowhere")["temporary files"]
        self.assertEqual((finding["state"], finding["what"]), ("wrong", "no folder can be made in '/nowhere'"))
        self.assertIn("TMPDIR", finding["remedy"])

    def test_a_mistyped_variable(self):
        finding = self.findings(1, GANTRY_DEVISES="worker", GANTRY_HOME="/somewhere")["environment"]
        self.assertEqual((finding["state"], finding["what"], finding["remedy"]),
                         ("wrong", "'GANTRY_DEVISES' is set, and nothing reads it",
                          "did you mean 'GANTRY_DEVICES'? `gantry env` lists them"))

    def test_a_device_that_fails_is_wrong(self):
        # A variable by which Clang's driver gets options, here one that does not exist.
        finding = self.findings(1, CCC_OVERRIDE_OPTIONS="# +-Wl,--nonsense")["cpu"]
        self.assertEqual((finding["state"], finding["what"]), ("wrong", "a program for it cannot be compiled"))
        self.assertIn("--nonsense", finding["remedy"])

    def test_without_a_compiler_that_works_no_device_is_tried(self):
        findings = self.findings(1, CCC_OVERRIDE_OPTIONS="# +--nonsense")
        self.assertEqual((findings["Clang 22"]["state"], findings["cpu"]["state"]), ("wrong", "absent"))
        self.assertIn("not tried", findings["cpu"]["what"])

    def test_for_people(self):
        done = run(BUILD / "bin/gantry", "doctor")
        self.assertRegex(done.stdout, r"(?m)^  Clang 22 +ok +\S.*clang version 22")
        self.assertTrue(done.stdout.endswith("Everything that is here works.\n"))


class NativeArchitecture(unittest.TestCase):
    def commands(self, **variables):
        done = run(BUILD / "bin/gantry", "clang++", "--offload-arch=native", "-c", "-###", EXAMPLE,
                   **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    @unittest.skipIf(os.path.exists("/dev/nvidiactl"), "there is a GPU here")
    def test_without_a_gpu_it_is_the_executors(self):
        commands = self.commands()
        self.assertIn("gantry: note: no GPU is to be found", commands)
        self.assertIn('"-target-cpu" "sm_90"', commands)

    def test_it_is_what_the_driver_says(self):
        commands = self.commands(LD_LIBRARY_PATH=str(BUILD / "lib/simt"), GANTRY_SIMT_DEVICES="2")
        self.assertNotIn("gantry: note", commands)
        self.assertEqual(commands.count('"-target-cpu" "sm_90"'), 1)

    def test_it_is_what_the_hsa_runtime_says(self):
        commands = self.commands(LD_LIBRARY_PATH=str(BUILD / "lib/simt-amd"), GANTRY_SIMT_PROCESSOR="gfx90a",
                                 GANTRY_SIMT_DEVICES="2")
        self.assertNotIn("gantry: note", commands)
        self.assertEqual(commands.count('"-target-cpu" "gfx90a"'), 1)
        self.assertNotIn("nvptx64", commands)

    def test_gpus_of_both_vendors(self):
        commands = self.commands(LD_LIBRARY_PATH=f"{BUILD / 'lib/simt'}:{BUILD / 'lib/simt-amd'}")
        for architecture in ("sm_90", "gfx906"):
            self.assertEqual(commands.count(f'"-target-cpu" "{architecture}"'), 1)

    def test_fortran(self):
        done = run(BUILD / "bin/gantry", "flang", "--offload-arch=native", "-c", "-###", EXAMPLE,
                   LD_LIBRARY_PATH=str(BUILD / "lib/simt-amd"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count('"-target-cpu" "gfx906"'), 1)


class Architectures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gantry-test-")
        self.addCleanup(folder.cleanup)
        self.program = pathlib.Path(folder.name, "program")

    def devices(self, *options):
        done = run(BUILD / "bin/gantry", "clang++", "-O1", *options, EXAMPLE, "-o", self.program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = run(self.program, OMP_TARGET_OFFLOAD="MANDATORY", GANTRY_DEVICES="cpu,simt")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.count("ran on the device, result as on the host")

    def test_one_program_for_the_host_and_a_gpu(self):
        self.assertEqual(self.devices("--offload-arch=host,sm_70,sm_90"), 2)
        images = run(BUILD / "bin/gantry", "inspect", self.program).stdout
        for arch in ("sm_70", "sm_90", "x86_64"):
            self.assertIn(arch, images)
        self.assertEqual(self.devices("--clang=19", "--offload-arch=sm_70", "--offload-arch=host"), 2)

    def test_the_host_alone(self):
        self.assertEqual(self.devices("--offload-arch=host"), 1)

    def test_in_a_response_file(self):
        file = self.program.with_name("options")
        file.write_text("--offload-arch=host,sm_90")
        self.assertEqual(self.devices(f"@{file}"), 2)


@unittest.skipUnless(run("unshare", "--user", "--map-root-user", "--mount", "true").returncode == 0,
                     "no mounts of a user's own are permitted here")
class MissingCompilers(unittest.TestCase):
    def without(self, program, *command):
        """What a command says where `program` cannot be run."""
        hidden = os.path.realpath(program)
        if not os.path.exists(hidden):
            self.skipTest(f"{program} is not installed anyway")
        done = run("unshare", "--user", "--map-root-user", "--mount", "sh", "-ec",
                   'mount --bind /dev/null "$1"; shift; exec "$@"', "sh", hidden, BUILD / "bin/gantry", *command)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        return done.stderr

    def test_each_is_named_with_its_package(self):
        for command, program, package in (("clang++", "/usr/bin/clang++-22", "clang-22"),
                                          ("flang", "/usr/bin/flang-22", "flang-22"),
                                          ("g++", "/usr/bin/g++-12", "g++-12"),
                                          ("gfortran", "/usr/bin/gfortran-12", "gfortran-12")):
            with self.subTest(command=command):
                self.assertEqual(self.without(program, command, "-c", EXAMPLE),
                                 f"gantry: error: cannot run '{program}': Permission denied; "
                                 f"install Debian's package {package}\n")


@unittest.skipUnless(run("unshare", "--user", "--map-root-user", "--mount", "true").returncode == 0,
                     "no mounts of a user's own are permitted here")
@unittest.skipUnless(os.path.exists("/usr/bin/flang-22"), "Flang 22 is not installed")
class WithoutToolkit(unittest.TestCase):
    def test_flang_makes_code_for_gpus(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("unshare", "--user", "--map-root-user", "--mount", "sh", "-ec",
                       'for toolkit in /usr/local/cuda* /usr/lib/cuda; do'
                       ' [ ! -d "$toolkit" ] || mount -t tmpfs none "$toolkit"; done; exec "$@"', "sh",
                       BUILD / "bin/gantry", "flang", "-O1", "--offload-arch=sm_90", SOURCE / "examples/zaxpy.f90",
                       "-o", f"{folder}/zaxpy", PATH="/usr/bin:/bin")
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            done = run(f"{folder}/zaxpy", GANTRY_DEVICES="simt", OMP_TARGET_OFFLOAD="MANDATORY")
            self.assertEqual((done.returncode, done.stdout), (0, "device 0: ran on it, as expected\n"), done.stderr)


class Installation(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gantry-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check(self, *compiler):
        program = self.folder / "program"
        done = run(*compiler, "-O1", EXAMPLE, "-o", program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = run(program, OMP_TARGET_OFFLOAD="MANDATORY")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("ran on the device, result as on the host", done.stdout)
        libraries = run("ldd", program).stdout
        self.assertIn("libgantry.so.1", libraries)
        self.assertNotIn("libomptarget", libraries)
        program.unlink()

    def test_it_is_small(self):
        done = run("cmake", "--install", BUILD, "--prefix", self.folder / "small", "--strip")
        self.assertEqual(done.returncode, 0, done.stderr)
        sizes = {file: file.stat().st_size for file in (self.folder / "small").rglob("*")
                 if file.is_file() and not file.is_symlink()}
        self.assertLess(sum(sizes.values()), 27e6, sorted(sizes.items(), key=lambda item: -item[1])[:5])
        self.assertLess((self.folder / "small/lib/libgantry.so.1").stat().st_size, 2e6)

    def test_it_works_wherever_it_is_put(self):
        first = self.folder / "first"
        done = run("cmake", "--install", BUILD, "--prefix", first)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check(first / "bin/gantry", "clang++")
        second = self.folder / "a folder" / "second"
        second.parent.mkdir()
        shutil.move(first, second)
        self.check(second / "bin/gantry", "clang++")
        self.check("/usr/bin/clang++-22", f"--config={second}/share/gantry/gantry.cfg")


if __name__ == "__main__":
    unittest.main(argv=["cli"], verbosity=1)

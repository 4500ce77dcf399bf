"""What programs say, and what they do, when a GPU's driver fails them.

failures_test.py BUILD PROGRAM PROGRAM_FOR_A_NEWER_GPU [FORTRAN_PROGRAM]
"""

import os
import subprocess
import sys
import unittest

build, program, newer_program = sys.argv[1:4]
fortran_program = sys.argv[4] if len(sys.argv) > 4 else None


def run(*arguments, program=program, devices="cuda", driver=None, policy="MANDATORY", info=""):
    environment = dict(os.environ, GANTRY_DEVICES=devices, OMP_TARGET_OFFLOAD=policy, GANTRY_INFO=info,
                       GANTRY_SIMT_CACHE=f"{build}/simt-cache")
    environment.pop("LD_LIBRARY_PATH", None)
    if driver is not None:
        environment.update(LD_LIBRARY_PATH=f"{build}/tests/plugins/cuda", FAILING_DRIVER=driver)
    return subprocess.run([program, *arguments], env=environment, capture_output=True, text=True,
                          timeout=100)


class Failures(unittest.TestCase):
    def fails(self, result, *said):
        self.assertNotEqual(result.returncode, 0, result.stdout)
        for text in said:
            self.assertIn(text, result.stderr)

    def falls_back(self, **how):
        result = run(policy="DEFAULT", **how)
        self.assertEqual((result.returncode, result.stdout), (0, "on the host\n"), result.stderr)

    def test_a_driver_without_faults(self):
        result = run(driver="")
        self.assertEqual(result.stdout, "on the device\n", result.stderr)

    @unittest.skipIf(os.path.exists("/dev/nvidiactl"), "there is a driver here")
    def test_no_driver(self):
        self.fails(run(), "cuda: the driver's library cannot be loaded", "libcuda.so.1")
        self.falls_back(devices="cuda,cpu")

    def test_the_executor_is_not_taken_for_a_driver(self):
        result = run(devices="simt,cuda", info="load")
        self.assertEqual(result.stdout, "on the device\n", result.stderr)
        self.assertIn("the PTX executor is loaded already", result.stderr)
        self.assertIn("name cuda before simt", result.stderr)
        both = run(devices="cuda,simt", driver="", info="load")
        self.assertEqual(both.stdout, "on the device\n", both.stderr)
        self.assertNotIn("no device", both.stderr)

    def test_no_gpu(self):
        self.fails(run(driver="cuInit=100"), "CUDA_ERROR_NO_DEVICE", "CUDA_VISIBLE_DEVICES")

    def test_a_driver_too_old_for_the_ptx(self):
        self.fails(run(driver="cuModuleLoadDataEx=222"),
                   "the driver is too old for the image, which is PTX 7.8", "install a newer driver")
        self.falls_back(driver="cuModuleLoadDataEx=222")

    def test_the_drivers_compiler_fails(self):
        self.fails(run(driver="cuModuleLoadDataEx=218"),
                   "the driver does not compile the image: CUDA_ERROR_INVALID_PTX")
        self.falls_back(driver="cuModuleLoadDataEx=218")

    def test_an_image_for_a_newer_gpu(self):
        self.fails(run(program=newer_program, devices="simt"), "the image is for sm_120 and the device is an sm_90",
                   "--offload-arch=sm_90")
        self.falls_back(program=newer_program, devices="simt")

    def test_out_of_memory(self):
        self.fails(run("memory", devices="simt"), "failures.cpp:14",
                   "'huge", "bytes of device memory cannot be had")
        self.fails(run(driver="cuMemAlloc_v2=2"), "bytes of device memory cannot be had", "'on_host'")

    def test_an_illegal_access(self):
        self.fails(run("access", devices="simt"), "failures.cpp:28", "invalid store of 4 bytes",
                   "failures.cpp:24: target: device 0 (simt)", "the device is lost",
                   "failures.cpp:28: the region of ", " wrote to address 0x")
        self.fails(run("access", driver=""), "failures.cpp:24: target: device 0 (cuda)",
                   "CUDA_ERROR_ILLEGAL_ADDRESS", "GANTRY_DEVICES=simt")

    def test_an_exception_of_the_library(self):
        result = run("exception", devices="simt")
        self.fails(result, "failures.cpp:18: target: device 0 (simt)", "the device is lost")
        self.assertIn("in device code: a std::out_of_range was thrown: vector::_M_range_check", result.stdout)

    def test_a_kernel_that_runs_for_too_long(self):
        self.fails(run(driver="cuStreamSynchronize=702"), "CUDA_ERROR_LAUNCH_TIMEOUT", "watchdog",
                   "failures.cpp:24")

    def test_a_launch_that_is_refused(self):
        self.fails(run(driver="cuLaunchKernel=701"), "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
                   "thread_limit")
        self.falls_back(driver="cuLaunchKernel=701")

    @unittest.skipUnless(fortran_program, "Flang 22 is not installed")
    def test_fortran_assignments_that_a_gpu_cannot_make(self):
        for what, said in [("shape", "an allocatable gets a value of another shape"),
                           ("type", "an array of derived type cannot be assigned as a whole"),
                           ("length", "an allocatable gets characters of another length")]:
            result = run(what, program=fortran_program, devices="simt")
            self.fails(result, "the region of 'main program'")
            self.assertIn(said, result.stdout)


unittest.main(argv=sys.argv[:1])

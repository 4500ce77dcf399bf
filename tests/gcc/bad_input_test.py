"""What GCC's programs may hand over that is not as it has to be: each has a message of its own, and where
the standard lets the host run the region, the host does.

bad_input_test.py BUILD
"""

import re

from gcc_case import SOURCES, Case, main

NO_CHECK = "-foffload-options=nvptx-none=-Wa,--no-verify"
WRAPPED = [f"-Wl,--wrap={name}" for name in ("GOMP_offload_register_ver", "GOMP_target_ext")]
# What is wrong, what the message says of it, and what the program prints where the host goes on.
MISTAKES = (
    ("version", r"the program's image is registered with version 0x\w+, and this runtime knows 0x\w+ and older; it was "
                r"built by a newer GCC than Gantry supports", "3\n"),
    ("functions", r"the program's tables have 0 target regions and 0 variables, and those of its device image 1 and 0; "
                  r"they must be equal and in the same order", "3\n"),
    ("address", r"no device image of the program fits this device and holds the region",
     "the host ran what is in no table\n0\n"),
    ("kind", r"list item 0 is of kind 0x5d, which this runtime does not know; the program was built by a GCC newer than",
     "3\n"),
)
# The same where the program has variables of `declare target`: the host runs no region once the device has them.
WITH_VARIABLES = (
    ("variables", r"the program's tables have 1 target regions and 1 variables, and those of its device image 1 and 2",
     "3\n"),
    ("address", r"no device image of the program fits this device and holds the region", None),
)


class BadInput(Case):
    def check_on(self, *devices):
        for mistakes, options in (MISTAKES, ()), (WITH_VARIABLES, ("-DVARIABLES",)):
            self.compile("gcc", "-foffload=cpu,nvptx-none", NO_CHECK, *options, SOURCES / "bad_input.c", *WRAPPED,
                         "-o", "program")
            for device in devices:
                self.assertEqual(self.output("./program", devices=device), "3\n")
                for what, message, on_host in mistakes:
                    with self.subTest(what=what, device=device, options=options):
                        self.check(device, what, message, on_host)

    def check(self, device, what, message, on_host):
        for policy in "MANDATORY", "DEFAULT":
            done = self.run_tool("./program", env=self.variables(device, BAD_INPUT=what, OMP_TARGET_OFFLOAD=policy))
            if policy == "DEFAULT" and on_host is not None:
                self.assertEqual((done.returncode, done.stdout), (0, on_host), done.stderr)
            else:
                self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
                self.assertRegex(done.stderr, message)
                self.assertEqual(len(re.findall("gantry: error: ", done.stderr)), 1, done.stderr)

    def test_on_the_cpu(self):
        self.check_on("cpu", "cpu+separate")

    def test_on_workers(self):
        self.check_on("worker")

    def test_on_a_gpu(self):
        self.check_on("simt")


if __name__ == "__main__":
    main()

"""Building and running the programs: the same objects, compiled once by stock Clang, are linked to
the stock LLVM runtime by stock Clang, and to Gantry by `gantry clang`."""

import concurrent.futures
import hashlib
import os
import pathlib
import shlex
import subprocess
import sys

CLANG = "/usr/bin/clang-22"
OFFLOAD = ["-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu"]
RUNTIMES = ("stock", "gantry")
HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"

# What steers a runtime is for the benchmark to say; the rest of the environment is the user's.
STEERING = ("OMP_", "KMP_", "GANTRY_", "LIBOMPTARGET_", "LD_")
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(STEERING)} | {
    "OMP_TARGET_OFFLOAD": "MANDATORY"
}


class BenchError(Exception):
    """What stops the benchmark; said in one line."""


def progress(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def run(command, **changes):
    """Runs a command that must succeed and returns what it wrote."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, env=ENVIRONMENT | changes, capture_output=True, text=True, timeout=600, check=False
    )
    if done.returncode != 0:
        raise BenchError(
            f"'{shlex.join(words)}' failed with status {done.returncode}:\n{done.stderr.strip()}"
        )
    return done


def in_alternation(ways, samples):
    """What each of `ways`, functions by name, returns in each of so many rounds."""
    taken = {way: [] for way in ways}
    order = list(ways)
    for _ in range(samples):
        for way in order:
            taken[way].append(ways[way]())
        order.reverse()
    return taken


def remove_images_since(start):
    """LLVM's runtime leaves a copy of every image it loads as /tmp/tmpfile_XXXXXX. Removes this
    user's since a time; a process that is still running has its copy mapped."""
    for path in pathlib.Path("/tmp").glob("tmpfile_??????"):
        try:
            facts = path.stat()
            if facts.st_uid == os.getuid() and facts.st_mtime >= start:
                path.unlink()
        except FileNotFoundError:
            pass


class Toolchain:
    """The two ways of linking, and a folder under the build tree for what they make."""

    def __init__(self, build: pathlib.Path):
        self.build = build
        self.gantry = build / "bin/gantry"
        if not self.gantry.is_file():
            raise BenchError(f"'{self.gantry}' does not exist; scripts/bench builds it")
        self.folder = build / "bench"
        for name in ("sources", "objects", "programs"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self.compiler_version = run([CLANG, "--version"]).stdout

    def linker(self, runtime):
        return [CLANG] if runtime == "stock" else [self.gantry, "clang"]

    def compile(self, source, *flags):
        """The object of a source, from an earlier run if nothing it depends on has changed."""
        command = [CLANG, "-O2", "-Wall", f"-I{PROGRAMS}", *flags, "-c", source]
        key = hashlib.sha256(self.compiler_version.encode())
        for text in (*command, source.read_text(), (PROGRAMS / "timing.h").read_text()):
            key.update(str(text).encode() + b"\0")
        output = self.folder / "objects" / f"{source.stem}-{key.hexdigest()[:16]}.o"
        if not output.is_file():
            partial = output.with_suffix(".partial")
            run([*command, "-o", partial])
            partial.rename(output)
        return output

    def compile_all(self, sources):
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            return list(pool.map(lambda source: self.compile(source, *OFFLOAD), sources))

    def link(self, runtime, name, objects, *flags):
        """Links a program, and makes sure that it has the runtime it is said to have."""
        program = self.folder / "programs" / f"{name}.{runtime}"
        run([*self.linker(runtime), *OFFLOAD, *flags, *objects, "-o", program])
        self.check_runtime(runtime, program)
        return program

    def link_without_offloading(self, name, compiled):
        program = self.folder / "programs" / name
        run([CLANG, "-fopenmp", compiled, "-o", program])
        return program

    def link_command(self, runtime, name, objects, *flags):
        """The linker wrapper's command line in the link of a program, and the program."""
        program = self.folder / "programs" / f"{name}.{runtime}"
        driver = [*self.linker(runtime), *OFFLOAD, *flags, *objects, "-o", program, "-###"]
        command = shlex.split(run(driver).stderr.splitlines()[-1])
        stock = pathlib.Path("/usr/lib/llvm-22/bin")
        wanted = self.build / "libexec" if runtime == "gantry" else stock
        wrapper = pathlib.Path(command[0])
        if wrapper.name != "clang-linker-wrapper" or wrapper.parent.resolve() != wanted:
            raise BenchError(
                f"the driver links with '{wrapper}' and not with '{wanted}/clang-linker-wrapper'"
            )
        return command, program

    def check_runtime(self, runtime, program):
        libraries = run([program], LD_TRACE_LOADED_OBJECTS="1").stdout
        if ("libgantry.so" in libraries) != (runtime == "gantry"):
            raise BenchError(f"'{program}' has the wrong runtime; it loads:\n{libraries}")

    def programs(self, name, source, *flags, arguments=()):
        """One object, linked to both runtimes and run once: runtime -> program."""
        compiled = self.compile(source, *OFFLOAD, *flags)
        programs = {runtime: self.link(runtime, name, [compiled]) for runtime in RUNTIMES}
        for program in programs.values():
            run([program, *arguments])
        return programs

    def launcher(self):
        """The program that times another one from outside."""
        program = self.folder / "programs/launch"
        run([CLANG, "-O2", "-Wall", "-static", HERE / "launch.c", "-o", program])
        return program

    def generated(self):
        """The folder for generated sources."""
        return self.folder / "sources"

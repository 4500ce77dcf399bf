"""The cases: what each measures, with which goal, and how one sample of it is taken.

A case prepares programs for both runtimes, runs each once (every program checks its own results and
that its regions run on a device), and returns a sampler per contender. A sampler takes one sample
and returns metric -> value, in seconds or bytes.
"""

import dataclasses
from collections.abc import Callable

import sources
from toolchain import PROGRAMS, RUNTIMES, Toolchain, run

Sampler = Callable[[], dict[str, float]]


@dataclasses.dataclass(frozen=True)
class Metric:
    key: str
    title: str
    unit: str  # "s" or "B"
    goal: float | None = None  # the greatest ratio Gantry / stock that meets it


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    metrics: tuple[Metric, ...]
    samples: int  # of each contender
    prepare: Callable[[Toolchain, "Sizes"], dict[str, Sampler]]


@dataclasses.dataclass(frozen=True)
class Sizes:
    """How large the generated programs are."""

    kernels: int = 1000
    objects: int = 200


def launched(launcher, command) -> Sampler:
    """Runs a whole process: wall time, processor time and peak resident memory."""

    def sample():
        wall, processor, peak = (int(word) for word in run([launcher, *command]).stdout.split())
        return {"time": wall / 1e9, "processor": processor / 1e6, "memory": peak * 1024}

    return sample


def printed(program) -> Sampler:
    """Runs a program that times its own constructs."""
    return lambda: {"time": float(run([program]).stdout) / 1e9}


def startup(tools, sizes):
    launcher = tools.launcher()
    source = PROGRAMS / "startup.c"
    programs = tools.programs("startup", source)
    programs["floor"] = tools.link_without_offloading(
        "startup.floor", tools.compile(source, "-fopenmp", "-DEXPECTED_ON_HOST=1")
    )
    return {name: launched(launcher, [program]) for name, program in programs.items()}


def kernels(tools, sizes):
    launcher = tools.launcher()
    source = sources.many_kernels(tools.generated(), sizes.kernels)
    programs = tools.programs(source.stem, source)
    return {runtime: launched(launcher, [program]) for runtime, program in programs.items()}


def construct(name):
    """Preparation of a program that times its own constructs."""

    def prepare(tools, sizes):
        programs = tools.programs(name, PROGRAMS / f"{name}.c")
        return {runtime: printed(program) for runtime, program in programs.items()}

    return prepare


def link(linker):
    """Preparation of a link with the wrappers alone, the drivers' own time left out."""

    def prepare(tools, sizes):
        launcher = tools.launcher()
        objects = tools.compile_all(sources.many_objects(tools.generated(), sizes.objects))
        samplers = {}
        for runtime in RUNTIMES:
            command, program = tools.link_command(
                runtime, f"units_{sizes.objects}.{linker}", objects, f"-fuse-ld={linker}"
            )
            program.unlink(missing_ok=True)
            run(command)
            tools.check_runtime(runtime, program)
            run([program])
            samplers[runtime] = launched(launcher, command)
        return samplers

    return prepare


def of_process(title, time_goal=None, memory_goal=None):
    return (
        Metric("time", f"{title}: time", "s", time_goal),
        Metric("processor", f"{title}: processor time", "s"),
        Metric("memory", f"{title}: peak memory", "B", memory_goal),
    )


def all_cases(sizes):
    def construct_case(name, title, goal=None):
        return Case(name.replace("_", "-"), (Metric("time", title, "s", goal),), 9, construct(name))

    def link_case(name, linker, title):
        metrics = of_process(f"link of {sizes.objects} objects, {title}", time_goal=1.0)
        return Case(name, metrics, 7, link(linker))

    return [
        Case("startup", of_process("trivial program", 1 / 5, 1 / 3), 31, startup),
        construct_case("empty_target", "empty target region", 1 / 10),
        construct_case("one_scalar", "target region, one mapped scalar", 1 / 10),
        construct_case("data_region", "target data region, one mapped scalar"),
        construct_case("enter_exit", "target enter data and exit data, one scalar"),
        construct_case("sixteen_arrays", "target region, sixteen mapped arrays"),
        construct_case("eight_threads", "target region, one scalar, eight host threads"),
        Case("kernels", of_process(f"program of {sizes.kernels} kernels"), 21, kernels),
        link_case("link-bfd", "bfd", "GNU ld"),
        link_case("link-lld", "lld", "lld"),
    ]

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
    goal: float | None = None  # the greatest ratio that meets it
    # The ratio is to the stock runtime's median of the same metric, or to Gantry's of this one.
    reference: str | None = None


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
    live: tuple[int, ...] = (1000, 100_000, 1_000_000)
    mebibytes: int = 1024


def launched(launcher, command, **environment) -> Sampler:
    """Runs a whole process: wall time, processor time and peak resident memory."""

    def sample():
        wall, processor, peak = (
            int(word) for word in run([launcher, *command], **environment).stdout.split()
        )
        return {"time": wall / 1e9, "processor": processor / 1e6, "memory": peak * 1024}

    return sample


def printed(command, keys=("time",), **environment) -> Sampler:
    """Runs a program that times its own constructs and prints nanoseconds, one for each key."""

    def sample():
        words = run(command, **environment).stdout.split()
        return {key: float(word) / 1e9 for key, word in zip(keys, words, strict=True)}

    return sample


# Gantry's device that is a process of its own, beside the two that are compared.
WORKER = {"GANTRY_DEVICES": "worker"}


def startup(tools, sizes):
    launcher = tools.launcher()
    source = PROGRAMS / "startup.c"
    programs = tools.programs("startup", source)
    programs["floor"] = tools.link_without_offloading(
        "startup.floor", tools.compile(source, "-fopenmp", "-DEXPECTED_ON_HOST=1")
    )
    samplers = {name: launched(launcher, [program]) for name, program in programs.items()}
    return samplers | {"worker": launched(launcher, [programs["gantry"]], **WORKER)}


def kernels(tools, sizes):
    launcher = tools.launcher()
    source = sources.many_kernels(tools.generated(), sizes.kernels)
    programs = tools.programs(source.stem, source)
    return {runtime: launched(launcher, [program]) for runtime, program in programs.items()}


SEPARATE = {"GANTRY_DEVICES": "cpu+separate"}


def construct(name, *flags, separate=False, worker=False):
    """Preparation of a program that times its own constructs; on Gantry's device with or without
    storage of its own (the stock device always has that), and on a worker too."""

    def prepare(tools, sizes):
        programs = tools.programs("-".join((name, *flags)), PROGRAMS / f"{name}.c", *flags)
        return timed(programs, ("time",), separate, worker=worker)

    return prepare


def timed(programs, keys, separate, *arguments, worker=False):
    environments = {"gantry": SEPARATE if separate else {}}
    samplers = {
        runtime: printed([program, *arguments], keys, **environments.get(runtime, {}))
        for runtime, program in programs.items()
    }
    if worker:
        samplers["worker"] = printed([programs["gantry"], *arguments], keys, **WORKER)
    return samplers


def present_arrays(count, separate):
    def prepare(tools, sizes):
        source = sources.present_arrays(tools.generated(), count)
        return timed(tools.programs(source.stem, source), ("time",), separate)

    return prepare


LIVE_KEYS = ("enter", "present", "update", "exit")


def live_mappings(count, separate):
    def prepare(tools, sizes):
        programs = tools.programs("live_mappings", PROGRAMS / "live_mappings.c", arguments=["1000"])
        return timed(programs, LIVE_KEYS, separate, str(count))

    return prepare


def bulk(tools, sizes):
    """Gantry's devices with memory of their own, beside the stock one and beside memcpy."""
    arguments = [str(sizes.mebibytes)]
    programs = tools.programs("bulk", PROGRAMS / "bulk.c", arguments=arguments)
    return timed(programs, ("to", "from", "memcpy"), True, *arguments, worker=True)


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
        return Case(name.replace("_", "-"), (Metric("time", title, "s", goal),), 9,
                    construct(name, worker=True))

    def link_case(name, linker, title):
        metrics = of_process(f"link of {sizes.objects} objects, {title}", time_goal=1.0)
        return Case(name, metrics, 7, link(linker))

    def separate_title(separate):
        return ", separate storage" if separate else ""

    def on_both_memories(name, title, prepare, samples, keys=(("time", ""),)):
        """A case on Gantry's device that shares memory, and on the one with separate storage."""
        return [
            Case(
                name + ("+separate" if separate else ""),
                tuple(
                    Metric(key, f"{what}{title}{separate_title(separate)}", "s",
                           1.0 if separate else 1 / 5)
                    for key, what in keys
                ),
                samples,
                prepare(separate),
            )
            for separate in (False, True)
        ]

    mapping_cases = [
        case
        for count in sizes.live
        for case in on_both_memories(
            f"live-{count}", f" among {count} live mappings",
            lambda separate, count=count: live_mappings(count, separate),
            {1000: 21, 100_000: 9}.get(count, 5),
            (("enter", "target enter data, 32 bytes,"), ("present", "omp_target_is_present"),
             ("update", "target update, one element,"), ("exit", "target exit data")),
        )
    ] + [
        case
        for count in (1, 16, 64)
        for case in on_both_memories(
            f"present-{count}", f"target region, {count} arrays, all present",
            lambda separate, count=count: present_arrays(count, separate), 7,
        )
    ] + on_both_memories(
        "four-threads", "target region, one scalar, four host threads",
        lambda separate: construct("host_threads", "-DTHREADS=4", separate=separate), 7,
    )

    return [
        Case("startup", of_process("trivial program", 1 / 5, 1 / 3), 31, startup),
        construct_case("empty_target", "empty target region", 1 / 10),
        construct_case("one_scalar", "target region, one mapped scalar", 1 / 10),
        construct_case("data_region", "target data region, one mapped scalar"),
        construct_case("enter_exit", "target enter data and exit data, one scalar"),
        construct_case("sixteen_arrays", "target region, sixteen mapped arrays"),
        Case("sixty-four-arrays", (
            Metric("time", "64 arrays by constructs of their own, separate storage", "s"),
        ), 9, construct("sixty_four_arrays", separate=True, worker=True)),
        *mapping_cases,
        Case("bulk", (
            Metric("to", f"{sizes.mebibytes} MiB to the device, separate storage", "s", 1 / 0.8, "memcpy"),
            Metric("from", f"{sizes.mebibytes} MiB from the device, separate storage", "s", 1 / 0.8, "memcpy"),
        ), 3, bulk),
        Case("kernels", of_process(f"program of {sizes.kernels} kernels"), 21, kernels),
        link_case("link-bfd", "bfd", "GNU ld"),
        link_case("link-lld", "lld", "lld"),
    ]

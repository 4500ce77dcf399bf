"""Generated sources: programs of many kernels, of many arrays and of many objects with device code."""

import pathlib


def write(path, text):
    """Writes a file unless it says so already."""
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)
    return path


def many_kernels(folder: pathlib.Path, count: int) -> pathlib.Path:
    """A program with `count` target regions, each a function, of which main runs one."""
    regions = "\n".join(
        f"""static int region_{i}(int number) {{
#pragma omp target map(tofrom : number)
  number = omp_is_initial_device() ? -1 : number + {i};
  return number;
}}
"""
        for i in range(count)
    )
    table = ", ".join(f"region_{i}" for i in range(count))
    chosen = count // 2
    return write(
        folder / f"kernels_{count}.c",
        f"""#include <omp.h>

{regions}
static int (*const regions[])(int) = {{{table}}};

int main(int count, char** arguments) {{
  (void)arguments;
  return regions[{chosen} + count - 1](0) == {chosen} ? 0 : 1;
}}
""",
    )


def present_arrays(folder: pathlib.Path, count: int) -> pathlib.Path:
    """A program whose target region maps `count` arrays that are all present."""
    names = [f"array_{i}" for i in range(count)]
    declared = ",\n    ".join(f"{name}[kLength]" for name in names)
    listed = ", ".join(names)
    steps = "\n      ".join(f"{name}[0] += 1;" for name in names)
    return write(
        folder / f"present_{count}.c",
        f"""#include "timing.h"

enum {{ kLength = 64 }};
static long {declared};

static void run_constructs(long count) {{
  for (long construct = 0; construct < count; ++construct) {{
#pragma omp target map(tofrom : {listed})
    {{
      {steps}
    }}
  }}
}}

int main(void) {{
  int result;
#pragma omp target data map(tofrom : {listed})
  {{
    result = report_time(run_constructs, 1e6);
  }}
  require({names[-1]}[0] > 0 && {names[-1]}[0] == {names[0]}[0], "the regions did not count");
  return result;
}}
""",
    )


def many_objects(folder: pathlib.Path, count: int) -> list[pathlib.Path]:
    """A program of `count` files and one with main, each of the `count` with two target regions, a
    device function, a device variable and functions of the host."""
    sources = []
    for i in range(count):
        sources.append(
            write(
                folder / f"unit_{i}.c",
                f"""#include <omp.h>

#pragma omp begin declare target
long unit_{i}_offset = {i};
long unit_{i}_shift(long value) {{ return value + unit_{i}_offset; }}
#pragma omp end declare target

static void unit_{i}_fill(long* values, long count) {{
  for (long k = 0; k < count; ++k) {{
    values[k] = k;
  }}
}}

int unit_{i}_on_device(void) {{
  int on_host = 1;
#pragma omp target map(tofrom : on_host)
  on_host = omp_is_initial_device();
  return !on_host;
}}

long unit_{i}(void) {{
  enum {{ kCount = 64 }};
  long values[kCount];
  unit_{i}_fill(values, kCount);
#pragma omp target teams distribute parallel for map(tofrom : values) num_teams(1) thread_limit(1)
  for (long k = 0; k < kCount; ++k) {{
    values[k] = unit_{i}_shift(values[k]);
  }}
  long sum = 0;
  for (long k = 0; k < kCount; ++k) {{
    sum += values[k];
  }}
  return sum;
}}
""",
            )
        )
    declarations = "\n".join(
        f"long unit_{i}(void);\nint unit_{i}_on_device(void);" for i in range(count)
    )
    rows = ",\n    ".join(f"{{unit_{i}, unit_{i}_on_device}}" for i in range(count))
    sources.append(
        write(
            folder / f"units_{count}.c",
            f"""{declarations}

static const struct {{ long (*run)(void); int (*on_device)(void); }} units[] = {{
    {rows}}};

int main(void) {{
  for (long i = 0; i < {count}; ++i) {{
    if (!units[i].on_device() || units[i].run() != 64 * 63 / 2 + 64 * i) {{
      return 1;
    }}
  }}
  return 0;
}}
""",
        )
    )
    return sources

"""What the benchmark says: one table for people, one JSON object for programs."""

import statistics

UNITS = {
    "s": ((1, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")),
    "B": ((2**20, "MiB"), (2**10, "KiB")),
}


def in_columns(rows):
    """Rows of texts as lines, the first one the headings."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return lines


def scale_of(value, unit):
    """The factor and the name of the unit that suits a value."""
    return next((row for row in UNITS[unit] if value >= row[0]), UNITS[unit][-1])


def figures(value):
    """A number with three figures."""
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f}"


def measured(numbers, unit):
    """A contender's median with the quartiles behind it, all in one unit."""
    factor, name = scale_of(numbers["median"], unit)
    lower, median, upper = (
        figures(numbers[key] / factor) for key in ("lower_quartile", "median", "upper_quartile")
    )
    return f"{median} {name} ({lower} - {upper})"


def summary(samples):
    """Median, quartiles and extremes of one contender's samples."""
    lower, _, upper = (
        statistics.quantiles(samples, n=4, method="inclusive") if len(samples) > 1 else samples * 3
    )
    return {
        "median": statistics.median(samples),
        "lower_quartile": lower,
        "upper_quartile": upper,
        "minimum": min(samples),
        "maximum": max(samples),
        "samples": samples,
    }


def worker_ratio(metric, samples):
    """Of a worker's median to the reference's, where there is a worker: what is in its own sample
    is its own."""
    if "worker" not in samples:
        return None
    of = samples["stock" if metric.reference is None else "worker"]
    reference = statistics.median(s[metric.reference or metric.key] for s in of)
    return statistics.median(s[metric.key] for s in samples["worker"]) / reference


def result(case, metric, samples):
    """One row: what each contender's samples say about one metric."""
    contenders = {name: summary([s[metric.key] for s in taken]) for name, taken in samples.items()}
    if metric.reference is None:
        reference = contenders["stock"]["median"]
    else:
        reference = statistics.median(s[metric.reference] for s in samples["gantry"])
    ratio = contenders["gantry"]["median"] / reference
    return {
        "case": case.name,
        "title": metric.title,
        "unit": metric.unit,
        "contenders": contenders,
        "reference": metric.reference or "stock",
        "ratio": ratio,
        "worker_ratio": worker_ratio(metric, samples),
        "goal": metric.goal,
        "met": None if metric.goal is None else ratio <= metric.goal,
    }


def fraction(ratio):
    return f"1/{1 / ratio:.1f}" if ratio < 0.95 else f"{ratio:.2f}"


def goal_text(goal):
    return "" if goal is None else f"<= 1/{1 / goal:.0f}" if goal < 1 else f"<= {goal:g}"


def table(results):
    """The table: medians, quartiles, ratio, goal and whether it is met."""
    rows = [("case", "what", "stock LLVM (quartiles)", "Gantry (quartiles)", "ratio", "goal", "")]
    floors = []  # and what else stands behind the table
    for row in results:
        contenders = row["contenders"]
        rows.append((
            row["case"],
            row["title"],
            measured(contenders["stock"], row["unit"]),
            measured(contenders["gantry"], row["unit"]),
            fraction(row["ratio"]) + ("" if row["reference"] == "stock" else f" of {row['reference']}"),
            goal_text(row["goal"]),
            {True: "met", False: "MISSED", None: ""}[row["met"]],
        ))
        if "floor" in contenders:
            floor = measured(contenders["floor"], row["unit"])
            floors.append(f"{row['title']}, built without offloading: {floor}")
        if "worker" in contenders:
            floors.append(
                f"{row['title']}, on a worker: {measured(contenders['worker'], row['unit'])}, "
                f"{fraction(row['worker_ratio'])} of {row['reference']}"
            )
    lines = in_columns(rows)
    return "\n".join([*lines, "", *floors] if floors else lines)

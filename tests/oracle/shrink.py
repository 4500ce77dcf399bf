"""Makes a program that fails short: steps are left out as long as it fails in the same way. The shapes
are compiled already, so a try costs one run of a script."""

import copy
import re
import time

import program
from model import NonConforming, Refused
from runner import Prediction


def conforming(steps, shapes):
    """Those of the steps that a conforming program can contain after those that stay before them."""
    execution = program.Execution(shapes, shared=False)

    def keep(steps):
        kept = []
        pending = False  # constructs with nowait, after which a program has to wait
        for step in steps:
            nowait = step.operation >= 0 and shapes[step.operation].nowait
            if pending and not nowait and step.operation != program.WAIT:
                kept.append(program.Step(program.WAIT, []))
                pending = False
            before, around = execution.model, list(execution.open)
            execution.model = before.clone()
            try:
                kept.append(keep_one(step))
                pending = nowait
            except (NonConforming, Refused):
                execution.model, execution.open = before, around
            if execution.refused:
                break
        return kept + [program.Step(program.WAIT, [])] * pending

    def keep_one(step):
        twin = copy.copy(step)
        if step.operation in (program.THREADS, program.THREAD):
            twin.body = keep(step.body)
        elif step.operation >= 0:
            if shapes[step.operation].is_region():  # the number of values may depend on steps that are left out
                count = shapes[step.operation].values_read(step.arguments, execution.model.host)
                twin.arguments = [*step.arguments[:-1], count]
            opened = execution.enter_shape(0, twin)
            if opened is not None:
                execution.check_open_constructs()
                twin.body = keep(step.body)
                execution.leave_shape(step)
        else:
            execution.run_step(step)
        execution.check_open_constructs()
        return twin

    return keep(steps)


def without(steps, left_out, counter):
    """A copy without the steps of these numbers; the body of a construct that is left out stays."""
    result = []
    for step in steps:
        number = counter[0]
        counter[0] += 1
        body = without(step.body, left_out, counter)
        if number not in left_out:
            twin = copy.copy(step)
            twin.body = body
            result.append(twin)
        elif step.operation not in (program.THREADS, program.THREAD):
            result += body
    return result


def manner(what):
    """How a program failed, without the numbers."""
    return "difference" if what.startswith("step ") else re.sub(r"0x\w+|\d+", "", what)[:40]


def shrink(runner, unit, prediction, what, seconds=20):
    """The shortest program found that fails in this manner, and what is wrong with it."""
    best, wanted = prediction, manner(what)
    end = time.monotonic() + seconds

    def attempt(steps):
        nonlocal best, what
        try:
            candidate = Prediction.of_steps(prediction.seed, conforming(steps, unit.shapes), unit.shapes)
        except (NonConforming, Refused):
            return False
        if not candidate.steps or candidate.refused != prediction.refused:
            return False
        failure = runner.alone(unit, candidate, timeout=20)
        if not failure or manner(failure) != wanted:
            return False
        best, what = candidate, failure
        return True

    def length():
        return sum(1 for _ in program.all_steps(best.steps))

    chunk = length() // 2
    while chunk >= 1 and time.monotonic() < end:
        at, shorter = length() - chunk, False
        while at > -chunk and time.monotonic() < end:
            left_out = set(range(max(at, 0), at + chunk))
            if attempt(without(best.steps, left_out, [0])):
                shorter = True
            at -= chunk
        if not shorter or chunk > 1:
            chunk //= 2
    return best, what

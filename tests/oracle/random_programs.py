"""Random programs of a unit's shapes: most are the generator's, some have thousands of objects, and some end
with what has to be refused."""

import random

from generator import Generator
from model import BYTES, CELLS, GRID, INT, NonConforming
from program import HOST_READ, PRESENT, Step
from random_shapes import ENTER_BYTES, ENTER_CELLS, EXIT_CELLS, REGION_CELLS


def crowd(rng, shapes):
    """A program with up to thousands of objects: neighbours, holes, objects that span former ones."""
    generator = Generator(rng, shapes)
    device = generator.execution.model.devices[0]
    size = rng.choice([200, 600, 2000])
    steps, objects = [], {}  # first element: length

    def take(step):
        generator.execution.run_step(step)
        steps.append(step)

    def enter(at, count, operation=ENTER_CELLS):
        objects[at] = count
        take(Step(operation, [at, 0, count, 0, 0, 0, 1, 0, 0]))

    def leave(at, operation=EXIT_CELLS):
        take(Step(operation, [at, 0, objects.pop(at), 0, 0, 0, 1, 0, 0]))

    def look(address):
        mapping = device.at(address)
        points = {address, address - INT, address + INT}
        if mapping is not None:
            points |= {mapping.low, mapping.high - 1, mapping.high, (mapping.low + mapping.high) // 2}
        take(Step(PRESENT, [0, 0, *sorted(point - CELLS.base for point in points
                                          if CELLS.base <= point < CELLS.end)]))

    at = 0
    places = []
    while len(places) < size and at < 60000:
        count = rng.choice([1, 1, 2, 4, 8])
        places.append((at, count))
        at += count + rng.choice([0, 0, 0, 1, 3])
    if rng.random() < 0.5:
        rng.shuffle(places)
    for place in places:
        enter(*place)
    for _ in range(size // 2):
        starts = sorted(objects)
        place = rng.randrange(len(starts))
        # Some neighbours go, and one object takes the place of them and of what lies between.
        run = starts[place:place + rng.choice([1, 2, 2, 3, 5])]
        begin, end = run[0], run[-1] + objects[run[-1]]
        after = starts[place + len(run)] if place + len(run) < len(starts) else end
        if rng.random() < 0.3:
            end = rng.randint(end, after)
        order = list(run)
        if rng.random() < 0.5:
            order.reverse()
        for start in order:
            leave(start)
        how = rng.random()
        if how < 0.6:
            enter(begin, end - begin)
        elif how < 0.8 and end - begin > 1:
            middle = rng.randint(begin + 1, end - 1)
            enter(begin, middle - begin)
            enter(middle, end - middle)
        elif not objects:
            enter(begin, end - begin)
        for _ in range(2):
            look(CELLS.base + rng.randint(begin, end) * INT)
        if rng.random() < 0.15:
            start = rng.choice(list(objects))
            count = objects[start]
            part = rng.randrange(count)
            take(Step(REGION_CELLS, [start, part, count - part, 3, rng.randrange(60), 0, 1, 0, count - part]))
    starts = sorted(objects)
    for start in starts:
        look(CELLS.base + (start + objects[start] // 2) * INT)
    rng.shuffle(starts)
    for start in starts:
        leave(start)
    low = 0
    while low < at:
        take(Step(HOST_READ, [0, low * INT, INT, min(500, at - low)]))
        low += 500
    return steps


def refused_step(rng, generator):
    """A step that an implementation has to refuse: an object present in part is mapped, or an object with
    `present` is not there."""
    absent = rng.random() < 0.4

    def fits(shape):
        if any("present" in item.modifiers for item in shape.items) != absent:
            return False
        return absent or shape.construct not in ("exit", "update") and any(
            item.name in ("cells", "bytes", "rows", "full_rows") for item in shape.items)
    numbers = [number for number in generator.shape_numbers(False) if fits(generator.shapes[number])]
    for _ in range(40 if numbers else 0):
        number = rng.choice(numbers)
        shape = generator.shapes[number]
        device = 0
        try:
            operands = [generator.operands(shape, i, device) for i in range(len(shape.items))]
        except NonConforming:
            continue
        for item, shape_item in zip(operands, shape.items):
            if not absent and shape_item.what.region in (CELLS, BYTES, GRID) and shape_item.name != "implicit":
                item[2] += rng.choice([1, 1, 2])
            item[3] = 0
        step = Step(number, [value for item in operands for value in item] + [device, 1, 0, 0], refused=True)
        if generator.attempt(step):
            return step
        generator.execution.refused = False
    return None


def program(seed, shapes):
    """The steps of a program."""
    rng = random.Random(seed)
    how = rng.random()
    if how < 0.02:
        return crowd(rng, shapes)
    generator = Generator(rng, shapes)
    if how < 0.08:
        steps = generator.steps(8)
        mapped = generator.propose(rng.choice([ENTER_CELLS, ENTER_BYTES]))
        steps += [mapped] if mapped else []
        step = refused_step(rng, generator)
        if step is not None:
            return [*steps, step]
        return steps + generator.look_at_all() + generator.drain()
    return generator.program()

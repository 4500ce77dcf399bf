"""Random shapes and random programs of them. A step is proposed, tried on a copy of the model, and taken
if a conforming program can contain it."""

import math
import random

from model import (BOX, BOXES, BYTES, CELLS, FIXED, GRID, INT, LINKED, NODE, NODES, REGIONS, NonConforming,
                   Refused, is_pointer)
from program import (ASSOCIATE, COPY, DISASSOCIATE, HOST_READ, HOST_WRITE, PEEK, POINT, PRESENT, SAME, THREAD,
                     THREADS, WAIT, Execution, Step)
from shapes import KINDS, READS, Shape, ShapeItem

DATA_KINDS = ["cells"] * 6 + ["bytes"] * 3 + ["rows", "full_rows", "reference", "node", "node", "head", "body",
              "head_tail", "body_odd", "tail_odd_head", "link", "object_link", "more", "object_more", "box",
              "box", "fixed", "fixed_part", "linked", "linked_part"]
UPDATE_KINDS = ["cells", "cells", "bytes", "rows", "full_rows", "reference", "node", "head", "body", "head_tail",
                "link", "more", "fixed", "fixed_part", "linked", "linked_part"] + [
                    name for name in KINDS if name.startswith(("stride", "block"))]
GCC_KINDS = {"cells", "bytes", "rows", "full_rows", "reference", "node", "implicit", "fixed", "fixed_part", "raw"}
WINDOW = {0: 48, 1: 40, 2: 16, 3: 8, 4: 6, 5: 32, 6: 32}  # elements that a program uses, by region

# Every unit has these, so that a program can always map something and take it away again.
CORE = [Shape("enter", [ShapeItem("cells", "to")]), Shape("enter", [ShapeItem("cells", "alloc")]),
        Shape("exit", [ShapeItem("cells", "from")]), Shape("exit", [ShapeItem("raw", "release")]),
        Shape("exit", [ShapeItem("raw", "delete")]), Shape("update", [ShapeItem("cells", "to")]),
        Shape("update", [ShapeItem("cells", "from")]), Shape("target", [ShapeItem("cells", "tofrom")]),
        Shape("target", [ShapeItem("cells", "to")]),
        Shape("enter", [ShapeItem("bytes", "to")]), Shape("enter", [ShapeItem("node", "to")])]
ENTER_CELLS, ALLOC_CELLS, EXIT_CELLS, RELEASE, DELETE, TO_CELLS, FROM_CELLS, REGION_CELLS, READ_CELLS = range(9)


def random_shape(rng, gcc=False):
    """A directive with one to three list items."""
    construct = rng.choices(["target", "loop", "enter", "exit", "data", "use", "update"],
                            [36, 6, 16, 16, 12, 3, 14])[0]
    if construct in ("loop", "use"):
        names = ["cells"]
    else:
        kinds = UPDATE_KINDS if construct == "update" else DATA_KINDS
        if construct == "target":
            kinds = kinds + ["implicit"] * 4
        if gcc:
            kinds = [name for name in kinds if name in GCC_KINDS]
        names = rng.sample(kinds, rng.choice([1, 1, 1, 2, 2, 3]))
        # Beside other items Clang 22 hands on a wrong number of dimensions for these.
        separate = [name for name in names if name.startswith(("stride", "block"))]
        if separate:
            names = separate[:1]
        # One variable may be in one item alone, or the items would overlap.
        if sum(name.startswith("fixed") for name in names) > 1 or (
                sum(name.startswith("linked") for name in names) > 1):
            names = names[:1]
    items = []
    for name in names:
        if construct == "update":
            kind = rng.choice(["to", "from"])
            modifiers = ("present",) if not gcc and rng.random() < 0.15 else ()
            if name.startswith(("stride", "block")):
                modifiers = ()
        else:
            kind = rng.choice({"enter": ["to", "to", "alloc"],
                               "exit": ["from", "from", "release", "delete"]}.get(
                                   construct, ["to", "from", "tofrom", "tofrom", "alloc"]))
            modifiers = []
            if kind in ("to", "from", "tofrom") and rng.random() < 0.25:
                modifiers.append("always")
            if not gcc and construct != "exit" and rng.random() < 0.15:
                modifiers.append("present")
            if not gcc and construct != "exit" and rng.random() < 0.1:
                modifiers.append("close")
            if not gcc and construct in ("target", "data") and rng.random() < 0.12:
                modifiers.append("ompx_hold")
        items.append(ShapeItem(name, kind, tuple(modifiers)))
    nowait = construct in ("target", "enter", "exit", "update") and rng.random() < 0.2
    if nowait and any(item.name not in ("cells", "bytes", "rows", "full_rows", "fixed") for item in items):
        nowait = False
    return Shape(construct, items, conditional=rng.random() < 0.2, nowait=nowait)


def random_shapes(rng, count, gcc=False):
    core = [shape for shape in CORE]
    return core + [random_shape(rng, gcc) for _ in range(count - len(core))]


class Generator:
    """One program. `window` is where in `cells` its objects lie; other threads have other windows."""

    def __init__(self, rng, shapes):
        self.rng, self.shapes = rng, shapes
        self.execution = Execution(shapes, shared=False)
        self.window = rng.choice([0, 100, 65536 - 48 * 5 - 1])
        self.only_cells = False   # in threads: nothing else than this window
        self.allow_nowait = False
        self.token = 0
        self.depth = 0
        self.plain = [number for number, shape in enumerate(shapes) if not shape.nowait]
        self.nowait = [number for number, shape in enumerate(shapes) if shape.nowait]

    # Trying

    def attempt(self, step):
        """Takes a step without a body, or says no and leaves everything as it was."""
        before = self.execution.model
        self.execution.model = before.clone()
        try:
            if step.operation >= 0:
                self.execution.enter_shape(0, step)
                self.execution.check_open_constructs()
            else:
                self.execution.run_step(step)
        except (NonConforming, Refused):
            self.execution.model = before
            return False
        return True

    # Places

    def extents(self, device, region):
        """What is present of a region, in elements where it has whole ones."""
        result = []
        for mapping in self.execution.model.devices[device].mappings:
            if region.base <= mapping.low < region.end:
                result.append((mapping.low, mapping.high))
        return result

    def place(self, device, region, size, wish):
        """The first element and the number of elements of a section; a size is of bytes."""
        rng = self.rng
        first = self.window if region is CELLS else 0
        count = WINDOW[region.number]
        if region is GRID:
            count = 128 * INT // size
        begin = region.base + first * size
        inside = [(low, high) for low, high in self.extents(device, region)
                  if begin <= low < begin + count * size]
        if inside and rng.random() < wish:
            low, high = rng.choice(inside)
            start, stop = -(-(low - region.base) // size), (high - region.base) // size
            if start < stop:
                how = rng.random()
                if how < 0.5:
                    return start, stop - start
                if how < 0.6:
                    return start, rng.randint(1, stop - start)
                if how < 0.7:
                    length = rng.randint(1, stop - start)
                    return stop - length, length
                at = rng.randrange(start, stop)
                return at, rng.randint(1, stop - at)
        gaps, at = [], first
        for low, high in inside:
            start = (low - region.base) // size
            if at < start:
                gaps.append((at, start))
            at = max(at, -(-(high - region.base) // size))
        if at < first + count:
            gaps.append((at, first + count))
        if not gaps or rng.random() < 0.05:
            at = first + rng.randrange(count)
            return at, rng.randint(1, min(8, first + count - at))
        low, high = rng.choice(gaps)
        length = min(rng.choice([1, 1, 2, 3, 4, 6, 8, 12]), high - low)
        how = rng.random()
        if how < 0.35:
            return low, length
        if how < 0.6:
            return high - length, length
        if how < 0.7:
            return low, high - low
        return rng.randint(low, high - length), length

    def operands(self, shape, i, device):
        """b, lo, n, m and k of an item."""
        rng = self.rng
        item = shape.items[i]
        kind = item.what
        region = kind.region
        wish = {"enter": 0.35, "exit": 0.92, "update": 0.92}.get(shape.construct, 0.6)
        if "present" in item.modifiers:
            wish = 0.97
        mode, first = rng.choice([0, 1, 2, 3, 3, 3]), rng.randrange(60)
        name = item.name
        if name in ("link", "object_link", "more", "object_more"):
            return [rng.randrange(WINDOW[3]), rng.choice([0, 0, 0, 1, 2]), rng.randint(1, 5), mode, first]
        if region in (FIXED, LINKED):
            whole = name in ("fixed", "linked") and rng.random() < 0.5
            at = 0 if whole else rng.randrange(32)
            return [0, at, 32 if whole else rng.randint(1, min(8, 32 - at)), mode, first]
        if name == "raw":
            return self.raw_operands(device)
        if name in ("head", "body", "head_tail", "body_odd", "tail_odd_head"):
            return [rng.randrange(WINDOW[3]), 0, 1, mode, first]
        if name.startswith(("stride", "block")):
            wish = 1
        start, count = self.place(device, region, kind.size, wish)
        if name == "reference":
            return [start, 0, 1, mode, first]
        if name.startswith("block"):
            return [min(start, 16 - kind.rows), 0, 0, 0, 0]
        if name == "implicit":
            shift = rng.randrange(count)
            return [start, shift, rng.randint(1, count - shift), mode, first]
        shift = 0 if shape.construct == "use" or name.startswith("stride") else min(
            rng.choice([0, 0, 0, 1, 2, 3]), start)
        # Whether a section without elements counts as a reference to what it lies in is not specified; in
        # a region nothing comes of it.
        if rng.random() < 0.05 and shape.construct == "target" and name == "cells":
            count = 0
        return [start - shift, shift, count, mode, first]

    def raw_operands(self, device):
        """All of something that is present."""
        mappings = [mapping for mapping in self.execution.model.devices[device].mappings if not mapping.own]
        if self.only_cells:
            mappings = [mapping for mapping in mappings if self.in_window(mapping)]
        if not mappings:
            raise NonConforming("nothing is there to be released")
        mapping = self.rng.choice(mappings)
        region = REGIONS[(mapping.low >> 24) - 1]
        return [mapping.low - region.base, region.number, mapping.high - mapping.low, 0, 0]

    def in_window(self, mapping):
        begin = CELLS.base + self.window * INT
        return begin <= mapping.low < begin + WINDOW[0] * INT

    # Steps

    def propose(self, number):
        """A step of a shape, with the count of values that it reads; None if none was found."""
        rng = self.rng
        shape = self.shapes[number]
        for trial in range(6):
            device = 0 if rng.random() < 0.8 else 1
            try:
                operands = [self.operands(shape, i, device) for i in range(len(shape.items))]
            except NonConforming:
                return None
            if trial > 2:
                for item in operands:
                    item[3] &= 2
            condition = int(not shape.conditional or rng.random() < 0.7)
            token = self.token
            step = Step(number, [value for item in operands for value in item] + [device, condition, token, 0])
            if shape.is_region():
                try:
                    step.arguments[-1] = sum(1 for _, _, mode, _ in shape.touches(
                        step.arguments, self.execution.model.host) if mode & 1)
                except NonConforming:
                    continue
            before = self.execution.model
            before_open = list(self.execution.open)
            self.execution.model = before.clone()
            try:
                opened = self.execution.enter_shape(0, step)
                self.execution.check_open_constructs()
                if opened is not None:
                    self.depth += 1
                    step.body = self.steps(rng.randint(1, 6))
                    self.depth -= 1
                    self.execution.leave_shape(step)
                    self.execution.check_open_constructs()
            except (NonConforming, Refused):
                self.execution.model, self.execution.open = before, before_open
                continue
            return step
        return None

    def shape_numbers(self, nowait):
        numbers = self.nowait if nowait else self.plain
        if self.depth >= 3:
            numbers = [number for number in numbers if not self.shapes[number].has_body()]
        if self.only_cells:
            # Without `loop`: libomp ends the process at teams on a thread that it has used before.
            numbers = [number for number in numbers if self.shapes[number].construct != "loop" and all(
                item.name in ("cells", "reference", "raw", "implicit") for item in self.shapes[number].items)]
        return numbers

    def random_directive(self, nowait=False):
        numbers = self.shape_numbers(nowait)
        for _ in range(12):
            if numbers:
                step = self.propose(self.rng.choice(numbers))
                if step is not None:
                    return step
        return None

    def observation(self, region=None):
        """Something that is looked at."""
        rng = self.rng
        device = 0 if rng.random() < 0.75 else 1
        model = self.execution.model
        if region is None:
            region = CELLS if self.only_cells else rng.choice([CELLS, CELLS, CELLS, BYTES, GRID, NODES, BOXES,
                                                               FIXED, LINKED])
        first = self.window if region is CELLS else 0
        begin = region.base + first * region.stride
        end = begin + WINDOW[region.number] * region.stride if region is not GRID else region.end
        mappings = [mapping for mapping in model.devices[device].mappings if begin <= mapping.low < end]
        how = rng.random()
        if how < 0.3:
            # Beside a thread's objects are those of others.
            low, high = (begin, end) if self.only_cells else (region.base, region.end)
            offsets = {rng.randrange(begin, end) for _ in range(3)}
            for mapping in rng.sample(mappings, min(3, len(mappings))):
                offsets |= {mapping.low, mapping.high - 1, mapping.high, (mapping.low + mapping.high) // 2,
                            mapping.low - 1}
            return Step(PRESENT, [device, region.number, *(offset - region.base for offset in sorted(offsets)
                                                           if low <= offset < high)])
        if how < 0.65 and mappings:
            mapping = rng.choice(mappings)
            if rng.random() < 0.2:
                return Step(SAME, [device, region.number, mapping.low - region.base,
                                   rng.randrange(mapping.low, mapping.high) - region.base])
            values = [mapping.storage.get(address) for address in region.cells_in(mapping.low, mapping.high)]
            return self.run_of(PEEK, [device], region, mapping.low, mapping.high, lambda address: (
                model.host[address] if mapping.storage is model.host else mapping.storage.get(address))) if values else None
        return self.run_of(HOST_READ, [], region, begin, end, lambda address: model.host[address])

    def run_of(self, operation, leading, region, low, high, value):
        """A look at neighbouring cells of one size that have values."""
        cells = [address for address in region.cells_in(low, high)]
        runs = list(self.runs(region, cells, value))
        if not runs:
            return None
        address, size, count = self.rng.choice(runs)
        return Step(operation, [*leading, region.number, address - region.base, size, count])

    @staticmethod
    def runs(region, cells, value):
        """(address, size, count) of neighbours that can be looked at together."""
        sizes = dict(region.cells)
        start = None
        for address in cells:
            size = sizes[(address - region.base) % region.stride]
            usable = not is_pointer(address) and value(address) is not None
            if start is not None and (not usable or size != start[1]
                                      or address != start[0] + start[1] * start[2]):
                yield tuple(start)
                start = None
            if usable:
                if start is None:
                    start = [address, size, 0]
                start[2] += 1
        if start is not None:
            yield tuple(start)

    def host_write(self):
        rng = self.rng
        if self.only_cells:
            region = CELLS
        else:
            region = rng.choice([CELLS, CELLS, BYTES, GRID, FIXED, LINKED, NODES])
        if region is NODES:
            return Step(HOST_WRITE, [3, rng.randrange(8) * NODE + 4, INT, 4, rng.randrange(60)])
        count = rng.randint(1, 12)
        first = self.window if region is CELLS else 0
        width = 128 if region is GRID else WINDOW[region.number]
        at = first + rng.randrange(width - count)
        return Step(HOST_WRITE, [region.number, at * region.stride, region.stride, count, rng.randrange(60)])

    def pointer(self):
        rng = self.rng
        target = (self.window + rng.randrange(WINDOW[0] - 8)) * INT
        if rng.random() < 0.7:
            return [Step(POINT, [3, rng.randrange(8) * NODE + rng.choice([24, 24, 48]), target])]
        box = rng.randrange(WINDOW[4]) * BOX
        return [Step(HOST_WRITE, [4, box, INT, 2, rng.randint(1, 4)]), Step(POINT, [4, box + 8, target])]

    def copy(self):
        """omp_target_memcpy and its relatives, to or from corresponding storage."""
        rng = self.rng
        device = rng.randrange(2)
        mappings = [mapping for mapping in self.execution.model.devices[device].mappings
                    if mapping.low >> 24 in (1, 2, 3, 6)]
        if self.only_cells or not mappings:
            return None
        mapping = rng.choice(mappings)
        region = REGIONS[(mapping.low >> 24) - 1]
        elements = (mapping.high - mapping.low) // region.stride
        at = rng.randrange(elements)
        size = rng.randint(1, elements - at) * region.stride
        here = [device, region.number, mapping.low - region.base + at * region.stride]
        offset = here[2]
        other = -1
        if rng.random() < 0.5:
            other = 1 - device
        else:
            first = self.window if region is CELLS else 0
            width = region.count if region is GRID else WINDOW[region.number]
            if size // region.stride > width:
                return None
            offset = (first + rng.randint(0, width - size // region.stride)) * region.stride
        there = [other, region.number, offset]
        both = here + there if rng.random() < 0.5 else there + here
        return Step(COPY, [rng.randrange(3), *both, size])

    def associate(self):
        rng = self.rng
        if self.only_cells:
            return None
        device = rng.randrange(2)
        mappings = [mapping for mapping in self.execution.model.devices[device].mappings
                    if mapping.own and mapping.low < FIXED.base]
        if mappings and rng.random() < 0.4 and not self.depth:
            mapping = rng.choice(mappings)
            region = REGIONS[(mapping.low >> 24) - 1]
            return Step(DISASSOCIATE, [device, region.number, mapping.low - region.base])
        region = rng.choice([CELLS, BYTES])
        at, count = self.place(device, region, region.stride, 0)
        return Step(ASSOCIATE, [device, region.number, at * region.stride, count * region.stride,
                                rng.choice([0, 0, 16])])

    def one_step(self):
        """The next step or steps."""
        rng = self.rng
        how = rng.random()
        if how < 0.6:
            step = self.random_directive()
            return [step] if step else []
        if how < 0.64 and not self.only_cells and not self.depth:
            return self.burst()
        if how < 0.74:
            candidates = [self.host_write()]
        elif how < 0.78:
            candidates = [] if self.only_cells else self.pointer()
        elif how < 0.82:
            candidates = [self.copy()]
        elif how < 0.84:
            candidates = [self.associate()]
        else:
            candidates = [self.observation()]
        return [step for step in candidates if step is not None and self.attempt(step)]

    def steps(self, count):
        result = []
        for _ in range(count):
            result += self.one_step()
        return result

    def burst(self):
        """Constructs with nowait: those of one token follow one another, others have objects of their
        own."""
        result = []
        main = self.window
        for _ in range(self.rng.randint(2, 6)):
            self.token = self.rng.choice([0, 0, 1, 2])
            self.window = main + 48 * self.token
            self.only_cells = self.token > 0
            step = self.random_directive(nowait=True)
            if step:
                result.append(step)
        self.window, self.only_cells, self.token = main, False, 0
        return [*result, Step(WAIT, [])] if result else []

    def threads(self):
        """Host threads, each with objects of its own; or with one object that all of them map and none
        changes, so that it comes and goes while others use it."""
        if self.rng.random() < 0.4:
            return self.threads_with_one_object()
        bodies = []
        main = self.window
        self.only_cells = True
        for number in range(self.rng.randint(2, 4)):
            self.window = main + 48 * (number + 1)
            bodies.append(Step(THREAD, [], self.steps(self.rng.randint(3, 10))))
        self.window, self.only_cells = main, False
        return Step(THREADS, [], bodies)

    def threads_with_one_object(self):
        first = self.window + 48 * 5 if self.window < 1000 else 1000
        count = self.rng.choice([8, 100, 2000, 8000])
        bodies = []
        for _ in range(self.rng.randint(2, 4)):
            body = []
            for _ in range(self.rng.randint(5, 15)):
                arguments = [first, 0, count, 0, 0, 0, 1, 0, 0]
                if self.rng.random() < 0.7:
                    arguments[3:5] = READS, 0
                    arguments[-1] = count
                body.append(Step(READ_CELLS, arguments))
            bodies.append(Step(THREAD, [], body))
        step = Step(THREADS, [], bodies)
        return step if self.attempt(step) else None

    def look_at_all(self):
        """Everything that a program may know at its end."""
        model = self.execution.model
        result = []
        for region in REGIONS:
            first = self.window if region is CELLS else 0
            begin = region.base + first * region.stride
            end = min(begin + WINDOW[region.number] * region.stride * (5 if region is CELLS else 1), region.end)
            if region is GRID:
                end = region.end
            for device in range(2):
                mappings = [mapping for mapping in model.devices[device].mappings
                            if begin <= mapping.low < end]
                if not mappings:
                    continue
                offsets = [address - region.base for address in region.cells_in(begin, end)]
                result.append(Step(PRESENT, [device, region.number, *offsets]))
                for mapping in mappings:
                    cells = region.cells_in(mapping.low, mapping.high)
                    for address, size, count in self.runs(region, cells, mapping.storage.get):
                        result.append(Step(PEEK, [device, region.number, address - region.base, size, count]))
            for address, size, count in self.runs(region, region.cells_in(begin, end),
                                                  lambda address: model.host[address]):
                result.append(Step(HOST_READ, [region.number, address - region.base, size, count]))
        for step in result:
            assert self.attempt(step)
        return result

    def drain(self):
        """Takes references away one by one, and looks each time whether the object has gone."""
        result = []
        for number, device in enumerate(self.execution.model.devices):
            for mapping in list(device.mappings):
                region = REGIONS[(mapping.low >> 24) - 1]
                offset = mapping.low - region.base
                if math.isinf(mapping.count):
                    if region is not FIXED:
                        result.append(Step(DISASSOCIATE, [number, region.number, offset]))
                    continue
                for _ in range(mapping.count):
                    result.append(Step(RELEASE, [offset, region.number, mapping.high - mapping.low, 0, 0,
                                                 number, 1, 0, 0]))
                    result.append(Step(PRESENT, [number, region.number, offset]))
        for step in result:
            assert self.attempt(step)
        return result

    def program(self):
        rng = self.rng
        steps = []
        for _ in range(rng.randint(0, 10)):
            steps += [step for step in self.pointer() if self.attempt(step)]
        steps += self.steps(rng.choice([6, 12, 20, 30]))
        if rng.random() < 0.15:
            step = self.threads()
            steps += [step, *self.steps(4)] if step else []
        return steps + self.look_at_all() + self.drain()


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
    for _ in range(30):
        number = rng.choice(generator.shape_numbers(False))
        shape = generator.shapes[number]
        if shape.construct in ("exit", "update") and not any("present" in item.modifiers for item in shape.items):
            continue
        device = 0
        try:
            operands = [generator.operands(shape, i, device) for i in range(len(shape.items))]
        except NonConforming:
            continue
        for item, shape_item in zip(operands, shape.items):
            if shape_item.name in ("cells", "bytes") and shape.construct != "update":
                item[2] += rng.randint(1, 3)
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
    if how < 0.06:
        steps = generator.steps(8)
        step = refused_step(rng, generator)
        if step is not None:
            return [*steps, step]
        return steps + generator.look_at_all() + generator.drain()
    return generator.program()

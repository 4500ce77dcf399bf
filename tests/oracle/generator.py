"""Random steps. A step is proposed, tried on a copy of the model, and taken
if a conforming program can contain it."""

import math

from model import (BOX, BOXES, BYTES, CELLS, FIXED, GRID, INT, LINKED, NODE, NODES, REGIONS, NonConforming,
                   Refused, is_pointer)
from program import (ASSOCIATE, COPY, DISASSOCIATE, HOST_READ, HOST_WRITE, PEEK, POINT, PRESENT, SAME, THREAD,
                     THREADS, WAIT, Execution, Step)
from random_shapes import CORE, READ_CELLS, RELEASE
from shapes import KINDS, READS, Linked

WINDOW = {0: 48, 1: 40, 2: 16, 3: 8, 4: 6, 5: 32, 6: 32}  # elements that a program uses, by region

# Kinds of list items whose rules meet. Most programs keep to one of these themes and to little storage, so
# that their steps concern one another.
THEMES = {
    "arrays": {"cells", "bytes", "rows", "full_rows", "reference", "implicit"} | {
        name for name in KINDS if name.startswith(("stride", "block"))},
    "pointers": {"node", "head", "body", "head_tail", "body_odd", "tail_odd_head", "link", "object_link", "more",
                 "object_more"},
    "mappers": {"box"},
    "variables": {"fixed", "fixed_part", "fixed_pointer", "linked", "linked_part", "linked_pointer"}}
THEME_REGIONS = {"arrays": [CELLS, BYTES, GRID], "pointers": [NODES, CELLS], "mappers": [BOXES, CELLS],
                 "variables": [FIXED, LINKED]}


class Generator:
    """One program. `window` is where in `cells` its objects lie; other threads have other windows."""

    def __init__(self, rng, shapes):
        self.rng, self.shapes = rng, shapes
        self.execution = Execution(shapes, shared=False)
        self.window = rng.choice([0, 100, 65536 - 48 * 5 - 1])
        self.only_cells = False   # in threads: nothing else than this window
        self.token = 0
        self.depth = 0
        self.plain = [number for number, shape in enumerate(shapes) if not shape.nowait]
        self.nowait = [number for number, shape in enumerate(shapes) if shape.nowait]
        self.changed = None       # the slot of a pointer that was attached and has another value now
        self.theme = rng.choices([None, *THEMES], [25, 20, 30, 20, 20])[0]
        self.width = dict(WINDOW)
        self.themed = []
        self.through_pointers = [number for number in self.plain if any(
            isinstance(item.what, Linked) for item in shapes[number].items)]
        if self.theme:
            self.themed = [number for number in self.plain if any(
                item.name in THEMES[self.theme] for item in shapes[number].items)]
            self.width |= {0: rng.choice([16, 24, 48]), 1: rng.choice([12, 40]), 3: rng.choice([1, 2, 3, 8]),
                           4: rng.choice([2, 3, 6])}

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
        count = self.width[region.number]
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
            return [*self.pointee_operands(shape, kind, device), mode, first]
        if name in ("fixed", "linked"):
            at = 0 if rng.random() < 0.5 else rng.randrange(32)
            return [0, at, rng.randint(1, 32 - at), mode, first]
        if name in ("fixed_part", "linked_part"):
            return [0, *self.place(device, region, INT, wish), mode, first]
        if name == "raw":
            return self.raw_operands(device)
        if name in ("head", "body", "head_tail", "body_odd", "tail_odd_head"):
            return [rng.randrange(self.width[3]), 0, 1, mode, first]
        if name.startswith(("stride", "block")):
            wish = 1
        if region is BOXES:
            start, count = self.place_of_boxes(device, wish)
        else:
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

    def pointee_operands(self, shape, kind, device):
        """b, lo and n of a section of what a pointer member points to; mostly what is present of that, and
        what a region reaches through the pointer."""
        rng = self.rng
        host, environment = self.execution.model.host, self.execution.model.devices[device]
        nodes = [b for b in range(self.width[3]) if host[kind.slot(b)][1]]
        if not nodes:
            raise NonConforming("no pointer has a value")
        b = rng.choice(nodes)
        changed = [node for node in nodes if kind.slot(node) == self.changed]
        if changed and rng.random() < 0.6:
            b = changed[0]
        slot = kind.slot(b)
        address = host[slot][1]
        mapping, holder = environment.at(address), environment.at(slot)
        if mapping is None or rng.random() < 0.1:
            return [b, rng.choice([0, 0, 0, 1, 2]), rng.randint(1, 5)]
        low, high = 0, (mapping.high - address) // INT
        if shape.is_region() and holder is not None and slot in holder.attached:
            pointee, base = holder.attached[slot]
            reached = max(low, (pointee.low - base) // INT), min(high, (pointee.high - base) // INT)
            if pointee.present and reached[0] < reached[1]:
                low, high = reached
        shift = rng.choice([low, low, rng.randrange(low, high)])
        return [b, shift, rng.choice([high - shift, rng.randint(1, high - shift)])]

    def place_of_boxes(self, device, wish):
        """Boxes with contents: those that are present together, or neighbours."""
        rng = self.rng
        host = self.execution.model.host

        def filled(start, count):
            return all(host[BOXES.base + i * BOX] and host[BOXES.base + i * BOX + 8][1]
                       for i in range(start, start + count))
        if rng.random() < wish:
            start, count = self.place(device, BOXES, BOX, 1)
            if filled(start, count):
                return start, count
        starts = [start for start in range(self.width[4]) if filled(start, 1)]
        if not starts:
            raise NonConforming("no box has contents")
        start = rng.choice(starts)
        count = rng.choice([1, 1, 2, 3])
        while start + count > BOXES.count or not filled(start, count):
            count -= 1
        return start, count

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
                    step.arguments[-1] = shape.values_read(step.arguments, self.execution.model.host)
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
        themed = [] if nowait or self.only_cells else [
            number for number in self.themed if self.depth < 3 or not self.shapes[number].has_body()]
        for _ in range(12):
            if numbers:
                how = self.rng.random() if themed else 1
                step = self.propose(self.rng.choice(
                    themed if how < 0.65 else range(len(CORE)) if how < 0.8 else numbers))
                if step is not None:
                    return step
        return None

    def region(self, regions):
        """Where the next step is, as far as the theme leaves it open."""
        if self.only_cells:
            return CELLS
        if self.theme and self.rng.random() < 0.75:
            regions = THEME_REGIONS[self.theme]
        return self.rng.choice(regions)

    def observation(self):
        """Something that is looked at."""
        rng = self.rng
        device = 0 if rng.random() < 0.75 else 1
        model = self.execution.model
        region = self.region([CELLS, CELLS, CELLS, BYTES, GRID, NODES, BOXES, FIXED, LINKED])
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
        """New values, mostly of what is present, so that each copy tells."""
        rng = self.rng
        region = self.region([CELLS, CELLS, BYTES, GRID, FIXED, LINKED, NODES])
        if region is NODES:
            return Step(HOST_WRITE, [3, rng.randrange(self.width[3]) * NODE + 4, INT, 4, rng.randrange(60)])
        if region is BOXES:
            return Step(HOST_WRITE, [4, rng.randrange(self.width[4]) * BOX + 4, INT, 1, rng.randrange(60)])
        at, count = self.place(0 if rng.random() < 0.8 else 1, region, region.stride, 0.7)
        return Step(HOST_WRITE, [region.number, at * region.stride, region.stride, count, rng.randrange(60)])

    def pointer(self):
        """A pointer gets another value, mostly one that was mapped and a pointee that is present."""
        rng = self.rng
        device = self.execution.model.devices[0 if rng.random() < 0.8 else 1]
        begin = CELLS.base + self.window * INT
        present = [mapping for mapping in device.mappings
                   if begin <= mapping.low < begin + (WINDOW[0] - 8) * INT]
        target = (self.window + rng.randrange(self.width[0] - 8)) * INT
        if present and rng.random() < 0.75:
            mapping = rng.choice(present)
            target = mapping.low - CELLS.base
            if rng.random() < 0.3:
                target += rng.randrange((mapping.high - mapping.low) // INT) * INT
        if rng.random() < {"mappers": 0.15, "pointers": 0.95}.get(self.theme, 0.7):
            slots = [slot for mapping in device.mappings for slot, (pointee, _) in mapping.attached.items()
                     if NODES.base <= slot < NODES.end and pointee.present]
            if slots and rng.random() < 0.7:
                self.changed = rng.choice(slots)
                return [Step(POINT, [3, self.changed - NODES.base, target])]
            return [Step(POINT, [3, rng.randrange(self.width[3]) * NODE + rng.choice([24, 24, 48]), target])]
        box = rng.randrange(self.width[4]) * BOX
        return [Step(HOST_WRITE, [4, box, INT, 2, rng.randint(1, 4)]), Step(POINT, [4, box + 8, target])]

    def pointer_and_use(self):
        """A pointer's new value, and often a construct that maps what it points to."""
        result = [step for step in self.pointer() if self.attempt(step)]
        if self.changed is not None and self.depth < 3 and self.through_pointers:
            for _ in range(4):
                step = self.propose(self.rng.choice(self.through_pointers))
                if step:
                    return [*result, step]
        return result

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
        elif how < 0.79:
            return [] if self.only_cells or self.theme in ("arrays", "variables") else self.pointer_and_use()
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
        count = self.rng.choices([8, 100, 2000, 8000], [3, 3, 2, 1])[0]
        reads = 0.7 if count < 1000 else 0.1
        bodies = []
        for _ in range(self.rng.randint(2, 4)):
            body = []
            for _ in range(self.rng.randint(5, 15)):
                arguments = [first, 0, count, 0, 0, 0, 1, 0, 0]
                if self.rng.random() < reads:
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
        for _ in range(rng.randint(0, 10) if self.theme not in ("arrays", "variables") else 0):
            steps += [step for step in self.pointer() if self.attempt(step)]
        steps += self.steps(rng.choice([6, 12, 20, 30, 40]))
        if rng.random() < 0.15:
            step = self.threads()
            steps += [step, *self.steps(4)] if step else []
        return steps + self.look_at_all() + self.drain()

"""Programs: steps with numbers, their text for the interpreter of oracle.h, and what the model expects of
each."""

import dataclasses
import itertools

from model import CELLS, NULL, REGIONS, Model, NonConforming, Partial, Refused

END, HOST_WRITE, HOST_READ, PEEK, PRESENT, SAME, POINT, COPY = range(-1, -9, -1)
ASSOCIATE, DISASSOCIATE, WAIT, THREADS, THREAD, FLUSH = range(-9, -15, -1)
NAMES = {HOST_WRITE: "host write", HOST_READ: "host read", PEEK: "peek", PRESENT: "is_present",
         SAME: "distance of mapped pointers", POINT: "point", COPY: "omp_target_memcpy",
         ASSOCIATE: "associate_ptr", DISASSOCIATE: "disassociate_ptr", WAIT: "taskwait",
         THREADS: "host threads", THREAD: "thread", FLUSH: "flush"}


@dataclasses.dataclass
class Step:
    operation: int       # the number of a shape, or one of the above
    arguments: list
    body: list = dataclasses.field(default_factory=list)
    refused: bool = False

    def to_json(self):
        return {"operation": self.operation, "arguments": self.arguments,
                "body": [step.to_json() for step in self.body], "refused": self.refused}

    @staticmethod
    def from_json(fields):
        return Step(fields["operation"], fields["arguments"],
                    [Step.from_json(step) for step in fields["body"]], fields["refused"])


def all_steps(steps):
    for step in steps:
        yield step
        yield from all_steps(step.body)


def has_body(step, shapes):
    return shapes[step.operation].has_body() if step.operation >= 0 else step.operation in (THREADS, THREAD)


def script(steps, seed, shapes):
    """The text that the interpreter reads. Steps are numbered in their order."""
    lines = [f"program {seed}"]
    numbers = itertools.count()

    def write(steps):
        for step in steps:
            arguments = " ".join(map(str, step.arguments))
            lines.append(f"{next(numbers)} {step.operation} {len(step.arguments)} {arguments}")
            if has_body(step, shapes):
                write(step.body)
                lines.append(f"0 {END}")
    write(steps)
    lines.append(f"0 {END}")
    return "\n".join(lines) + "\n"


class Execution:
    """The model's run of a program."""

    def __init__(self, shapes, shared, devices=2):
        self.shapes = shapes
        self.model = Model(shared, devices)
        self.strict = not shared
        self.expected = {}  # step number: the line after "NUMBER: "
        self.numbers = itertools.count()
        self.open = []      # (device, items) of the constructs around a step
        self.refused = False

    def run(self, steps):
        for step in steps:
            self.run_step(step)
            if self.refused:
                return

    def see(self, number, values):
        """Programs are made for devices with memory of their own; elsewhere a value may be open."""
        if self.strict and any(value is None for value in values):
            raise NonConforming("observes a value that is not specified")
        if values:
            self.expected[number] = " ".join("?" if value is None else str(value) for value in values)

    def run_step(self, step):
        number = next(self.numbers)
        if step.operation >= 0:
            self.run_shape(number, step)
        else:
            getattr(self, "run_" + {HOST_WRITE: "host_write", HOST_READ: "host_read", PEEK: "peek",
                                    PRESENT: "present", SAME: "same", POINT: "point", COPY: "copy",
                                    ASSOCIATE: "associate", DISASSOCIATE: "disassociate",
                                    WAIT: "nothing", FLUSH: "nothing", THREADS: "threads"}
                    [step.operation])(number, step, step.arguments)
        self.check_open_constructs()

    def check_open_constructs(self):
        """What a target data construct around us mapped must be present as a whole, or not at all, when
        the construct ends."""
        for device, items in self.open:
            for item in items:
                if not item.empty():
                    self.model.devices[device].find(item.low, item.high)

    def run_shape(self, number, step):
        opened = self.enter_shape(number, step)
        if opened is not None:
            self.run(step.body)
            self.leave_shape(step)

    def enter_shape(self, number, step):
        """All of a directive's effects, or those of its begin if it has a body: then the result is not
        None, and leave_shape() is to follow."""
        shape = self.shapes[step.operation]
        device_number, condition, _, _ = shape.own_operands(step.arguments)
        on_device = condition or not shape.conditional
        device = self.model.devices[device_number]
        host = self.model.host
        items = []
        try:
            if shape.construct == "update":
                if on_device:
                    self.run_update(shape, step, device)
            else:
                items = shape.model_items(step.arguments, host) if on_device else []
                self.check_items(items, device, shape)
                if shape.construct != "exit":
                    device.enter(items)
        except (Refused, Partial):
            if not step.refused:
                raise
            self.refused = True
            return None
        if step.refused:
            raise NonConforming("is not refused")
        if shape.is_region():
            seen = shape.run_region(step.arguments, device if on_device else None, host)
            if len(seen) != step.arguments[-1]:
                raise NonConforming("reads another number of values than where memory is not shared")
            self.see(number, seen)
        if shape.has_body():
            if shape.construct == "use":
                self.see(number, [1])
            self.open.append((device_number, items))
            return items
        if shape.construct in ("target", "loop", "exit"):
            device.leave(items)
        return None

    def leave_shape(self, step):
        device_number, items = self.open.pop()
        if self.refused:
            return
        # Compilers run a mapper again at the end of a construct; that its expressions then name something
        # else is not foreseen.
        if any(item.name == "box" for item in self.shapes[step.operation].items) and items:
            again = self.shapes[step.operation].model_items(step.arguments, self.model.host)
            boxes = [(item.low, item.high) for item in items if item.mapped_by_mapper]
            if boxes != [(item.low, item.high) for item in again if item.mapped_by_mapper]:
                raise NonConforming("what a mapper names has changed")
        self.model.devices[device_number].leave(items)

    def check_items(self, items, device, shape):
        """No item overlaps another one of its construct; and, but for regions, no two have one storage,
        because then it is not clear how many references they are."""
        extents = sorted((item.low, item.high) for item in items if not item.empty())
        for (_, end), (begin, _) in zip(extents, extents[1:]):
            if begin < end:
                raise NonConforming("items overlap")
        if shape.is_region():
            return
        found = [device.find(item.low, item.high) for item in items if not item.empty()]
        found = [mapping for mapping in found if mapping is not None]
        if len(found) != len(set(found)):
            raise NonConforming("two items in one storage")

    def run_update(self, shape, step, device):
        motions = []
        for i, item in enumerate(shape.items):
            b, lo, n, _, _ = shape.item_operands(step.arguments, i)
            pieces = item.what.pieces(b, lo, n, self.model.host)
            if any(low >= high for low, high in pieces):
                raise NonConforming("an update of nothing")
            low, high = min(piece[0] for piece in pieces), max(piece[1] for piece in pieces)
            motions.append((low, high, pieces, item))
        extents = sorted(motion[:2] for motion in motions)
        if any(end > begin for (_, end), (begin, _) in zip(extents, extents[1:])):
            raise NonConforming("items overlap")
        for low, high, pieces, item in motions:
            device.update(item.kind, low, high, pieces, "present" in item.modifiers)

    @staticmethod
    def cells(region, offset, size, count):
        low = REGIONS[region].base + offset
        return [low + i * size for i in range(count)]

    def run_host_write(self, number, step, arguments):
        region, offset, size, count, first = arguments
        for i, address in enumerate(self.cells(region, offset, size, count)):
            self.model.host[address] = first + i

    def run_host_read(self, number, step, arguments):
        self.see(number, [self.model.host[address] for address in self.cells(*arguments)])

    def run_peek(self, number, step, arguments):
        device = self.model.devices[arguments[0]]
        cells = self.cells(*arguments[1:])
        mapping = device.at(cells[0])
        if mapping is None:
            self.expected[number] = "absent"
            return
        if cells[-1] >= mapping.high:
            raise NonConforming("copies past the storage")
        self.see(number, [device.value(address) for address in cells])

    def run_present(self, number, step, arguments):
        device = self.model.devices[arguments[0]]
        base = REGIONS[arguments[1]].base
        self.see(number, [int(device.at(base + offset) is not None) for offset in arguments[2:]])

    def run_same(self, number, step, arguments):
        device = self.model.devices[arguments[0]]
        base = REGIONS[arguments[1]].base
        first, second = (device.at(base + offset) for offset in arguments[2:])
        if first is None or first is not second:
            raise NonConforming("addresses in different objects")
        self.see(number, [arguments[3] - arguments[2]])

    def run_point(self, number, step, arguments):
        region, offset, pointee = arguments
        self.model.host[REGIONS[region].base + offset] = NULL if pointee < 0 else ("host", CELLS.base + pointee)

    def run_copy(self, number, step, arguments):
        _, to, to_region, to_offset, source, from_region, from_offset, size = arguments
        to_low, from_low = REGIONS[to_region].base + to_offset, REGIONS[from_region].base + from_offset
        storages = []
        for device, low in ((to, to_low), (source, from_low)):
            if device < 0:
                storages.append(self.model.host)
                continue
            mapping = self.model.devices[device].at(low)
            if mapping is None or low + size > mapping.high:
                raise NonConforming("copies past the storage")
            storages.append(mapping.storage)
        if 0 < abs(to_low - from_low) < size:
            raise NonConforming("source and destination overlap where memory is shared")
        values = [storages[1][address] if storages[1] is self.model.host else storages[1].get(address)
                  for address in REGIONS[from_region].cells_in(from_low, from_low + size)]
        for address, value in zip(REGIONS[to_region].cells_in(to_low, to_low + size), values):
            storages[0][address] = value
        self.see(number, [0])

    def run_associate(self, number, step, arguments):
        device, region, offset, size, _ = arguments
        low = REGIONS[region].base + offset
        self.model.devices[device].associate(low, low + size)
        self.see(number, [0])

    def run_disassociate(self, number, step, arguments):
        device, region, offset = arguments
        self.model.devices[device].disassociate(REGIONS[region].base + offset)
        self.see(number, [0])

    def run_nothing(self, number, step, arguments):
        pass

    def run_threads(self, number, step, arguments):
        for thread in step.body:
            next(self.numbers)
            self.run(thread.body)


def execute(steps, shapes, shared):
    """A run of a program in the model, on devices that share memory or do not."""
    execution = Execution(shapes, shared)
    execution.run(steps)
    return execution


def describe(step, number, shapes):
    """A step for people."""
    if step.operation < 0:
        return f"{number}: {NAMES[step.operation]} {' '.join(map(str, step.arguments))}"
    shape = shapes[step.operation]
    text = shape.directive()
    for i in range(len(shape.items)):
        b, lo, n, mode, first = shape.item_operands(step.arguments, i)
        for name, value in ((f"lo{i}", lo), (f"n{i}", n)):
            text = text.replace(name, str(value))
        text += f"  [p{i}: element {b}{', read' if mode & 1 else ''}{', written from ' + str(first) if mode & 2 else ''}]"
    device, condition, token, _ = shape.own_operands(step.arguments)
    text = text.replace("device(device)", f"device({device})").replace("condition", str(condition))
    return f"{number}: " + text.replace("token]", f"{token}]")


def listing(steps, shapes):
    """A whole program for people."""
    numbers = itertools.count()

    def lines(steps, indent):
        for step in steps:
            yield indent + describe(step, next(numbers), shapes)
            if has_body(step, shapes):
                yield from lines(step.body, indent + "  ")
                yield indent + "end"
    return "\n".join(lines(steps, ""))

"""The device data environment as the standard describes it: OpenMP 5.2, sections 5.8 (mapping), 13.5 to
13.9 (data constructs, target, update) and 18.8 (memory routines).

Nothing here comes from the runtime's code. Addresses are numbers of the model's own; memory holds a value
a cell (int, short, char or pointer), and None for a value that the standard leaves open. A step that a
conforming program cannot contain raises NonConforming; one that an implementation must refuse raises
Refused.
"""

import bisect
import math

INT, SHORT, CHAR, POINTER = 4, 2, 1, 8


class NonConforming(Exception):
    """A program with this step is not conforming, or its result is not specified."""


class Partial(NonConforming):
    """An object is present in part (an implementation has to refuse to extend it)."""


class Refused(Exception):
    """The step ends the program with a message."""


class Region:
    """One kind of host storage: elements that lie side by side, each with the same cells."""

    def __init__(self, number, name, base, count, stride, cells, initial):
        self.number, self.name, self.base = number, name, base
        self.count, self.stride = count, stride
        self.cells = cells        # (offset, size) in an element
        self.initial = initial    # of the index of the element
        self.end = base + count * stride

    def cells_in(self, low, high):
        """The addresses of the cells that begin in [low, high)."""
        if len(self.cells) == 1:
            return range(low + (self.base - low) % self.stride, high, self.stride)
        first = (low - self.base) // self.stride
        last = (high - self.base + self.stride - 1) // self.stride
        return [address for element in range(first, last)
                for offset, _ in self.cells
                if low <= (address := self.base + element * self.stride + offset) < high]


NODE_CELLS = [(0, INT), *((4 + 4 * i, INT) for i in range(4)), (24, POINTER), (32, INT),
              *((36 + 2 * i, SHORT) for i in range(3)), (48, POINTER)]
BOX_CELLS = [(0, INT), (4, INT), (8, POINTER), (16, INT), (20, INT)]
NODE, BOX = 56, 24
NULL = ("host", 0)

REGIONS = [  # in the order of World::region in oracle.h
    Region(0, "cells", 0x1000000, 65536, INT, [(0, INT)], lambda i: 1000 + i),
    Region(1, "bytes", 0x2000000, 4096, CHAR, [(0, CHAR)], lambda i: i % 100),
    Region(2, "grid", 0x3000000, 128, INT, [(0, INT)], lambda i: 2000 + i),
    Region(3, "nodes", 0x4000000, 8, NODE, NODE_CELLS, None),
    Region(4, "boxes", 0x5000000, 8, BOX, BOX_CELLS, None),
    Region(5, "fixed", 0x6000000, 32, INT, [(0, INT)], lambda i: 3000 + i),
    Region(6, "linked", 0x7000000, 32, INT, [(0, INT)], lambda i: 4000 + i),
]
CELLS, BYTES, GRID, NODES, BOXES, FIXED, LINKED = REGIONS


def region_of(address):
    return REGIONS[(address >> 24) - 1]


def is_pointer(address):
    region = region_of(address)
    offset = (address - region.base) % region.stride
    return region is NODES and offset in (24, 48) or region is BOXES and offset == 8


def steers(address):
    """Whether programs cannot go on if the cell's value on the host is not known."""
    return is_pointer(address) or region_of(address) is BOXES and (address - BOXES.base) % BOX == 0


INITIAL = {address: region.initial((address - region.base) // region.stride)
           for region in REGIONS if region.initial for address in range(region.base, region.end, region.stride)}


class HostMemory(dict):
    """Values by address; a cell that is not in it has its initial value."""

    def __missing__(self, address):
        value = INITIAL.get(address)
        return value if value is not None else NULL if is_pointer(address) else 0


class Mapping:
    """An object's corresponding storage [low, high) on a device, and its references."""

    def __init__(self, low, high, storage, count=0):
        self.low, self.high, self.storage, self.count = low, high, storage, count
        self.hold = 0
        self.attached = {}  # a pointer's address: (mapping of its pointee, host address it stands for)
        self.own = False    # storage of its own also where devices share memory
        self.present = True

    def gone_without_references(self):
        return self.count == 0 and self.hold == 0


class Item:
    """A list item of a map clause: an extent, what is copied of it, and the pointer attached to it."""

    def __init__(self, low, high, kind="tofrom", modifiers=(), parts=None, attach=None):
        self.low, self.high, self.kind = low, high, kind
        self.always = "always" in modifiers
        self.present = "present" in modifiers
        self.hold = "ompx_hold" in modifiers
        self.parts = parts if parts is not None else [(low, high, kind, self.always)]
        self.attach = attach  # address of the base pointer, if that is storage that can be mapped
        self.mapped_by_mapper = False

    def empty(self):
        return self.low == self.high


class Device:
    """The data environment of one device. `shared`: corresponding storage is the original storage."""

    def __init__(self, host, shared):
        self.host, self.shared = host, shared
        self.lows, self.mappings = [], []
        self.insert(Mapping(FIXED.base, FIXED.end, {}, math.inf))  # declare target: from the start, for ever
        self.mappings[0].own = True
        for address in FIXED.cells_in(FIXED.base, FIXED.end):
            self.mappings[0].storage[address] = host[address]

    def insert(self, mapping):
        place = bisect.bisect_left(self.lows, mapping.low)
        self.lows.insert(place, mapping.low)
        self.mappings.insert(place, mapping)
        return mapping

    def remove(self, mapping):
        place = bisect.bisect_left(self.lows, mapping.low)
        del self.lows[place], self.mappings[place]
        mapping.present = False

    def at(self, address):
        """The mapping that holds an address, or None."""
        place = bisect.bisect_right(self.lows, address) - 1
        if place >= 0 and address < self.mappings[place].high:
            return self.mappings[place]
        return None

    def find(self, low, high):
        """The mapping that holds all of [low, high), or None if none holds any of it."""
        place = bisect.bisect_right(self.lows, low) - 1
        if place >= 0 and low < self.mappings[place].high:
            mapping = self.mappings[place]
            if high > mapping.high:
                raise Partial("extends past what is present")
            return mapping
        if place + 1 < len(self.lows) and self.lows[place + 1] < high:
            raise Partial("begins before what is present")
        return None

    # Copies

    def to_device(self, mapping, low, high):
        if mapping.storage is self.host:
            return
        cells = region_of(low).cells_in(low, high)
        if mapping.attached:
            cells = [address for address in cells if address not in mapping.attached]
        mapping.storage.update(zip(cells, map(self.host.__getitem__, cells)))

    def to_host(self, mapping, low, high):
        if mapping.storage is self.host:
            return
        for address in region_of(low).cells_in(low, high):
            if address in mapping.attached:
                continue  # the original pointer keeps its value
            value = mapping.storage.get(address)
            if value is None and steers(address):
                raise NonConforming("a pointer without a value would be copied")
            self.host[address] = value

    # Map clauses

    def enter(self, items):
        """The effects of map clauses on entry to a construct (5.8.3)."""
        found = [self.find(item.low, item.high) if not item.empty() else self.at(item.low)
                 for item in items]
        for item, mapping in zip(items, found):
            if item.present and mapping is None:
                raise Refused("is not present")
        created = set()
        for i, item in enumerate(items):
            if item.empty():
                continue
            mapping = self.find(item.low, item.high)
            if mapping is None:
                mapping = self.insert(Mapping(item.low, item.high, self.host if self.shared else {}))
                created.add(mapping)
            found[i] = mapping
            if item.hold:
                mapping.hold += 1
            else:
                mapping.count += 1
            for low, high, kind, always in item.parts:
                if kind in ("to", "tofrom") and (mapping in created or always):
                    self.to_device(mapping, low, high)
        for item in items:
            if item.empty() and self.at(item.low) in created:
                raise NonConforming("whether the pointer's object is present yet is not specified")
        for item, mapping in zip(items, found):
            if item.attach is not None and mapping is not None:
                self.attach(item.attach, mapping, created)

    def attach(self, slot, pointee, created):
        """Attached if either of the two is new; else the pointer is left as it is (5.8.6)."""
        holder = self.at(slot)
        if pointee.own:
            raise NonConforming("whether the pointer has storage of its own is not specified")
        if holder is None or holder.storage is self.host:
            return
        if holder in created or pointee in created:
            holder.attached[slot] = (pointee, self.host[slot][1])

    def leave(self, items):
        """The effects of map clauses on exit from a construct (5.8.3)."""
        gone = []
        found = []
        for item in items:
            mapping = None if item.empty() else self.find(item.low, item.high)
            found.append(mapping)
            if mapping is None:
                continue
            if item.hold:
                mapping.hold -= 1
            elif item.kind == "delete":
                mapping.count = mapping.count if math.isinf(mapping.count) else 0
            elif mapping.count > 0:
                mapping.count -= 1
        for item, mapping in zip(items, found):
            if mapping is None:
                continue
            last = mapping.gone_without_references()
            for low, high, kind, always in item.parts:
                if kind in ("from", "tofrom") and (last or always):
                    self.to_host(mapping, low, high)
            if last and mapping not in gone:
                gone.append(mapping)
        for mapping in gone:
            self.remove(mapping)

    def update(self, direction, low, high, pieces, present=False):
        """A motion clause (13.9); `pieces` are what is copied of [low, high)."""
        mapping = self.find(low, high)
        if mapping is None:
            if present:
                raise Refused("is not present")
            return
        for piece in pieces:
            if direction == "to":
                self.to_device(mapping, *piece)
            else:
                self.to_host(mapping, *piece)

    # Routines

    def associate(self, low, high):
        if self.find(low, high) is not None:
            raise NonConforming("present already")
        self.insert(Mapping(low, high, {}, math.inf)).own = True

    def disassociate(self, low):
        mapping = self.at(low)
        if mapping is None or not mapping.own or mapping.low != low:
            raise NonConforming("is not associated")
        self.remove(mapping)

    # What a region sees

    def value(self, address):
        """A cell of corresponding storage."""
        mapping = self.at(address)
        if mapping is None:
            raise NonConforming("is not present")
        return mapping.storage[address] if mapping.storage is self.host else mapping.storage.get(address)

    def store(self, address, value):
        mapping = self.at(address)
        if mapping is None:
            raise NonConforming("is not present")
        mapping.storage[address] = value

    def pointee(self, slot, address):
        """What a region reaches through the pointer at `slot` where the host reaches `address`: a
        dictionary of cells, and the address in it. An attached pointer keeps to its pointee when the
        original pointer changes."""
        holder = self.at(slot)
        if holder is None:
            raise NonConforming("the pointer is not present")
        if holder.storage is self.host:
            return self.host, address
        if slot not in holder.attached:
            raise NonConforming("the pointer is not attached")
        mapping, base = holder.attached[slot]
        address += base - self.host[slot][1]
        if not mapping.present or not mapping.low <= address < mapping.high:
            raise NonConforming("not in what the pointer points to")
        return mapping.storage, address


class Model:
    """The host's memory and its devices."""

    def __init__(self, shared, devices=2):
        self.host = HostMemory()
        self.devices = [Device(self.host, shared) for _ in range(devices)]

    def clone(self):
        """A copy to try a step on."""
        copy = Model.__new__(Model)
        copy.host = HostMemory(self.host)
        copy.devices = []
        for device in self.devices:
            twin = Device.__new__(Device)
            twin.host, twin.shared, twin.lows = copy.host, device.shared, list(device.lows)
            twins = {}

            def twin_of(mapping, twins=twins):
                if mapping not in twins:
                    other = twins[mapping] = Mapping.__new__(Mapping)
                    other.__dict__.update(mapping.__dict__)
                    other.storage = copy.host if mapping.storage is self.host else dict(mapping.storage)
                    other.attached = {slot: (twin_of(pointee), base)
                                      for slot, (pointee, base) in mapping.attached.items()}
                return twins[mapping]
            twin.mappings = [twin_of(mapping) for mapping in device.mappings]
            copy.devices.append(twin)
        return copy

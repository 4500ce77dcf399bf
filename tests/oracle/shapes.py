"""Directives: what they say in C++ and what they mean in the model. A shape is one directive whose
bounds, device and condition are operands of the script, so that one compiled function serves thousands
of programs.

An item of a shape has five operands: b (the element that its pointer points to), lo, n (the section),
m (what a region does there: 1 reads, 2 writes) and k (the first value written). Behind those of the items
stand the shape's own: the device, the condition, the token of its dependence, the number of values read.
"""

import dataclasses

from model import (BOX, BOXES, BYTES, CELLS, FIXED, GRID, INT, LINKED, NODE, NODES, REGIONS, Item,
                   NonConforming)

READS, WRITES = 1, 2
ITEM_OPERANDS = 5
SHAPE_OPERANDS = 4
COLUMNS = 8


class Kind:
    """What an item's text is, and which storage it means."""
    declaration = ""
    expression = ""
    touch = "touch(log, at, p{i} + lo{i}, n{i}, m{i}, k{i});"
    through_pointer = False  # whether the region reads a pointer, even if it touches nothing

    def extent(self, b, lo, n):
        raise NotImplementedError

    def items(self, item, b, lo, n, host):
        """The list items of the model that this one stands for."""
        return [Item(*self.extent(b, lo, n), item.kind, item.modifiers)]

    def touches(self, b, lo, n, host):
        """What the region touches, in order: (address, slot of the pointer it goes through or None, what is
        added to the first value written)."""
        low, high = self.extent(b, lo, n)
        return [(address, None, i) for i, address in enumerate(self.region.cells_in(low, high))]

    def implicit_pointee(self, b, lo, n, host):
        """Where a pointer points that the region uses and no clause maps, and the addresses that it
        reaches through it: all in one mapping."""
        return None, []

    def read_besides(self, b, lo, n):
        """Cells whose value in the region must be the host's."""
        return []

    def pieces(self, b, lo, n, host):
        """What a motion clause copies."""
        return [self.extent(b, lo, n)]


class Section(Kind):
    def __init__(self, region, element, source, elements=1):
        self.region, self.size = region, region.stride * elements
        self.declaration = f"{element} = {source} + b{{i}};"
        self.expression = "p{i}[lo{i}:n{i}]"

    def extent(self, b, lo, n):
        low = self.region.base + (b + lo) * self.size
        return low, low + n * self.size


class Rows(Section):
    """Rows of an array of arrays, through a pointer to an array."""
    touch = "touch(log, at, &p{i}[lo{i}][0], n{i} * 8, m{i}, k{i});"

    def __init__(self, expression):
        super().__init__(GRID, "int (*p{i})[8]", "w.grid", COLUMNS)
        self.expression = expression


class Element(Section):
    """One object through a reference."""
    touch = "touch(log, at, &p{i}, 1, m{i}, k{i});"

    def __init__(self, region, element, source):
        super().__init__(region, element, source)
        self.declaration = f"{element}& p{{i}} = {source}[b{{i}}];"
        self.expression = "p{i}"

    def extent(self, b, lo, n):
        return super().extent(b, 0, 1)


class Raw(Kind):
    """Any bytes of host storage, for what takes references away: lo is the number of the region."""
    region = BYTES
    declaration = "char* p{i} = w.region(lo{i}) + b{i};"
    expression = "p{i}[0:n{i}]"

    def extent(self, b, lo, n):
        low = REGIONS[lo].base + b
        return low, low + n


class Variable(Kind):
    """A section of a variable with static storage, or the whole of it."""

    def __init__(self, region, whole):
        self.region, self.whole = region, whole
        self.expression = region.name if whole else region.name + "[lo{i}:n{i}]"
        self.touch = f"touch(log, at, {region.name} + lo{{i}}, n{{i}}, m{{i}}, k{{i}});"

    def extent(self, b, lo, n):
        low = self.region.base + lo * INT
        return low, low + n * INT

    def items(self, item, b, lo, n, host):
        whole = (self.region.base, self.region.end)
        return [Item(*(whole if self.whole else self.extent(b, lo, n)), item.kind, item.modifiers)]

    def pieces(self, b, lo, n, host):
        return [(self.region.base, self.region.end)] if self.whole else [self.extent(b, lo, n)]


class Implicit(Section):
    """A pointer that no clause names: a section without elements, so what it points to is used if it is
    present (5.8.1)."""
    expression = ""

    def __init__(self):
        super().__init__(CELLS, "int* p{i}", "w.cells")
        self.expression = ""

    def items(self, item, b, lo, n, host):
        low = self.region.base + b * INT
        return [Item(low, low, "alloc", ())]

    def implicit_pointee(self, b, lo, n, host):
        return self.region.base + b * INT, [address for address, _, _ in self.touches(b, lo, n, host)]


MEMBERS = {"head": (0, 4), "body": (4, 20), "tail": (32, 36), "odd": (36, 42)}


class Members(Kind):
    """Members of one object: they share its storage, and what lies in between is not copied (5.8.3)."""
    region = NODES
    declaration = "Node* p{i} = w.nodes + b{i};"

    def __init__(self, *names):
        self.names = names
        self.expression = ", ".join(f"p{{i}}->{name}" for name in names)
        self.touch = " ".join(
            f"touch(log, at, {'' if name in ('body', 'odd') else '&'}p{{i}}->{name}, "
            f"{dict(body=4, odd=3).get(name, 1)}, m{{i}}, k{{i}});" for name in names)

    def extent(self, b, lo, n):
        low = NODES.base + b * NODE
        spans = [MEMBERS[name] for name in self.names]
        return low + min(span[0] for span in spans), low + max(span[1] for span in spans)

    def pieces(self, b, lo, n, host):
        low = NODES.base + b * NODE
        return [(low + MEMBERS[name][0], low + MEMBERS[name][1]) for name in self.names]

    def items(self, item, b, lo, n, host):
        always = "always" in item.modifiers
        parts = [(*span, item.kind, always) for span in self.pieces(b, lo, n, host)]
        return [Item(*self.extent(b, lo, n), item.kind, item.modifiers, parts)]

    def touches(self, b, lo, n, host):
        return [(address, None, i) for span in self.pieces(b, lo, n, host)
                for i, address in enumerate(NODES.cells_in(*span))]


class Nodes(Section):
    """Objects with pointers that nothing is said about."""

    def __init__(self):
        super().__init__(NODES, "Node* p{i}", "w.nodes")

    def touches(self, b, lo, n, host):
        return [(NODES.base + (b + lo + i) * NODE + offset, None, add) for i in range(n)
                for offset, add in ((0, 0), (4, 0), (8, 1), (12, 2), (16, 3), (32, 0), (36, 0), (38, 1), (40, 2))]


def pointed_to(host, slot):
    """The host address in a pointer."""
    address = host[slot][1]
    if address == 0:
        raise NonConforming("a null pointer")
    return address


class Linked(Kind):
    """A section of what a pointer member points to: the member is attached to it (5.8.6). `whole`: the
    object is a list item of the same construct."""
    region = CELLS
    declaration = "Node* p{i} = w.nodes + b{i};"
    through_pointer = True

    def __init__(self, whole, member="link", offset=24):
        self.whole, self.member, self.offset = whole, member, offset
        section = f"p{{i}}->{member}[lo{{i}}:n{{i}}]"
        self.expression = f"p{{i}}[0:1], {section}" if whole else section
        self.touch = f"touch(log, at, p{{i}}->{member} + lo{{i}}, n{{i}}, m{{i}}, k{{i}});"

    def slot(self, b):
        return NODES.base + b * NODE + self.offset

    def items(self, item, b, lo, n, host):
        slot = self.slot(b)
        low = pointed_to(host, slot) + lo * INT
        if not CELLS.base <= low <= low + n * INT <= CELLS.end:
            raise NonConforming("outside of the array")
        section = Item(low, low + n * INT, item.kind, item.modifiers, attach=slot)
        if not self.whole:
            return [section]
        object_begin = NODES.base + b * NODE
        return [Item(object_begin, object_begin + NODE, item.kind, item.modifiers), section]

    def implicit_pointee(self, b, lo, n, host):
        return (None, []) if self.whole else (NODES.base + b * NODE, [self.slot(b)])

    def touches(self, b, lo, n, host):
        slot = self.slot(b)
        low = pointed_to(host, slot) + lo * INT
        return [(low + i * INT, slot, i) for i in range(n)]

    def pieces(self, b, lo, n, host):
        low = pointed_to(host, self.slot(b)) + lo * INT
        return [(low, low + n * INT)]


class Boxes(Section):
    """Objects of a type with a default mapper, which maps what their pointer points to as well."""
    through_pointer = True

    def __init__(self):
        super().__init__(BOXES, "Box* p{i}", "w.boxes")

    def items(self, item, b, lo, n, host):
        objects = Item(*self.extent(b, lo, n), item.kind, item.modifiers)
        result = [objects]
        for i in range(n):
            box = BOXES.base + (b + lo + i) * BOX
            size = host[box]
            if not size:
                raise NonConforming("a box without contents")
            low = pointed_to(host, box + 8)
            contents = Item(low, low + size * INT, item.kind, item.modifiers, attach=box + 8)
            contents.mapped_by_mapper = True
            result.append(contents)
        return result

    def read_besides(self, b, lo, n):
        """The sizes, which tell the region how much there is to touch."""
        return [BOXES.base + (b + lo + i) * BOX for i in range(n)]

    def touches(self, b, lo, n, host):
        result = []
        for i in range(n):
            box = BOXES.base + (b + lo + i) * BOX
            low = pointed_to(host, box + 8)
            result.append((box + 4, None, 0))
            result += [(low + j * INT, box + 8, j) for j in range(host[box])]
        return result


class Strided(Section):
    """Elements at a distance, whose number and distance the compiler knows; motion clauses alone."""

    def __init__(self, count, stride):
        super().__init__(CELLS, "int* p{i}", "w.cells")
        self.count, self.stride = count, stride
        self.expression = f"p{{i}}[0:{count}:{stride}]"

    def extent(self, b, lo, n):
        low = self.region.base + b * INT
        return low, low + ((self.count - 1) * self.stride + 1) * INT

    def pieces(self, b, lo, n, host):
        low = self.region.base + b * INT
        return [(low + i * self.stride * INT, low + i * self.stride * INT + INT) for i in range(self.count)]


class Block(Section):
    """A block of an array of two dimensions; motion clauses alone."""

    def __init__(self, rows, column, columns):
        super().__init__(GRID, "int (*p{i})[8]", "w.grid", COLUMNS)
        self.rows, self.column, self.columns = rows, column, columns
        self.expression = f"p{{i}}[0:{rows}][{column}:{columns}]"

    def extent(self, b, lo, n):
        low = self.region.base + b * self.size
        return low + self.column * INT, low + ((self.rows - 1) * COLUMNS + self.column + self.columns) * INT

    def pieces(self, b, lo, n, host):
        low = self.region.base + b * self.size + self.column * INT
        return [(low + i * self.size, low + i * self.size + self.columns * INT) for i in range(self.rows)]


KINDS = {
    "cells": Section(CELLS, "int* p{i}", "w.cells"),
    "raw": Raw(),
    "bytes": Section(BYTES, "char* p{i}", "w.bytes"),
    "rows": Rows("p{i}[lo{i}:n{i}]"),
    "full_rows": Rows("p{i}[lo{i}:n{i}][0:8]"),
    "reference": Element(CELLS, "int", "w.cells"),
    "node": Nodes(),
    "head": Members("head"),
    "body": Members("body"),
    "head_tail": Members("head", "tail"),
    "body_odd": Members("body", "odd"),
    "tail_odd_head": Members("tail", "odd", "head"),
    "link": Linked(False),
    "object_link": Linked(True),
    "more": Linked(False, "more", 48),
    "object_more": Linked(True, "more", 48),
    "box": Boxes(),
    "fixed": Variable(FIXED, True),
    "fixed_part": Variable(FIXED, False),
    "linked": Variable(LINKED, True),
    "linked_part": Variable(LINKED, False),
    "fixed_pointer": Section(FIXED, "int* p{i}", "fixed"),
    "linked_pointer": Section(LINKED, "int* p{i}", "linked"),
    "implicit": Implicit(),
    **{f"stride_{count}_{stride}": Strided(count, stride)
       for count, stride in ((2, 2), (3, 2), (4, 3), (2, 7), (5, 2))},
    **{f"block_{rows}_{column}_{columns}": Block(rows, column, columns)
       for rows, column, columns in ((2, 0, 3), (3, 2, 4), (2, 5, 3), (4, 1, 1))},
}


@dataclasses.dataclass
class ShapeItem:
    name: str            # of its kind
    kind: str            # the map type or the direction
    modifiers: tuple = ()

    @property
    def what(self):
        return KINDS[self.name]


@dataclasses.dataclass
class Shape:
    construct: str       # target, loop, enter, exit, data, use, update
    items: list
    conditional: bool = False
    nowait: bool = False

    def to_json(self):
        return dataclasses.asdict(self)

    @staticmethod
    def from_json(fields):
        items = [ShapeItem(item["name"], item["kind"], tuple(item["modifiers"])) for item in fields["items"]]
        return Shape(fields["construct"], items, fields["conditional"], fields["nowait"])

    def has_body(self):
        return self.construct in ("data", "use")

    def is_region(self):
        return self.construct in ("target", "loop")

    # Operands

    def item_operands(self, arguments, i):
        return arguments[ITEM_OPERANDS * i:ITEM_OPERANDS * (i + 1)]

    def own_operands(self, arguments):
        return arguments[ITEM_OPERANDS * len(self.items):]

    # Text

    def directive(self):
        names = {"target": "target", "loop": "target teams distribute parallel for",
                 "enter": "target enter data", "exit": "target exit data", "data": "target data",
                 "use": "target data", "update": "target update"}
        clauses = [names[self.construct], "device(device)"]
        if self.conditional:
            clauses.append("if(target: condition)" if self.construct == "loop" else "if(condition)")
        for i, item in enumerate(self.items):
            expression = item.what.expression.format(i=i)
            if not expression:
                continue
            if self.construct == "update":
                modifiers = "".join(f"{modifier}: " for modifier in item.modifiers)
                clauses.append(f"{item.kind}({modifiers}{expression})")
            else:
                clauses.append(f"map({', '.join([*item.modifiers, item.kind])}: {expression})")
        if self.construct == "use":
            clauses.append("use_device_ptr(p0)")
        if self.is_region():
            clauses.append("is_device_ptr(log)")
        if self.nowait:
            clauses.append("nowait depend(inout: w.tokens[token])")
        return "#pragma omp " + " ".join(clauses)

    def asked(self):
        """Whether the construct concerns the device, in C++."""
        return "condition" if self.conditional else "true"

    def source(self, name):
        lines = [f"static void {name}([[maybe_unused]] Run& run, [[maybe_unused]] World& w, "
                 "[[maybe_unused]] const long* a) {"]
        for i, item in enumerate(self.items):
            at = ITEM_OPERANDS * i
            lines.append(f"  [[maybe_unused]] const long b{i} = a[{at}], lo{i} = a[{at + 1}], "
                         f"n{i} = a[{at + 2}], m{i} = a[{at + 3}], k{i} = a[{at + 4}];")
            if item.what.declaration:
                lines.append("  [[maybe_unused]] " + item.what.declaration.format(i=i))
        at = ITEM_OPERANDS * len(self.items)
        lines.append(f"  [[maybe_unused]] const int device = static_cast<int>(a[{at}]);")
        lines.append(f"  [[maybe_unused]] const long condition = a[{at + 1}], token = a[{at + 2}], "
                     f"count = a[{at + 3}];")
        if self.is_region():
            lines.append("  long* log = run.log(device, condition);")
        if self.construct == "use":
            lines.append("  char* before = reinterpret_cast<char*>(p0);")
        if self.construct == "loop":
            lines += [self.directive(),
                      "  for (long i = 0; i < n0; ++i) {",
                      "    long at = i;",
                      "    touch(log, at, p0 + lo0 + i, 1, m0, k0 + i);",
                      "  }"]
        elif self.is_region():
            lines += [self.directive(), "  {", "    long at = 0;"]
            lines += ["    " + item.what.touch.format(i=i) for i, item in enumerate(self.items)]
            lines.append("  }")
        elif self.construct == "use":
            lines += [self.directive(), "  {",
                      "    char* mapped = static_cast<char*>(omp_get_mapped_ptr(before, device));",
                      f"    run.print(run.id, {{reinterpret_cast<char*>(p0) == ({self.asked()} ? mapped : before)}});",
                      "    run.run_body();", "  }"]
        elif self.construct == "data":
            lines += [self.directive(), "  { run.run_body(); }"]
        else:
            lines.append(self.directive())
        if self.is_region():
            lines.append(f"  run.logged(device, condition, count, {'true' if self.nowait else 'false'});")
        return "\n".join([*lines, "}"])

    # Meaning

    def model_items(self, arguments, host):
        """The list items, with the place of the shape's item that each belongs to."""
        return [item for i, shape_item in enumerate(self.items)
                for item in shape_item.what.items(shape_item, *self.item_operands(arguments, i)[:3], host)]

    def touches(self, arguments, host):
        """(address, slot or None, mode, value to be written) in the order of the region."""
        for i, item in enumerate(self.items):
            b, lo, n, mode, first = self.item_operands(arguments, i)
            if not mode and not item.what.through_pointer:
                continue
            for address, slot, add in item.what.touches(b, lo, n, host):
                yield address, slot, mode, first + add

    def values_read(self, arguments, host):
        """How many values the region reads."""
        return sum(1 for _, _, mode, _ in self.touches(arguments, host) if mode & READS)

    def run_region(self, arguments, device, host):
        """What a region on a device, or on the host if that is None, reads; what it writes is written."""
        for i, item in enumerate(self.items):
            for address in item.what.read_besides(*self.item_operands(arguments, i)[:3]):
                if device is not None and device.value(address) != host[address]:
                    raise NonConforming("the region would read another value than the host's")
            b, lo, n = self.item_operands(arguments, i)[:3]
            begin, reached = item.what.implicit_pointee(b, lo, n, host)
            if device is not None and begin is not None:
                mapping = device.at(begin)
                if mapping is None or not all(mapping.low <= address < mapping.high for address in reached):
                    raise NonConforming("reaches past what the pointer points to")
        seen = []
        for address, slot, mode, value in list(self.touches(arguments, host)):
            storage = host
            if device is not None:
                storage = None
                if slot is not None:
                    storage, address = device.pointee(slot, address)
            if storage is None:
                old = device.value(address) if mode & READS else None
            else:
                old = storage[address] if storage is host else storage.get(address)
            if mode & READS:
                seen.append(old)
            if mode & WRITES:
                if storage is None:
                    device.store(address, value)
                else:
                    storage[address] = value
        return seen


PREAMBLE = """\
#include "oracle.h"

using namespace oracle;

#ifdef __clang__
#pragma omp declare mapper(Box box) map(box, box.data[0:box.size])
#endif

"""


def unit_source(shapes):
    """A program that runs scripts with these shapes."""
    parts = [PREAMBLE]
    parts += [shape.source(f"shape_{number}") + "\n\n" for number, shape in enumerate(shapes)]
    names = ", ".join(f"shape_{number}" for number in range(len(shapes)))
    bodies = ", ".join("true" if shape.has_body() else "false" for shape in shapes)
    parts.append(f"const Shape oracle::kShapes[] = {{{names}}};\n"
                 f"const bool oracle::kHasBody[] = {{{bodies}}};\n\n"
                 "int main(int, char** arguments) {\n"
                 "  std::ifstream script(arguments[1]);\n"
                 "  return run_script(script);\n"
                 "}\n")
    return "".join(parts)

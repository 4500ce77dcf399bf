"""Random directives: the shapes of a unit."""

from shapes import KINDS, Shape, ShapeItem

DATA_KINDS = ["cells"] * 6 + ["bytes"] * 3 + ["rows", "full_rows", "reference", "node", "node", "head", "body",
              "head_tail", "body_odd", "tail_odd_head", "link", "object_link", "more", "object_more", "box",
              "box", "fixed", "fixed_part", "linked", "linked_part", "fixed_pointer",
              "linked_pointer"]
UPDATE_KINDS = ["cells", "cells", "bytes", "rows", "full_rows", "reference", "node", "head", "body", "head_tail",
                "link", "more", "fixed", "fixed_part", "linked", "linked_part", "linked_pointer"] + [
                    name for name in KINDS if name.startswith(("stride", "block"))]
# Kinds that a compiler lacks, or means something else by than the standard (docs/oracle.md).
KINDS_OF_GCC = {"cells", "bytes", "rows", "full_rows", "reference", "node", "implicit", "fixed", "fixed_part",
                "fixed_pointer", "raw"}
LEFT_OUT = {"clang22": set(),
            "clang19": {"link", "more"} | {name for name in KINDS if name.startswith("stride")},
            "gcc12": set(KINDS) - KINDS_OF_GCC}

# Every unit has these, so that a program can always map something and take it away again.
CORE = [Shape("enter", [ShapeItem("cells", "to")]), Shape("enter", [ShapeItem("cells", "alloc")]),
        Shape("exit", [ShapeItem("cells", "from")]), Shape("exit", [ShapeItem("raw", "release")]),
        Shape("exit", [ShapeItem("raw", "delete")]), Shape("update", [ShapeItem("cells", "to")]),
        Shape("update", [ShapeItem("cells", "from")]), Shape("target", [ShapeItem("cells", "tofrom")]),
        Shape("target", [ShapeItem("cells", "to")]),
        Shape("enter", [ShapeItem("bytes", "to")]), Shape("enter", [ShapeItem("node", "to")])]
# And these, as far as the compiler has them: each theme's items on more than one construct.
CORE_OF_THEMES = [
    Shape("enter", [ShapeItem("link", "to")]), Shape("exit", [ShapeItem("link", "from")]),
    Shape("target", [ShapeItem("link", "tofrom")]), Shape("target", [ShapeItem("object_link", "tofrom")]),
    Shape("enter", [ShapeItem("object_more", "to")]), Shape("target", [ShapeItem("more", "to")]),
    Shape("enter", [ShapeItem("box", "to")]), Shape("exit", [ShapeItem("box", "from")]),
    Shape("exit", [ShapeItem("box", "delete")]), Shape("target", [ShapeItem("box", "tofrom")]),
    Shape("target", [ShapeItem("box", "tofrom", ("always",))]),
    Shape("enter", [ShapeItem("linked_part", "to")]), Shape("target", [ShapeItem("linked_part", "tofrom")]),
    Shape("enter", [ShapeItem("linked_pointer", "to")]), Shape("update", [ShapeItem("linked_part", "to")]),
    Shape("target", [ShapeItem("fixed", "to")])]
(ENTER_CELLS, ALLOC_CELLS, EXIT_CELLS, RELEASE, DELETE, TO_CELLS, FROM_CELLS, REGION_CELLS, READ_CELLS,
 ENTER_BYTES) = range(10)


def random_shape(rng, compiler="clang22"):
    """A directive with one to three list items."""
    gcc = compiler == "gcc12"
    construct = rng.choices(["target", "loop", "enter", "exit", "data", "use", "update"],
                            [36, 6, 16, 16, 12, 3, 14])[0]
    if construct in ("loop", "use"):
        names = ["cells"]
    else:
        kinds = UPDATE_KINDS if construct == "update" else DATA_KINDS
        if construct == "target":
            kinds = kinds + ["implicit"] * 4
        kinds = [name for name in kinds if name not in LEFT_OUT[compiler]]
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


def random_shapes(rng, count, compiler="clang22"):
    """The shapes of a unit."""
    left_out = LEFT_OUT[compiler]
    core = CORE + [shape for shape in CORE_OF_THEMES if not left_out & {item.name for item in shape.items}]
    return core + [random_shape(rng, compiler) for _ in range(count - len(core))]

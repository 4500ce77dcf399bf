// Statements with statements inside: branches, loops, tables of branches, and tangles of jumps that
// are none of those.
#include "writer.h"

#include <fmt/format.h>

namespace gantry::simt::fuzz {

using ptx::Type;

Scope Writer::inside(const Scope& scope) const {
  Scope inner = scope;
  ++inner.depth;
  // Who ends here is missing in the mask outside.
  inner.may_end = scope.may_end && scope.mask.empty();
  return inner;
}

Scope Writer::apart(const Scope& scope) const {
  Scope inner = inside(scope);
  // What may leave from where lanes are known would leave a mask behind that is not right.
  if (!scope.mask.empty() || scope.whole_block) {
    inner.loops.clear();
  }
  inner.whole_block = inner.whole_warp = false;
  inner.mask.clear();
  return inner;
}

void Writer::write_if(Node& parent, Scope& scope) {
  Node& node = parent.add_node();
  std::string code;
  const std::string other = facts_.fresh("$else");
  const std::string end = facts_.fresh("$end");
  const bool has_else = random_.chance(50);
  const unsigned count = random_.between(1, 5);
  if (scope.whole_block && random_.chance(40)) {
    const std::string which = uniform_condition(code);
    node.add(code + fmt::format("  @!{} bra{} {};\n", which, random_.chance(50) ? ".uni" : "",
                                has_else ? other : end));
    node.may_open = true;
    Scope inner = inside(scope);
    write_block(node, inner, count);
    if (has_else) {
      node.add(fmt::format("  bra.uni {};\n{}:\n", end, other));
      write_block(node, inner, count);
    }
    node.add(end + ":\n");
    return;
  }
  const std::string which = condition(code, scope);
  const bool follows = !scope.mask.empty() && random_.chance(70);
  Scope then = apart(scope);
  Scope otherwise = then;
  if (follows) {
    then.mask = declared("%m", Type::kB32);
    otherwise.mask = declared("%m", Type::kB32);
    code += fmt::format("  vote.sync.ballot.b32 {0}, {1}, {2}; not.b32 {3}, {0}; "
                        "and.b32 {3}, {3}, {2};\n",
                        then.mask, which, scope.mask, otherwise.mask);
  } else {
    node.may_open = true;
  }
  node.add(code + fmt::format("  @!{} bra {};\n", which, has_else ? other : end));
  write_block(node, then, count);
  if (has_else) {
    node.add(fmt::format("  bra {};\n{}:\n", end, other));
    write_block(node, otherwise, count);
  }
  node.add(end + ":\n");
}

// How often a loop is gone through: a register or a literal.
std::string Writer::trips(std::string& code, const Scope& scope, bool uniform) {
  if (random_.chance(25)) {
    return fmt::format("{}", random_.between(1, 5));
  }
  const std::string made = declared("%n", Type::kB32);
  if (uniform || random_.chance(20)) {
    code += fmt::format("  and.b32 {}, {}, 3;\n", made, random_.one_of(uniform_).name);
    return made;
  }
  if (random_.chance(30)) {
    code += fmt::format("  {} {}, %lane, {};\n", random_.one_of({"and.b32", "shr.u32"}), made,
                        random_.between(3, 4));
    return made;
  }
  code += fmt::format("  and.b32 {}, {}, {};\n", made, any_register(Type::kB32, scope, false),
                      random_.one_of({"3", "7", "5", "1"}));
  return made;
}

// A number that grows by a step each time, and may be read in the loop.
Writer::Induction Writer::induction(const Scope& scope, const std::string& counter) {
  Induction result{{}, {}, scope};
  result.scope.more.push_back({counter, Type::kB32});
  result.scope.small.push_back(counter);
  if (random_.chance(60)) {
    const Type type = random_.chance(65)   ? Type::kU32
                      : random_.chance(70) ? Type::kU64
                                           : Type::kU16;
    const std::string name = declared("%i", type);
    const unsigned bits = 8 * ptx::size_of(type);
    result.start = fmt::format("  mov.b{} {}, {};\n", bits, name, any_register(type, scope, false));
    result.step = fmt::format("  {}.u{} {}, {}, {};\n",
                              random_.one_of({"add", "add", "sub", "mul.lo"}), bits, name, name,
                              random_.chance(60) ? fmt::format("{}", random_.between(1, 64))
                                                 : any_register(type, scope, false));
    result.scope.more.push_back({name, type});
  }
  return result;
}

void Writer::write_loop(Node& parent, Scope& scope) {
  Node& node = parent.add_node();
  const std::string counter = declared("%c", Type::kB32);
  const std::string head = facts_.fresh("$loop");
  const std::string again = facts_.fresh("$again");
  const std::string end = facts_.fresh("$done");
  const std::string on = facts_.fresh("%q");
  const unsigned count = random_.between(1, 5);
  const bool tests_first = random_.chance(50);
  const bool together = scope.whole_block && random_.chance(45);
  const bool follows = !together && !scope.mask.empty() && random_.chance(70);

  std::string code;
  const std::string limit = trips(code, scope, together);
  auto [start, step, inner] = induction(together ? inside(scope) : apart(scope), counter);
  inner.passes = scope.passes * 8;
  // Lanes that go through the loop; of those in its body, the ones that have not left the pass.
  std::string passing;
  bool leaves = true;
  if (follows) {
    passing = declared("%m", Type::kB32);
    inner.mask = declared("%m", Type::kB32);
    leaves = random_.chance(50);
    inner.loops.assign(1, leaves ? Scope::Loop{end, ""} : Scope::Loop{"", again});
    code += fmt::format("  mov.b32 {}, {};\n", passing, scope.mask);
  } else {
    inner.loops.push_back({end, again});
  }
  code += fmt::format("  mov.b32 {}, 0; .reg .pred {};\n{}{}:\n", counter, on, start, head);
  const auto test = [&] {
    code += fmt::format("  setp.lt.u32 {}, {}, {};\n", on, counter, limit);
    if (follows) {
      code += fmt::format("  vote.sync.ballot.b32 {0}, {1}, {0};\n", passing, on);
    }
  };
  if (tests_first) {
    test();
    code += fmt::format("  @!{} bra {};\n", on, end);
  }
  if (follows) {
    code += fmt::format("  mov.b32 {}, {};\n", inner.mask, passing);
  }
  node.add(std::move(code));
  write_block(node, inner, count);
  code = again + ":\n";
  if (follows && leaves) {
    code += fmt::format("  mov.b32 {}, {};\n", passing, inner.mask);
  }
  code += step + fmt::format("  add.u32 {0}, {0}, 1;\n", counter);
  if (tests_first) {
    code += fmt::format("  bra {};\n", head);
  } else {
    test();
    code += fmt::format("  @{} bra {};\n", on, head);
  }
  node.add(code + end + ":\n");
}

// Many passes of little work: after a thousand, lanes that are in the loop part from those that
// wait.
void Writer::write_long_loop(Node& parent, Scope& scope) {
  Node& node = parent.add_node();
  const std::string counter = declared("%c", Type::kB32);
  const std::string limit = declared("%n", Type::kB32);
  const std::string head = facts_.fresh("$long");
  const std::string on = facts_.fresh("%q");
  node.add(fmt::format("  and.b32 {0}, {1}, 1; mul.lo.u32 {0}, {0}, {2}; .reg .pred {3};\n"
                       "  mov.b32 {4}, 0;\n{5}:\n",
                       limit, any_register(Type::kB32, scope, false), random_.between(900, 1300),
                       on, counter, head));
  Scope inner = apart(scope);
  inner.loops.clear();
  inner.may_end = false;
  inner.passes = 1300;
  inner.depth = 4;
  for (unsigned i = 0; i < 2; ++i) {
    node.add_node().add(random_.chance(60) ? own_statement(inner) : value_statement(inner));
  }
  node.add(fmt::format("  add.u32 {0}, {0}, 1; setp.lt.u32 {1}, {0}, {2};\n  @{1} bra {3};\n",
                       counter, on, limit, head));
}

// A row of a sparse matrix: as many passes as the lane's row has elements, each of which reads at
// places of its own. Inner ones may have a row in each element; some end before the last.
void Writer::write_row_loop(Node& parent, Scope& scope) {
  Node& node = parent.add_node();
  const std::string counter = declared("%c", Type::kB32);
  const std::string limit = declared("%n", Type::kB32);
  const std::string at = declared("%at", Type::kB32);
  const std::string word = declared("%word", Type::kB32);
  const std::string sum = declared("%sum", Type::kB32);
  const std::string head = facts_.fresh("$row");
  const std::string end = facts_.fresh("$end");
  const std::string on = facts_.fresh("%q");
  const auto any = [&] { return any_register(Type::kB32, scope, false); };
  std::string code = fmt::format("  and.b32 {0}, {1}, {2}; and.b32 {3}, {4}, 511; .reg .pred {5};\n"
                                 "  mov.b32 {6}, 0; mov.b32 {7}, {8};\n{9}:\n"
                                 "  setp.ge.u32 {5}, {6}, {0};\n  @{5} bra {10};\n",
                                 limit, any(), random_.one_of({"15", "7", "3"}), at, any(), on,
                                 counter, sum, random_.chance(50) ? "0" : any(), head, end);
  const auto read = [&](const std::string& index) {
    const std::string address = moved(code, "%input", index, random_.chance(70) ? 4 : 8);
    code += fmt::format("  ld.{}b32 {}, [{}+{}];\n", random_.one_of({"global.", "global.nc.", ""}),
                        word, address, 4 * random_.below(64));
  };
  read(at);
  if (random_.chance(50)) {
    const std::string next = declared("%at", Type::kB32);
    code += fmt::format("  and.b32 {}, {}, 1023;\n", next, word);
    read(next);
  }
  code += fmt::format("  {0} {1}, {1}, {2};\n", random_.one_of({"add.u32", "xor.b32", "max.s32"}),
                      sum, word);
  if (random_.chance(30)) {
    code += fmt::format("  and.b32 {0}, {0}, 7; setp.eq.u32 {1}, {0}, 3;\n  @{1} bra {2};\n", word,
                        on, end);
  }
  node.add(std::move(code));
  Scope inner = apart(scope);
  inner.loops.clear();
  inner.may_end = false;
  inner.passes = scope.passes * 16;
  inner.more.push_back({sum, Type::kB32});
  inner.more.push_back({counter, Type::kB32});
  inner.small.push_back(counter);
  if (random_.chance(25) && inner.depth < 3 && inner.passes < 300) {
    write_row_loop(node, inner);
  }
  for (unsigned i = random_.below(3); i != 0; --i) {
    node.add_node().add(random_.chance(20)   ? own_statement(inner)
                        : random_.chance(20) ? counter_statement(inner)
                                             : value_statement(inner));
  }
  node.add(fmt::format("  add.u32 {0}, {0}, {1}; add.u32 {2}, {2}, 1;\n  bra {3};\n{4}:\n"
                       "  xor.b32 {5}, {6}, {7};\n",
                       at, random_.between(1, 16), counter, head, end, destination(Type::kB32), sum,
                       any()));
}

void Writer::write_switch(Node& parent, Scope& scope) {
  Node& node = parent.add_node();
  std::string code;
  const unsigned cases = random_.between(2, 5);
  const std::string index = facts_.fresh("%t");
  const std::string table = facts_.fresh("$table");
  const std::string end = facts_.fresh("$end");
  const bool together = scope.whole_block && random_.chance(30);
  code += fmt::format(
      "  .reg .b32 {0}; rem.u32 {0}, {1}, {2};\n", index,
      together ? random_.one_of(uniform_).name : any_register(Type::kB32, scope, false), cases);
  Scope inner = together ? inside(scope) : apart(scope);
  // Lanes with one index go to one place, unless one place goes on to the next.
  const bool follows = !together && !scope.mask.empty() && random_.chance(50);
  const bool falls_through = !follows && random_.chance(40);
  if (follows) {
    inner.mask = declared("%m", Type::kB32);
    code += fmt::format("  match.any.sync.b32 {}, {}, {};\n", inner.mask, index, scope.mask);
  }
  std::vector<std::string> labels;
  std::string list;
  for (unsigned i = 0; i < cases; ++i) {
    labels.push_back(facts_.fresh("$case"));
    const bool again = i != 0 && !follows && random_.chance(20);
    list += (i == 0 ? "" : ", ") + (again ? labels[0] : labels[i]);
  }
  code += fmt::format("  {0}: .branchtargets {1};\n  brx.idx {2}, {0};\n", table, list, index);
  for (unsigned i = 0; i < cases; ++i) {
    node.add(code + labels[i] + ":\n");
    Scope one = inner;
    write_block(node, one, random_.between(1, 3));
    code = falls_through && random_.chance(50) ? "" : fmt::format("  bra {};\n", end);
  }
  node.add(code + end + ":\n");
}

// Blocks with jumps to any others: on as it comes, back while a lane has fuel left.
void Writer::write_tangle(Node& parent, Scope& scope) {
  Node& node = parent.add_node();
  const unsigned blocks = random_.between(3, 6);
  const std::string fuel = declared("%c", Type::kB32);
  std::vector<std::string> labels;
  for (unsigned i = 0; i <= blocks; ++i) {
    labels.push_back(facts_.fresh("$tangle"));
  }
  std::string code = fmt::format("  mov.b32 {}, {};\n", fuel, random_.between(1, 6));
  Scope inner = apart(scope);
  inner.passes = scope.passes * 6;
  for (unsigned i = 0; i < blocks; ++i) {
    node.add(code + labels[i] + ":\n");
    Scope one = inner;
    write_block(node, one, random_.between(0, 2));
    code.clear();
    for (unsigned jumps = random_.between(1, 2); jumps != 0; --jumps) {
      node.add_node().add(jump_in_tangle(i, labels, fuel, inner));
    }
    if (i + 2 <= blocks && random_.chance(30)) {
      node.add_node().add(fmt::format("  bra {};\n", labels[random_.between(i + 2, blocks)]));
    }
  }
  node.add(labels[blocks] + ":\n");
}

std::string Writer::jump_in_tangle(unsigned from, const std::vector<std::string>& labels,
                                   const std::string& fuel, const Scope& scope) {
  const unsigned target = random_.below(labels.size());
  std::string code;
  const std::string which = condition(code, scope);
  if (target > from) {
    return code +
           fmt::format("  @{}{} bra {};\n", random_.chance(50) ? "!" : "", which, labels[target]);
  }
  const std::string left = facts_.fresh("%q");
  return code +
         fmt::format("  .reg .pred {0}; sub.u32 {1}, {1}, 1; setp.gt.and.s32 {0}, {1}, 0, {2};\n"
                     "  @{0} bra {3};\n",
                     left, fuel, which, labels[target]);
}

void Writer::write_leave(Node& parent, Scope& scope) {
  std::string code;
  std::vector<std::string> targets;
  for (const Scope::Loop& loop : scope.loops) {
    for (const std::string& label : {loop.leave, loop.again}) {
      if (!label.empty()) {
        targets.push_back("bra " + label);
      }
    }
  }
  if (scope.whole_block && !targets.empty()) {
    const std::string which = uniform_condition(code);
    parent.add_node().add(code + fmt::format("  @{} {};\n", which, random_.one_of(targets)));
    return;
  }
  if (scope.may_end && (targets.empty() || random_.chance(30)) && random_.chance(60)) {
    targets.assign(1, kind_ == Kind::kKernel && random_.chance(50) ? "exit" : "ret");
  }
  if (targets.empty()) {
    parent.add_node().add(value_statement(scope));
    return;
  }
  const std::string which = condition(code, scope);
  if (!scope.mask.empty()) {
    const std::string stays = facts_.fresh("%q");
    code +=
        fmt::format("  .reg .pred {0}; not.pred {0}, {1}; vote.sync.ballot.b32 {2}, {0}, {2};\n",
                    stays, which, scope.mask);
    scope.whole_warp = false;
  }
  const std::string& target = random_.one_of(targets);
  if (target == "exit" || (kind_ == Kind::kKernel && target == "ret")) {
    // It writes no results.
    code += fmt::format("  @{} st.global.b32 [%own+{}], {};\n", which, 4 * random_.below(16),
                        any_register(Type::kB32, scope, false));
  }
  parent.add_node().add(code + fmt::format("  @{} {};\n", which, target));
}

} // namespace gantry::simt::fuzz

// Calls of the module's functions: by name, and by an address that may differ over the lanes.
#include "writer.h"

#include <fmt/format.h>

namespace gantry::simt::fuzz {

using ptx::Type;

namespace {

std::string parameter(unsigned bytes, const std::string& name) {
  return bytes == 16 ? fmt::format(".param .align 8 .b8 {}[16]", name)
                     : fmt::format(".param .b{} {}", 8 * bytes, name);
}

Type type_of_bytes(unsigned bytes) {
  return bytes == 1 ? Type::kB8 : bytes == 2 ? Type::kB16 : bytes == 4 ? Type::kB32 : Type::kB64;
}

} // namespace

std::string Callee::prototype(const std::string& name_of_function) const {
  const bool is_definition = name_of_function != "_";
  const auto named = [&](const char* stem, std::size_t number) {
    return is_definition ? fmt::format("{}{}", stem, number) : std::string("_");
  };
  std::string text;
  if (result_bytes != 0) {
    text += "(" + parameter(result_bytes, named("result", 0)) + ") ";
  }
  text += name_of_function +
          fmt::format("(.param .b32 {}, .param .b64 {}, .param .b64 {}, .param .b32 {}",
                      is_definition ? "depth" : "_", is_definition ? "input" : "_",
                      is_definition ? "own" : "_", is_definition ? "mask" : "_");
  for (std::size_t i = 0; i < parameter_bytes.size(); ++i) {
    text += ", " + parameter(parameter_bytes[i], named("x", i));
  }
  return text + ")";
}

bool Writer::may_call(const Callee& callee, const Scope& scope) const {
  return (!callee.needs_mask || !scope.mask.empty()) &&
         (!callee.needs_block || scope.whole_block) && scope.passes <= 8;
}

std::string Writer::call_statement(const Scope& scope) {
  std::vector<const Callee*> candidates;
  for (const Callee& callee : facts_.callees) {
    if (may_call(callee, scope)) {
      candidates.push_back(&callee);
    }
  }
  if (candidates.empty()) {
    return {};
  }
  const Callee& callee = *candidates[random_.below(candidates.size())];
  // Functions that can stand for it: the same parameters, and no wishes of their own.
  std::vector<const Callee*> alike;
  for (const Callee* each : candidates) {
    if (each->parameter_bytes == callee.parameter_bytes &&
        each->result_bytes == callee.result_bytes && !each->needs_mask && !each->needs_block) {
      alike.push_back(each);
    }
  }
  return call_of(callee, alike, std::to_string(random_.below(4)), scope);
}

void Writer::write_recursion(Node& parent, const Callee& self, const Scope& scope) {
  Scope inner = apart(scope);
  const std::string more = facts_.fresh("%q");
  const std::string end = facts_.fresh("$end");
  const std::string depth = facts_.fresh("%t");
  std::string code = fmt::format("  .reg .pred {0}; .reg .b32 {1}; sub.u32 {1}, %depth, 1;\n"
                                 "  setp.gt.u32 {0}, %depth, 0;\n",
                                 more, depth);
  if (self.needs_mask) {
    inner.mask = declared("%m", Type::kB32);
    code += fmt::format("  vote.sync.ballot.b32 {}, {}, {};\n", inner.mask, more, scope.mask);
  }
  code += fmt::format("  @!{} bra {};\n", more, end);
  parent.add_node().add(code + call_of(self, {}, depth, inner) + end + ":\n");
}

std::string Writer::call_of(const Callee& callee, const std::vector<const Callee*>& alike,
                            const std::string& depth, const Scope& scope) {
  const bool wishes = callee.needs_mask || callee.needs_block;
  const std::string before = wishes ? "" : guard(25);
  const std::string name = facts_.fresh("call");
  std::string code;
  std::string arguments = fmt::format("{0}d, {0}i, {0}o, {0}m", name);
  code += fmt::format("  .param .b32 {0}d; .param .b64 {0}i; .param .b64 {0}o; .param .b32 {0}m;\n"
                      "  st.param.b32 [{0}d], {1}; st.param.b64 [{0}i], %input; "
                      "st.param.b64 [{0}o], %own; st.param.b32 [{0}m], {2};\n",
                      name, depth, scope.mask.empty() ? "0" : scope.mask);
  for (std::size_t i = 0; i < callee.parameter_bytes.size(); ++i) {
    const unsigned bytes = callee.parameter_bytes[i];
    const std::string argument = fmt::format("{}x{}", name, i);
    code += fmt::format("  {};\n", parameter(bytes, argument));
    if (bytes == 16) {
      code += fmt::format("  st.param.b64 [{0}], {1}; st.param.v2.b32 [{0}+8], {{{2}, {3}}};\n",
                          argument, source(Type::kB64, scope), source(Type::kB32, scope),
                          source(Type::kF32, scope));
    } else {
      code += fmt::format("  st.param.b{} [{}], {};\n", 8 * bytes, argument,
                          any_register(type_of_bytes(bytes), scope, bytes == 1));
    }
    arguments += ", " + argument;
  }
  std::string result;
  if (callee.result_bytes != 0) {
    result = fmt::format("({}r), ", name);
    code += fmt::format("  {};\n", parameter(callee.result_bytes, name + "r"));
  }
  if (random_.chance(65)) {
    code += fmt::format("  {}call {}{}, ({});\n", before, result, callee.name, arguments);
  } else {
    const std::string handle = facts_.fresh("%t");
    code += fmt::format("  .reg .b64 {0}; mov.u64 {0}, {1};\n", handle, callee.name);
    if (!wishes && !alike.empty()) {
      const Callee& other = *alike[random_.below(alike.size())];
      const std::string second = facts_.fresh("%t");
      const std::string which = condition(code, scope);
      code += fmt::format("  .reg .b64 {1}; mov.u64 {1}, {2}; selp.b64 {0}, {0}, {1}, {3};\n",
                          handle, second, other.name, which);
    }
    code += fmt::format("  {0}p: .callprototype {1};\n  {2}call {3}{4}, ({5}), {0}p;\n", name,
                        callee.prototype("_"), before, result, handle, arguments);
  }
  if (callee.result_bytes == 16) {
    const std::string first = destination(Type::kB32);
    std::string second = destination(Type::kB32);
    code +=
        fmt::format("  {0}ld.param.b64 {1}, [{2}r]; {0}ld.param.v2.b32 {{{3}, {4}}}, [{2}r+8];\n",
                    before, destination(Type::kB64), name, first, second == first ? "_" : second);
  } else if (callee.result_bytes != 0) {
    code += fmt::format("  {}ld.param.b{} {}, [{}r];\n", before, 8 * callee.result_bytes,
                        destination(type_of_bytes(callee.result_bytes), true), name);
  }
  return code;
}

} // namespace gantry::simt::fuzz

// What the tests of this room share: short texts around the line that a test is about.
#pragma once

#include "simt/ptx/parser.h"
#include "simt/ptx/program.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace gantry::simt::ptx {

inline constexpr std::string_view kHeader = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// The module that the directives make. Line 4 is their first.
inline std::unique_ptr<Module> module_of(std::string_view directives, std::string name = "test") {
  auto module = parse(std::string(kHeader).append(directives), std::move(name));
  if (!module) {
    throw std::runtime_error(module.error().text("test"));
  }
  return std::move(*module);
}

/// A kernel `k` with the statements. Line 9 is their first.
inline std::string kernel_text(std::string_view statements, std::string_view directives = "") {
  return std::string(directives)
      .append(".entry k(.param .u64 in) {\n"
              ".reg .b32 %r<4>;\n.reg .b64 %rd<4>; .reg .f32 %f; .reg .v2 .u32 %v;\n"
              ".reg .pred %p<2>;\n.local .align 8 .b8 depot[16];\n")
      .append(statements)
      .append("\n}\n");
}

inline std::unique_ptr<Module> module_with(std::string_view statements,
                                           std::string_view directives = "") {
  return module_of(kernel_text(statements, directives));
}

/// The last function of a module: the kernel of module_with.
inline const Function& kernel_of(const Module& module) {
  return module.functions.back();
}

/// The message for directives that cannot be parsed, as "line:column message"; empty if they can.
inline std::string error_of(std::string_view directives) {
  const auto module = parse(std::string(kHeader).append(directives), "test");
  if (module) {
    return "";
  }
  const ParseError& error = module.error();
  return std::to_string(error.location.line) + ":" + std::to_string(error.location.column) + " " +
         error.message;
}

inline tl::expected<std::unique_ptr<Program>, std::string>
try_link(const std::vector<std::string>& texts) {
  std::vector<std::unique_ptr<Module>> modules;
  for (const std::string& text : texts) {
    modules.push_back(module_of(text, std::string(1, static_cast<char>('a' + modules.size()))));
  }
  return link(std::move(modules));
}

inline std::unique_ptr<Program> program_of(const std::vector<std::string>& texts) {
  auto program = try_link(texts);
  if (!program) {
    throw std::runtime_error(program.error());
  }
  return std::move(*program);
}

} // namespace gantry::simt::ptx

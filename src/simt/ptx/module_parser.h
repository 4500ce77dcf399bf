// The directives of a module.
#pragma once

#include "simt/ptx/declaration.h"

#include <string_view>

namespace gantry::simt::ptx {

class ModuleParser {
public:
  explicit ModuleParser(ParseContext& context)
      : context_(context), cursor_(context.cursor), module_(context.module) {}

  [[nodiscard]] bool parse();

private:
  bool parse_version();
  bool parse_target();
  bool parse_address_size();
  bool parse_directive();
  bool parse_linked(Linkage linkage);
  bool skip_section();
  bool parse_alias();

  bool parse_variables(Space space, Linkage linkage);
  bool add_variable(Variable variable);

  bool parse_function(Linkage linkage, bool is_entry);
  bool parse_interface_and_body(Linkage linkage, bool is_entry);
  bool parse_function_attributes(Function& function);
  bool parse_bound(Dim3& bound);
  /// Enters the function, or checks it against what is declared of it; its index in functions.
  bool declare_function(Function& function, bool has_body, std::uint32_t& index);

  /// What can be judged only once everything is declared.
  bool check_aliases();
  bool check_calls();
  bool check_call(const Instruction& instruction);

  struct Alias {
    std::string_view name;
    std::string_view of;
    std::uint32_t function = 0;
    Location location;
  };

  ParseContext& context_;
  Cursor& cursor_;
  Module& module_;
  std::vector<Alias> aliases_;
};

} // namespace gantry::simt::ptx

#include "simt/exec/reports/report.h"

#include "simt/exec/blocks/block.h"
#include "simt/exec/programs/program_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace gantry::simt::exec {

namespace {

constexpr std::size_t kLongestInstruction = 160;

const ptx::Program& program_of(const Warp& warp) {
  return *warp.block->launch->program->program;
}

/// A line of the PTX, without the blanks around it.
std::string_view text_of_line(std::string_view text, std::uint32_t line) {
  for (std::uint32_t i = 1; i < line; ++i) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      return {};
    }
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  const std::size_t first = std::min(text.find_first_not_of(" \t\r"), text.size());
  text.remove_prefix(first);
  text = text.substr(0, text.find_last_not_of(" \t\r") + 1);
  return text.substr(0, kLongestInstruction);
}

bool has_line(const ptx::Function& function, std::uint32_t source) {
  return source != 0 && source <= function.sources.size() && function.sources[source - 1].line != 0;
}

/// The register that a memory access takes its address from; nothing if it is another kind of one.
std::optional<std::uint32_t> address_register(const ptx::Instruction& instruction) {
  for (const ptx::Operand& operand : instruction.operands) {
    if (operand.kind == ptx::Operand::Kind::kAddress && !operand.members.empty() &&
        operand.members[0].kind == ptx::Operand::Kind::kRegister) {
      return operand.members[0].index;
    }
  }
  return std::nullopt;
}

/// For a load that the compiler has moved: the position (Instruction::source) of the instruction
/// that first uses the value, or of another access through the same address register; 0 if neither
/// has one.
std::uint32_t source_of_use(const CodePosition& position) {
  const ptx::Function& function = *position.function;
  const ptx::Instruction& load = *position.instruction;
  if (load.opcode != ptx::Opcode::k_ld || load.operands.empty() ||
      load.operands[0].kind != ptx::Operand::Kind::kRegister) {
    return 0;
  }
  const auto uses = [&](const ptx::Instruction& instruction) {
    return std::ranges::any_of(instruction.operands, [&](const ptx::Operand& operand) {
      return operand.kind == ptx::Operand::Kind::kRegister &&
             operand.index == load.operands[0].index;
    });
  };
  const ptx::Instruction* const end = function.instructions.data() + function.instructions.size();
  const ptx::Instruction* const use = std::find_if(position.instruction + 1, end, uses);
  if (use != end && has_line(function, use->source)) {
    return use->source;
  }
  const auto address = address_register(load);
  const auto other =
      std::ranges::find_if(function.instructions, [&](const ptx::Instruction& instruction) {
        return address && address_register(instruction) == address &&
               has_line(function, instruction.source);
      });
  return other != function.instructions.end() ? other->source : 0;
}

/// The position that the report names, as Instruction::source counts; 0 if there is none. Code that
/// the compiler made or merged has line 0; then the position is that of a load's use, or the last
/// one before the instruction that has a line.
std::uint32_t source_near(const CodePosition& position) {
  if (position.instruction == nullptr || position.instruction->source == 0 ||
      position.instruction->source > position.function->sources.size()) {
    return 0;
  }
  std::uint32_t source = position.instruction->source;
  if (has_line(*position.function, source)) {
    return source;
  }
  if (const std::uint32_t of_use = source_of_use(position)) {
    return of_use;
  }
  while (source != 0 && !has_line(*position.function, source)) {
    --source;
  }
  return source;
}

} // namespace

CodePosition look_up(const Warp& warp, Site site) {
  return look_up(program_of(warp), site);
}

CodePosition look_up(const ptx::Program& program, Site site) {
  const std::uint64_t function = site >> 32;
  const std::uint64_t instruction = site & 0xFFFFFFFF;
  CodePosition position;
  if (function >= program.functions.size() || program.functions[function].system_call) {
    return position;
  }
  position.module = program.modules[program.functions[function].module].get();
  position.function = &program.definition(static_cast<std::uint32_t>(function));
  if (instruction < position.function->instructions.size()) {
    position.instruction = &position.function->instructions[instruction];
  }
  return position;
}

std::string_view kernel_of(const Warp& warp) {
  return program_of(warp).definition(warp.block->launch->kernel).name;
}

std::string source_of(const CodePosition& position) {
  const std::uint32_t source = source_near(position);
  if (source == 0) {
    return {};
  }
  const ptx::SourcePosition& found = position.function->sources[source - 1];
  const std::string_view file = position.module->file_named(found.file);
  return file.empty()
             ? std::string()
             : fmt::format("{}{}:{}", source == position.instruction->source ? "" : "near ", file,
                           found.line);
}

std::string short_position(const CodePosition& position) {
  std::string source = source_of(position);
  if (source.empty() && position.instruction != nullptr) {
    source = fmt::format("PTX line {}", position.instruction->location.line);
  }
  return source;
}

std::string ptx_position(const Warp& warp, const CodePosition& position) {
  return ptx_position(kernel_of(warp), position);
}

std::string ptx_position(std::string_view kernel, const CodePosition& position) {
  const std::uint32_t line = position.instruction->location.line;
  const std::string_view function = position.function->name;
  return fmt::format("PTX line {} of {}{}: {}", line, position.module->name,
                     function == kernel ? "" : fmt::format(", function '{}'", function),
                     text_of_line(position.module->text, line));
}

unsigned first_lane(LaneMask lanes) {
  return std::min(static_cast<unsigned>(std::countr_zero(lanes)), kLanes - 1);
}

std::string thread_text(const Warp& warp, unsigned lane) {
  return fmt::format("({},{},{})", warp.lane_tid[0][lane], warp.lane_tid[1][lane],
                     warp.lane_tid[2][lane]);
}

std::string threads_of(const Warp& warp, LaneMask lanes) {
  const int more = std::popcount(lanes) - 1;
  return fmt::format("block ({},{},{}), thread {}{}", warp.ctaid[0], warp.ctaid[1], warp.ctaid[2],
                     thread_text(warp, first_lane(lanes)),
                     more > 0 ? fmt::format(" and {} more of the warp", more) : "");
}

std::string_view space_word(AccessSpace space, const CodePosition& position) {
  switch (space) {
  case AccessSpace::kShared:
    return "shared ";
  case AccessSpace::kConst:
    return "const ";
  case AccessSpace::kLocal:
    return "local ";
  default:
    break;
  }
  const auto has = [&](ptx::Modifier modifier) {
    return position.instruction != nullptr && position.instruction->has(modifier);
  };
  if (has(ptx::Modifier::kGlobal)) {
    return "global ";
  }
  return has(ptx::Modifier::kConst) ? "const " : "";
}

std::string_view access_word(AccessKind kind) {
  switch (kind) {
  case AccessKind::kLoad:
    return "load";
  case AccessKind::kStore:
    return "store";
  case AccessKind::kAtomic:
    return "atomic operation";
  }
  return "access";
}

Report::Report(const Warp& warp, LaneMask lanes, Site site, std::string_view what) {
  const CodePosition position = look_up(warp, site);
  const std::string where = short_position(position);
  text_ = fmt::format("gantry: error: kernel '{}'{}: {}\n", kernel_of(warp),
                      where.empty() ? "" : fmt::format(" ({})", where), what);
  facts_.kernel = kernel_of(warp);
  facts_.position = source_of(position);
  facts_.what = what;
  line("by " + threads_of(warp, lanes));
  if (position.instruction != nullptr) {
    line("at " + ptx_position(warp, position));
  }
}

void Report::line(std::string_view what) {
  text_ += fmt::format("  {}\n", what);
}

void Report::hint(std::string_view what) {
  if (!what.empty()) {
    line(fmt::format("hint: {}", what));
  }
}

void Report::append(const AddressReport& report) {
  for (const std::string& what : report.lines) {
    line(what);
  }
  hint(report.hint);
}

void Report::about(std::uint64_t address, FaultFacts::Access access, bool is_invalid) {
  facts_.address = address;
  facts_.access = access;
  facts_.is_invalid = is_invalid;
}

Fault Report::fault(FaultCode code) && {
  return {code, std::move(text_), std::move(facts_)};
}

} // namespace gantry::simt::exec

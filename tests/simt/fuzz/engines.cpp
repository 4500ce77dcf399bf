#include "engines.h"

#include "../instructions/operand_values.h"
#include "simt/exec/device_memory.h"
#include "simt/ptx/parser.h"

#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace gantry::simt::fuzz {

namespace {

constexpr int kUntouched = 0xA5;
constexpr unsigned kDifferencesShown = 6;

/// Device memory that lasts as long as the process or the kernel.
class DeviceBytes {
public:
  explicit DeviceBytes(std::uint64_t size) {
    exec::Allocation what;
    what.size = size;
    address_ = exec::DeviceMemory::instance()->allocate(what).value();
  }
  ~DeviceBytes() { exec::DeviceMemory::instance()->free(address_); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;

  [[nodiscard]] std::uint64_t address() const { return address_; }
  [[nodiscard]] std::byte* bytes() const { return reinterpret_cast<std::byte*>(address_); }

private:
  std::uint64_t address_ = 0;
};

/// The parameters of the kernel, as its entry declares them.
struct Parameters {
  std::uint64_t input, results, own;
  std::uint32_t small, wide;
  std::uint64_t wider;
  alignas(16) std::uint64_t bytes[4];
};

// Numbers of all types, so that whatever type reads them finds edges.
std::uint64_t input() {
  using ptx::Type;
  static const DeviceBytes* const made = [] {
    static constexpr Type kTypes[] = {Type::kU32, Type::kF32, Type::kF64, Type::kU64,
                                      Type::kU16, Type::kF16, Type::kF32, Type::kS32};
    auto* bytes = new DeviceBytes(kInputBytes);
    for (std::uint64_t offset = 0; offset < kInputBytes; offset += 8) {
      const Type type = kTypes[instructions::hash_of(offset, 1) % std::size(kTypes)];
      std::uint64_t word = 0;
      for (unsigned at = 0; at < 8; at += ptx::size_of(type)) {
        word |= instructions::operand_of(type, instructions::hash_of(offset, at, 2)) << (8 * at);
      }
      std::memcpy(bytes->bytes() + offset, &word, sizeof word);
    }
    return bytes;
  }();
  return made->address() + kInputBytes / 2;
}

struct Outcome {
  std::optional<exec::Fault> fault;
  std::vector<std::byte> memory; ///< results, own, counters
};

Outcome run(const Kernel& kernel, exec::LoadedProgram& program, std::uint64_t memory) {
  const std::uint64_t size = kernel.result_bytes() + kernel.own_bytes();
  auto* bytes = reinterpret_cast<std::byte*>(memory);
  std::memset(bytes, kUntouched, size);
  Parameters parameters{input() + kernel.input_offset,
                        memory,
                        memory + kernel.result_bytes(),
                        kernel.small,
                        kernel.wide,
                        kernel.wider,
                        {}};
  std::memcpy(parameters.bytes, kernel.bytes, sizeof parameters.bytes);
  const auto entry = program.kernel("k").value();
  Outcome outcome;
  auto ended = program.run(entry, kernel.shape, reinterpret_cast<const std::byte*>(&parameters));
  if (!ended) {
    outcome.fault = std::move(ended.error());
    return outcome;
  }
  outcome.memory.assign(bytes, bytes + size);
  const auto counters = program.variable("counters").value();
  const auto* first = reinterpret_cast<const std::byte*>(counters.address);
  outcome.memory.insert(outcome.memory.end(), first, first + counters.size);
  return outcome;
}

std::string differences(const Kernel& kernel, const Outcome& interpreted, const Outcome& compiled) {
  std::string text;
  unsigned count = 0;
  for (std::size_t at = 0; at < interpreted.memory.size(); at += 8) {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    const std::size_t size = std::min<std::size_t>(8, interpreted.memory.size() - at);
    std::memcpy(&a, interpreted.memory.data() + at, size);
    std::memcpy(&b, compiled.memory.data() + at, size);
    if (a != b && ++count <= kDifferencesShown) {
      text +=
          fmt::format("  {}: {:#018x} interpreted, {:#018x} compiled\n", kernel.place_of(at), a, b);
    }
  }
  return count <= kDifferencesShown
             ? text
             : text + fmt::format("  and {} words more\n", count - kDifferencesShown);
}

std::string fault_text(const Outcome& outcome) {
  return outcome.fault ? outcome.fault->report : "ended well\n";
}

} // namespace

Comparison compare(const Kernel& kernel, void (*stage)(const char*)) {
  Comparison result;
  const auto refused = [&](std::string why) {
    result.verdict = Verdict::kRefused;
    result.report = std::move(why);
    return result;
  };
  stage("parsed");
  auto module = ptx::parse(kernel.text.text(), "kernel.ptx");
  if (!module) {
    return refused(module.error().text("kernel.ptx"));
  }
  for (const ptx::Function& function : (*module)->functions) {
    result.instructions += static_cast<unsigned>(function.instructions.size());
  }
  std::vector<std::unique_ptr<ptx::Module>> modules;
  modules.push_back(std::move(*module));
  auto linked = ptx::link(std::move(modules));
  if (!linked) {
    return refused(linked.error());
  }
  const std::shared_ptr<const ptx::Program> program = std::move(*linked);
  const DeviceBytes memory(kernel.result_bytes() + kernel.own_bytes());
  Outcome outcomes[2];
  for (const exec::Mode mode : {exec::Mode::kInterpret, exec::Mode::kCompile}) {
    const bool compiles = mode == exec::Mode::kCompile;
    stage(compiles ? "compiled" : "interpreted");
    exec::LoadOptions options;
    options.mode = mode;
    const auto loaded = exec::LoadedProgram::load(program, options);
    if (!loaded) {
      return refused(loaded.error());
    }
    const auto ready = (*loaded)->prepare((*loaded)->kernel("k").value(), kernel.shape);
    if (!ready && !compiles) {
      return refused(ready.error().report);
    }
    outcomes[compiles ? 1 : 0] =
        ready
            ? run(kernel, **loaded, memory.address())
            : Outcome{exec::Fault{exec::FaultCode::kIllegalInstruction, ready.error().report}, {}};
  }
  stage("compared");
  const auto& [interpreted, compiled] = outcomes;
  if (interpreted.fault || compiled.fault) {
    const bool same =
        interpreted.fault && compiled.fault && interpreted.fault->code == compiled.fault->code;
    result.verdict = same ? Verdict::kFaults : Verdict::kDiffers;
    result.report =
        fmt::format("interpreted: {}\ncompiled: {}", fault_text(interpreted), fault_text(compiled));
  } else if (interpreted.memory != compiled.memory) {
    result.verdict = Verdict::kDiffers;
    result.report = differences(kernel, interpreted, compiled);
  }
  return result;
}

} // namespace gantry::simt::fuzz

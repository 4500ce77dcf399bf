// Which definition of a symbol the device link uses, when some of the inputs are bitcode.
//
// LLVM optimises bitcode on the linker's word: it drops every definition that does not prevail. So
// the choice is made here, over all inputs of the group, bitcode and machine code, in the order in
// which they are linked, and by the rules of ELF:
//
// - Of a COMDAT group the first input's copy stays, and the other copies count for nothing.
// - A strong definition prevails over a common one, a common one over a weak one; the larger of two
//   common ones, the first of two weak ones.
// - Two strong definitions are an error.
//
// The linker agrees afterwards, because what LLVM compiled stands before the machine code of the
// group and holds no definition that did not prevail.
#pragma once

#include "base/result.h"
#include "link/device_code.h"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include <llvm/LTO/LTO.h>

namespace gantry::link {

/// In the order in which definitions prevail.
enum class Strength { kWeak, kCommon, kStrong };

struct Definition {
  std::string name;
  Strength strength = Strength::kStrong;
  std::uint64_t common_size = 0;
  std::string comdat = {}; ///< the name of its COMDAT group; empty if it is in none
};

/// What a relocatable ELF object defines for others.
[[nodiscard]] Result<std::vector<Definition>> elf_definitions(Bytes contents);

/// What bitcode defines for others.
[[nodiscard]] std::vector<Definition> bitcode_definitions(const llvm::lto::InputFile& file);

/// The choice itself. Refers to the inputs added, which must outlive it. Not thread-safe.
class SymbolResolution {
public:
  /// Adds the definitions of the next input in link order.
  void add(const DeviceInput& input, const std::vector<Definition>& definitions);

  /// True if `input`'s definition of `name` is the one that counts, once all inputs are added.
  [[nodiscard]] bool prevails(const DeviceInput& input, const std::string& name) const;

  /// An error that names each symbol with several strong definitions and their objects.
  [[nodiscard]] Status check_duplicates() const;

private:
  struct Prevailing {
    const DeviceInput* input;
    Strength strength;
    std::uint64_t common_size;
  };

  void add(const DeviceInput& input, const Definition& definition);

  std::unordered_map<std::string, Prevailing> symbols_;
  std::unordered_map<std::string, const DeviceInput*> comdats_; ///< whose copy stays
  std::map<std::string, std::vector<std::string>> duplicates_;  ///< the definers' origins
};

} // namespace gantry::link

// Any bytes as an ELF file with line tables and symbols, and as a line table.
#include "simt/amdgcn/objects/debug_sections.h"
#include "simt/amdgcn/objects/line_table.h"

#include <cstddef>
#include <cstdint>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace amdgcn = gantry::simt::amdgcn;
  const gantry::Bytes bytes = std::as_bytes(std::span(data, size));
  amdgcn::DebugSections sections = amdgcn::copy_debug_sections(bytes);
  constexpr std::uint64_t kAddress = 0x1304; // of code in the seeds
  (void)amdgcn::find_function(sections, kAddress);
  (void)amdgcn::find_line(sections, kAddress, kAddress);
  sections.lines.assign(bytes.begin(), bytes.end());
  (void)amdgcn::find_line(sections, kAddress, 0);
  return 0;
}

#include "compare_images.h"

#include "difference.h"
#include "disassembler.h"

#include "simt/amdgcn/code/encoding.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>

namespace gantry::simt::amdgcn {

Comparison compare_code(const Processor& processor, std::span<const std::uint32_t> words) {
  constexpr std::size_t kMostShown = 20;
  Comparison made;
  Disassembler disassembler(processor.name);
  for (std::size_t at = 0; at < words.size();) {
    const auto rest = words.subspan(at, std::min<std::size_t>(words.size() - at, 5));
    const Disassembler::Line line = disassembler.line(rest);
    at += std::max(line.dwords, 1U);
    if (line.dwords == 0 || line.text == "v_illegal") { // what gfx11 calls zeros
      continue;
    }
    const auto read = read_instruction(
        processor, rest.first(std::min<std::size_t>(rest.size(), kLongestInstruction)));
    if (!read) {
      made.unknown.push_back(line.text + ": " + read.error());
      continue;
    }
    ++made.instructions;
    std::string why = difference(print(processor, *read, rest), line.text);
    if (why.empty() && read->size != line.dwords) {
      why = line.text + " has another size";
    }
    if (!why.empty() && made.differences.size() < kMostShown) {
      made.differences.push_back(std::move(why));
    }
  }
  return made;
}

ImageCode code_of_image(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  ImageCode made;
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header) {
    return made;
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  made.processor = find_processor(header.e_flags & 0xff);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    const std::size_t place = header.e_shoff + std::size_t{i} * sizeof section;
    if (place + sizeof section > bytes.size()) {
      break;
    }
    std::memcpy(&section, &bytes[place], sizeof section);
    if ((section.sh_flags & SHF_EXECINSTR) != 0 && section.sh_type == SHT_PROGBITS &&
        section.sh_offset + section.sh_size <= bytes.size()) {
      const std::size_t before = made.words.size();
      made.words.resize(before + section.sh_size / 4);
      std::memcpy(made.words.data() + before, bytes.data() + section.sh_offset,
                  section.sh_size / 4 * 4);
    }
  }
  return made;
}

} // namespace gantry::simt::amdgcn

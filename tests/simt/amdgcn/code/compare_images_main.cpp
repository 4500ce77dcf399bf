// simt_amdgcn_compare_images FILE…: whole code objects, for those who have more of them than the
// test has.
#include "compare_images.h"

#include <cstdio>
#include <map>

int main(int count, char** arguments) {
  using namespace gantry::simt::amdgcn;
  std::size_t instructions = 0;
  bool same = true;
  std::map<std::string, std::size_t> unknown;
  for (int i = 1; i < count; ++i) {
    const ImageCode code = code_of_image(arguments[i]);
    if (code.processor == nullptr || code.words.empty()) {
      std::fprintf(stderr, "%s: no code object that is known\n", arguments[i]);
      same = false;
      continue;
    }
    const Comparison it = compare_code(*code.processor, code.words);
    instructions += it.instructions;
    same = same && it.differences.empty();
    for (const std::string& text : it.differences) {
      std::printf("%s: %s\n", arguments[i], text.c_str());
    }
    for (const std::string& text : it.unknown) {
      ++unknown[text.substr(0, text.find(' '))];
    }
  }
  for (const auto& [mnemonic, times] : unknown) {
    std::printf("not known: %s, %zu times\n", mnemonic.c_str(), times);
  }
  std::printf("%zu instructions compared\n", instructions);
  return same ? 0 : 1;
}

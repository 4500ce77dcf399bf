#include "base/response_file.h"

#include "base/mapped_file.h"

#include <cctype>
#include <string_view>

namespace gantry {
namespace {

/// No command line nests deeper by intention.
constexpr unsigned kDeepest = 32;

bool is_blank(char character) {
  return std::isspace(static_cast<unsigned char>(character)) != 0;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    if (is_blank(text[at])) {
      ++at;
      continue;
    }
    std::string word;
    char quote = '\0';
    for (; at < text.size() && (quote != '\0' || !is_blank(text[at])); ++at) {
      const char character = text[at];
      if (character == '\\' && at + 1 < text.size()) {
        word += text[++at];
      } else if (quote == '\0' && (character == '"' || character == '\'')) {
        quote = character;
      } else if (character == quote) {
        quote = '\0';
      } else {
        word += character;
      }
    }
    words.push_back(std::move(word));
  }
  return words;
}

Status expand(std::string argument, unsigned depth, std::vector<std::string>& result) {
  if (!argument.starts_with('@') || argument.size() == 1) {
    result.push_back(std::move(argument));
    return {};
  }
  const std::string path = argument.substr(1);
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) {
    result.push_back(std::move(argument));
    return {};
  }
  if (depth == kDeepest) {
    return fail("the response file '{}' is inside {} others; one of them names itself", path,
                kDeepest);
  }
  for (std::string& word : words_of(as_text(file->bytes()))) {
    GANTRY_TRY(expand(std::move(word), depth + 1, result));
  }
  return {};
}

} // namespace

Result<std::vector<std::string>> expand_response_files(std::span<const char* const> arguments) {
  std::vector<std::string> result;
  for (const char* argument : arguments) {
    GANTRY_TRY(expand(argument, 0, result));
  }
  return result;
}

} // namespace gantry

#include "simt/ptx/small_directives.h"

namespace gantry::simt::ptx {

bool skip_numbers(Cursor& cursor) {
  std::uint32_t number = 0;
  if (!cursor.at(TokenKind::kInteger)) {
    return true;
  }
  do {
    if (!cursor.expect_number(number)) {
      return false;
    }
  } while (cursor.accept(','));
  return true;
}

bool skip_pragma(Cursor& cursor) {
  do {
    cursor.next();
    if (!cursor.at(TokenKind::kString)) {
      return cursor.syntax_error("a string");
    }
    cursor.next();
  } while (cursor.at(','));
  return cursor.expect(';');
}

bool parse_file(ParseContext& context) {
  Cursor& cursor = context.cursor;
  cursor.next();
  std::uint32_t number = 0;
  if (!cursor.expect_number(number)) {
    return false;
  }
  if (!cursor.at(TokenKind::kString)) {
    return cursor.syntax_error("a string");
  }
  context.module.files.emplace_back(number, cursor.token().text);
  cursor.next();
  // The time and the size of the file, which some write.
  while (cursor.accept(',')) {
    if (!cursor.at(TokenKind::kInteger)) {
      return cursor.syntax_error("a number");
    }
    cursor.next();
  }
  return true;
}

bool parse_loc(Cursor& cursor, SourcePosition& position) {
  cursor.next();
  if (!cursor.expect_number(position.file) || !cursor.expect_number(position.line) ||
      !cursor.expect_number(position.column)) {
    return false;
  }
  // Where the function that was inlined comes from: `, function_name LABEL+4, inlined_at 1 20 3`.
  while (cursor.accept(',')) {
    std::string_view word;
    if (!cursor.expect_name(word, "'function_name'")) {
      return false;
    }
    if (word == "function_name") {
      std::uint32_t offset = 0;
      if (!cursor.expect_name(word, "a label") ||
          (cursor.accept('+') && !cursor.expect_number(offset))) {
        return false;
      }
    } else if (SourcePosition outer; word != "inlined_at") {
      return cursor.syntax_error("'inlined_at'");
    } else if (!cursor.expect_number(outer.file) || !cursor.expect_number(outer.line) ||
               !cursor.expect_number(outer.column)) {
      return false;
    }
  }
  return true;
}

} // namespace gantry::simt::ptx

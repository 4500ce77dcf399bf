#include "base/host_mappings.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace gantry {

namespace {

/// Empty if there is none. Not by streams: they would allocate for every line.
std::string list_of_mappings() {
  std::string text;
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return text;
  }
  for (;;) {
    constexpr std::size_t kPiece = 1 << 16;
    const std::size_t had = text.size();
    text.resize(had + kPiece);
    const ssize_t count = read(file, text.data() + had, kPiece);
    text.resize(had + (count > 0 ? static_cast<std::size_t>(count) : 0));
    if (count == 0 || (count < 0 && errno != EINTR)) {
      break;
    }
  }
  close(file);
  return text;
}

/// "7f00-8f00 rw-p 00000000 00:00 0   [heap]"; false if the line is not of this kind.
bool read_line(std::string_view line, HostMapping& mapping) {
  constexpr std::ptrdiff_t kRights = 4;
  const char* const end = line.end();
  const auto first = std::from_chars(line.begin(), end, mapping.begin, 16);
  if (first.ec != std::errc() || first.ptr == end) {
    return false;
  }
  const auto second = std::from_chars(first.ptr + 1, end, mapping.end, 16);
  if (second.ec != std::errc() || end - second.ptr < kRights) {
    return false;
  }
  mapping.readable = second.ptr[1] == 'r';
  mapping.writable = second.ptr[2] == 'w';
  mapping.heap = line.ends_with("[heap]");
  mapping.stack = line.ends_with("[stack]");
  return true;
}

} // namespace

std::vector<HostMapping> read_host_mappings() {
  const std::string text = list_of_mappings();
  std::vector<HostMapping> mappings;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (HostMapping mapping; read_line(std::string_view(text).substr(at, end - at), mapping)) {
      mappings.push_back(mapping);
    }
    at = end + 1;
  }
  return mappings;
}

} // namespace gantry

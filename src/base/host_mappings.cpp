#include "base/host_mappings.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace gantry {

namespace {

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

/// Allocates no memory other than for growing `list`.
void append_mappings(std::vector<HostMapping>& list) {
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return;
  }
  std::array<char, 8192> buffer;
  std::size_t filled = 0;
  bool in_long_line = false;
  for (;;) {
    const ssize_t count = read(file, buffer.data() + filled, buffer.size() - filled);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      break;
    }
    filled += static_cast<std::size_t>(count);
    std::string_view rest(buffer.data(), filled);
    const auto take_line = [&](std::size_t length) {
      if (HostMapping mapping; !in_long_line && read_line(rest.substr(0, length), mapping)) {
        list.push_back(mapping);
      }
    };
    for (std::size_t end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
      take_line(end);
      in_long_line = false;
      rest.remove_prefix(end + 1);
    }
    if (rest.size() == buffer.size()) { // what is left of it is the end of a file's name
      take_line(rest.size());
      in_long_line = true;
      rest = {};
    }
    filled = rest.size();
    std::ranges::copy(rest, buffer.begin());
  }
  close(file);
}

/// struct procmap_query of <linux/fs.h>, which older headers lack.
struct MappingQuestion {
  std::uint64_t size = sizeof(MappingQuestion);
  std::uint64_t rights = 0; ///< that the mapping must have
  std::uint64_t address = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t flags = 0;
  std::uint64_t page_size = 0;
  std::uint64_t offset = 0;
  std::uint64_t inode = 0;
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t name_size = 0;
  std::uint32_t build_id_size = 0;
  std::uint64_t name = 0;
  std::uint64_t build_id = 0;
};
constexpr std::uint64_t kReadable = 1;
constexpr std::uint64_t kWritable = 2;
constexpr unsigned long kAsk = _IOWR('f', 17, MappingQuestion);

} // namespace

std::optional<bool> HostMappingQuery::allows(std::uintptr_t begin, std::uintptr_t end,
                                             Right right) {
  while (begin < end) {
    const auto mapping_end = end_of_mapping(begin, right);
    if (!mapping_end) {
      return std::nullopt;
    }
    if (*mapping_end <= begin) {
      return false;
    }
    begin = *mapping_end;
  }
  return true;
}

std::optional<std::uintptr_t> HostMappingQuery::end_of_mapping(std::uintptr_t address,
                                                               Right right) {
  while (answers_) {
    const bool opened = open_list();
    if (list_ < 0) {
      return std::nullopt; // there are too many descriptors, say
    }
    MappingQuestion question;
    question.rights = right == Right::kRead ? kReadable : kWritable;
    question.address = address;
    if (ioctl(list_, kAsk, &question) == 0) {
      return question.end;
    }
    if (errno == ENOENT) {
      return 0;
    }
    // A program that closes all descriptors has closed this one, whose number may be another's now.
    if (opened) {
      answers_ = false;
      close(list_);
    }
    list_ = -1;
  }
  return std::nullopt;
}

bool HostMappingQuery::open_list() {
  const pid_t process = getpid();
  if (list_ >= 0 && process_ == process) {
    return false;
  }
  // Not closed before: after a fork the program may have put another one in its place.
  list_ = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  process_ = process;
  return true;
}

void read_host_mappings(std::vector<HostMapping>& list) {
  std::size_t room = 0;
  do {
    room = list.capacity();
    list.clear();
    append_mappings(list);
  } while (list.capacity() != room);
}

} // namespace gantry

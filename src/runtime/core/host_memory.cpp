#include "runtime/core/host_memory.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string>

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

namespace gantry::core {

namespace {

constexpr std::uintptr_t kPage = 4096;
/// As many pages are asked for one by one.
constexpr std::uintptr_t kFewPages = 16;
/// So many questions about what is not in the list make it worth reading again: the heap and the
/// stack grow.
constexpr int kMostUnlisted = 64;

/// False if a page of [begin, end) cannot be accessed.
bool populate(std::uintptr_t begin, std::uintptr_t end, HostMemory::Access access) {
  const std::uintptr_t first = begin & ~(kPage - 1);
  return madvise(reinterpret_cast<void*>(first), end - first,
                 access == HostMemory::Access::kRead ? MADV_POPULATE_READ : MADV_POPULATE_WRITE) ==
             0 ||
         errno == EAGAIN || errno == EINTR;
}

/// False if a page of [begin, end) belongs to no mapping.
bool is_mapped(std::uintptr_t begin, std::uintptr_t end) {
  constexpr std::uintptr_t kMostPages = 4096;
  std::array<unsigned char, kMostPages> residence;
  for (std::uintptr_t at = begin & ~(kPage - 1); at < end;) {
    const std::uintptr_t bytes = std::min(end - at, kMostPages * kPage);
    if (mincore(reinterpret_cast<void*>(at), bytes, residence.data()) != 0 && errno == ENOMEM) {
      return false;
    }
    at += (bytes + kPage - 1) & ~(kPage - 1);
  }
  return true;
}

/// The contents of /proc/self/maps; empty if it cannot be read.
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

} // namespace

HostMemory& HostMemory::instance() {
  static auto* memory = new HostMemory;
  return *memory;
}

HostMemory::HostMemory() : unlisted_(kMostUnlisted) {
  // Not by dl_iterate_phdr(), which waits for whoever is inside dlopen.
  const auto* headers = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
  const std::uintptr_t count = headers == nullptr ? 0 : getauxval(AT_PHNUM);
  const auto* self = std::find_if(headers, headers + count,
                                  [](const auto& header) { return header.p_type == PT_PHDR; });
  if (self == headers + count) {
    return;
  }
  const std::uintptr_t bias = reinterpret_cast<std::uintptr_t>(headers) - self->p_vaddr;
  executable_.begin = ~std::uintptr_t{0};
  for (const auto* header = headers; header != headers + count; ++header) {
    if (header->p_type == PT_LOAD) {
      executable_.begin = std::min(executable_.begin, bias + header->p_vaddr);
      executable_.end = std::max(executable_.end, bias + header->p_vaddr + header->p_memsz);
    }
  }
}

std::optional<std::uintptr_t> HostMemory::first_missing(std::uintptr_t begin, std::uint64_t size,
                                                        Access access) {
  if (size == 0) {
    return std::nullopt;
  }
  const std::uintptr_t end = begin + size;
  const std::lock_guard lock(mutex_);
  const Answer known = look_up(begin, end, access);
  if (!known.missing && known.lasting) {
    return std::nullopt;
  }
  const bool there = is_there(begin, end, access);
  unlisted_ += known.missing ? 1 : 0;
  if (there && unlisted_ < kMostUnlisted) {
    return std::nullopt;
  }
  if (!read_list()) {
    return std::nullopt;
  }
  const Answer now = look_up(begin, end, access);
  populates_ = populates_ && (there || now.missing);
  return there ? std::nullopt : now.missing;
}

bool HostMemory::is_there(std::uintptr_t begin, std::uintptr_t end, Access access) const {
  if (!populates_) {
    // What was protected only is not noticed.
    return is_mapped(begin, end) && !look_up(begin, end, access).missing;
  }
  return end - begin <= kFewPages * kPage
             ? populate(begin, end, access)
             : is_mapped(begin, end) && populate(begin, begin + 1, access) &&
                   populate(end - 1, end, access);
}

HostMemory::Answer HostMemory::look_up(std::uintptr_t begin, std::uintptr_t end,
                                       Access access) const {
  Answer answer;
  auto range = std::ranges::upper_bound(ranges_, begin, {}, &Range::end);
  for (; begin < end; ++range) {
    if (range == ranges_.end() || begin < range->begin ||
        !(access == Access::kRead ? range->readable : range->writable)) {
      answer.missing = begin;
      return answer;
    }
    const bool given_back =
        range->heap && reinterpret_cast<std::uintptr_t>(sbrk(0)) < std::min(end, range->end);
    answer.lasting = answer.lasting && range->lasting && !given_back;
    begin = range->end;
  }
  return answer;
}

bool HostMemory::read_list() {
  const std::string text = list_of_mappings();
  unlisted_ = 0;
  ranges_.clear();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    add_line(std::string_view(text).substr(at, end - at));
    at = end + 1;
  }
  return !ranges_.empty();
}

/// "7f00-8f00 rw-p 00000000 00:00 0   [heap]"
void HostMemory::add_line(std::string_view line) {
  const char* const text_end = line.data() + line.size();
  Range range;
  const auto first = std::from_chars(line.data(), text_end, range.begin, 16);
  if (first.ec != std::errc() || first.ptr == text_end) {
    return;
  }
  const auto second = std::from_chars(first.ptr + 1, text_end, range.end, 16);
  if (second.ec != std::errc() || text_end - second.ptr < 4) {
    return;
  }
  range.readable = second.ptr[1] == 'r';
  range.writable = second.ptr[2] == 'w';
  range.heap = line.ends_with("[heap]");
  range.lasting = range.heap || line.ends_with("[stack]") ||
                  (range.begin >= executable_.begin && range.end <= executable_.end + kPage);
  ranges_.push_back(range);
}

} // namespace gantry::core

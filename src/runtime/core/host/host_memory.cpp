#include "runtime/core/host/host_memory.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

namespace gantry::core {

namespace {

constexpr std::uintptr_t kPage = 4096;
/// As many pages are made present, all of them.
constexpr std::uintptr_t kFewPages = 16;
/// To copy so many bytes takes many times as long as to read the list.
constexpr std::uintptr_t kListedSize = 16 << 20;
/// So many questions about what is not in the list make it worth reading again: the heap and the
/// stack grow.
constexpr int kMostUnlisted = 64;

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
  if (end < begin) { // of the last page no process has anything
    return first_missing(begin, ~begin, access).value_or(~std::uintptr_t{0});
  }
  const std::lock_guard lock(mutex_);
  const Answer known = look_up(begin, end, access);
  if (!known.missing && known.lasting) {
    return std::nullopt;
  }
  const Verdict verdict = judge(begin, end, access);
  unlisted_ += known.missing ? 1 : 0;
  if (verdict == Verdict::kThere && unlisted_ < kMostUnlisted) {
    return std::nullopt;
  }
  if (!read_list() || verdict == Verdict::kThere) {
    return std::nullopt;
  }
  const Answer now = look_up(begin, end, access);
  if (!now.missing && verdict == Verdict::kMissing) {
    const std::uintptr_t missing = first_not_populated(begin, end, access);
    return missing < end ? std::optional(missing) : std::nullopt;
  }
  populates_ = populates_ && (now.missing || query_.answers());
  return now.missing;
}

HostMemory::Verdict HostMemory::judge(std::uintptr_t begin, std::uintptr_t end, Access access) {
  const auto as_listed = [&] {
    return look_up(begin, end, access).missing ? Verdict::kUnknown : Verdict::kThere;
  };
  if (!populates_) {
    // What was protected only is not noticed.
    return is_mapped(begin, end) ? as_listed() : Verdict::kUnknown;
  }
  const bool few = end - begin <= kFewPages * kPage;
  Verdict verdict = populate(few ? begin : end - 1, end, access);
  if (!few && verdict == Verdict::kThere) {
    verdict = populate(begin, begin + 1, access);
  }
  if (verdict == Verdict::kMissing || (few && verdict == Verdict::kThere)) {
    return verdict;
  }
  const auto right =
      access == Access::kRead ? HostMappingQuery::Right::kRead : HostMappingQuery::Right::kWrite;
  if (const auto allowed = query_.allows(begin, end, right)) {
    return *allowed ? Verdict::kThere : Verdict::kUnknown;
  }
  if (verdict == Verdict::kUnknown || !is_mapped(begin, end)) {
    return Verdict::kUnknown;
  }
  return end - begin >= kListedSize && read_list() ? as_listed() : Verdict::kThere;
}

HostMemory::Verdict HostMemory::populate(std::uintptr_t begin, std::uintptr_t end, Access access) {
  const std::uintptr_t first = begin & ~(kPage - 1);
  if (madvise(reinterpret_cast<void*>(first), end - first,
              access == Access::kRead ? MADV_POPULATE_READ : MADV_POPULATE_WRITE) == 0) {
    return Verdict::kThere;
  }
  switch (errno) {
  case EAGAIN:
  case EINTR:
    return Verdict::kThere;
  case EFAULT: // the file of the mapping ends before
  case EHWPOISON:
    return Verdict::kMissing;
  default: // not mapped, protected, a device's, or the system makes no pages present
    return Verdict::kUnknown;
  }
}

std::uintptr_t HostMemory::first_not_populated(std::uintptr_t begin, std::uintptr_t end,
                                               Access access) {
  const std::uintptr_t first = begin & ~(kPage - 1);
  std::uintptr_t there = 0; // so many pages are
  std::uintptr_t missing = (end - first + kPage - 1) / kPage;
  while (there < missing) {
    const std::uintptr_t middle = there + (missing - there) / 2;
    const std::uintptr_t page = first + middle * kPage;
    if (populate(first + there * kPage, page + 1, access) == Verdict::kThere) {
      there = middle + 1;
    } else {
      missing = middle;
    }
  }
  return std::max(begin, first + there * kPage);
}

HostMemory::Answer HostMemory::look_up(std::uintptr_t begin, std::uintptr_t end,
                                       Access access) const {
  Answer answer;
  auto mapping = std::ranges::upper_bound(list_, begin, {}, &HostMapping::end);
  for (; begin < end; ++mapping) {
    if (mapping == list_.end() || begin < mapping->begin ||
        !(access == Access::kRead ? mapping->readable : mapping->writable)) {
      answer.missing = begin;
      return answer;
    }
    const bool given_back =
        mapping->heap && reinterpret_cast<std::uintptr_t>(sbrk(0)) < std::min(end, mapping->end);
    answer.lasting = answer.lasting && is_lasting(*mapping) && !given_back;
    begin = mapping->end;
  }
  return answer;
}

bool HostMemory::is_lasting(const HostMapping& mapping) const {
  const bool of_executable =
      mapping.begin >= executable_.begin && mapping.end <= executable_.end + kPage;
  return mapping.heap || mapping.stack || of_executable;
}

bool HostMemory::read_list() {
  unlisted_ = 0;
  read_host_mappings(list_);
  return !list_.empty();
}

} // namespace gantry::core

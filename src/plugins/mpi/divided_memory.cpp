#include "plugins/mpi/divided_memory.h"

#include <algorithm>
#include <limits>

namespace gantry::mpi {

Result<std::uint64_t> DividedMemory::allocate(std::uint64_t bytes) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() / 2;
  if (bytes > kMost) {
    return fail("{} bytes are more than any memory has", bytes);
  }
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  {
    const std::lock_guard lock(mutex_);
    if (const auto part = take_part(bytes)) {
      return *part;
    }
  }
  std::uint64_t size = std::max(bytes, kPiece);
  auto taken = pieces_.take(size);
  if (!taken && size > bytes) {
    size = bytes; // as little as will do
    taken = pieces_.take(size);
  }
  if (!taken) {
    return tl::unexpected(taken.error());
  }
  const std::lock_guard lock(mutex_);
  Piece& piece = by_begin_[*taken];
  piece.bytes = size;
  taken_bytes_ += size;
  add_free(piece, *taken, size);
  return *take_part(bytes);
}

std::optional<std::uint64_t> DividedMemory::take_part(std::uint64_t bytes) {
  const auto best = by_size_.lower_bound({bytes, 0});
  if (best == by_size_.end()) {
    return std::nullopt;
  }
  const auto [size, begin] = *best;
  Piece& piece = std::prev(by_begin_.upper_bound(begin))->second;
  remove_free(piece, piece.free.find(begin));
  if (size > bytes) {
    add_free(piece, begin + bytes, size - bytes);
  }
  used_[begin] = bytes;
  used_bytes_ += bytes;
  most_used_ = std::max(most_used_, used_bytes_);
  return begin;
}

void DividedMemory::add_free(Piece& piece, std::uint64_t begin, std::uint64_t bytes) {
  piece.free.emplace(begin, bytes);
  by_size_.emplace(bytes, begin);
}

void DividedMemory::remove_free(Piece& piece,
                                std::map<std::uint64_t, std::uint64_t>::iterator part) {
  by_size_.erase({part->second, part->first});
  piece.free.erase(part);
}

bool DividedMemory::release(std::uint64_t begin) {
  std::uint64_t not_needed = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto used = used_.extract(begin);
    if (used.empty()) {
      return false;
    }
    std::uint64_t bytes = used.mapped();
    used_bytes_ -= bytes;
    const auto piece = std::prev(by_begin_.upper_bound(begin));
    auto& free = piece->second.free;
    auto behind = free.lower_bound(begin);
    if (behind != free.end() && behind->first == begin + bytes) {
      bytes += behind->second;
      remove_free(piece->second, behind);
    }
    if (const auto next = free.lower_bound(begin); next != free.begin()) {
      if (const auto before = std::prev(next); before->first + before->second == begin) {
        begin = before->first;
        bytes += before->second;
        remove_free(piece->second, before);
      }
    }
    // A piece of which nothing is used stays if the program has used as much at once before.
    if (bytes == piece->second.bytes && taken_bytes_ - bytes >= std::max(most_used_, kPiece)) {
      taken_bytes_ -= bytes;
      by_begin_.erase(piece);
      not_needed = begin;
    } else {
      add_free(piece->second, begin, bytes);
    }
  }
  if (not_needed != 0) {
    pieces_.give_back(not_needed);
  }
  return true;
}

} // namespace gantry::mpi

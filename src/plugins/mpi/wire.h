// How what two processes tell each other lies in a message: records, one behind the other, each a
// head and values as they lie in memory. Both are little endian (roles.h sees to that).
#pragma once

#include "base/bytes.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gantry::mpi {

enum class Kind : std::uint16_t;

/// A record begins with it.
struct Head {
  std::uint32_t size = 0; ///< of the record, with this
  Kind kind = {};
  std::uint16_t flags = 0;
  std::uint32_t id = 0; ///< of what the record is about
};

/// Writes values at the end of `out`, which nobody else writes to meanwhile.
class Values {
public:
  explicit Values(std::vector<std::byte>& out) : out_(out) {}

  template <typename Value>
  Values& put(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value> && !std::is_pointer_v<Value>);
    return put_bytes({reinterpret_cast<const std::byte*>(&value), sizeof value});
  }
  Values& put_bytes(Bytes bytes) {
    out_.insert(out_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  /// Its length and its bytes.
  Values& put_text(std::string_view text) {
    return put(static_cast<std::uint32_t>(text.size())).put_bytes(as_bytes(text));
  }

protected:
  std::vector<std::byte>& out_;
};

/// The values of a record, which is whole when this ends.
class Record : public Values {
public:
  Record(std::vector<std::byte>& out, Kind kind, std::uint32_t id, std::uint16_t flags = 0)
      : Values(out), begin_(out.size()) {
    put(Head{0, kind, flags, id});
  }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;
  ~Record() {
    const auto size = static_cast<std::uint32_t>(out_.size() - begin_);
    std::memcpy(out_.data() + begin_, &size, sizeof size);
  }

private:
  const std::size_t begin_;
};

/// Reads values that somebody else wrote. One that is not there is 0 or empty, and makes the reader
/// bad, so that it is asked once, behind the last.
class Reader {
public:
  explicit Reader(Bytes bytes) : left_(bytes) {}

  template <typename Value>
  Value get() {
    static_assert(std::is_trivially_copyable_v<Value> && !std::is_pointer_v<Value>);
    const auto value = load<Value>(left_, 0);
    (void)get_bytes(sizeof(Value));
    return value.value_or(Value{});
  }
  Bytes get_bytes(std::uint64_t count) {
    if (count > left_.size()) {
      is_good_ = false;
      left_ = {};
      return {};
    }
    const Bytes bytes = left_.first(count);
    left_ = left_.subspan(count);
    return bytes;
  }
  std::string_view get_text() { return as_text(get_bytes(get<std::uint32_t>())); }
  Bytes rest() { return get_bytes(left_.size()); }

  /// All values that were asked for were there.
  [[nodiscard]] bool is_good() const { return is_good_; }
  /// And nothing else is.
  [[nodiscard]] bool is_at_end() const { return is_good_ && left_.empty(); }
  [[nodiscard]] std::size_t left() const { return left_.size(); }

private:
  Bytes left_;
  bool is_good_ = true;
};

/// Calls `visit` with the head and the values of each record, until it fails or the message is no
/// sequence of records.
template <typename Visit>
Status for_each_record(Bytes message, Visit visit) {
  while (!message.empty()) {
    const auto head = load<Head>(message, 0);
    if (!head || head->size < sizeof(Head) || head->size > message.size()) {
      return fail("a message is damaged: {} of its bytes are no record", message.size());
    }
    GANTRY_TRY(visit(*head, Reader(message.subspan(sizeof(Head), head->size - sizeof(Head)))));
    message = message.subspan(head->size);
  }
  return {};
}

} // namespace gantry::mpi

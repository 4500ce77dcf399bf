// The events of a trace as text.
#pragma once

#include "cli/profile/process_profile.h"
#include "cli/profile/trace.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace gantry::cli::profile {

/// A row of a trace.
struct TraceTrack {
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
};

/// Writes events, whose texts are JSON already: with quotes, and escaped.
class TraceWriter {
public:
  TraceWriter(const TextSink& sink, Time begin) : sink_(sink), begin_(begin) {
    text_.append(std::string_view(R"({"displayTimeUnit":"ns","traceEvents":[)"));
  }
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;
  ~TraceWriter() {
    text_.append(std::string_view("\n]}\n"));
    flush();
  }

  /// `args` is an object's inside, and may be empty.
  void slice(TraceTrack track, Interval time, std::string_view name, std::string_view args) {
    begin_event('X', track, time.begin);
    put(R"(,"dur":{}.{:03},"name":{},"args":{{{}}}}})", time.length() / 1000, time.length() % 1000,
        name, args);
  }
  /// Slices that need not nest with others.
  void async_slice(TraceTrack track, Interval time, std::uint64_t id, std::string_view name,
                   std::string_view args) {
    begin_event('b', track, time.begin);
    put(R"(,"cat":"construct","id2":{{"local":"{:#x}"}},"name":{},"args":{{{}}}}})", id, name,
        args);
    begin_event('e', track, time.end);
    put(R"(,"cat":"construct","id2":{{"local":"{:#x}"}},"name":{}}})", id, name);
  }
  /// `phase`: s, t or f, a flow's begin, step or end, in the slice of the track at that time.
  void flow(char phase, TraceTrack track, Time time, std::uint64_t id) {
    begin_event(phase, track, time);
    put(R"(,"cat":"flow","name":"construct","id":{}{}}})", id, phase == 'f' ? R"(,"bp":"e")" : "");
  }
  /// `name` without quotes.
  void counter(std::uint32_t process, Time time, std::string_view name, double value) {
    begin_event('C', {process, 0}, time);
    put(R"(,"name":"{}","args":{{"value":{}}}}})", name, value);
  }
  void instant(TraceTrack track, Time time, std::string_view name) {
    begin_event('i', track, time);
    put(R"(,"s":"p","name":{}}})", name);
  }
  /// `kind` is process_name, thread_name or process_sort_index.
  void metadata(TraceTrack track, std::string_view kind, std::string_view key,
                std::string_view value) {
    put(R"({}{{"ph":"M","pid":{},"tid":{},"name":"{}","args":{{"{}":{}}}}})", separator(),
        track.process, track.thread, kind, key, value);
  }

private:
  template <typename... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    if (text_.size() >= kPiece) {
      flush();
    }
  }
  void begin_event(char phase, TraceTrack track, Time time) {
    const Time since = std::max<Time>(0, time - begin_);
    fmt::format_to(std::back_inserter(text_), R"({}{{"ph":"{}","pid":{},"tid":{},"ts":{}.{:03})",
                   separator(), phase, track.process, track.thread, since / 1000, since % 1000);
  }
  std::string_view separator() { return std::exchange(is_first_, false) ? "\n" : ",\n"; }
  void flush() {
    sink_({text_.data(), text_.size()});
    text_.clear();
  }

  static constexpr std::size_t kPiece = 1 << 20;
  const TextSink& sink_;
  const Time begin_;
  bool is_first_ = true;
  fmt::memory_buffer text_;
};

/// `text` as a JSON string, with quotes. What is no UTF-8 becomes U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

} // namespace gantry::cli::profile

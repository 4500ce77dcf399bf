// Profiles for tests, record by record.
#pragma once

#include "base/bytes.h"
#include "profile/record.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace gantry::cli::profile::testing {

/// The bytes of a profile of process 7, which began at 1000 and has not ended by exit().
class ProfileBuilder {
public:
  ProfileBuilder() : bytes_(gantry::profile::kBlockSize) {
    const gantry::profile::FileHeader header{.magic = gantry::profile::kMagic,
                                             .version = gantry::profile::kVersion,
                                             .block_size = gantry::profile::kBlockSize,
                                             .has_content = 1,
                                             .process = 7,
                                             .begin = 1000,
                                             .limit = 1 << 20,
                                             .program = "/bin/app"};
    std::memcpy(bytes_.data(), &header, sizeof header);
    begin_block(1);
  }

  /// What follows is in a block of its own.
  ProfileBuilder& begin_block(std::uint64_t writer) {
    const std::size_t blocks =
        (bytes_.size() + gantry::profile::kBlockSize - 1) / gantry::profile::kBlockSize;
    bytes_.resize(blocks * gantry::profile::kBlockSize);
    return add(gantry::profile::BlockRecord{.head = head(gantry::profile::RecordType::kBlock),
                                            .writer = writer});
  }

  template <typename Record>
  ProfileBuilder& add(const Record& record) {
    bytes_.resize(bytes_.size() + sizeof record);
    std::memcpy(bytes_.data() + bytes_.size() - sizeof record, &record, sizeof record);
    return *this;
  }

  static gantry::profile::RecordHead head(gantry::profile::RecordType type, std::int32_t device = 0,
                                          unsigned what = 0, std::uint16_t clause = 0) {
    return {type, static_cast<std::uint8_t>(what), clause, device};
  }

  ProfileBuilder& thread(std::uint64_t number) {
    return add(gantry::profile::ThreadRecord{
        .head = head(gantry::profile::RecordType::kThread), .thread = number, .name = "main"});
  }
  ProfileBuilder& text(std::uint32_t number, std::string_view text) {
    for (std::size_t offset = 0; offset < text.size();
         offset += sizeof(gantry::profile::TextRecord::bytes)) {
      gantry::profile::TextRecord piece{.head = head(gantry::profile::RecordType::kText),
                                        .text = number,
                                        .length = static_cast<std::uint32_t>(text.size()),
                                        .offset = static_cast<std::uint32_t>(offset)};
      const std::string_view bytes = text.substr(offset, sizeof piece.bytes);
      std::memcpy(piece.bytes, bytes.data(), bytes.size());
      add(piece);
    }
    return *this;
  }
  /// A place and the two texts of it: numbers from `number` on.
  ProfileBuilder& place(std::uint32_t number, std::string_view construct,
                        std::string_view position) {
    text(number + 1, construct);
    text(number + 2, position);
    return add(gantry::profile::PlaceRecord{.head = head(gantry::profile::RecordType::kPlace),
                                            .place = number,
                                            .construct = number + 1,
                                            .position = number + 2,
                                            .code = 0x400100});
  }
  ProfileBuilder& name(std::uint32_t number, std::string_view variable) {
    text(number + 1, variable);
    return add(gantry::profile::NameRecord{
        .head = head(gantry::profile::RecordType::kName), .name = number, .variable = number + 1});
  }
  ProfileBuilder& begin(std::uint64_t construct, std::uint32_t place, std::int64_t time,
                        std::int32_t device = 0) {
    return add(gantry::profile::ConstructBeginRecord{
        .head = head(gantry::profile::RecordType::kConstructBegin, device),
        .construct = construct,
        .time = time,
        .place = place});
  }
  ProfileBuilder& end(std::uint64_t construct, std::int64_t time) {
    return add(gantry::profile::ConstructEndRecord{
        .head = head(gantry::profile::RecordType::kConstructEnd),
        .construct = construct,
        .time = time});
  }
  ProfileBuilder& presence(gantry::profile::Presence what, std::uint64_t construct,
                           std::uint32_t name, std::uint64_t host, std::uint64_t size,
                           std::int64_t time) {
    return add(gantry::profile::PresenceRecord{
        .head = head(gantry::profile::RecordType::kPresence, 0, what),
        .construct = construct,
        .host = host,
        .size = size,
        .time = time,
        .name = name});
  }
  struct Copied {
    std::uint64_t construct;
    std::uint64_t copy;
    std::uint32_t name;
    bool to_device;
    std::int64_t begin;
    std::int64_t end;
    std::uint64_t hash;
    std::uint16_t clause = gantry::profile::kClauseKnown;
    std::uint64_t size = 4096;
    std::uint64_t host = 0x10000;
  };
  /// With its content and its completion, in no queue.
  ProfileBuilder& copy(const Copied& copied) {
    add(gantry::profile::ContentRecord{.head = head(gantry::profile::RecordType::kContent),
                                       .copy = copied.copy,
                                       .hash = copied.hash});
    add(gantry::profile::CopyRecord{.head = head(gantry::profile::RecordType::kCopy, 0,
                                                 copied.to_device ? gantry::profile::kToDevice : 0,
                                                 copied.clause),
                                    .construct = copied.construct,
                                    .copy = copied.copy,
                                    .host = copied.host,
                                    .size = copied.size,
                                    .time = copied.begin,
                                    .name = copied.name});
    return complete(copied.copy, copied.end);
  }
  ProfileBuilder& launch(std::uint64_t construct, std::uint64_t launch, std::int64_t time,
                         bool has_teams = true) {
    return add(gantry::profile::LaunchRecord{
        .head = head(gantry::profile::RecordType::kLaunch, 0, has_teams ? 1 : 0),
        .construct = construct,
        .launch = launch,
        .time = time});
  }
  ProfileBuilder& complete(std::uint64_t operation, std::int64_t time,
                           std::int64_t device_begin = 0, std::int64_t device_end = 0) {
    if (device_end == 0) {
      return add(gantry::profile::DoneRecord{
          .head = head(gantry::profile::RecordType::kDone), .operation = operation, .time = time});
    }
    return add(
        gantry::profile::CompletionRecord{.head = head(gantry::profile::RecordType::kCompletion),
                                          .operation = operation,
                                          .queue = 1,
                                          .time = time,
                                          .begin = device_begin,
                                          .end = device_end});
  }

  [[nodiscard]] std::vector<std::byte>& bytes() { return bytes_; }

private:
  std::vector<std::byte> bytes_;
};

/// Three executions of a region that maps and copies 'x', sends the same bytes and gets them back.
[[nodiscard]] inline std::vector<std::byte> sample_profile() {
  ProfileBuilder builder;
  builder.thread(11).place(1, "target", "src/app.cpp:31").name(10, "x[0:N]");
  std::uint64_t id = 0;
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t construct = ++id;
    const std::int64_t time = 2000 + i * 1000;
    builder.begin(construct, 1, time)
        .presence(gantry::profile::kMapped, construct, 10, 0x10000, 4096, time)
        .copy({construct, ++id, 10, true, time + 10, time + 110, 5})
        .launch(construct, ++id, time + 200)
        .complete(id, time + 500, time + 210, time + 460)
        .copy({construct, ++id, 10, false, time + 510, time + 560, 5})
        .presence(gantry::profile::kUnmapped, construct, 10, 0x10000, 4096, time + 560)
        .end(construct, time + 600);
  }
  return std::move(builder.bytes());
}

} // namespace gantry::cli::profile::testing

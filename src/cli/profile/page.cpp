#include "cli/profile/page.h"

#include "base/mapped_file.h"
#include "cli/profile/compare.h"
#include "cli/profile/page_parts.h"
#include "cli/profile/timeline.h"

#include <map>
#include <tuple>

#include <nlohmann/json.hpp>

namespace gantry::cli::profile {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kReportBegin = R"(<script type="application/json" class="run">)";
constexpr std::string_view kTimelineBegin = R"(<script type="text/plain" class="timeline">)";
constexpr std::string_view kEnd = "</script>";

/// Sources of so many bytes are in a page, together.
constexpr std::size_t kMostSource = 8 << 20;

/// JSON that nothing in an HTML document takes for markup.
std::string json_in_html(const Json& value) {
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string result;
  result.reserve(text.size());
  for (const char letter : text) {
    if (letter == '<') {
      result += "\\u003c";
    } else {
      result += letter;
    }
  }
  return result;
}

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

std::string base64(const std::vector<std::uint8_t>& bytes) {
  constexpr unsigned kBits = 6;
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? bytes[i + k] : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k > count ? '=' : kBase64[group >> (kBits * (3 - k)) & 63U];
    }
  }
  return text;
}

/// A process's part of the timelines.
class PageTimeline {
public:
  PageTimeline(const ProcessProfile& profile, Time begin, std::vector<std::uint8_t>& bytes)
      : profile_(profile), begin_(begin), bytes_(bytes) {}

  Json write() {
    Json tracks = Json::array();
    for (const Track& track : tracks_of(profile_)) {
      if (!track.slices.empty()) {
        tracks.push_back(write_track(track));
      }
    }
    return {{"tracks", tracks}, {"labels", labels_}};
  }

private:
  Json write_track(const Track& track) {
    std::vector<std::vector<const Slice*>> rows;
    for (const Slice& slice : track.slices) {
      rows.resize(std::max<std::size_t>(rows.size(), slice.row + 1));
      rows[slice.row].push_back(&slice);
    }
    Json counts = Json::array();
    for (const auto& row : rows) {
      counts.push_back(row.size());
      Time time = begin_;
      for (const Slice* slice : row) {
        write_number(std::max<Time>(0, slice->time.begin - time));
        write_number(std::max<Time>(0, slice->time.length()));
        time = std::max(time, slice->time.end);
        write_slice(*slice);
      }
    }
    return {{"group", track.device < 0 ? fmt::format("{} (process {})", file_name(profile_.program),
                                                     profile_.process)
                                       : label_of_device(track.device)},
            {"name", name_of(profile_, track)},
            {"rows", counts}};
  }

  [[nodiscard]] std::string label_of_device(std::int32_t number) const {
    const auto found = std::ranges::find(profile_.devices, number, &Device::number);
    return found == profile_.devices.end() ? fmt::format("device {}", number) : found->label;
  }

  /// All but its time.
  void write_slice(const Slice& slice) {
    using What = Slice::What;
    switch (slice.what) {
    case What::kConstruct: {
      const Index place = profile_.constructs[slice.index].place;
      write_rest({slice.what, place, 0, 0}, slice.index, 0, 0, "construct",
                 [&] { return name_of(profile_.places[place]); });
      break;
    }
    case What::kWait: {
      const Index construct = profile_.waits[slice.index].construct;
      write_rest({slice.what, place_of(construct), 0, 0}, construct, 0, 0, "wait",
                 [] { return "wait"; });
      break;
    }
    case What::kImage: {
      const std::int32_t device = profile_.images[slice.index].device;
      write_rest({slice.what, kNone, static_cast<Index>(device), 0}, kNone, 0, 0, "image",
                 [&] { return fmt::format("load image on device {}", device); });
      break;
    }
    case What::kCopy: {
      const Copy& copy = profile_.copies[slice.index];
      const Index kind = copy.clause << 8U | copy.kind << 1U | (copy.to_device ? 1U : 0U);
      write_rest(
          {slice.what, place_of(copy.construct), copy.name, kind}, copy.construct, copy.size, 0,
          copy.to_device ? "to" : "from", [&] { return name_of(profile_, copy); },
          clause_text(copy.clause));
      break;
    }
    case What::kLaunch: {
      const Launch& launch = profile_.launches[slice.index];
      const Index place = place_of(launch.construct);
      write_rest({slice.what, place, launch.kernel, 0}, launch.construct, launch.teams,
                 launch.threads, "kernel", [&] {
                   return place == kNone ? profile_.texts[launch.kernel]
                                         : name_of(profile_.places[place]);
                 });
      break;
    }
    }
  }

  [[nodiscard]] Index place_of(Index construct) const {
    return construct == kNone ? kNone : profile_.constructs[construct].place;
  }

  /// What tells labels apart: the kind of slice, its place, and what else names it.
  using LabelKey = std::tuple<Slice::What, Index, Index, Index>;

  template <typename Text>
  void write_rest(const LabelKey& key, Index construct, std::uint64_t first, std::uint64_t second,
                  const char* kind, Text text, std::string_view clause = {}) {
    const auto [known, is_new] = numbers_.try_emplace(key, labels_.size());
    if (is_new) {
      const Index place = std::get<1>(key);
      labels_.push_back({{"kind", kind},
                         {"text", text()},
                         {"position", place == kNone ? "" : profile_.places[place].position},
                         {"clause", clause}});
    }
    write_number(known->second);
    write_number(construct == kNone ? 0 : construct + 1);
    write_number(first);
    write_number(second);
  }

  /// Seven bits a byte, the low ones first; all but the last have the high bit set.
  void write_number(std::uint64_t number) {
    constexpr unsigned kBits = 7;
    constexpr std::uint64_t kMore = 1U << kBits;
    for (; number >= kMore; number >>= kBits) {
      bytes_.push_back(static_cast<std::uint8_t>(number | kMore));
    }
    bytes_.push_back(static_cast<std::uint8_t>(number));
  }

  const ProcessProfile& profile_;
  const Time begin_;
  std::vector<std::uint8_t>& bytes_;
  Json labels_ = Json::array();
  std::map<LabelKey, std::uint64_t> numbers_;
};

/// The files of all places, as far as they are here and text.
Json sources_of(const std::vector<ProcessReport>& reports) {
  std::map<std::string, std::string> files; // by the name that places have
  for (const ProcessReport& report : reports) {
    for (const Place& place : report.profile.places) {
      if (!place.file.empty()) {
        files.emplace(place.position.substr(0, place.position.rfind(':')), place.file);
      }
    }
  }
  Json sources = Json::object();
  std::size_t left = kMostSource;
  for (const auto& [name, file] : files) {
    const auto mapped = MappedFile::open(file);
    if (!mapped) {
      continue;
    }
    const std::string_view text = as_text(mapped->bytes());
    if (text.size() <= left && text.find('\0') == std::string_view::npos) {
      left -= text.size();
      sources[name] = text;
    }
  }
  return sources;
}

/// What is between `begin` and the next end of a script; an empty view if there is none.
std::string_view block_in(std::string_view page, std::string_view begin) {
  const std::size_t at = page.find(begin);
  if (at == std::string_view::npos) {
    return {};
  }
  const std::string_view rest = page.substr(at + begin.size());
  const std::size_t end = rest.find(kEnd);
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

} // namespace

PageRun page_run(const std::vector<ProcessReport>& reports, std::string_view name) {
  Interval time;
  for (const ProcessReport& report : reports) {
    const Interval of_process = report.profile.time;
    time = &report == reports.data() ? of_process
                                     : Interval{std::min(time.begin, of_process.begin),
                                                std::max(time.end, of_process.end)};
  }
  Json processes = Json::array();
  Json timelines = Json::array();
  std::vector<std::uint8_t> bytes;
  for (const ProcessReport& report : reports) {
    processes.push_back(json_of(report));
    timelines.push_back(PageTimeline(report.profile, time.begin, bytes).write());
  }
  return {.report = json_in_html({{"version", 1},
                                  {"processes", processes},
                                  {"name", name},
                                  {"length", time.length()},
                                  {"timelines", timelines},
                                  {"sources", sources_of(reports)}}),
          .timelines = base64(bytes)};
}

Result<PageRun> read_page_run(const std::string& file, std::string_view name) {
  Json report = GANTRY_TRY(read_report(file));
  const auto mapped = GANTRY_TRY(MappedFile::open(file));
  const std::string_view timelines = block_in(as_text(mapped.bytes()), kTimelineBegin);
  if (timelines.find_first_not_of(kBase64) != std::string_view::npos) {
    return fail("'{}' is a damaged page: its timelines are not base64", file);
  }
  report["name"] = name;
  for (const auto& [member, otherwise] :
       {std::pair("length", Json(0)), std::pair("timelines", Json::array()),
        std::pair("sources", Json::object())}) {
    if (!report.contains(member)) { // of a report without a page
      report[member] = otherwise;
    }
  }
  return PageRun{json_in_html(report), std::string(timelines)};
}

std::string_view report_in_page(std::string_view page) {
  return block_in(page, kReportBegin);
}

std::string page_of(const std::vector<PageRun>& runs) {
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "script-src 'unsafe-inline'; style-src 'unsafe-inline'\">\n"
                     "<title>gantry profile</title>\n<style>\n";
  page += kPageStyle;
  page += "</style>\n</head>\n<body>\n";
  for (const PageRun& run : runs) {
    page += kReportBegin;
    page += run.report;
    page += kEnd;
    page += "\n";
    page += kTimelineBegin;
    page += run.timelines;
    page += kEnd;
    page += "\n";
  }
  page += "<script>\n'use strict';\n";
  for (const char* const script : kPageScripts) {
    page += script;
  }
  page += "</script>\n</body>\n</html>\n";
  return page;
}

} // namespace gantry::cli::profile

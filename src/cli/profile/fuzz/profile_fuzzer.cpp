// Any records behind a good header: what is made of them neither crashes nor takes long.
#include "cli/profile/page.h"
#include "cli/profile/report.h"
#include "cli/profile/testing/profile_builder.h"
#include "cli/profile/trace.h"

#include <cstdint>

using namespace gantry::cli::profile;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Two writers' blocks, of a half each.
  testing::ProfileBuilder builder;
  std::vector<std::byte>& bytes = builder.bytes();
  const gantry::Bytes input = std::as_bytes(std::span(data, size));
  const std::size_t half = size / 2;
  bytes.insert(bytes.end(), input.begin(), input.begin() + static_cast<std::ptrdiff_t>(half));
  builder.begin_block(2);
  bytes.insert(bytes.end(), input.begin() + static_cast<std::ptrdiff_t>(half), input.end());
  ProcessReport report;
  report.profile = read_profile(bytes).value();
  merge_equal(report.profile);
  report.summary = summarise(report.profile);
  report.findings = find_wastes(report.profile, report.summary);
  (void)text_of(report, true);
  write_trace({report}, [](std::string_view) {});
  (void)page_of({page_run({report}, "")}); // with its JSON
  return 0;
}

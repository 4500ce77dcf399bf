#include "plugins/mpi/device.h"

#include "plugins/cpu/elf_image.h"
#include "plugins/last_error.h"
#include "plugins/mpi/entries.h"
#include "plugins/mpi/images.h"
#include "plugins/mpi/queue.h"

#include <algorithm>

#include <pthread.h>

namespace gantry::mpi {

namespace {

/// A device that a node has, before it is opened.
struct Offered {
  RemoteNode* node;
  std::uint32_t far;
  std::string kind;
  std::int32_t index;
  Device* open = nullptr;
  int uses = 0; ///< open_device() without close_device()
};
std::mutex offered_mutex; ///< of the two below
/// By their numbers here; they stay where they are.
std::deque<Offered>& offered() {
  static auto* const all = new std::deque<Offered>;
  return *all;
}
std::mutex opening; ///< of devices' openings and closings
/// How many devices of each node were added.
std::vector<std::uint32_t>& added_of_nodes() {
  static auto* const all = new std::vector<std::uint32_t>;
  return *all;
}

/// The host's own images run there, and no others.
bool is_of_cpu(std::string_view kind) {
  return kind == "cpu" || kind == "worker";
}

/// This process is a copy of the one that is part of the job.
std::atomic<bool> forked{false};

} // namespace

gantry_status enter(Device& device) {
  if (forked.load(std::memory_order_relaxed)) [[unlikely]] {
    return plugins::set_error(GANTRY_FAILURE, plugins::kForked);
  }
  if (device.node.is_lost()) [[unlikely]] {
    return plugins::report(GANTRY_DEVICE_LOST, "{} is lost: {}", device.node.name(),
                           device.node.why_lost());
  }
  if (device.job.is_ending()) [[unlikely]] {
    return plugins::report(GANTRY_DEVICE_LOST, "{}: the program has come to its end",
                           device.node.name());
  }
  if (device.has_trouble.load(std::memory_order_relaxed)) [[unlikely]] {
    const std::lock_guard lock(device.mutex);
    if (device.is_lost) {
      return plugins::set_error(GANTRY_DEVICE_LOST, device.why_lost);
    }
    device.has_trouble.store(false);
    return plugins::set_error(GANTRY_FAILURE, std::exchange(device.damage, ""));
  }
  return GANTRY_SUCCESS;
}

void forget_devices() {
  const std::lock_guard lock(offered_mutex);
  offered().clear();
  added_of_nodes().clear();
}

bool is_lost(Device& device) {
  const std::lock_guard lock(device.mutex);
  return device.is_lost;
}

void note_damage(Device& device, std::string_view text) {
  const std::lock_guard lock(device.mutex);
  if (!device.has_trouble.exchange(true)) {
    device.damage = fmt::format("{}: {}", device.node.name(), text);
  }
}

gantry_status report_failure(Device& device, gantry_status status, const std::string& message) {
  if (device.node.is_lost()) {
    return enter(device);
  }
  const std::string text = fmt::format("{}: {}", device.node.name(), message);
  if (status == GANTRY_DEVICE_LOST) {
    const std::lock_guard lock(device.mutex);
    if (!std::exchange(device.is_lost, true)) {
      device.why_lost = text;
      device.has_trouble.store(true);
    }
  }
  return plugins::set_error(status, text);
}

} // namespace gantry::mpi

gantry_device::gantry_device(gantry::mpi::Job& of, gantry::mpi::RemoteNode& on,
                             std::uint32_t far_number)
    : job(of), node(on), far(far_number), divided(gantry::mpi::pieces_of(*this)),
      leased(gantry::mpi::leases_of(*this)) {}

namespace gantry::mpi::entries {

void start_with_program() noexcept {
  static const int once = pthread_atfork(nullptr, nullptr, [] { forked.store(true); });
  (void)once;
  Job::start();
}

void end_with_program() noexcept {
  if (!forked.load()) {
    Job::end();
  }
}

gantry_status count_devices(std::int32_t* count) noexcept {
  return add_devices("", 0, count);
}

gantry_status add_devices(const char* kind, std::int32_t count, std::int32_t* added) noexcept {
  *added = 0;
  auto job = Job::current();
  if (!job) {
    return plugins::set_error(GANTRY_NOT_FOUND, job.error().message);
  }
  const auto& nodes = (*job)->nodes();
  std::vector<std::uint32_t> requests;
  for (const auto& node : nodes) {
    requests.push_back(node->ask(Kind::kAddDevices, std::strlen(kind),
                                 [&](Record& record) { record.put_text(kind).put(count); }));
  }
  const std::lock_guard lock(offered_mutex);
  added_of_nodes().resize(nodes.size());
  std::string why;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    RemoteNode& node = *nodes[i];
    const Answer answer = (*job)->answer_of(node, requests[i]);
    if (answer.status != GANTRY_SUCCESS) {
      why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", node.name(), answer.message);
      continue;
    }
    Reader values(answer.values);
    const auto given = values.get<std::uint32_t>();
    for (std::uint32_t k = 0; k < given && values.is_good(); ++k) {
      std::string of(values.get_text());
      const auto index = values.get<std::int32_t>();
      offered().push_back({&node, added_of_nodes()[i]++, std::move(of), index});
      ++*added;
    }
  }
  if (*added == 0) {
    return plugins::set_error(GANTRY_NOT_FOUND, why.empty() ? "the nodes offer no device" : why);
  }
  return GANTRY_SUCCESS;
}

std::int32_t accepts_image(const void* bytes, std::size_t size) noexcept {
  const bool is_host = cpu::is_host_shared_object({static_cast<const std::byte*>(bytes), size});
  const std::lock_guard lock(offered_mutex);
  // Which of the others a GPU runs is its node's to say.
  return std::ranges::any_of(
             offered(), [&](const Offered& device) { return is_of_cpu(device.kind) == is_host; })
             ? 1
             : 0;
}

gantry_status open_device(std::int32_t index, const gantry_device_settings* settings,
                          gantry_device** device) noexcept {
  auto job = Job::current();
  if (!job) {
    return plugins::set_error(GANTRY_FAILURE, job.error().message);
  }
  Offered* wanted = nullptr;
  {
    const std::lock_guard lock(offered_mutex);
    if (index < 0 || static_cast<std::size_t>(index) >= offered().size()) {
      return plugins::report(GANTRY_INVALID_OPTION,
                             "the nodes have {} devices, and number {} is "
                             "asked for",
                             offered().size(), index);
    }
    wanted = &offered()[static_cast<std::size_t>(index)];
  }
  const std::lock_guard lock(opening);
  if (wanted->open != nullptr) {
    GANTRY_STATUS_TRY(enter(*wanted->open));
    ++wanted->uses;
    *device = wanted->open;
    return GANTRY_SUCCESS;
  }
  auto opened = std::make_unique<Device>(**job, *wanted->node, wanted->far);
  GANTRY_STATUS_TRY(enter(*opened));
  const std::string_view options = settings->options;
  Answer answer;
  GANTRY_STATUS_TRY(ask(
      *opened, Kind::kOpenDevice, options.size(),
      [&](Record& record) {
        record.put(wanted->far)
            .put(
                OpenSettings{settings->openmp_number, settings->check_memory, settings->time_limit})
            .put_text(options);
      },
      answer));
  Reader values(answer.values);
  const auto facts = values.get<OpenedDevice>();
  opened->capabilities = facts.capabilities;
  opened->is_visible = facts.is_visible != 0;
  opened->is_checked = settings->check_memory != 0;
  opened->is_cpu = is_of_cpu(wanted->kind);
  opened->name = fmt::format("mpi-{}-{}-{} on {}", wanted->node->process(), wanted->kind,
                             wanted->index, wanted->node->host());
  opened->description = fmt::format("{}: {}", opened->name, values.get_text());
  wanted->node->watch(wanted->far, opened.get());
  wanted->open = *device = opened.release();
  wanted->uses = 1;
  return GANTRY_SUCCESS;
}

gantry_status close_device(gantry_device* device) noexcept {
  const std::lock_guard lock(opening);
  {
    const std::lock_guard of_offered(offered_mutex);
    const auto closed = std::ranges::find(offered(), device, &Offered::open);
    if (closed != offered().end()) {
      if (--closed->uses > 0) {
        return GANTRY_SUCCESS;
      }
      closed->open = nullptr;
    }
  }
  const std::unique_ptr<Device> closed(device);
  const gantry_status status = enter(*device);
  if (!forked.load()) {
    end_own_queues(*device); // of a lost one too
  }
  GANTRY_STATUS_TRY(status);
  device->node.watch(device->far, nullptr);
  Answer answer;
  return ask(
      *device, Kind::kCloseDevice, 0, [&](Record& record) { record.put(device->far); }, answer);
}

gantry_status get_properties(gantry_device* device, gantry_device_properties* properties) noexcept {
  plugins::fill_in(properties,
                   {.size = 0,
                    .capabilities = GANTRY_CAPABILITY_QUEUES | GANTRY_CAPABILITY_POSTED_COPIES |
                                    (device->capabilities & GANTRY_CAPABILITY_CHECKED_MEMORY),
                    .description = device->description.c_str(),
                    .clock = "CLOCK_MONOTONIC",
                    .name = device->name.c_str()});
  return GANTRY_SUCCESS;
}

gantry_status set_function_map(gantry_device* device, const __omp_offloading_fptr_map_ty* table,
                               std::uint64_t count) noexcept {
  GANTRY_STATUS_TRY(enter(*device));
  constexpr std::size_t kAtOnce = kInline / sizeof *table;
  const std::span all(table, count);
  for (std::size_t done = 0; done == 0 || done < count;) {
    const auto part = all.subspan(done, std::min(kAtOnce, count - done));
    Answer answer;
    GANTRY_STATUS_TRY(ask(
        *device, Kind::kSetFunctionMap, part.size_bytes(),
        [&](Record& record) {
          record.put(device->far)
              .put(static_cast<std::uint32_t>(count))
              .put(static_cast<std::uint32_t>(part.size()))
              .put_bytes(std::as_bytes(part));
        },
        answer));
    done += std::max<std::size_t>(part.size(), 1);
  }
  return GANTRY_SUCCESS;
}

gantry_status get_fault(gantry_device* device, gantry_fault* fault) noexcept {
  if (device->node.is_lost() || !is_lost(*device)) {
    return plugins::set_error(GANTRY_NOT_FOUND, "nothing is known of a fault");
  }
  const std::uint32_t request =
      device->node.ask(Kind::kGetFault, 0, [&](Record& record) { record.put(device->far); });
  const Answer answer = device->job.answer_of(device->node, request);
  if (answer.status != GANTRY_SUCCESS) {
    return plugins::set_error(GANTRY_NOT_FOUND, answer.message);
  }
  Reader values(answer.values);
  const auto facts = values.get<FaultFacts>();
  const std::lock_guard lock(device->mutex);
  // As long as the device lives: there is one fault of a device.
  const auto keep = [&](std::string_view text) -> const char* {
    return text.empty() ? nullptr : device->texts.emplace_back(text).c_str();
  };
  gantry_fault known = {.size = 0,
                        .kind = facts.kind,
                        .value = facts.value,
                        .access = facts.access,
                        .address_known = facts.address_known,
                        .address = facts.address,
                        .kernel = nullptr,
                        .kernel_name = nullptr,
                        .image = nullptr,
                        .image_size = 0,
                        .code = facts.code,
                        .position = nullptr,
                        .what = nullptr};
  known.kernel_name = keep(values.get_text());
  known.position = keep(values.get_text());
  known.what = keep(values.get_text());
  if (facts.kernel < device->kernels.size()) {
    known.kernel = device->kernels[facts.kernel].get();
  }
  const auto image = std::ranges::find(device->images, facts.image, &gantry_image::number);
  if (image != device->images.end()) {
    known.image = (*image)->bytes.data();
    known.image_size = (*image)->bytes.size();
  }
  plugins::fill_in(fault, known);
  return GANTRY_SUCCESS;
}

} // namespace gantry::mpi::entries

#include "plugins/mpi/testing/simulated_nodes.h"

namespace gantry::mpi {

SimulatedNodes::SimulatedNodes(int nodes, const Network& network) : network_(nodes + 1, network) {
  auto program = network_.transport(0);
  std::vector<std::unique_ptr<RemoteNode>> remote;
  for (int i = 1; i <= nodes; ++i) {
    transports_.push_back(network_.transport(i));
    nodes_.push_back(std::make_unique<Node>(*transports_.back(), 0, plugins_, workers_));
    network_.set_turn(i, [this, node = nodes_.back().get()] {
      const auto step = node->step();
      if (!step) {
        broken_ = step.error().message;
      }
      return step && *step == Node::Step::kBusy;
    });
    remote.push_back(std::make_unique<RemoteNode>(*program, i, fmt::format("host{}", i)));
  }
  job_ = std::make_unique<Job>(std::move(program), std::move(remote), 0, false);
  Job::adopt(job_.get());
}

SimulatedNodes::~SimulatedNodes() {
  for (gantry_device* const device : open_) {
    (void)entries::close_device(device);
  }
  settle();
  (void)job_->leave();
  Job::adopt(nullptr);
  forget_devices();
}

gantry_status SimulatedNodes::add_devices(const char* kind) {
  std::int32_t added = 0;
  return entries::add_devices(kind, 0, &added);
}

gantry_device* SimulatedNodes::open(std::int32_t index) {
  const gantry_device_settings settings = {.size = sizeof settings, .options = ""};
  gantry_device* device = nullptr;
  if (entries::open_device(index, &settings, &device) == GANTRY_SUCCESS) {
    open_.push_back(device);
  }
  return device;
}

gantry_image* SimulatedNodes::load(gantry_device* device, std::string_view text) {
  gantry_image* image = nullptr;
  const bool is_loaded =
      entries::create_image(device, text.data(), text.size(), nullptr, &image) == GANTRY_SUCCESS &&
      entries::load_image(image) == GANTRY_SUCCESS;
  return is_loaded ? image : nullptr;
}

gantry_kernel* SimulatedNodes::kernel(gantry_image* image, const char* name) {
  gantry_symbol symbol = {.name = name, .kind = GANTRY_SYMBOL_KERNEL};
  return entries::find_symbols(image, &symbol, 1) == GANTRY_SUCCESS ? symbol.kernel : nullptr;
}

void* SimulatedNodes::allocate(gantry_device* device, std::uint64_t bytes) {
  const gantry_allocation request = {.size = sizeof request, .bytes = bytes, .alignment = 64};
  void* address = nullptr;
  return entries::allocate(device, &request, &address) == GANTRY_SUCCESS ? address : nullptr;
}

gantry_status SimulatedNodes::put_add(gantry_queue* queue, gantry_kernel* kernel, void* number,
                                      int more) {
  void* arguments[] = {number, reinterpret_cast<void*>(std::intptr_t{more})};
  const gantry_launch launch = {
      .size = sizeof launch, .argument_count = 2, .arguments = arguments, .num_teams = {1, 0, 0}};
  return entries::queue_launch(queue, kernel, &launch);
}

void SimulatedNodes::settle() {
  for (const auto& node : job_->nodes()) {
    node->flush();
  }
  std::uint64_t before = ~std::uint64_t{0};
  while (before != network_.now()) {
    before = network_.now();
    job_->poll();
    job_->poll();
  }
}

} // namespace gantry::mpi

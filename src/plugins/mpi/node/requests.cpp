// What the program asks and has an answer to. One request at a time is at work: none of them is
// part of what a construct does again and again.
#include "plugins/mpi/node/node.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gantry::mpi {

namespace {

tl::unexpected<Error> damaged(const char* what) {
  return fail("a request to {} is damaged", what);
}

gantry_status allocate_block(const FarDevice& device, std::uint64_t bytes, std::uint64_t& block) {
  const gantry_allocation request = {
      .size = sizeof request, .bytes = bytes, .alignment = 64, .offset = 0, .address = 0};
  void* address = nullptr;
  const gantry_status status = device.plugin->allocate(device.handle, &request, &address);
  block = reinterpret_cast<std::uint64_t>(address);
  return status;
}

} // namespace

const Node::Image* Node::find_image(const ImageName& name) const {
  const auto found = std::ranges::find_if(image_bytes_, [&](const Image& image) {
    return image.name == name && image.transfer == nullptr;
  });
  return found == image_bytes_.end() ? nullptr : &*found;
}

Result<bool> Node::begin_request(bool& changed) {
  while (!requests_.empty() && !is_request_running_) {
    const Request& request = requests_.front();
    if (request.head.kind == Kind::kCloseDevice && has_ending_strand(Reader(request.body))) {
      return true;
    }
    Work work = GANTRY_TRY(work_of(request.head, Reader(request.body)));
    const std::uint32_t number = request.head.id;
    requests_.pop_front();
    changed = true;
    is_request_running_ = true;
    const bool is_leader = workers_.run([this, number, work = std::move(work)] {
      auto answer = std::make_unique<Answer>();
      answer->request = number;
      work(*answer);
      const std::lock_guard lock(mutex_);
      answer_ = std::move(answer);
    });
    if (!is_leader) {
      return false;
    }
    GANTRY_TRY(take_what_workers_did(changed));
  }
  return true;
}

Status Node::finish_request(Answer& answer) {
  is_request_running_ = false;
  if (answer.then) {
    answer.then();
  }
  answer.message.resize(std::min(answer.message.size(), kLongestText));
  Record(*GANTRY_TRY(room(answer.message.size() + answer.values.size())), Kind::kAnswer,
         answer.request)
      .put(answer.status)
      .put_text(answer.message)
      .put_bytes(answer.values);
  return {};
}

Result<Node::Work> Node::work_of(const Head& head, Reader body) {
  switch (head.kind) {
  case Kind::kAddDevices:
    return add_devices(body);
  case Kind::kOpenDevice:
    return open_device(body);
  case Kind::kCloseDevice:
    return close_device(body);
  case Kind::kRankImage:
    return rank_image(body);
  case Kind::kLoadImage:
    return load_image(body);
  case Kind::kFindSymbols:
    return find_symbols(body);
  case Kind::kUnloadImage:
    return unload_image(body);
  case Kind::kAllocate:
    return allocate(body);
  case Kind::kRelease:
    return release(body);
  case Kind::kSetFunctionMap:
    return set_function_map(body);
  case Kind::kGetFault:
    return get_fault(body);
  case Kind::kGetHint:
    return get_hint(body);
  default:
    return fail("there is no request of kind {}", static_cast<unsigned>(head.kind));
  }
}

Result<Node::Work> Node::add_devices(Reader body) {
  const std::string kind(body.get_text());
  const auto count = body.get<std::int32_t>();
  if (!body.is_at_end()) {
    return damaged("add devices");
  }
  const std::size_t most = kMostDevices - devices_.size();
  return [this, kind, count, most](Answer& answer) {
    std::vector<FarDevice> added;
    const auto add = [&](const std::string& of) -> Status {
      const gantry_plugin* const plugin = GANTRY_TRY(plugins_.find(of));
      std::int32_t offered = 0;
      if (plugin->count_devices(&offered) != GANTRY_SUCCESS) {
        return fail("{}: {}", of, plugin->error_message());
      }
      const std::int32_t wanted = count > 0 ? count : offered;
      if (std::cmp_greater(wanted, most - added.size())) {
        return fail("{} more devices are asked for, and a node has {} at most", wanted,
                    kMostDevices);
      }
      for (std::int32_t i = 0; i < wanted; ++i) {
        FarDevice& device = added.emplace_back();
        device.plugin = plugin;
        device.kind = of;
        device.index = i;
      }
      return {};
    };
    if (!kind.empty()) {
      if (const Status status = add(kind); !status) {
        answer.status = GANTRY_NOT_FOUND;
        answer.message = status.error().message;
      }
    } else {
      // A node's own: its GPUs, and its processors, in a process that may fail.
      for (const char* const of : {"cuda", "hsa", "worker"}) {
        (void)add(of);
      }
    }
    Values values(answer.values);
    values.put(static_cast<std::uint32_t>(added.size()));
    for (const FarDevice& device : added) {
      values.put_text(device.kind).put(device.index);
    }
    answer.then = [this, added = std::move(added)]() mutable {
      for (FarDevice& device : added) {
        device.number = static_cast<std::uint32_t>(devices_.size());
        devices_.push_back(std::move(device));
      }
    };
  };
}

Result<FarDevice*> Node::device_of(Reader& body) {
  const auto number = body.get<std::uint32_t>();
  if (!body.is_good() || number >= devices_.size()) {
    return fail("there is no device {} here", number);
  }
  return &devices_[number];
}

/// The same of one that is open.
#define GANTRY_OPEN_DEVICE(device, body)                                                           \
  FarDevice& device = *GANTRY_TRY(device_of(body));                                                \
  if (device.handle == nullptr) {                                                                  \
    return fail("a device is used before it is open");                                             \
  }

/// Keeps what a plugin's function came to.
static bool keep(gantry_status status, const gantry_plugin& plugin, gantry_status& kept,
                 std::string& message) {
  kept = status;
  message = status == GANTRY_SUCCESS ? "" : plugin.error_message();
  return status == GANTRY_SUCCESS;
}

Result<Node::Work> Node::open_device(Reader body) {
  FarDevice& device = *GANTRY_TRY(device_of(body));
  const auto wanted = body.get<OpenSettings>();
  const std::string options(body.get_text());
  if (!body.is_at_end() || device.handle != nullptr) {
    return damaged("open a device");
  }
  return [&device, wanted, options](Answer& answer) {
    const gantry_plugin& plugin = *device.plugin;
    const gantry_device_settings settings = {.size = sizeof settings,
                                             .openmp_number = wanted.openmp_number,
                                             .options = options.c_str(),
                                             .time_limit = wanted.time_limit,
                                             .check_memory = wanted.check_memory,
                                             .processors = nullptr,
                                             .processor_words = 0,
                                             .function_check = nullptr};
    gantry_device* handle = nullptr;
    if (!keep(plugin.open_device(device.index, &settings, &handle), plugin, answer.status,
              answer.message)) {
      return;
    }
    gantry_device_properties properties = {};
    properties.size = sizeof properties;
    if (!keep(plugin.get_properties(handle, &properties), plugin, answer.status, answer.message)) {
      (void)plugin.close_device(handle);
      return;
    }
    const bool has_view = plugin.find_host_view != nullptr ||
                          (properties.capabilities &
                           (GANTRY_CAPABILITY_HOST_ACCESSIBLE | GANTRY_CAPABILITY_QUEUES)) ==
                              GANTRY_CAPABILITY_HOST_ACCESSIBLE;
    const std::uint32_t is_visible = has_view ? 1 : 0;
    const bool has_times = properties.clock != nullptr && plugin.record_times != nullptr &&
                           plugin.read_times != nullptr;
    answer.then = [&device, handle, has_times, capabilities = properties.capabilities] {
      device.capabilities = capabilities;
      device.has_times = has_times;
      device.handle = handle;
    };
    Values(answer.values)
        .put(OpenedDevice{properties.capabilities, is_visible})
        .put_text(properties.description == nullptr ? "" : properties.description);
  };
}

bool Node::has_ending_strand(Reader body) const {
  const auto number = body.get<std::uint32_t>();
  return std::ranges::any_of(strands_, [&](const auto& numbered) {
    const Strand& strand = *numbered.second;
    return strand.device->number == number && !strand.operations.empty() &&
           strand.operations.back().kind == Kind::kDestroyStrand;
  });
}

Result<Node::Work> Node::close_device(Reader body) {
  GANTRY_OPEN_DEVICE(device, body);
  const auto uses = [&](const auto& strand) { return strand.second->device == &device; };
  const auto holds = [&](const auto& image) { return image.second.device == &device; };
  if (!body.is_at_end() || std::ranges::any_of(strands_, uses) ||
      std::ranges::any_of(images_, holds)) {
    return damaged("close a device");
  }
  device.kernels.clear();
  return [&device](Answer& answer) {
    device.release_blocks();
    keep(device.plugin->close_device(device.handle), *device.plugin, answer.status, answer.message);
    answer.then = [&device] { device.handle = nullptr; };
  };
}

Result<Node::Work> Node::rank_image(Reader body) {
  GANTRY_OPEN_DEVICE(device, body);
  const Image* const image = find_image(body.get<ImageName>());
  if (!body.is_at_end() || image == nullptr) {
    return damaged("rank an image");
  }
  return [&device, &bytes = image->bytes](Answer& answer) {
    const gantry_plugin& plugin = *device.plugin;
    std::uint32_t rank = plugin.accepts_image(bytes.data(), bytes.size()) != 0 ? 1 : 0;
    if (rank != 0 && plugin.rank_image != nullptr) {
      rank = plugin.rank_image(device.handle, bytes.data(), bytes.size());
    }
    Values(answer.values).put(rank);
  };
}

Result<Node::Work> Node::load_image(Reader body) {
  GANTRY_OPEN_DEVICE(device, body);
  const auto name = body.get<ImageName>();
  const auto number = body.get<std::uint32_t>();
  const std::string file(body.get_text());
  const Image* const bytes = find_image(name);
  if (!body.is_at_end() || bytes == nullptr || images_.contains(number)) {
    return damaged("load an image");
  }
  return [this, &device, &bytes = bytes->bytes, number, file](Answer& answer) {
    const gantry_plugin& plugin = *device.plugin;
    gantry_image* image = nullptr;
    if (!keep(plugin.create_image(device.handle, bytes.data(), bytes.size(),
                                  file.empty() ? nullptr : file.c_str(), &image),
              plugin, answer.status, answer.message)) {
      return;
    }
    if (!keep(plugin.load_image(image), plugin, answer.status, answer.message)) {
      (void)plugin.destroy_image(image);
      return;
    }
    answer.then = [this, image, &device, &bytes, number] {
      images_.emplace(number, FarImage{.device = &device, .handle = image, .bytes = &bytes});
    };
  };
}

Result<Node::Work> Node::find_symbols(Reader body) {
  const auto image = images_.find(body.get<std::uint32_t>());
  const auto count = body.get<std::uint32_t>();
  constexpr std::size_t kLeast = 8; // bytes of a symbol here
  if (!body.is_good() || image == images_.end() || count > body.left() / kLeast) {
    return damaged("find symbols");
  }
  std::vector<std::string> names;
  std::vector<std::int32_t> kinds;
  for (std::uint32_t i = 0; i < count; ++i) {
    kinds.push_back(body.get<std::int32_t>());
    names.emplace_back(body.get_text());
  }
  if (!body.is_at_end()) {
    return damaged("find symbols");
  }
  FarDevice& device = *image->second.device;
  return [&device, &image = image->second, handle = image->second.handle, names = std::move(names),
          kinds = std::move(kinds)](Answer& answer) {
    std::vector<gantry_symbol> symbols(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      symbols[i].name = names[i].c_str();
      symbols[i].kind = kinds[i];
    }
    keep(device.plugin->find_symbols(handle, symbols.data(), symbols.size()), *device.plugin,
         answer.status, answer.message);
    answer.then = [&device, &image, &answer, symbols = std::move(symbols)] {
      Values values(answer.values);
      for (const gantry_symbol& symbol : symbols) {
        FoundSymbol found = {.status = symbol.status, .kernel = kNoKernel};
        if (symbol.status == GANTRY_SUCCESS && symbol.kind == GANTRY_SYMBOL_KERNEL) {
          const auto known = std::ranges::find(device.kernels, symbol.kernel);
          found.kernel = static_cast<std::uint32_t>(known - device.kernels.begin());
          if (known == device.kernels.end()) {
            image.kernels.push_back(found.kernel);
            device.kernels.push_back(symbol.kernel);
          }
        } else if (symbol.status == GANTRY_SUCCESS) {
          found.address = reinterpret_cast<std::uint64_t>(symbol.address);
          found.bytes = symbol.bytes;
          device.memory.add(found.address,
                            found.bytes == 0 ? ~std::uint64_t{0} - found.address : found.bytes);
        }
        values.put(found);
      }
    };
  };
}

Result<Node::Work> Node::unload_image(Reader body) {
  const auto image = images_.find(body.get<std::uint32_t>());
  if (!body.is_at_end() || image == images_.end()) {
    return damaged("unload an image");
  }
  FarDevice& device = *image->second.device;
  const gantry_plugin& plugin = *device.plugin;
  for (const std::uint32_t kernel : image->second.kernels) {
    device.kernels[kernel] = nullptr;
  }
  gantry_image* const handle = image->second.handle;
  images_.erase(image);
  return [&plugin, handle](Answer& answer) {
    keep(plugin.destroy_image(handle), plugin, answer.status, answer.message);
  };
}

Result<Node::Work> Node::allocate(Reader body) {
  GANTRY_OPEN_DEVICE(device, body);
  const auto bytes = body.get<std::uint64_t>();
  const auto count = body.get<std::uint32_t>();
  constexpr std::uint32_t kMost = 64;
  if (!body.is_at_end() || bytes == 0 || count == 0 || count > kMost) {
    return damaged("allocate memory");
  }
  return [&device, bytes, count](Answer& answer) {
    std::vector<std::uint64_t> blocks;
    for (std::uint32_t i = 0; i < count; ++i) {
      std::uint64_t block = 0;
      const gantry_status status = allocate_block(device, bytes, block);
      if (status != GANTRY_SUCCESS && blocks.empty()) {
        keep(status, *device.plugin, answer.status, answer.message);
      }
      if (status != GANTRY_SUCCESS) {
        break;
      }
      blocks.push_back(block);
      Values(answer.values).put(block);
    }
    answer.then = [&device, blocks = std::move(blocks), bytes] {
      for (const std::uint64_t block : blocks) {
        device.memory.add(block, bytes);
        device.blocks.insert(block);
      }
    };
  };
}

Result<FarDevice*> Node::open_device_of(const Head& head) {
  if (head.id >= devices_.size() || devices_[head.id].handle == nullptr) {
    return fail("device {} is used, and is not open", head.id);
  }
  return &devices_[head.id];
}

Status Node::tell_damage(const Head& head, std::string_view message) {
  message = message.substr(0, kLongestText);
  Record(*GANTRY_TRY(room(message.size())), Kind::kDamaged, head.id).put_text(message);
  return {};
}

Status Node::take_posted(const Head& head, Reader body) {
  FarDevice& device = *GANTRY_TRY(open_device_of(head));
  const auto address = body.get<std::uint64_t>();
  const Bytes bytes = body.rest();
  if (!body.is_good()) {
    return damaged("copy");
  }
  if (bytes.empty()) {
    return {};
  }
  if (!device.memory.contains(address, bytes.size())) {
    return tell_damage(head, not_given(address, bytes.size()));
  }
  if (std::byte* const view = device.view_of(address, bytes.size())) {
    std::ranges::copy(bytes, view);
    return {};
  }
  return device.plugin->copy_to_device(device.handle, reinterpret_cast<void*>(address),
                                       bytes.data(), bytes.size()) == GANTRY_SUCCESS
             ? Status()
             : tell_damage(head, device.plugin->error_message());
}

Status Node::give_back(const Head& head, Reader body) {
  const auto address = body.get<std::uint64_t>();
  const auto bytes = body.get<std::uint64_t>();
  const auto again = body.get<std::uint32_t>();
  if (!body.is_at_end()) {
    return damaged("give memory back");
  }
  FarDevice& device = *GANTRY_TRY(open_device_of(head));
  if (device.blocks.erase(address) == 0) {
    return damaged("give memory back");
  }
  device.memory.remove(address);
  if (device.plugin->release(device.handle, reinterpret_cast<void*>(address)) != GANTRY_SUCCESS) {
    GANTRY_TRY(tell_damage(head, device.plugin->error_message()));
  }
  if (again != 0) {
    std::uint64_t block = 0;
    if (bytes > 0 && allocate_block(device, bytes, block) == GANTRY_SUCCESS) {
      device.memory.add(block, bytes);
      device.blocks.insert(block);
    }
    Record(*GANTRY_TRY(room(0)), Kind::kGranted, head.id).put(bytes).put(block);
  }
  return {};
}

Result<Node::Work> Node::release(Reader body) {
  GANTRY_OPEN_DEVICE(device, body);
  const auto address = body.get<std::uint64_t>();
  if (!body.is_at_end() || device.blocks.erase(address) == 0) {
    return damaged("release memory");
  }
  device.memory.remove(address);
  return [&device, address](Answer& answer) {
    keep(device.plugin->release(device.handle, reinterpret_cast<void*>(address)), *device.plugin,
         answer.status, answer.message);
  };
}

Result<Node::Work> Node::set_function_map(Reader body) {
  GANTRY_OPEN_DEVICE(device, body);
  const auto all = body.get<std::uint32_t>();
  const auto count = body.get<std::uint32_t>();
  auto& table = device.function_map;
  if (count != body.left() / sizeof(__omp_offloading_fptr_map_ty) ||
      count > all - std::min<std::size_t>(all, table.size())) {
    return damaged("set a table of functions");
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    table.push_back(body.get<__omp_offloading_fptr_map_ty>());
  }
  if (table.size() < all) {
    return [](Answer&) {}; // more comes
  }
  return [&device, table = std::exchange(table, {})](Answer& answer) {
    auto* const set = device.plugin->set_function_map;
    if (set != nullptr) {
      keep(set(device.handle, table.data(), table.size()), *device.plugin, answer.status,
           answer.message);
    }
  };
}

Result<Node::Work> Node::get_fault(Reader body) {
  GANTRY_OPEN_DEVICE(device, body);
  if (!body.is_at_end()) {
    return damaged("explain a fault");
  }
  std::vector<std::pair<std::uint32_t, const std::vector<std::byte>*>> images;
  for (const auto& [number, image] : images_) {
    images.emplace_back(number, image.bytes);
  }
  return [&device, images = std::move(images)](Answer& answer) {
    gantry_fault fault = {};
    fault.size = sizeof fault;
    auto* const ask = device.plugin->get_fault;
    answer.status = ask == nullptr ? GANTRY_NOT_FOUND : ask(device.handle, &fault);
    if (answer.status != GANTRY_SUCCESS) {
      return;
    }
    FaultFacts facts = {.kind = fault.kind,
                        .value = fault.value,
                        .access = fault.access,
                        .address_known = fault.address_known,
                        .address = fault.address,
                        .code = fault.code,
                        .kernel = kNoKernel,
                        .image = kNoImage};
    const auto kernel = std::ranges::find(device.kernels, fault.kernel);
    if (kernel != device.kernels.end()) {
      facts.kernel = static_cast<std::uint32_t>(kernel - device.kernels.begin());
    }
    for (const auto& [number, bytes] : images) {
      if (fault.image != nullptr && bytes->size() == fault.image_size &&
          std::memcmp(bytes->data(), fault.image, fault.image_size) == 0) {
        facts.image = number;
      }
    }
    const auto text = [](const char* of) { return of == nullptr ? "" : of; };
    Values(answer.values)
        .put(facts)
        .put_text(text(fault.kernel_name))
        .put_text(text(fault.position))
        .put_text(text(fault.what));
  };
}

Result<Node::Work> Node::get_hint(Reader body) {
  GANTRY_OPEN_DEVICE(device, body);
  const auto facts = body.get<LaunchFacts>();
  if (!body.is_at_end() || !device.has_kernel(facts.kernel)) {
    return damaged("a kernel's launch");
  }
  return [&device, facts](Answer& answer) {
    auto* const ask = device.plugin->launch_hint;
    const gantry_launch launch = launch_of(facts, nullptr);
    const char* const hint =
        ask == nullptr ? nullptr : ask(device.handle, device.kernels[facts.kernel], &launch);
    Values(answer.values).put_text(hint == nullptr ? "" : hint);
  };
}

} // namespace gantry::mpi

#include "runtime/abi/ompt/listener.h"

#include "runtime/abi/ompt/connection.h"
#include "runtime/abi/ompt/devices.h"
#include "runtime/abi/ompt/region.h"
#include "runtime/abi/ompt/tool.h"
#include "runtime/core/runtime/runtime.h"

#include <memory>

#include <unistd.h>

namespace gantry::abi::ompt {

namespace {

using core::Construct;
using core::ConstructKind;
using core::Operation;
using What = Operation::What;

ompt_target_t kind_of(const Construct& construct) {
  switch (construct.kind) {
  case ConstructKind::kEnterData:
    return construct.nowait ? ompt_target_enter_data_nowait : ompt_target_enter_data;
  case ConstructKind::kExitData:
    return construct.nowait ? ompt_target_exit_data_nowait : ompt_target_exit_data;
  case ConstructKind::kUpdate:
    return construct.nowait ? ompt_target_update_nowait : ompt_target_update;
  case ConstructKind::kTarget:
  case ConstructKind::kOther:
    break;
  }
  return construct.nowait ? ompt_target_nowait : ompt_target;
}

ompt_target_data_op_t kind_of(const Operation& operation) {
  switch (operation.what) {
  case What::kAllocate:
    return ompt_target_data_alloc;
  case What::kRelease:
    return ompt_target_data_delete;
  case What::kAssociate:
    return ompt_target_data_associate;
  case What::kDisassociate:
    return ompt_target_data_disassociate;
  case What::kCopy:
  case What::kLaunch:
    break;
  }
  return operation.from == Operation::kHost ? ompt_target_data_transfer_to_device
                                            : ompt_target_data_transfer_from_device;
}

/// The number that OpenMP has for one of an operation's two sides.
int number_of(int side) {
  constexpr int kNone = -1;
  return side == Operation::kHost      ? core::Runtime::instance().open_devices()
         : side == Operation::kNowhere ? kNone
                                       : side;
}

ompt_scope_endpoint_t endpoint(bool begins) {
  return begins ? ompt_scope_begin : ompt_scope_end;
}

void* pointer(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);
}

/// The region of an operation, or for one of a routine, which has none, an empty one.
class RegionOf {
public:
  explicit RegionOf(const Construct& construct)
      : region_(construct.of_tool == nullptr ? &none_ : static_cast<Region*>(construct.of_tool)) {
    if (construct.of_tool == nullptr && construct.nowait) {
      none_.target_task_data = Tool::instance().task_data();
    }
  }
  Region* operator->() const { return region_; }
  Region& operator*() const { return *region_; }
  [[nodiscard]] bool is_region() const { return region_ != &none_; }

private:
  Region none_;
  Region* region_;
};

/// Of the calling thread, in records.
ompt_id_t thread_number() {
  static thread_local const auto number = static_cast<ompt_id_t>(gettid());
  return number;
}

class Listener final : public core::EventListener {
public:
  void on(const core::DeviceOpened& event) override {
    if (Tool::instance().active()) {
      (void)KnownDevice::find(event.device.number);
    }
  }

  void on(const core::ImageLoaded& event) override {
    if (KnownDevice* const device = device_of(event.device); device != nullptr) {
      device->tell_loaded(event.image.data(), event.image.size());
    }
  }

  void on(const core::ImageUnloaded& event) override {
    if (KnownDevice* const device = device_of(event.device); device != nullptr) {
      device->tell_unloaded(event.image);
    }
  }

  void on(const core::ConstructBegin& event) override {
    KnownDevice* const device = device_of(event.device);
    if (device == nullptr) {
      return;
    }
    Tool::instance().look_for_changes();
    if (event.construct.kind == ConstructKind::kOther || !Tool::instance().is_told()) {
      return;
    }
    auto region = std::make_unique<Region>();
    region->kind = kind_of(event.construct);
    region->task_data = Tool::instance().task_data();
    // The region's own task is that which executes it, if the construct has made one.
    region->target_task_data = event.construct.nowait ? region->task_data : nullptr;
    tell(ompt_scope_begin, event, *region);
    record(ompt_scope_begin, event, event.time, *region, device->trace());
    event.construct.of_tool = region.release();
  }

  void on(const core::ConstructEnd& event) override {
    const std::unique_ptr<Region> region(static_cast<Region*>(event.construct.of_tool));
    event.construct.of_tool = nullptr;
    KnownDevice* const device = device_of(event.device);
    if (region == nullptr || device == nullptr) {
      return;
    }
    record(ompt_scope_end, event, event.time, *region, device->trace());
    tell(ompt_scope_end, event, *region);
  }

  void on(const Operation& event) override {
    KnownDevice* const device = device_of(event.device);
    if (device == nullptr) {
      return;
    }
    const RegionOf region(event.construct);
    if (event.begins && !region.is_region()) { // a routine: no construct's begin was told
      Tool::instance().look_for_changes();
    }
    if (event.what == What::kLaunch) {
      tell_launch(event, *region);
    } else {
      tell_operation(event, *region);
    }
    if (device->trace().started()) {
      note_for_trace(event, *region, region.is_region(), device->trace());
    }
  }

  void on(const core::Completion& event) override {
    auto* const region = static_cast<Region*>(event.construct.of_tool);
    if (region == nullptr || region->under_way.empty()) {
      return;
    }
    if (KnownDevice* const device = device_of(event.device); device != nullptr) {
      device->trace().complete(*region, event);
    }
  }

private:
  /// Null if nothing is told of it.
  static KnownDevice* device_of(const core::DeviceName& device) {
    if (!Tool::instance().active()) {
      settle();
    }
    return Tool::instance().active() ? KnownDevice::find(device.number) : nullptr;
  }

  static void tell(ompt_scope_endpoint_t end, const core::OfConstruct& event, Region& region) {
    const Callbacks& callbacks = Tool::instance().callbacks();
    const Tool::Call call;
    if (!call) {
      return;
    }
    const int number = event.device.number;
    const void* const code = event.construct.code;
    if (const auto emi = callbacks.target_emi.load(); emi != nullptr) {
      emi(region.kind, end, number, region.task_data, region.target_task_data, &region.target_data,
          code);
      return;
    }
    if (end == ompt_scope_begin) {
      region.target_data.value = Tool::unique_id();
    }
    if (const auto plain = callbacks.target.load(); plain != nullptr) {
      plain(region.kind, end, number, region.task_data, region.target_data.value, code);
    }
  }

  static void record(ompt_scope_endpoint_t end, const core::OfConstruct& event, std::int64_t time,
                     const Region& region, DeviceTrace& trace) {
    if (!trace.started()) {
      return;
    }
    ompt_record_ompt_t record{};
    record.type = ompt_callback_target;
    record.thread_id = thread_number();
    record.target_id = region.target_data.value;
    record.record.target = {region.kind,
                            end,
                            event.device.number,
                            region.task_data == nullptr ? 0 : region.task_data->value,
                            region.target_data.value,
                            event.construct.code};
    trace.add(record, time, time);
  }

  static void tell_operation(const Operation& event, Region& region) {
    const Callbacks& callbacks = Tool::instance().callbacks();
    const auto emi = callbacks.data_op_emi.load();
    const Tool::Call call;
    if (!call) {
      return;
    }
    const auto tell_tool = [&](auto callback, auto... first) {
      callback(first..., kind_of(event), pointer(event.from_address), number_of(event.from),
               pointer(event.to_address), number_of(event.to), event.size, event.construct.code);
    };
    if (emi != nullptr) {
      tell_tool(emi, endpoint(event.begins), region.target_task_data, &region.target_data,
                &event.note);
      return;
    }
    if (event.begins) {
      event.note = Tool::unique_id();
    } else if (const auto plain = callbacks.data_op.load(); plain != nullptr) {
      tell_tool(plain, region.target_data.value, event.note);
    }
  }

  static void tell_launch(const Operation& event, Region& region) {
    const Callbacks& callbacks = Tool::instance().callbacks();
    const Tool::Call call;
    if (!call) {
      return;
    }
    if (const auto emi = callbacks.submit_emi.load(); emi != nullptr) {
      emi(endpoint(event.begins), &region.target_data, &event.note, event.teams);
      return;
    }
    if (event.begins) {
      event.note = Tool::unique_id();
      if (const auto plain = callbacks.submit.load(); plain != nullptr) {
        plain(region.target_data.value, event.note, event.teams);
      }
    }
  }

  /// Makes a record of an operation when its times are known: of a copy or launch in a region when
  /// that is complete, of all else at the end.
  static void note_for_trace(const Operation& event, Region& region, bool is_region,
                             DeviceTrace& trace) {
    const bool completes = event.what == What::kCopy || event.what == What::kLaunch;
    if (is_region && completes) {
      if (event.begins) {
        region.under_way.push_back({event.id, record_of(event, region)});
      }
    } else if (!event.begins) {
      trace.add(record_of(event, region), event.began, event.time);
    }
  }

  /// Without an end.
  static ompt_record_ompt_t record_of(const Operation& event, const Region& region) {
    ompt_record_ompt_t record{};
    record.time = static_cast<ompt_device_time_t>(event.began);
    record.thread_id = thread_number();
    record.target_id = region.target_data.value;
    if (event.what == What::kLaunch) {
      record.type = ompt_callback_target_submit;
      record.record.target_kernel = {event.note, event.teams, event.teams, 0};
    } else {
      record.type = ompt_callback_target_data_op;
      record.record.target_data_op = {event.note,
                                      kind_of(event),
                                      pointer(event.from_address),
                                      number_of(event.from),
                                      pointer(event.to_address),
                                      number_of(event.to),
                                      event.size,
                                      0,
                                      event.construct.code};
    }
    return record;
  }
};

constinit Listener the_listener;

} // namespace

core::EventListener& listener() {
  return the_listener;
}

void tell_of_open_devices() {
  for (int i = 0; i < core::Runtime::instance().open_devices(); ++i) {
    (void)KnownDevice::find(i);
  }
}

void finish_devices() {
  KnownDevice::finish_all();
}

} // namespace gantry::abi::ompt

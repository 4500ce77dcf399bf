#include "runtime/core/data/data_environment.h"

#include "runtime/core/data/checks.h"
#include "runtime/core/reports/text.h"

#include <algorithm>
#include <utility>

namespace gantry::core {

namespace {

/// Notes that the next of what a construct has made is mapped.
void note_mapped(ConstructWork& work) {
  const ConstructWork::Created& created = work.created[work.mapped++];
  const Mapping& mapping = *created.mapping;
  work.note(PresenceChange::What::kMapped, mapping, mapping.name, mapping.host_begin,
            mapping.size(), created.clause);
}

/// Whether it is there for more than target regions at work.
bool is_held(const Mapping& mapping) {
  return mapping.holds != 0 || mapping.references != mapping.of_regions;
}

/// An item that concerns what is mapped of the `size` bytes at `host`.
MapItem storage(const void* host, std::uint64_t size) {
  MapItem item;
  item.begin = const_cast<std::byte*>(static_cast<const std::byte*>(host));
  item.size = size;
  return item;
}

} // namespace

Status DataEnvironment::enter(Items items, Queue& queue) {
  Lock lock(guarded_.mutex);
  guarded_.marks.settle(lock, guarded_.table, items);
  ConstructWork work(guarded_, queue);
  Status planned = plan_enter(lock, items, work);
  for (std::size_t i = 0; planned && i < items.size(); ++i) {
    const MapItem& item = items[i];
    if (item.returned_base != nullptr && work.found[i] != nullptr) {
      const std::uintptr_t host_base = item.kind == MapKind::kPointee
                                           ? *reinterpret_cast<std::uintptr_t*>(item.base)
                                           : address(item.base);
      *item.returned_base = reinterpret_cast<void*>(work.found[i]->device_address(host_base));
      told_addresses_.store(true, std::memory_order_relaxed);
    }
  }
  return finish_enter(lock, work, std::move(planned));
}

Status DataEnvironment::enter_items(Items items, Queue& queue, KernelArguments& arguments,
                                    ParameterForm form, PrivateStorage& storage, FoundLast* last) {
  const PrivateLayout layout(items, form);
  if (layout.size > 0) {
    if (Status status = storage.reserve(layout.size, queue); !status) {
      return status;
    }
  }
  Lock lock(guarded_.mutex);
  guarded_.marks.settle(lock, guarded_.table, items);
  ConstructWork work(guarded_, queue, ConstructWork::Of::kRegion, last);
  Status planned = plan_enter(lock, items, work);
  if (planned) [[likely]] {
    planned = append_arguments(guarded_.table, items, work, arguments, layout, storage);
  }
  return finish_enter(lock, work, std::move(planned));
}

Status DataEnvironment::exit_items(Items items, Queue& queue, ConstructWork::Of kind,
                                   FoundLast* last) {
  Lock lock(guarded_.mutex);
  guarded_.marks.settle(lock, guarded_.table, items);
  ConstructWork work(guarded_, queue, kind, last);
  Status outcome = rules_.exit(items, work);
  if (!work.transfers.empty()) {
    // What goes must not be found meanwhile.
    for (Mapping* mapping : work.gone) {
      work.mark(*mapping);
    }
  }
  if (Status status = run_transfers(lock, work); !status && outcome) {
    outcome = std::move(status);
  }
  if (check_enabled(Check::kAttached)) [[unlikely]] {
    warn_of_attached(guarded_.table, work);
  }
  if (check_enabled(Check::kMap) && outcome) [[unlikely]] {
    StaleCopies::note_copies(work);
    stale_copies_.look_at_gone(lock, work);
  }
  Allocations allocations;
  for (Mapping* mapping : work.gone) {
    work.note(PresenceChange::What::kUnmapped, *mapping, mapping->name, mapping->host_begin,
              mapping->size());
    names_.note_gone(*mapping, queue.construct());
    erase(*mapping, allocations);
  }
  lock.unlock();
  work.tell_changes();
  if (Status status = release(allocations, queue.construct()); !status && outcome) {
    outcome = std::move(status);
  }
  return outcome;
}

void DataEnvironment::expect_results(Items items, Queue& queue) {
  absl::InlinedVector<std::pair<const void*, std::uint64_t>, kInlineTransfers> expected;
  {
    const std::lock_guard lock(guarded_.mutex);
    for (const MapItem& item : items) {
      const bool is_little = item.size > 0 && item.size <= PluginDevice::kPostedBytes;
      if (item.kind != MapKind::kStorage || !item.from || item.pieces != 1 || !is_little) {
        continue;
      }
      const std::uintptr_t begin = address(item.begin);
      const Lookup lookup = guarded_.table.find(begin, item.size);
      if (lookup.presence != Presence::kPresent || lookup.mapping->pending ||
          !lookup.mapping->is_copied(false)) {
        continue;
      }
      const Mapping& mapping = *lookup.mapping;
      if (item.always || (mapping.references == 1 && mapping.holds == 0)) {
        expected.emplace_back(reinterpret_cast<const void*>(mapping.device_address(begin)),
                              item.size);
      }
    }
  }
  for (const auto& [device_address, size] : expected) {
    queue.expect(device_address, size);
  }
}

Status DataEnvironment::update(Items items, Queue& queue) {
  Lock lock(guarded_.mutex);
  guarded_.marks.settle(lock, guarded_.table, items);
  ConstructWork work(guarded_, queue);
  Status planned = rules_.update(items, work);
  const Status copied = run_transfers(lock, work);
  if (check_enabled(Check::kMap) && copied) [[unlikely]] {
    StaleCopies::note_copies(work);
  }
  return planned ? copied : planned;
}

Status DataEnvironment::plan_enter(Lock& lock, Items items, ConstructWork& work) {
  Status planned = rules_.enter(items, work);
  if (planned && !work.created.empty()) {
    planned = allocate_created(lock, items, work);
  }
  if (planned) [[likely]] {
    rules_.attach_pointers(items, work);
  }
  return planned;
}

Status DataEnvironment::allocate_created(Lock& lock, Items items, ConstructWork& work) {
  Status status;
  if (std::ranges::any_of(work.created, [](const ConstructWork::Created& created) {
        return !created.mapping->shared();
      })) {
    // What the items concern, what was made for them included, must be there afterwards.
    const std::size_t marked = work.marked.size();
    (void)any_concerned(guarded_.table, items, [&](Mapping& mapping) {
      work.mark(mapping);
      return false;
    });
    const auto settle = [](const ConstructWork::Created& created) {
      if (std::exchange(created.mapping->pending, false)) {
        created.mapping->allocation = created.place.allocation;
        created.mapping->device_begin = created.place.begin;
      }
      created.mapping->read_only = created.read_only;
    };
    // Tools expect an object's first copy behind its allocation, and then the next object's.
    const bool one_by_one = work.construct().tells(Event::kOperation);
    lock.unlock();
    for (ConstructWork::Created& created : work.created) {
      status = allocate(created, work.construct());
      if (status && one_by_one) [[unlikely]] {
        lock.lock();
        settle(created);
        note_mapped(work);
        lock.unlock();
        work.tell_changes();
        status = work.transfers.run_of(*created.mapping, work.queue);
      }
      if (!status) [[unlikely]] {
        (void)work.queue.synchronize(); // the failure before is what is reported
        break;
      }
    }
    lock.lock();
    std::ranges::for_each(work.created, settle);
    work.marks.take_off(work.marked, marked);
  }
  if (!status) [[unlikely]] {
    return status;
  }
  for (const ConstructWork::Created& created : work.created) {
    Mapping& mapping = *created.mapping;
    // A link variable is mapped like any other, and the device's pointers to it are set.
    if (!links_.empty()) [[unlikely]] {
      links_.for_each_pointer(mapping.host_begin, mapping.host_end,
                              [&](std::uintptr_t host, void* pointer) {
                                work.transfers.point(address(pointer), host, sizeof(void*),
                                                     mapping.device_address(host));
                                work.mark(mapping);
                              });
    }
  }
  while (work.mapped < work.created.size()) {
    note_mapped(work);
  }
  return {};
}

Status DataEnvironment::allocate(ConstructWork::Created& created, const Construct& construct) {
  auto& [mapping, alignment, offset, clause, place, read_only] = created;
  read_only = !mapping->shared() && read_only_.holds(mapping->host_begin);
  if (!mapping->pending) {
    return {};
  }
  OperationScope operation;
  if (construct.tells(Event::kOperation)) [[unlikely]] {
    operation.begin(construct, device_.name(),
                    {.what = Operation::What::kAllocate,
                     .from = Operation::kHost,
                     .to = device_.name().number,
                     .from_address = mapping->host_begin,
                     .size = mapping->size()});
  }
  auto placed = device_.place(mapping->size(), alignment, offset);
  if (!placed) {
    return with_context(placed.error(),
                        "mapping of " +
                            named_extent(mapping->name, mapping->host_begin, mapping->size()));
  }
  place = *placed;
  operation.set_allocated(place.begin);
  return {};
}

Status DataEnvironment::run_transfers(Lock& lock, ConstructWork& work) {
  Status status;
  if (!work.transfers.empty()) {
    lock.unlock();
    work.tell_changes();
    // Others may use what is marked as soon as the marks are off. Without any, all of it is private
    // to a launch, which comes behind it in the queue.
    const bool waits = !work.marked.empty();
    if (Status copied =
            work.transfers.run(work.queue, waits ? Queue::Wait::kAtOnce : Queue::Wait::kLater);
        !copied) {
      status = std::move(copied);
    }
    if (waits || !status) {
      if (Status done = work.queue.synchronize(); !done && status) {
        status = std::move(done);
      }
    }
    lock.lock();
  }
  work.marks.take_off(work.marked);
  return status;
}

Status DataEnvironment::finish_enter(Lock& lock, ConstructWork& work, Status planned) {
  if (planned) [[likely]] {
    Status copied = run_transfers(lock, work);
    if (copied) [[likely]] {
      for (const auto& [mapping, pointer] : work.attachments) {
        mapping->attach(pointer);
      }
      if (check_enabled(Check::kMap)) [[unlikely]] {
        StaleCopies::note_copies(work);
      }
      if (!work.changes.empty()) [[unlikely]] {
        lock.unlock();
        work.tell_changes();
      }
      return {};
    }
    planned = std::move(copied);
  } else {
    work.transfers = {};
    (void)run_transfers(lock, work); // takes the marks off
  }
  Allocations allocations;
  for (const auto& [mapping, created_by, hold] : work.references) {
    // Without the lock another construct may have deleted it, and it may have been used again.
    std::uint64_t& count = hold ? mapping->holds : mapping->references;
    if (mapping->created_by != created_by || count == 0) {
      continue;
    }
    --count;
    mapping->of_regions -= work.is_region && !hold ? 1 : 0;
    if (mapping->created_by == work.call && !mapping->referenced()) {
      if (work.is_mapped(*mapping)) {
        work.note(PresenceChange::What::kUnmapped, *mapping, mapping->name, mapping->host_begin,
                  mapping->size());
      }
      erase(*mapping, allocations);
    }
  }
  lock.unlock();
  work.tell_changes();
  (void)release(allocations, work.construct()); // the failure before is what is reported
  return planned;
}

void DataEnvironment::erase(Mapping& mapping, Allocations& allocations) {
  if (mapping.allocation != nullptr) {
    allocations.push_back({mapping.allocation, mapping.kept == nullptr ? mapping.name : nullptr,
                           mapping.host_begin, mapping.size(), mapping.device_begin});
  }
  guarded_.table.erase(mapping);
}

Status DataEnvironment::release(const Allocations& allocations, const Construct& construct) {
  Status outcome;
  for (const auto& [address, name, host_begin, size, device_begin] : allocations) {
    OperationScope operation;
    if (construct.tells(Event::kOperation)) [[unlikely]] {
      operation.begin(construct, device_.name(),
                      {.what = Operation::What::kRelease,
                       .from = device_.name().number,
                       .from_address = device_begin,
                       .size = size});
    }
    if (Status status = device_.release(address); !status && outcome) {
      outcome =
          with_context(status.error(), "unmapping of " + named_extent(name, host_begin, size));
    }
  }
  return outcome;
}

template <typename Predicate, typename Fill>
Status DataEnvironment::present_for_ever(const void* host, std::uint64_t size,
                                         const void* device_address, Predicate is_same, Fill fill) {
  Lock lock(guarded_.mutex);
  const MapItem item = storage(host, size);
  guarded_.marks.settle(lock, guarded_.table, {&item, 1});
  const std::uintptr_t begin = address(host);
  const Lookup lookup = guarded_.table.find(begin, size);
  if (lookup.presence == Presence::kAbsent) {
    Mapping& mapping = guarded_.table.insert(begin, size, address(device_address));
    mapping.references = Mapping::kInfinite;
    fill(mapping);
    return {};
  }
  const Mapping& present = *lookup.mapping;
  if (present.host_begin == begin && present.size() == size && is_same(present)) {
    return {};
  }
  return fail("host storage {} overlaps {}, which has corresponding storage{}", extent(begin, size),
              named_extent(present.name, present.host_begin, present.size()),
              at_position(present.mapped_at));
}

Status DataEnvironment::associate(const void* host, std::uint64_t size, void* device_address) {
  const bool read_only = read_only_.holds(address(host));
  return present_for_ever(
      host, size, device_address,
      [&](const Mapping& present) {
        return present.device_begin == address(device_address) && present.infinite();
      },
      [&](Mapping& mapping) { mapping.read_only = read_only; });
}

Status DataEnvironment::disassociate(const void* host) {
  Lock lock(guarded_.mutex);
  const std::uintptr_t begin = address(host);
  const MapItem item = storage(host, 1);
  guarded_.marks.settle(lock, guarded_.table, {&item, 1});
  const Lookup lookup = guarded_.table.find(begin, 1);
  if (lookup.presence != Presence::kPresent || lookup.mapping->host_begin != begin ||
      !lookup.mapping->infinite() || lookup.mapping->declared) {
    return fail("host address {:#x} is not the start of storage that omp_target_associate_ptr "
                "associated",
                begin);
  }
  guarded_.table.erase(*lookup.mapping); // it owns no allocation
  return {};
}

Status DataEnvironment::declare(const void* host, std::uint64_t size, void* device_address,
                                const char* name, Declared kind) {
  return present_for_ever(
      host, size, device_address, [](const Mapping& present) { return present.declared; },
      [&](Mapping& mapping) {
        mapping.read_only = read_only_.noted(mapping.host_begin);
        mapping.declared = true;
        mapping.link_pointer = kind == Declared::kLinkPointer;
        mapping.name = name;
      });
}

void DataEnvironment::undeclare(const void* host, const void* device_address) {
  Lock lock(guarded_.mutex);
  const MapItem item = storage(host, 1);
  guarded_.marks.settle(lock, guarded_.table, {&item, 1});
  const Lookup lookup = guarded_.table.find(address(host), 1);
  if (lookup.presence == Presence::kPresent && lookup.mapping->declared &&
      lookup.mapping->device_begin == address(device_address)) {
    guarded_.table.erase(*lookup.mapping); // it owns no allocation
  }
}

void DataEnvironment::declare_link(const void* host, std::uint64_t size, const LinkTarget& target) {
  const std::lock_guard lock(guarded_.mutex);
  links_.add(address(host), size, target);
}

void DataEnvironment::undeclare_link(const void* host, const LinkTarget& target) {
  const std::lock_guard lock(guarded_.mutex);
  links_.remove(address(host), target);
}

void DataEnvironment::unify() {
  const std::lock_guard lock(guarded_.mutex);
  rules_.unify();
}

bool DataEnvironment::holds_data() {
  const std::lock_guard lock(guarded_.mutex);
  bool any = false;
  guarded_.table.for_each(
      [&](const Mapping& mapping) { any = any || (!mapping.shared() && is_held(mapping)); });
  return any;
}

std::uint64_t DataEnvironment::held_bytes(std::uintptr_t begin, std::uint64_t size) {
  const std::lock_guard lock(guarded_.mutex);
  const std::uintptr_t end = begin + size;
  std::uint64_t bytes = 0;
  for (std::uintptr_t at = begin;;) {
    const Mapping* const mapping = guarded_.table.find(at, end - at).mapping;
    if (mapping == nullptr) {
      return bytes;
    }
    if (is_held(*mapping)) {
      bytes += size == 0 ? 1 : std::min(end, mapping->host_end) - std::max(at, mapping->host_begin);
    }
    if (mapping->host_end >= end) {
      return bytes;
    }
    at = mapping->host_end;
  }
}

bool DataEnvironment::is_present(const void* host, std::uint64_t size) {
  const std::lock_guard lock(guarded_.mutex);
  return guarded_.table.find(address(host), size).presence == Presence::kPresent;
}

void* DataEnvironment::corresponding(const void* host, std::uint64_t size) {
  Lock lock(guarded_.mutex);
  Lookup lookup = guarded_.table.find(address(host), size);
  while (lookup.mapping != nullptr && lookup.mapping->pending) {
    guarded_.marks.wait(lock);
    lookup = guarded_.table.find(address(host), size);
  }
  return lookup.presence == Presence::kPresent
             ? reinterpret_cast<void*>(lookup.mapping->device_address(address(host)))
             : nullptr;
}

void DataEnvironment::intern_strings(std::uintptr_t begin, std::uintptr_t end) {
  const std::lock_guard lock(guarded_.mutex);
  guarded_.table.intern_strings(begin, end);
  names_.forget_strings(begin, end);
}

std::vector<std::string> DataEnvironment::leaks() {
  const std::lock_guard lock(guarded_.mutex);
  return leaks_of(guarded_.table);
}

std::vector<DataEnvironment::Storage> DataEnvironment::all_storage() {
  std::vector<Storage> all;
  const std::lock_guard lock(guarded_.mutex);
  guarded_.table.for_each([&](const Mapping& mapping) {
    if (mapping.declared || mapping.pending || mapping.size() == 0) {
      return;
    }
    all.push_back({mapping.name, mapping.device_begin, mapping.size()});
    for (const AttachedPointer& pointer : mapping.attached) {
      if (const Mapping* const pointee = guarded_.table.find(pointer.pointee, 0).mapping) {
        all.back().pointees.push_back(pointee->device_begin);
      }
    }
  });
  return all;
}

void DataEnvironment::for_each_count(
    const std::function<void(std::uintptr_t, std::uint64_t, std::uint64_t, std::uint64_t)>& visit) {
  const std::lock_guard lock(guarded_.mutex);
  guarded_.table.for_each([&](const Mapping& mapping) {
    visit(mapping.host_begin, mapping.size(), mapping.references, mapping.holds);
  });
}

const char* DataEnvironment::broken_invariant() {
  const std::lock_guard lock(guarded_.mutex);
  const char* broken = guarded_.table.broken_invariant();
  guarded_.table.for_each([&](const Mapping& mapping) {
    if (!mapping.referenced()) {
      broken = "what is present is referenced";
    }
    if (mapping.marked || mapping.pending) {
      broken = "nothing is marked while no construct is at work";
    }
  });
  return guarded_.marks.idle() ? broken : "marks and waiting constructs are counted";
}

std::string DataEnvironment::describe() {
  const std::lock_guard lock(guarded_.mutex);
  std::string text = fmt::format("{:>18} {:>18} {:>12} {:>10} {:>6}  {}\n", "host", "device",
                                 "bytes", "references", "holds", "variable");
  guarded_.table.for_each([&](const Mapping& mapping) {
    text += fmt::format("{:#18x} {:#18x} {:>12} {:>10} {:>6}  {}\n", mapping.host_begin,
                        mapping.device_begin, mapping.size(),
                        mapping.infinite() ? "infinite" : fmt::to_string(mapping.references),
                        mapping.holds, variable_name(mapping.name));
  });
  return text;
}

} // namespace gantry::core

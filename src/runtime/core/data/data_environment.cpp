#include "runtime/core/data/data_environment.h"

#include "runtime/core/reports/text.h"

#include <algorithm>
#include <utility>

namespace gantry::core {

namespace {

/// An item that concerns what is mapped of the `size` bytes at `host`.
MapItem storage(const void* host, std::uint64_t size) {
  MapItem item;
  item.begin = const_cast<std::byte*>(static_cast<const std::byte*>(host));
  item.size = size;
  return item;
}

tl::unexpected<Error> has_storage_already(const void* host, std::uint64_t size,
                                          const Mapping& present) {
  return fail("host storage {} overlaps {} {}, which has corresponding storage{}",
              extent(address(host), size), quoted_name(present.name),
              extent(present.host_begin, present.size()), mapped_where(present));
}

} // namespace

Status DataEnvironment::enter(Items items, const Construct& construct, Queue& queue) {
  Lock lock(mutex_);
  settle(lock, items);
  ConstructWork work(construct, queue, table_.next_call());
  Status planned = plan_enter(lock, items, work);
  for (std::size_t i = 0; planned && i < items.size(); ++i) {
    const MapItem& item = items[i];
    if (item.returned_base != nullptr && work.found[i] != nullptr) {
      const std::uintptr_t host_base = item.kind == MapKind::kPointee
                                           ? *reinterpret_cast<std::uintptr_t*>(item.base)
                                           : address(item.base);
      *item.returned_base = reinterpret_cast<void*>(work.found[i]->device_address(host_base));
    }
  }
  return finish_enter(lock, work, std::move(planned));
}

Status DataEnvironment::enter_items(Items items, const Construct& construct, Queue& queue,
                                    KernelArguments& arguments, ParameterForm form,
                                    PrivateStorage& storage, FoundLast* last) {
  const PrivateLayout layout(items, form);
  if (layout.size > 0) {
    if (Status status = storage.reserve(layout.size, queue); !status) {
      return status;
    }
  }
  Lock lock(mutex_);
  settle(lock, items);
  ConstructWork work(construct, queue, table_.next_call(), last);
  Status planned = plan_enter(lock, items, work);
  if (planned) [[likely]] {
    planned = append_arguments(items, work, arguments, layout, storage);
  }
  return finish_enter(lock, work, std::move(planned));
}

Status DataEnvironment::exit_items(Items items, const Construct& construct, Queue& queue,
                                   FoundLast* last) {
  Lock lock(mutex_);
  settle(lock, items);
  ConstructWork work(construct, queue, table_.next_call(), last);
  Status outcome = plan_exit(items, work);
  if (!work.transfers.empty()) {
    // What goes must not be found meanwhile.
    for (Mapping* mapping : work.gone) {
      mark(*mapping, work);
    }
  }
  if (Status status = run_transfers(lock, work); !status && outcome) {
    outcome = std::move(status);
  }
  if (check_enabled(Check::kAttached)) [[unlikely]] {
    warn_of_attached(work);
  }
  if (check_enabled(Check::kMap) && outcome) [[unlikely]] {
    note_copies(work);
    look_at_gone(lock, work);
  }
  absl::InlinedVector<Allocation, kInlineTransfers> allocations;
  for (Mapping* mapping : work.gone) {
    if (info_enabled(Info::kMap)) [[unlikely]] {
      info("{}: {} {} unmapped", label(construct), quoted_name(mapping->name),
           extent(mapping->host_begin, mapping->size()));
    }
    note_gone(*mapping, construct);
    const Allocation allocation = erase(*mapping);
    if (allocation.address != nullptr) {
      allocations.push_back(allocation);
    }
  }
  lock.unlock();
  if (Status status = release(allocations); !status && outcome) {
    outcome = std::move(status);
  }
  return outcome;
}

Status DataEnvironment::update(Items items, const Construct& construct, Queue& queue) {
  Lock lock(mutex_);
  settle(lock, items);
  ConstructWork work(construct, queue, table_.next_call());
  Status planned = plan_update(items, work);
  const Status copied = run_transfers(lock, work);
  if (check_enabled(Check::kMap) && copied) [[unlikely]] {
    note_copies(work);
  }
  return planned ? copied : planned;
}

void DataEnvironment::settle(Lock& lock, Items items) {
  while (marks_ > 0 &&
         any_concerned(items, [](const Mapping& mapping) { return mapping.marked; })) {
    wait_for_marks(lock);
  }
}

void DataEnvironment::wait_for_marks(Lock& lock) {
  ++waiting_;
  settled_.wait(lock);
  --waiting_;
}

template <typename Predicate>
bool DataEnvironment::any_concerned(Items items, Predicate predicate) {
  const auto holds = [&](const std::byte* begin, std::uint64_t size) {
    const Lookup lookup = table_.find(address(begin), size);
    return lookup.mapping != nullptr && predicate(*lookup.mapping);
  };
  const auto present = [&](const MapItem& item) {
    return table_.find(address(item.begin), item.span()).presence == Presence::kPresent;
  };
  const auto of_some_piece = [&](const MapItem& item) {
    const std::byte* piece = item.begin;
    for (std::uint64_t i = 0; i < item.pieces; ++i, piece += item.stride) {
      if (holds(piece, item.size)) {
        return true;
      }
    }
    return false;
  };
  for (const MapItem& item : items) {
    switch (item.kind) {
    case MapKind::kStorage:
      if (holds(item.begin, item.span()) ||
          (item.pieces > 1 && !present(item) && of_some_piece(item))) {
        return true;
      }
      break;
    case MapKind::kPointee:
    case MapKind::kAttachment:
    case MapKind::kCapture:
      if (holds(item.base, sizeof(void*)) ||
          holds(item.begin, item.kind == MapKind::kPointee ? item.size : 0)) {
        return true;
      }
      break;
    case MapKind::kPrivate:
    case MapKind::kValue:
      break;
    }
  }
  return false;
}

void DataEnvironment::mark(Mapping& mapping, ConstructWork& work) {
  if (!mapping.marked) {
    mapping.marked = true;
    ++marks_;
    work.marked.push_back(&mapping);
  }
}

Status DataEnvironment::allocate_created(Lock& lock, Items items, ConstructWork& work) {
  Status status;
  if (std::ranges::any_of(work.created, [](const ConstructWork::Created& created) {
        return !created.mapping->shared();
      })) {
    // What the items concern, what was made for them included, must be there afterwards.
    const std::size_t marked = work.marked.size();
    (void)any_concerned(items, [&](Mapping& mapping) {
      mark(mapping, work);
      return false;
    });
    lock.unlock();
    status = allocate(work.created);
    lock.lock();
    for (const ConstructWork::Created& created : work.created) {
      if (std::exchange(created.mapping->pending, false)) {
        created.mapping->allocation = created.place.allocation;
        created.mapping->device_begin = created.place.begin;
      }
      created.mapping->read_only = created.read_only;
    }
    take_marks_off(work, marked);
  }
  for (const ConstructWork::Created& created : work.created) {
    Mapping& mapping = *created.mapping;
    if (!links_.empty() && status) [[unlikely]] {
      point_links(mapping, work);
    }
    if (info_enabled(Info::kMap) && status) [[unlikely]] {
      info("{}: {} {} mapped to {:#x}{}", label(work.construct), quoted_name(mapping.name),
           extent(mapping.host_begin, mapping.size()), mapping.device_begin,
           mapping.shared() ? " (shared)" : "");
    }
  }
  return status;
}

Status DataEnvironment::allocate(std::span<ConstructWork::Created> created) {
  for (auto& [mapping, alignment, offset, place, read_only] : created) {
    read_only = !mapping->shared() && read_only_.holds(mapping->host_begin);
    if (!mapping->pending) {
      continue;
    }
    auto placed = device_.place(mapping->size(), alignment, offset);
    if (!placed) {
      return with_context(placed.error(),
                          fmt::format("mapping of {} {}", quoted_name(mapping->name),
                                      extent(mapping->host_begin, mapping->size())));
    }
    place = *placed;
  }
  return {};
}

Status DataEnvironment::run_transfers(Lock& lock, ConstructWork& work) {
  Status status;
  if (!work.transfers.empty()) {
    lock.unlock();
    // Others may use what is marked as soon as the marks are off. Without any, all of it is private
    // to a launch, which comes behind it in the queue.
    const bool waits = !work.marked.empty();
    if (Status copied = work.transfers.run(work.queue, work.construct,
                                           waits ? Queue::Wait::kAtOnce : Queue::Wait::kLater);
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
  take_marks_off(work);
  return status;
}

void DataEnvironment::take_marks_off(ConstructWork& work, std::size_t kept) {
  for (std::size_t i = kept; i < work.marked.size(); ++i) {
    work.marked[i]->marked = false;
    --marks_;
  }
  if (waiting_ > 0 && work.marked.size() > kept) {
    settled_.notify_all();
  }
  work.marked.resize(kept);
}

Status DataEnvironment::finish_enter(Lock& lock, ConstructWork& work, Status planned) {
  if (planned) [[likely]] {
    Status copied = run_transfers(lock, work);
    if (copied) [[likely]] {
      for (const auto& [mapping, pointer] : work.attachments) {
        mapping->attach(pointer);
      }
      if (check_enabled(Check::kMap)) [[unlikely]] {
        note_copies(work);
      }
      return {};
    }
    planned = std::move(copied);
  } else {
    work.transfers = {};
    (void)run_transfers(lock, work); // takes the marks off
  }
  absl::InlinedVector<Allocation, kInlineTransfers> allocations;
  for (const auto& [mapping, created_by, hold] : work.references) {
    // Without the lock another construct may have deleted it, and it may have been used again.
    std::uint64_t& count = hold ? mapping->holds : mapping->references;
    if (mapping->created_by != created_by || count == 0) {
      continue;
    }
    --count;
    if (mapping->created_by == work.call && !mapping->referenced()) {
      const Allocation allocation = erase(*mapping);
      if (allocation.address != nullptr) {
        allocations.push_back(allocation);
      }
    }
  }
  lock.unlock();
  (void)release(allocations); // the failure before is what is reported
  return planned;
}

DataEnvironment::Allocation DataEnvironment::erase(Mapping& mapping) {
  const Allocation allocation = {mapping.allocation,
                                 mapping.kept == nullptr ? mapping.name : nullptr,
                                 mapping.host_begin, mapping.size()};
  separate_storage_ -= mapping.shared() ? 0 : 1;
  table_.erase(mapping);
  return allocation;
}

Status DataEnvironment::release(std::span<const Allocation> allocations) {
  Status outcome;
  for (const auto& [address, name, host_begin, size] : allocations) {
    if (Status status = device_.release(address); !status && outcome) {
      outcome = with_context(status.error(), fmt::format("unmapping of {} {}", quoted_name(name),
                                                         extent(host_begin, size)));
    }
  }
  return outcome;
}

void DataEnvironment::note_separate(const Mapping& mapping) {
  separate_storage_ += mapping.shared() ? 0 : 1;
}

Mapping& DataEnvironment::insert_infinite(std::uintptr_t begin, std::uint64_t size,
                                          void* device_address, bool read_only) {
  Mapping& mapping = table_.insert(begin, size);
  mapping.device_begin = address(device_address);
  mapping.references = Mapping::kInfinite;
  mapping.read_only = read_only;
  note_separate(mapping);
  return mapping;
}

Status DataEnvironment::associate(const void* host, std::uint64_t size, void* device_address) {
  const bool read_only = read_only_.holds(address(host));
  Lock lock(mutex_);
  const MapItem item = storage(host, size);
  settle(lock, {&item, 1});
  const std::uintptr_t begin = address(host);
  const Lookup lookup = table_.find(begin, size);
  if (lookup.presence == Presence::kAbsent) {
    insert_infinite(begin, size, device_address, read_only);
    return {};
  }
  const Mapping& present = *lookup.mapping;
  if (present.host_begin == begin && present.size() == size &&
      present.device_begin == address(device_address) && present.infinite()) {
    return {};
  }
  return has_storage_already(host, size, present);
}

Status DataEnvironment::disassociate(const void* host) {
  Lock lock(mutex_);
  const std::uintptr_t begin = address(host);
  const MapItem item = storage(host, 1);
  settle(lock, {&item, 1});
  const Lookup lookup = table_.find(begin, 1);
  if (lookup.presence != Presence::kPresent || lookup.mapping->host_begin != begin ||
      !lookup.mapping->infinite() || lookup.mapping->declared) {
    return fail("host address {:#x} is not the start of storage that omp_target_associate_ptr "
                "associated",
                begin);
  }
  erase(*lookup.mapping); // it owns no allocation
  return {};
}

Status DataEnvironment::declare(const void* host, std::uint64_t size, void* device_address,
                                const char* name, Declared kind) {
  Lock lock(mutex_);
  const MapItem item = storage(host, size);
  settle(lock, {&item, 1});
  const std::uintptr_t begin = address(host);
  const Lookup lookup = table_.find(begin, size);
  if (lookup.presence == Presence::kAbsent) {
    Mapping& mapping = insert_infinite(begin, size, device_address, read_only_.noted(begin));
    mapping.declared = true;
    mapping.link_pointer = kind == Declared::kLinkPointer;
    mapping.name = name;
    return {};
  }
  const Mapping& present = *lookup.mapping;
  if (present.declared && present.host_begin == begin && present.size() == size) {
    return {};
  }
  return has_storage_already(host, size, present);
}

void DataEnvironment::undeclare(const void* host, const void* device_address) {
  Lock lock(mutex_);
  const MapItem item = storage(host, 1);
  settle(lock, {&item, 1});
  const Lookup lookup = table_.find(address(host), 1);
  if (lookup.presence == Presence::kPresent && lookup.mapping->declared &&
      lookup.mapping->device_begin == address(device_address)) {
    erase(*lookup.mapping); // it owns no allocation
  }
}

void DataEnvironment::declare_link(const void* host, std::uint64_t size, const LinkTarget& target) {
  const std::lock_guard lock(mutex_);
  const Link link{address(host), size, target};
  links_.insert(std::ranges::upper_bound(links_, link.host, {}, &Link::host), link);
}

void DataEnvironment::undeclare_link(const void* host, const LinkTarget& target) {
  const std::lock_guard lock(mutex_);
  std::erase_if(links_, [&](const Link& link) {
    return link.host == address(host) && link.target == target;
  });
}

void DataEnvironment::note_modules() {
  read_only_.refresh();
}

void DataEnvironment::unify() {
  const std::lock_guard lock(mutex_);
  unified_ = true;
}

bool DataEnvironment::has_separate_storage() {
  const std::lock_guard lock(mutex_);
  return separate_storage_ > 0;
}

bool DataEnvironment::is_present(const void* host, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  return table_.find(address(host), size).presence == Presence::kPresent;
}

void* DataEnvironment::corresponding(const void* host, std::uint64_t size) {
  Lock lock(mutex_);
  Lookup lookup = table_.find(address(host), size);
  while (lookup.mapping != nullptr && lookup.mapping->pending) {
    wait_for_marks(lock);
    lookup = table_.find(address(host), size);
  }
  return lookup.presence == Presence::kPresent
             ? reinterpret_cast<void*>(lookup.mapping->device_address(address(host)))
             : nullptr;
}

void DataEnvironment::intern_strings(std::uintptr_t begin, std::uintptr_t end) {
  const std::lock_guard lock(mutex_);
  table_.intern_strings(begin, end);
  for (Gone& gone : gone_) {
    for (const char** text : {&gone.name, &gone.mapped_at, &gone.unmapped_at}) {
      if (address(*text) >= begin && address(*text) < end) {
        *text = nullptr;
      }
    }
  }
}

void DataEnvironment::for_each_count(
    const std::function<void(std::uintptr_t, std::uint64_t, std::uint64_t, std::uint64_t)>& visit) {
  const std::lock_guard lock(mutex_);
  table_.for_each([&](const Mapping& mapping) {
    visit(mapping.host_begin, mapping.size(), mapping.references, mapping.holds);
  });
}

const char* DataEnvironment::broken_invariant() {
  const std::lock_guard lock(mutex_);
  const char* broken = table_.broken_invariant();
  std::uint64_t separate = 0;
  table_.for_each([&](const Mapping& mapping) {
    separate += mapping.shared() ? 0 : 1;
    if (!mapping.referenced()) {
      broken = "what is present is referenced";
    }
    if (mapping.marked || mapping.pending) {
      broken = "nothing is marked while no construct is at work";
    }
  });
  if (separate != separate_storage_ || marks_ != 0 || waiting_ != 0) {
    broken = "storage of its own, marks and waiting constructs are counted";
  }
  return broken;
}

std::string DataEnvironment::describe() {
  const std::lock_guard lock(mutex_);
  std::string text = fmt::format("{:>18} {:>18} {:>12} {:>10} {:>6}  {}\n", "host", "device",
                                 "bytes", "references", "holds", "variable");
  table_.for_each([&](const Mapping& mapping) {
    text += fmt::format("{:#18x} {:#18x} {:>12} {:>10} {:>6}  {}\n", mapping.host_begin,
                        mapping.device_begin, mapping.size(),
                        mapping.infinite() ? "infinite" : fmt::to_string(mapping.references),
                        mapping.holds, map_name(mapping.name));
  });
  return text;
}

} // namespace gantry::core

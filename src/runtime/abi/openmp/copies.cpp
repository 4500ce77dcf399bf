// Copies and fills, at once or in a target task (OpenMP 5.2, sections 18.8.5 to 18.8.8; the fills
// are OpenMP 6.0's). The forms that end in _async check their arguments before they return and keep
// copies of them; what a device refuses later ends the program, since nobody is left to be told.
#include "runtime/abi/export.h"
#include "runtime/abi/openmp/routine.h"
#include "runtime/abi/openmp/target_task.h"
#include "runtime/abi/openmp/tasks.h"
#include "runtime/core/constructs/rectangle.h"
#include "runtime/core/runtime/early_plugins.h"

#include <memory>
#include <utility>

using namespace gantry;
using abi::openmp::Routine;

namespace {

constexpr int kSuccess = 0;
constexpr int kFailure = -1;

/// The depend objects of a routine that ends in _async.
struct DependObjects {
  int count;
  void* const* objects;
};

/// Does what was checked in a task of its own.
template <typename Work>
Status defer(const Routine& routine, const DependObjects& depend, Work work) {
  const auto dependences = GANTRY_TRY(abi::openmp::dependences_of(depend.count, depend.objects));
  abi::openmp::run_deferred(dependences, [routine = routine.deferred(), work = std::move(work)] {
    if (Status status = work(routine); !status && !core::is_of_the_end(routine.construct())) {
      routine.end(status.error());
    }
  });
  return {};
}

/// Copies that a task has put into a device's queue.
struct DeferredCopies final : abi::openmp::UnderWay {
  DeferredCopies(const Routine& of, const core::Copy& first)
      : routine(of), copies(first, routine.construct()) {}

  bool try_end() override {
    if (!copies.done()) {
      return false;
    }
    if (Status status = copies.wait(); !status && !core::is_of_the_end(routine.construct())) {
      routine.end(status.error());
    }
    return true;
  }

  const Routine routine;
  core::QueuedCopies copies;
};

// What both kinds of copies do.
bool fits_queue(const core::Copy& copy) {
  return core::QueuedCopies::takes(copy);
}
bool fits_queue(const core::RectangleCopy& copy) {
  return copy.fits_queue();
}
core::Copy first_of(const core::Copy& copy) {
  return copy;
}
core::Copy first_of(const core::RectangleCopy& copy) {
  return copy.first_row();
}
Status put_into(core::QueuedCopies& queue, const core::Copy& copy) {
  return queue.put(copy);
}
Status put_into(core::QueuedCopies& queue, const core::RectangleCopy& copy) {
  return copy.put_into(queue);
}
Status perform(const core::RectangleCopy& copy, const core::Construct& at) {
  return copy.perform(at);
}

/// Copies in a task of its own, and leaves what a device's queue can do to that.
template <typename Copies>
Status copy_deferred(const Routine& routine, const DependObjects& depend, Copies copies) {
  return defer(routine, depend, [copies = std::move(copies)](const Routine& task) -> Status {
    void** const handle =
        fits_queue(copies) ? abi::openmp::handle_of_current_target_task() : nullptr;
    if (handle == nullptr) {
      return perform(copies, task.construct());
    }
    auto begun = std::make_shared<DeferredCopies>(task, first_of(copies));
    GANTRY_TRY(put_into(begun->copies, copies));
    abi::openmp::leave(handle, std::move(begun));
    return {};
  });
}

Result<core::Copy> make_copy(const Routine& routine, void* to, const void* from, std::size_t size,
                             std::size_t to_offset, std::size_t from_offset, int to_device,
                             int from_device) {
  const auto to_memory = GANTRY_TRY(routine.memory(to, to_device));
  const auto from_memory = GANTRY_TRY(routine.memory(from, from_device));
  const core::Copy copy{to_memory, from_memory, to_offset, from_offset, size};
  GANTRY_TRY(core::check(copy));
  return copy;
}

/// The arguments of omp_target_memcpy_rect in their order.
struct RectangleArguments {
  void* to;
  const void* from;
  std::size_t element_size;
  int dimensions;
  const std::size_t* volume;
  const std::size_t* to_offsets;
  const std::size_t* from_offsets;
  const std::size_t* to_extents;
  const std::size_t* from_extents;
  int to_device;
  int from_device;
};
constexpr int kAnyNumberOfDimensions = INT32_MAX;

/// Checks a copy and does with it what `perform` says.
template <typename Perform>
int copy_rectangle(const Routine& routine, const RectangleArguments& a, Perform perform) {
  if (a.to == nullptr && a.from == nullptr) {
    return kAnyNumberOfDimensions; // that the routine supports
  }
  const auto copied = [&]() -> Status {
    const auto to_memory = GANTRY_TRY(routine.memory(a.to, a.to_device));
    const auto from_memory = GANTRY_TRY(routine.memory(a.from, a.from_device));
    return perform(routine, GANTRY_TRY(core::RectangleCopy::make(
                                a.element_size, a.dimensions, a.volume,
                                {to_memory, a.to_offsets, a.to_extents},
                                {from_memory, a.from_offsets, a.from_extents})));
  };
  const Status status = copied();
  return status ? kSuccess : routine.failed(status.error(), kFailure);
}

/// The routine has no value for failure: it returns its pointer.
core::Fill make_fill(const Routine& routine, void* pointer, int value, std::size_t size,
                     int device) {
  const auto memory = routine.memory(pointer, device);
  if (!memory) {
    routine.end(memory.error());
  }
  // As in memset, the value's lowest byte counts.
  const core::Fill fill{*memory, size, static_cast<std::byte>(value)};
  if (Status status = core::check(fill); !status) {
    routine.end(status.error());
  }
  return fill;
}

} // namespace

/// Section 18.8.5.
GANTRY_EXPORT int omp_target_memcpy(void* to, const void* from, std::size_t size,
                                    std::size_t to_offset, std::size_t from_offset, int to_device,
                                    int from_device) {
  const Routine routine("omp_target_memcpy");
  const Status status =
      make_copy(routine, to, from, size, to_offset, from_offset, to_device, from_device)
          .and_then(
              [&](const core::Copy& copy) { return core::perform(copy, routine.construct()); });
  return status ? kSuccess : routine.failed(status.error(), kFailure);
}

/// Section 18.8.7.
GANTRY_EXPORT int omp_target_memcpy_async(void* to, const void* from, std::size_t size,
                                          std::size_t to_offset, std::size_t from_offset,
                                          int to_device, int from_device, int depend_count,
                                          void* const* depend_objects) {
  const Routine routine("omp_target_memcpy_async");
  const Status status =
      make_copy(routine, to, from, size, to_offset, from_offset, to_device, from_device)
          .and_then([&](const core::Copy& copy) {
            return copy_deferred(routine, {depend_count, depend_objects}, copy);
          });
  return status ? kSuccess : routine.failed(status.error(), kFailure);
}

/// Section 18.8.6.
GANTRY_EXPORT int
omp_target_memcpy_rect(void* to, const void* from, std::size_t element_size, int dimensions,
                       const std::size_t* volume, const std::size_t* to_offsets,
                       const std::size_t* from_offsets, const std::size_t* to_extents,
                       const std::size_t* from_extents, int to_device, int from_device) {
  return copy_rectangle(Routine("omp_target_memcpy_rect"),
                        {to, from, element_size, dimensions, volume, to_offsets, from_offsets,
                         to_extents, from_extents, to_device, from_device},
                        [](const Routine& routine, const core::RectangleCopy& copy) {
                          return copy.perform(routine.construct());
                        });
}

/// Section 18.8.8.
GANTRY_EXPORT int
omp_target_memcpy_rect_async(void* to, const void* from, std::size_t element_size, int dimensions,
                             const std::size_t* volume, const std::size_t* to_offsets,
                             const std::size_t* from_offsets, const std::size_t* to_extents,
                             const std::size_t* from_extents, int to_device, int from_device,
                             int depend_count, void* const* depend_objects) {
  return copy_rectangle(Routine("omp_target_memcpy_rect_async"),
                        {to, from, element_size, dimensions, volume, to_offsets, from_offsets,
                         to_extents, from_extents, to_device, from_device},
                        [&](const Routine& routine, core::RectangleCopy copy) {
                          return copy_deferred(routine, {depend_count, depend_objects},
                                               std::move(copy));
                        });
}

GANTRY_EXPORT void* omp_target_memset(void* pointer, int value, std::size_t size, int device) {
  const Routine routine("omp_target_memset");
  const core::Fill fill = make_fill(routine, pointer, value, size, device);
  if (Status status = core::perform(fill); !status) {
    routine.end(status.error());
  }
  return pointer;
}

GANTRY_EXPORT void* omp_target_memset_async(void* pointer, int value, std::size_t size, int device,
                                            int depend_count, void* const* depend_objects) {
  const Routine routine("omp_target_memset_async");
  const core::Fill fill = make_fill(routine, pointer, value, size, device);
  const Status status = defer(routine, {depend_count, depend_objects},
                              [fill](const Routine&) { return core::perform(fill); });
  if (!status) {
    routine.end(status.error());
  }
  return pointer;
}

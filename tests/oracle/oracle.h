// What a program of the oracle runs in: host storage of every kind, and an interpreter of scripts.
// A script is lines of numbers, "ID OPERATION COUNT ARGUMENTS…"; an operation from 0 on is a shape,
// a function with a directive that unit.py wrote; those below 0 are here. Every observation is a
// line "ID: values…" on stdout, which model.py has predicted.
#pragma once

#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#ifndef __clang__
extern "C" void* omp_get_mapped_ptr(const void* host,
                                    int device); // GCC 12's header does not have it
#endif

namespace oracle {

// Layouts that model.py knows too (REGIONS).
struct Node {
  int head;
  int body[4];
  int* link;
  int tail;
  short odd[3];
  int* more;
};

struct Box {
  int size;
  int tag;
  int* data;
  int extra[2];
};

constexpr long kCells = 65536;
constexpr long kBytes = 4096;
constexpr long kRows = 16;
constexpr long kColumns = 8;
constexpr long kNodes = 8;
constexpr long kBoxes = 8;
enum : long { kFixed = 32 };

#pragma omp declare target
int fixed[kFixed];
template <typename T>
void touch(long* log, long& at, T* values, long count, long mode, long first) {
  for (long i = 0; i < count; ++i) {
    if (mode & 1) {
      log[at++] = values[i];
    }
    if (mode & 2) {
      values[i] = static_cast<T>(first + i);
    }
  }
}
inline void touch(long* log, long& at, Node* nodes, long count, long mode, long first) {
  for (long i = 0; i < count; ++i) {
    touch(log, at, &nodes[i].head, 1, mode, first);
    touch(log, at, nodes[i].body, 4, mode, first);
    touch(log, at, &nodes[i].tail, 1, mode, first);
    touch(log, at, nodes[i].odd, 3, mode, first);
  }
}
inline void touch(long* log, long& at, Box* boxes, long count, long mode, long first) {
  for (long i = 0; i < count; ++i) {
    touch(log, at, &boxes[i].tag, 1, mode, first);
    touch(log, at, boxes[i].data, boxes[i].size, mode, first);
  }
}
#pragma omp end declare target
int linked[kFixed];
#pragma omp declare target link(linked)

/// The host storage of a program, the same for all its threads.
struct World {
  int* cells = static_cast<int*>(std::malloc(kCells * sizeof(int)));
  char* bytes = static_cast<char*>(std::malloc(kBytes));
  int (*grid)[kColumns] = static_cast<int (*)[kColumns]>(std::malloc(kRows * kColumns *
                                                                     sizeof(int)));
  Node* nodes = static_cast<Node*>(std::malloc(kNodes * sizeof(Node)));
  Box* boxes = static_cast<Box*>(std::malloc(kBoxes * sizeof(Box)));
  std::map<std::pair<long, char*>, char*>
      associated;       ///< (device, host address): what was allocated
  char tokens[16] = {}; ///< what depend clauses name

  char* region(long which) {
    char* regions[] = {reinterpret_cast<char*>(cells), bytes,
                       reinterpret_cast<char*>(grid),  reinterpret_cast<char*>(nodes),
                       reinterpret_cast<char*>(boxes), reinterpret_cast<char*>(fixed),
                       reinterpret_cast<char*>(linked)};
    return regions[which];
  }

  /// Every program begins with the same values, also in the declare target variables of the
  /// devices.
  void reset() {
    for (long i = 0; i < kCells; ++i) {
      cells[i] = static_cast<int>(1000 + i);
    }
    for (long i = 0; i < kBytes; ++i) {
      bytes[i] = static_cast<char>(i % 100);
    }
    for (long i = 0; i < kRows * kColumns; ++i) {
      (&grid[0][0])[i] = static_cast<int>(2000 + i);
    }
    std::memset(nodes, 0, kNodes * sizeof(Node));
    std::memset(boxes, 0, kBoxes * sizeof(Box));
    for (long i = 0; i < kFixed; ++i) {
      fixed[i] = static_cast<int>(3000 + i);
      linked[i] = static_cast<int>(4000 + i);
    }
    for (int device = 0; device < omp_get_num_devices(); ++device) {
#pragma omp target update to(fixed) device(device)
    }
  }
};

constexpr long kLog = 1 << 16;

/// One host thread's run of a script.
struct Run {
  World* world = nullptr;
  std::string out;
  std::vector<long*>
      logs; ///< device memory that regions write what they see into; the last is the host's
  long used = 0;
  struct Logged {
    long id, device, begin, count;
  };
  std::vector<Logged> pending;                    ///< of regions with nowait
  long id = 0;                                    ///< of the step that runs
  const std::vector<struct Step>* body = nullptr; ///< of a target data construct

  Run() {
    for (int device = 0; device <= omp_get_num_devices(); ++device) {
      logs.push_back(static_cast<long*>(device == omp_get_num_devices()
                                            ? std::malloc(kLog * sizeof(long))
                                            : omp_target_alloc(kLog * sizeof(long), device)));
    }
  }

  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    std::free(logs.back());
    for (int device = 0; device < omp_get_num_devices(); ++device) {
      omp_target_free(logs[device], device);
    }
  }

  static long place(long device, long condition) {
    return condition && device >= 0 ? device : omp_get_num_devices();
  }
  long* log(long device, long condition = 1) { return logs[place(device, condition)] + used; }

  void print(long of, const std::vector<long>& values) {
    out += std::to_string(of) + ":";
    for (long value : values) {
      out += " " + std::to_string(value);
    }
    out += "\n";
  }

  /// A region of this step has written `count` values.
  void logged(long device, long condition, long count, bool later = false) {
    pending.push_back({id, place(device, condition), used, count});
    used += count;
    if (!later) {
      collect();
    }
  }

  void collect() {
    for (const Logged& entry : pending) {
      std::vector<long> values(entry.count);
      if (entry.count > 0) {
        omp_target_memcpy(values.data(), logs[entry.device], entry.count * sizeof(long), 0,
                          entry.begin * sizeof(long), omp_get_initial_device(),
                          static_cast<int>(entry.device));
        print(entry.id, values);
      }
    }
    pending.clear();
    used = 0;
  }

  void run_body();
};

struct Step {
  long id = 0;
  long operation = 0;
  std::vector<long> arguments;
  std::vector<Step> body;
};

using Shape = void (*)(Run& run, World& w, const long* a);

/// Defined by the unit: its shapes, in order.
extern const Shape kShapes[];
extern const bool kHasBody[];

enum Operation : long {
  kEnd = -1,
  kHostWrite = -2, // region, offset, element size, count, first value
  kHostRead = -3,  // region, offset, element size, count
  kPeek = -4,      // device, region, offset, element size, count
  kPresent = -5,   // device, region, offsets…
  kSame = -6,      // device, region, offset, offset
  kPoint = -7,     // region, offset of a pointer, offset in cells in bytes (-1: null)
  kCopy = -8,      // how, destination device, region, offset, source device, region, offset, bytes
  kAssociate = -9, // device, region, offset, bytes, distance
  kDisassociate = -10, // device, region, offset
  kWait = -11,
  kThreads = -12,
  kThread = -13,
  kFlush = -14,
};

inline bool has_body(long operation) {
  return operation >= 0 ? kHasBody[operation] : operation == kThreads || operation == kThread;
}

inline std::vector<long> read_values(const char* from, long size, long count) {
  std::vector<long> values;
  for (long i = 0; i < count; ++i) {
    if (size == 1) {
      values.push_back(from[i]);
    } else if (size == 2) {
      values.push_back(reinterpret_cast<const short*>(from)[i]);
    } else {
      values.push_back(reinterpret_cast<const int*>(from)[i]);
    }
  }
  return values;
}

void run_steps(Run& run, const std::vector<Step>& steps);

inline void copy_memory(Run& run, World& w, const long* a) {
  const int host = omp_get_initial_device();
  const int to = a[1] < 0 ? host : static_cast<int>(a[1]);
  const int from = a[4] < 0 ? host : static_cast<int>(a[4]);
  char* destination = w.region(a[2]) + a[3];
  char* source = w.region(a[5]) + a[6];
  if (to != host) {
    destination = static_cast<char*>(omp_get_mapped_ptr(destination, to));
  }
  if (from != host) {
    source = static_cast<char*>(omp_get_mapped_ptr(source, from));
  }
  const std::size_t bytes = a[7];
  int failed = 0;
  if (a[0] == 0) {
    failed = omp_target_memcpy(destination, source, bytes, 0, 0, to, from);
  } else if (a[0] == 1) {
    const std::size_t volume[] = {1, bytes};
    const std::size_t zero[] = {0, 0};
    const std::size_t dimensions[] = {1, bytes};
    failed = omp_target_memcpy_rect(destination, source, 1, 2, volume, zero, zero, dimensions,
                                    dimensions, to, from);
  } else {
#ifdef __clang__
    failed = omp_target_memcpy_async(destination, source, bytes, 0, 0, to, from, 0, nullptr);
#else // GCC 12's header does not declare it
    failed = omp_target_memcpy(destination, source, bytes, 0, 0, to, from);
#endif
  }
#pragma omp taskwait
  run.print(run.id, {failed});
}

inline void run_step(Run& run, const Step& step) {
  World& w = *run.world;
  const long* a = step.arguments.data();
  const long count = static_cast<long>(step.arguments.size());
  run.id = step.id;
  if (step.operation >= 0) {
    const std::vector<Step>* around = run.body;
    run.body = &step.body;
    kShapes[step.operation](run, w, a);
    run.body = around;
    return;
  }
  switch (step.operation) {
  case kHostWrite: {
    char* at = w.region(a[0]) + a[1];
    for (long i = 0; i < a[3]; ++i) {
      if (a[2] == 1) {
        at[i] = static_cast<char>(a[4] + i);
      } else if (a[2] == 2) {
        reinterpret_cast<short*>(at)[i] = static_cast<short>(a[4] + i);
      } else {
        reinterpret_cast<int*>(at)[i] = static_cast<int>(a[4] + i);
      }
    }
    break;
  }
  case kHostRead:
    run.print(step.id, read_values(w.region(a[0]) + a[1], a[2], a[3]));
    break;
  case kPeek: {
    std::vector<char> copy(a[3] * a[4]);
    void* mapped = omp_get_mapped_ptr(w.region(a[1]) + a[2], static_cast<int>(a[0]));
    if (mapped == nullptr) {
      run.out += std::to_string(step.id) + ": absent\n";
    } else if (omp_target_memcpy(copy.data(), mapped, copy.size(), 0, 0, omp_get_initial_device(),
                                 static_cast<int>(a[0])) != 0) {
      run.out += std::to_string(step.id) + ": copy failed\n";
    } else {
      run.print(step.id, read_values(copy.data(), a[3], a[4]));
    }
    break;
  }
  case kPresent: {
    std::vector<long> found;
    for (long i = 2; i < count; ++i) {
      char* address = w.region(a[1]) + a[i];
      const int device = static_cast<int>(a[0]);
      const bool present = omp_target_is_present(address, device) != 0;
      found.push_back(present);
      if (present != (omp_get_mapped_ptr(address, device) != nullptr)) {
        found.push_back(-1); // the two routines disagree
      }
    }
    run.print(step.id, found);
    break;
  }
  case kSame: {
    char* first = w.region(a[1]) + a[2];
    char* second = w.region(a[1]) + a[3];
    const int device = static_cast<int>(a[0]);
    run.print(step.id, {static_cast<char*>(omp_get_mapped_ptr(second, device)) -
                        static_cast<char*>(omp_get_mapped_ptr(first, device))});
    break;
  }
  case kPoint: {
    int* pointee = a[2] < 0 ? nullptr : w.cells + a[2] / static_cast<long>(sizeof(int));
    std::memcpy(w.region(a[0]) + a[1], &pointee, sizeof(pointee));
    break;
  }
  case kCopy:
    copy_memory(run, w, a);
    break;
  case kAssociate: {
    const int device = static_cast<int>(a[0]);
    char* host = w.region(a[1]) + a[2];
    char* memory = static_cast<char*>(omp_target_alloc(a[3] + a[4], device));
    w.associated[{a[0], host}] = memory;
    run.print(step.id, {omp_target_associate_ptr(host, memory, a[3], a[4], device)});
    break;
  }
  case kDisassociate: {
    const int device = static_cast<int>(a[0]);
    char* host = w.region(a[1]) + a[2];
    run.print(step.id, {omp_target_disassociate_ptr(host, device)});
    omp_target_free(w.associated[{a[0], host}], device);
    w.associated.erase({a[0], host});
    break;
  }
  case kWait: {
#pragma omp taskwait
    run.collect();
    break;
  }
  case kThreads: {
    Run runs[4];
    const int threads = static_cast<int>(step.body.size());
#pragma omp parallel num_threads(threads)
    {
      Run& own = runs[omp_get_thread_num()];
      own.world = run.world;
      own.out.clear();
      run_steps(own, step.body[omp_get_thread_num()].body);
    }
    for (int i = 0; i < threads; ++i) {
      run.out += runs[i].out;
    }
    break;
  }
  case kFlush:
    std::fputs(run.out.c_str(), stdout);
    std::fflush(stdout);
    run.out.clear();
    break;
  default:
    std::fprintf(stderr, "oracle: no operation %ld\n", step.operation);
    std::exit(3);
  }
}

inline void run_steps(Run& run, const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    run_step(run, step);
  }
}

inline void Run::run_body() {
  run_steps(*this, *body);
}

/// Reads steps up to the end of the body that they are in, or of the script.
inline std::vector<Step> read_steps(std::istream& script) {
  std::vector<Step> steps;
  for (Step step; script >> step.id >> step.operation;) {
    if (step.operation == kEnd) {
      break;
    }
    long count = 0;
    script >> count;
    step.arguments.resize(count);
    for (long& argument : step.arguments) {
      script >> argument;
    }
    step.body.clear();
    if (has_body(step.operation)) {
      step.body = read_steps(script);
    }
    steps.push_back(step);
  }
  return steps;
}

inline int run_script(std::istream& script) {
  Run run;
  World world;
  run.world = &world;
  std::string word;
  while (script >> word) { // "program SEED", then steps up to the end
    long seed = 0;
    script >> seed;
    const std::vector<Step> steps = read_steps(script);
    world.reset();
    run.out = "program " + std::to_string(seed) + "\n";
    run_steps(run, steps);
    std::fputs(run.out.c_str(), stdout);
    std::fflush(stdout);
  }
  return 0;
}

} // namespace oracle

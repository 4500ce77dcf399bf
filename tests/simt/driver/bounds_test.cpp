// Accesses in loops, some of which go wrong, against a model of which are allowed: random
// allocations, places in them and beyond their ends, shapes of access that code checks differently,
// and memory that is freed between launches.
#include "driver_test.h"

#include "gantry/simt_driver.h"

#include <algorithm>
#include <array>
#include <random>
#include <set>

#include <fmt/format.h>

namespace {

constexpr unsigned kLanes = 32;
constexpr unsigned kSteps = 24;
/// Bytes of memory for all lanes' accesses of any form.
constexpr std::uint64_t kLargeEnough = 4096;
/// As random_lanes' `wrong_in`.
constexpr unsigned kNever = 0;

/// How the lanes' addresses of a step come about, from a list in memory.
enum class Places {
  kSame,        ///< one for all
  kConsecutive, ///< one, and each lane's from there on
  kScattered,   ///< one for each lane
  kByLane,      ///< likewise; each lane leaves the loop at another time, as in rows of a matrix
};
constexpr std::array kPlaces = {Places::kSame, Places::kConsecutive, Places::kScattered,
                                Places::kByLane};
enum class Kind { kLoad, kStore, kAtomic };

struct Form {
  Places places;
  Kind kind;
  unsigned size;
  bool is_generic;

  [[nodiscard]] std::string name() const {
    return fmt::format("k{}_{}_{}_{}", static_cast<int>(places), static_cast<int>(kind), size,
                       is_generic ? "generic" : "global");
  }
};

std::vector<Form> forms() {
  std::vector<Form> all;
  for (const Places places : kPlaces) {
    for (const bool is_generic : {false, true}) {
      for (const unsigned size : {1U, 2U, 4U, 8U, 16U}) {
        all.push_back({places, Kind::kLoad, size, is_generic});
        all.push_back({places, Kind::kStore, size, is_generic});
      }
      all.push_back({places, Kind::kAtomic, 4, is_generic});
      all.push_back({places, Kind::kAtomic, 8, is_generic});
    }
  }
  return all;
}

std::string access(const Form& form) {
  const std::string space = form.is_generic ? "" : ".global";
  const unsigned element = form.size == 16 ? 8 : form.size;
  const std::string type = fmt::format("{}.b{}", form.size == 16 ? ".v2" : "", element * 8);
  const std::string values = form.size == 16 ? "{%value, %more}"
                             : element == 8  ? "%value"
                                             : "%word";
  switch (form.kind) {
  case Kind::kLoad:
    return fmt::format("ld{}{} {}, [%at];", space, type, values) +
           (element == 8 ? "xor.b64 %sum, %sum, %value;"
                         : fmt::format("cvt.u64.u{} %value, %word; xor.b64 %sum, %sum, %value;",
                                       element == 1 ? 8 : element * 8));
  case Kind::kStore:
    return fmt::format("st{}{} [%at], {};", space, type, values);
  case Kind::kAtomic:
    return fmt::format("red{}.add.u{} [%at], {};", space, element * 8,
                       element == 8 ? "%value" : "%word");
  }
  return {};
}

/// NAME(list, out): kSteps accesses by each lane at the addresses in the list; kByLane: the list is
/// a row for each lane, of which it takes kSteps - lane % 8.
std::string kernel(const Form& form) {
  const bool by_lane = form.places == Places::kByLane;
  std::string next;
  switch (form.places) {
  case Places::kSame:
    next = "ld.global.u64 %at, [%list]; add.u64 %list, %list, 8;";
    break;
  case Places::kConsecutive:
    next = fmt::format("ld.global.u64 %at, [%list]; add.u64 %list, %list, 8;"
                       "mad.wide.u32 %at, %thread, {}, %at;",
                       form.size);
    break;
  case Places::kScattered:
    next = fmt::format("ld.global.u64 %at, [%own]; add.u64 %own, %own, {};", 8 * kLanes);
    break;
  case Places::kByLane:
    next = "ld.global.u64 %at, [%own]; add.u64 %own, %own, 8;";
    break;
  }
  return fmt::format(R"(
.visible .entry {}(.param .u64 list, .param .u64 out) {{
  .reg .pred %again;
  .reg .b32 %thread, %left, %lane, %word;
  .reg .b64 %list, %own, %out, %at, %value, %more, %sum;
  mov.u32 %thread, %tid.x;
  ld.param.u64 %list, [list];
  ld.param.u64 %out, [out];
  mad.wide.u32 %own, %thread, {}, %list;
  mad.wide.u32 %out, %thread, 8, %out;
  and.b32 %lane, %thread, 7;
  sub.u32 %left, {}, {};
  mov.b32 %word, 0;
  mov.b64 %value, 0;
  mov.b64 %more, 0;
  mov.b64 %sum, 0;
LOOP:
  {}
  {}
  sub.u32 %left, %left, 1;
  setp.ne.u32 %again, %left, 0;
  @%again bra LOOP;
  st.global.u64 [%out], %sum;
  ret;
}}
)",
                     form.name(), by_lane ? 8 * kSteps : 8, kSteps, by_lane ? "%lane" : "0", next,
                     access(form));
}

std::string module() {
  std::string text = ".version 7.0\n.target sm_70\n.address_size 64\n";
  for (const Form& form : forms()) {
    text += kernel(form);
  }
  return text;
}

struct Memory {
  CUdeviceptr address;
  std::uint64_t size;
};

/// What a launch does: for each lane its addresses, in turn.
using Lanes = std::array<std::vector<CUdeviceptr>, kLanes>;

class BoundsTest : public testing::Test {
protected:
  void SetUp() override {
    if (!cuda().is_simulated) {
      GTEST_SKIP() << "GPUs check pages";
    }
    ASSERT_OK(cuda().cuInit(0));
    get_fault_ = reinterpret_cast<decltype(get_fault_)>(cuda().find("gantry_simt_get_fault"));
    ASSERT_NE(get_fault_, nullptr);
  }

  void open() {
    ASSERT_OK(cuda().cuCtxCreate_v2(&context_, 0, 0));
    ASSERT_OK(cuda().cuModuleLoadData(&module_, text_.c_str()));
    list_ = allocate(8 * kLanes * kSteps).address;
    out_ = allocate(8 * kLanes).address;
    memory_.clear();
  }
  void close() { ASSERT_OK(cuda().cuCtxDestroy_v2(context_)); }

  static Memory allocate(std::uint64_t size) {
    Memory memory = {0, size};
    EXPECT_OK(cuda().cuMemAlloc_v2(&memory.address, size));
    return memory;
  }
  Memory random_memory() { return allocate(1 + random_() % (random_() % 2 == 0 ? 80 : 3000)); }

  /// The launch has to end as the model says; `lost` becomes whether the context has ended with it.
  void launch(const Form& form, const Lanes& lanes, bool& lost) {
    CUfunction function = nullptr;
    ASSERT_OK(cuda().cuModuleGetFunction(&function, module_, form.name().c_str()));
    const std::vector<CUdeviceptr> addresses = list_of(form, lanes);
    ASSERT_OK(cuda().cuMemcpyHtoD_v2(list_, addresses.data(), 8 * addresses.size()));
    std::set<CUdeviceptr> wrong;
    for (const auto& lane : lanes) {
      std::ranges::copy_if(lane, std::inserter(wrong, wrong.end()),
                           [&](CUdeviceptr address) { return !is_allowed(form, address); });
    }
    void* parameters[] = {&list_, &out_};
    testing::internal::CaptureStderr();
    EXPECT_OK(cuda().cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
    lost = cuda().cuCtxSynchronize() != CUDA_SUCCESS;
    const std::string report = testing::internal::GetCapturedStderr();
    ASSERT_EQ(lost, !wrong.empty()) << form.name() << "\n" << report;
    if (lost) {
      gantry_simt_fault fault = {};
      ASSERT_OK(get_fault_(&fault));
      ASSERT_TRUE(wrong.contains(fault.address)) << form.name() << "\n" << report;
    }
  }

  bool is_allowed(const Form& form, CUdeviceptr address) const {
    // Each element of a vector is an access of its own, of an aligned whole.
    const unsigned element = form.size == 16 ? 8 : form.size;
    if (address % form.size != 0) {
      return false;
    }
    for (unsigned part = 0; part < form.size; part += element) {
      const unsigned bytes = form.kind == Kind::kStore ? element : 1;
      if (std::ranges::none_of(memory_, [&](const Memory& memory) {
            const std::uint64_t offset = address + part - memory.address;
            return offset < memory.size && memory.size - offset >= bytes;
          })) {
        return false;
      }
    }
    return true;
  }

  /// An address in an allocation, or near one of its ends.
  CUdeviceptr place(const Form& form, const Memory& memory, bool may_be_wrong) {
    const unsigned row = form.places == Places::kConsecutive ? kLanes * form.size : form.size;
    if (!may_be_wrong) {
      if (memory.size < row) {
        return 0;
      }
      return memory.address +
             random_() % (memory.size / form.size - row / form.size + 1) * form.size;
    }
    switch (random_() % 4) {
    case 0: // around the end
      return (memory.address + memory.size - row + random_() % (2 * row)) / form.size * form.size;
    case 1: // in front
      return memory.address - (1 + random_() % 8) * form.size;
    case 2: // misaligned, from two bytes on
      return memory.address + random_() % memory.size;
    default:
      return memory.address + random_() % (memory.size + 64) / form.size * form.size;
    }
  }

  /// Addresses of which about one of `wrong_in` may be wrong.
  Lanes random_lanes(const Form& form, unsigned wrong_in) {
    // Mostly one allocation after the other, as loops do.
    Lanes lanes;
    const Memory* memory = &memory_[random_() % memory_.size()];
    for (unsigned step = 0; step < kSteps; ++step) {
      if (random_() % 12 == 0) {
        memory = &memory_[random_() % memory_.size()];
      }
      CUdeviceptr one = 0;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (lane == 0 || form.places == Places::kScattered || form.places == Places::kByLane) {
          do {
            one = place(form, *memory, wrong_in != kNever && random_() % wrong_in == 0);
            if (one == 0) {
              memory = &memory_[random_() % memory_.size()];
            }
          } while (one == 0);
        }
        lanes[lane].push_back(one + (form.places == Places::kConsecutive ? lane * form.size : 0));
      }
    }
    if (form.places == Places::kByLane) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        lanes[lane].resize(kSteps - lane % 8);
      }
    }
    return lanes;
  }

  static std::vector<CUdeviceptr> list_of(const Form& form, const Lanes& lanes) {
    std::vector<CUdeviceptr> list;
    switch (form.places) {
    case Places::kSame:
    case Places::kConsecutive:
      return lanes[0];
    case Places::kScattered:
      for (unsigned step = 0; step < kSteps; ++step) {
        for (const auto& lane : lanes) {
          list.push_back(lane[step]);
        }
      }
      return list;
    case Places::kByLane:
      for (const auto& lane : lanes) {
        list.insert(list.end(), lane.begin(), lane.end());
        list.resize(list.size() + kSteps - lane.size());
      }
      return list;
    }
    return list;
  }

  std::mt19937 random_{20261126};
  std::vector<Memory> memory_; ///< that there is
  decltype(&gantry_simt_get_fault) get_fault_ = nullptr;
  const std::string text_ = module();
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUdeviceptr list_ = 0, out_ = 0;
};

// Each form comes to know its memory first.
TEST_F(BoundsTest, FreedMemoryIsNotAccessible) {
  for (const Form& form : forms()) {
    open();
    memory_ = {allocate(kLargeEnough)};
    const Lanes lanes = random_lanes(form, kNever);
    bool lost = false;
    for (int i = 0; i < 3; ++i) {
      ASSERT_NO_FATAL_FAILURE(launch(form, lanes, lost));
      ASSERT_FALSE(lost);
    }
    ASSERT_OK(cuda().cuMemFree_v2(memory_[0].address));
    memory_.clear();
    ASSERT_NO_FATAL_FAILURE(launch(form, lanes, lost));
    ASSERT_TRUE(lost);
    close();
  }
}

TEST_F(BoundsTest, WrongAccessesAndNoOthersEndTheLaunch) {
  const std::vector<Form> all = forms();
  unsigned launches = 0;
  for (unsigned round = 0; round < 60; ++round) {
    open();
    for (int i = 0; i < 4; ++i) {
      memory_.push_back(random_memory());
    }
    memory_.push_back(allocate(kLargeEnough));
    Form last = all.front();
    for (bool lost = false; !lost;) {
      // Often the one of before, whose memory has changed.
      const Form form = random_() % 2 == 0 ? last : all[random_() % all.size()];
      last = form;
      // The same kernel several times, so that it comes to know its memory; a wrong one at last.
      const unsigned times = 1 + random_() % 6;
      for (unsigned i = 0; i < times && !lost; ++i) {
        const Lanes lanes = random_lanes(form, i + 1 == times ? 30 : kNever);
        ASSERT_NO_FATAL_FAILURE(launch(form, lanes, lost));
        ++launches;
      }
      if (!lost && random_() % 3 == 0) {
        const std::size_t which = random_() % (memory_.size() - 1);
        ASSERT_OK(cuda().cuMemFree_v2(memory_[which].address));
        memory_.erase(memory_.begin() + static_cast<std::ptrdiff_t>(which));
        memory_.insert(memory_.begin(), random_memory());
      }
    }
    close();
  }
  EXPECT_GT(launches, 200);
}

} // namespace

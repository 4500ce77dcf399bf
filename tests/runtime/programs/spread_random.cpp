// spread_random FIRST COUNT: random sequences of constructs, one for each seed. Prints what the
// host sees after each step, and on stderr how many regions without a device clause did not run on
// the default device.
#include <omp.h>

#include "check_macros.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

enum { kArrays = 4, kSize = 32, kHalf = kSize / 2 };

static int storage[kArrays][kSize];
static int present[kArrays][16]; ///< how often by constructs of this program, on each device
static int devices;
static int moved;
static std::uint64_t state;

static int random_number(int limit) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<int>((state >> 33) % static_cast<std::uint64_t>(limit));
}

static void ran_on(int device) {
  moved += device != omp_get_default_device();
}

static void enter(int* a, int device, bool named) {
  if (named) {
#pragma omp target enter data map(to : a[0 : kSize]) device(device)
  } else {
#pragma omp target enter data map(to : a[0 : kSize])
  }
}

static void leave(int* a, int device, bool named, int how) {
  if (named) {
#pragma omp target exit data map(from : a[0 : kSize]) device(device)
  } else if (how == 0) {
#pragma omp target exit data map(from : a[0 : kSize])
  } else {
#pragma omp target exit data map(release : a[0 : kSize])
  }
}

static void update(int* a, int device, bool named, bool to) {
  if (named && to) {
#pragma omp target update to(a[0 : kSize]) device(device)
  } else if (named) {
#pragma omp target update from(a[0 : kSize]) device(device)
  } else if (to) {
#pragma omp target update to(a[0 : kSize])
  } else {
#pragma omp target update from(a[0 : kSize])
  }
}

static void change(int* a, int salt) {
  int device = -1;
#pragma omp target map(tofrom : a[0 : kSize]) map(from : device) firstprivate(salt)
  {
    for (int i = 0; i < kSize; ++i) {
      a[i] = a[i] * 3 + i + salt;
    }
    device = omp_get_device_num();
  }
  ran_on(device);
}

static void change_on(int* a, int salt, int device) {
#pragma omp target map(tofrom : a[0 : kSize]) firstprivate(salt) device(device)
  for (int i = 0; i < kSize; ++i) {
    a[i] = a[i] * 5 + salt;
  }
}

static void derive(int* a, int* b) {
  int device = -1;
#pragma omp target map(to : a[0 : kSize]) map(from : b[0 : kSize], device)
  {
    for (int i = 0; i < kSize; ++i) {
      b[i] = a[kSize - 1 - i] + 1;
      a[i] = 7; // of the device's copy
    }
    device = omp_get_device_num();
  }
  ran_on(device);
}

static int sum_of_part(int* a) {
  int sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : a[kHalf : kHalf])
  for (int i = kHalf; i < kSize; ++i) {
    sum += a[i];
  }
  return sum;
}

static int sum_by_pointer(int* a) {
  int sum = 0;
#pragma omp target map(tofrom : sum)
  for (int i = 0; i < kSize; ++i) {
    sum += a[i];
  }
  return sum;
}

static void in_data_region(int* a, int* b, int salt) {
#pragma omp target data map(tofrom : a[0 : kSize])
  {
    change(a, salt);
    derive(b, a);
    update(a, 0, false, false);
    change(b, salt);
  }
}

static void tasks(int salt) {
  int (*const all)[kSize] = storage;
#pragma omp parallel num_threads(4)
#pragma omp single
  {
    for (int k = 0; k < 3 * kArrays; ++k) {
      int* const a = all[k % kArrays];
#pragma omp target nowait map(tofrom : a[0 : kSize]) firstprivate(k, salt) depend(inout : a[0])
      for (int i = 0; i < kSize; ++i) {
        a[i] = a[i] * 3 + k + salt;
      }
    }
#pragma omp taskwait
  }
}

/// Not ordered: each maps all of one array, and changes its own elements.
static void tasks_of_one_array(int* a, int* b) {
#pragma omp parallel num_threads(4)
#pragma omp single
  {
    for (int k = 0; k < 4; ++k) {
#pragma omp target nowait map(tofrom : a[0 : kSize]) map(to : b[0 : kSize]) firstprivate(k)
      for (int i = k; i < kSize; i += 4) {
        a[i] += b[i] + k;
      }
    }
#pragma omp taskwait
  }
}

struct Holder {
  int* pointer;
  int factor;
};

static void device_memory(int* a, int salt) {
  const int device = omp_get_default_device();
  auto* memory = static_cast<int*>(omp_target_alloc(kSize * sizeof(int), device));
  CHECK(memory != nullptr);
  omp_target_memcpy(memory, a, kSize * sizeof(int), 0, 0, device, omp_get_initial_device());
  Holder holder{memory, salt};
#pragma omp target map(to : holder)
  for (int i = 0; i < kSize; ++i) {
    holder.pointer[i] *= holder.factor;
  }
#pragma omp target is_device_ptr(memory)
  memory[0] += 1;
  omp_target_memcpy(a, memory, kSize * sizeof(int), 0, 0, omp_get_initial_device(), device);
  omp_target_free(memory, device);
}

static void use_device_pointer(int* a) {
#pragma omp target data map(tofrom : a[0 : kSize])
  {
    Holder holder{nullptr, 2};
#pragma omp target data use_device_ptr(a)
    holder.pointer = a;
#pragma omp target map(to : holder)
    holder.pointer[1] += holder.factor;
  }
}

static void step(int number, bool may_tell) {
  const int home = omp_get_default_device();
  const bool named = random_number(3) == 0;
  const int device = named ? random_number(devices) : home;
  const int x = random_number(kArrays);
  const int y = (x + 1 + random_number(kArrays - 1)) % kArrays;
  int* const a = storage[x];
  int* const b = storage[y];
  const int salt = random_number(100);
  int said = 0;
  const int what = random_number(may_tell ? 15 : 14);
  switch (what) {
  case 0:
    enter(a, device, named);
    ++present[x][device];
    break;
  case 1:
  case 2:
    if (present[x][device] > 0) {
      leave(a, device, named, random_number(2));
      --present[x][device];
    }
    break;
  case 3:
    update(a, device, named, random_number(2) == 0);
    break;
  case 4:
  case 5:
    change(a, salt);
    break;
  case 6:
    derive(a, b);
    break;
  case 7:
    said = sum_of_part(a);
    break;
  case 8:
    said = present[x][home] > 0 ? sum_by_pointer(a) : 0;
    break;
  case 9:
    in_data_region(a, b, salt);
    break;
  case 10:
    tasks(salt);
    break;
  case 11:
    tasks_of_one_array(a, b);
    break;
  case 12:
    device_memory(a, salt);
    break;
  case 13:
    change_on(a, salt, device);
    break;
  default:
    use_device_pointer(a);
    break;
  }
  std::uint32_t hash = 17;
  for (const auto& array : storage) {
    for (const int value : array) {
      hash = hash * 31 + static_cast<std::uint32_t>(value);
    }
  }
  printf("%d: %d of %d: %d %08x\n", number, what, x, said, hash);
  a[random_number(kSize)] = salt; // what devices have is older now
}

int main(int count, char** arguments) {
  CHECK_EQUAL(count, 3);
  devices = omp_get_num_devices();
  CHECK(devices > 1 && devices <= 16);
  const int first = std::atoi(arguments[1]);
  const int seeds = std::atoi(arguments[2]);
  for (int seed = first; seed < first + seeds; ++seed) {
    state = static_cast<std::uint64_t>(seed) * 2654435761u + 12345;
    for (auto& array : storage) {
      std::fill(array, array + kSize, seed);
    }
    for (int number = 0; number < 60; ++number) {
      step(number, seed == first + seeds - 1);
    }
    for (int x = 0; x < kArrays; ++x) {
      for (int device = 0; device < devices; ++device) {
        for (; present[x][device] > 0; --present[x][device]) {
          int* const a = storage[x];
#pragma omp target exit data map(release : a[0 : kSize]) device(device)
        }
      }
    }
  }
  fprintf(stderr, "%d moved\n", moved);
}

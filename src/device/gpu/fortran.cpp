// Assignment of whole arrays in Flang's device code, which calls Flang's library for it: for
// allocatables always, for other arrays without optimisation. Debian has that library for the host
// alone.
//
// Arrays come as C descriptors (Fortran 2018, section 18.5.3). An allocatable that the host has
// mapped keeps its storage: the host would not learn of another.
#include "device/gpu/heap.h"
#include "device/gpu/messages.h"

namespace gantry::device {
namespace {

constexpr int kMostDimensions = 15;
constexpr uint8_t kAllocatable = 2;
constexpr int8_t kCharacter = 40;
constexpr int8_t kDerivedType = 42;

struct Dimension {
  int64_t lower, extent, stride; ///< the stride in bytes
};

struct Descriptor {
  char* base;
  uint64_t element_size;
  int32_t version;
  uint8_t rank;
  int8_t type;
  uint8_t attribute;
  uint8_t extra;
  Dimension dimensions[kMostDimensions]; ///< `rank` of them are there
};
static_assert(__builtin_offsetof(Descriptor, dimensions) == 24);

uint64_t count_elements(const Descriptor& array) {
  uint64_t count = 1;
  for (int i = 0; i < array.rank; ++i) {
    count *= array.dimensions[i].extent > 0 ? static_cast<uint64_t>(array.dimensions[i].extent) : 0;
  }
  return count;
}

/// The element of a number in array element order; a scalar is every element.
char* element(const Descriptor& array, uint64_t number) {
  char* place = array.base;
  for (int i = 0; i < array.rank; ++i) {
    const auto extent = static_cast<uint64_t>(array.dimensions[i].extent);
    place += static_cast<int64_t>(number % extent) * array.dimensions[i].stride;
    number /= extent;
  }
  return place;
}

bool have_one_shape(const Descriptor& left, const Descriptor& right) {
  bool same = left.rank == right.rank;
  for (int i = 0; same && i < left.rank; ++i) {
    same = left.dimensions[i].extent == right.dimensions[i].extent;
  }
  return same;
}

/// The bytes from the lowest to behind the highest element.
struct Bytes {
  char* begin;
  char* end;
};

Bytes bytes_of(const Descriptor& array) {
  Bytes bytes{array.base, array.base + array.element_size};
  for (int i = 0; i < array.rank; ++i) {
    const int64_t last = (array.dimensions[i].extent - 1) * array.dimensions[i].stride;
    (last < 0 ? bytes.begin : bytes.end) += last;
  }
  return bytes;
}

bool overlap(const Descriptor& left, const Descriptor& right) {
  const Bytes a = bytes_of(left);
  const Bytes b = bytes_of(right);
  return a.begin < b.end && b.begin < a.end;
}

/// Gives `array` the shape, and its elements one behind the other from `base` on.
void lay_out(Descriptor& array, char* base, const Descriptor& shape) {
  array.base = base;
  array.rank = shape.rank;
  auto stride = static_cast<int64_t>(array.element_size);
  for (int i = 0; i < shape.rank; ++i) {
    array.dimensions[i] = {1, shape.dimensions[i].extent, stride};
    stride *= shape.dimensions[i].extent;
  }
}

/// Values of characters are cut, or filled up with blanks (Fortran 2018, section 10.2.1.3).
void assign_element(char* to, uint64_t size, const char* from, uint64_t from_size) {
  const uint64_t common = size < from_size ? size : from_size;
  __builtin_memcpy(to, from, common);
  for (uint64_t i = common; i < size; ++i) {
    to[i] = ' ';
  }
}

void assign_elements(const Descriptor& to, const Descriptor& from) {
  const uint64_t count = count_elements(to);
  for (uint64_t i = 0; i < count; ++i) {
    assign_element(element(to, i), to.element_size, element(from, i), from.element_size);
  }
}

void assign(Descriptor& to, const Descriptor& from) {
  if (to.type == kDerivedType) {
    fail("an array of derived type cannot be assigned as a whole in Flang's device code for GPUs; "
         "assign its elements in a loop");
  }
  if (to.type != kCharacter && to.element_size != from.element_size) {
    fail("arrays of different kinds are assigned to each other");
  }
  if (to.attribute == kAllocatable && to.base == nullptr) {
    if (from.rank != to.rank) {
      fail("an allocatable that is not allocated gets the value of a scalar");
    }
    lay_out(to, static_cast<char*>(allocate(count_elements(from) * to.element_size)), from);
  } else if (from.rank != 0 && !have_one_shape(to, from)) {
    fail("an allocatable gets a value of another shape; on a GPU it keeps the one that it has");
  }
  if (count_elements(to) == 0) {
    return;
  }
  if (from.rank == 0 || !overlap(to, from)) {
    assign_elements(to, from);
    return;
  }
  // All values are taken before the first one is given (Fortran 2018, section 10.2.1.3).
  Descriptor copy = {};
  copy.element_size = from.element_size;
  lay_out(copy, static_cast<char*>(allocate(count_elements(from) * from.element_size)), from);
  assign_elements(copy, from);
  assign_elements(to, copy);
  free(copy.base);
}

} // namespace

extern "C" {

void _FortranAAssign(Descriptor& to, const Descriptor& from, const char* /*file*/,
                     int32_t /*line*/) {
  if (to.attribute == kAllocatable && to.element_size != from.element_size &&
      to.type == kCharacter) {
    fail("an allocatable gets characters of another length; on a GPU it keeps the one that it has");
  }
  assign(to, from);
}

/// An allocatable whose declaration says how many characters its elements have.
void _FortranAAssignExplicitLengthCharacter(Descriptor& to, const Descriptor& from,
                                            const char* /*file*/, int32_t /*line*/) {
  assign(to, from);
}

} // extern "C"

} // namespace gantry::device

// What GCC's compiled code and libgomp's interface lay out in memory: the tables of a program, its
// nvptx image, and the arguments of constructs. docs/gcc.md has it byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gantry::abi::gcc {

/// The version word of a registration: libgomp's in the upper half, the image format's below.
constexpr unsigned kLibraryShift = 16;
constexpr unsigned kNewestLibrary = 3; ///< GCC 14 and 15
/// From this library version on (GCC 13) the image's description begins with what the program
/// requires.
constexpr unsigned kLibraryWithRequires = 2;
/// From this one on (GCC 14) there are tables of functions called by pointer.
constexpr unsigned kLibraryWithIndirect = 3;
constexpr unsigned kNewestFormat = 1; ///< of images for nvptx and of the host's code
/// Of images for GCN: GCC 11 and 12. Those of GCC 13 and later have other arguments.
constexpr unsigned kGcnFormat = 2;

/// The kinds of device that an image can be for.
enum : int {
  kTargetNvptx = 5,
  kTargetGcn = 8,
  /// Gantry's own, for devices that run the host's code: libgomp has none of that number.
  kTargetHostCode = 71,
};

/// What GOMP_offload_unregister is told by programs of the design of 2013 instead of a kind.
constexpr int kOpenmpTarget = 72;

/// What Gantry's mkoffload writes for these.
struct HostCodeImage {
  const std::byte* begin;
  const std::byte* end;
  std::size_t function_count;
  std::size_t variable_count;
};

/// `requires` directives, as a mask.
enum : std::uintptr_t {
  kRequiresUnifiedAddress = 0x10,
  kRequiresUnifiedSharedMemory = 0x20,
  kRequiresReverseOffload = 0x80,
};

/// An element of .gnu.offload_vars.
struct VariableEntry {
  void* address;
  std::uintptr_t size; ///< with kLinkVariable
};
constexpr std::uintptr_t kLinkVariable = std::uintptr_t{1} << 63;
/// How the name of one ends in an image for nvptx, which has a pointer for it.
constexpr std::string_view kLinkPointerSuffix = "$linkptr";

/// __OFFLOAD_TABLE__: where the tables of functions and variables begin and end.
struct HostTable {
  void* const* functions;
  void* const* functions_end;
  const VariableEntry* variables;
  const VariableEntry* variables_end;
};

/// __OPENMP_TARGET__ of the design of 2013 (docs/gomp4-table.md), with its targets and then the
/// host's pairs behind it. A pair is a VariableEntry; functions have size 0.
struct OpenmpTargetHeader {
  std::uint32_t version;
  std::uint32_t target_count;
  const VariableEntry* host_end;
};
struct OpenmpTargetEntry {
  const std::byte* blob;
  std::size_t blob_size;
  /// Addresses in code that has them before it is loaded, else names.
  const std::uintptr_t* addresses;
  std::size_t address_count;
};
constexpr std::uint32_t kOpenmpTargetVersion = 1;

/// What mkoffload writes for nvptx.
struct NvptxObject {
  const char* code;
  std::size_t size; ///< with the NUL
};
struct NvptxFunction {
  const char* name;
  std::uint16_t dimensions[3]; ///< of OpenACC
};
struct NvptxImage {
  const NvptxObject* objects;
  unsigned object_count;
  const char* const* variables;
  unsigned variable_count;
  const NvptxFunction* functions;
  unsigned function_count;
  // Since kLibraryWithIndirect:
  unsigned indirect_count;
};

/// What mkoffload writes for GCN.
struct GcnCode {
  std::size_t size;
  const std::byte* bytes;
};
struct GcnKernel {
  const char* name;
  std::int32_t dimensions[3]; ///< of OpenACC
  std::int32_t scalar_registers;
  std::int32_t vector_registers;
};
struct GcnImage {
  const GcnCode* code;
  unsigned kernel_count;
  const GcnKernel* kernels; ///< of the program's functions, and two more, in any place
  unsigned variable_count;
};
/// The kernels that run the image's constructors and destructors, which the device does by itself.
constexpr std::string_view kGcnConstructors = "_init_array";
constexpr std::string_view kGcnDestructors = "_fini_array";

// The kinds of list items: the lower byte of an element, the other is the logarithm of the
// alignment.
enum Kind : std::uint8_t {
  kAlloc = 0x00,
  kTo = 0x01,
  kFrom = 0x02,
  kToFrom = 0x03,
  kPointer = 0x04,
  kDescriptor = 0x05, ///< of Fortran; its pointer follows as an element of its own
  kForcePresent = 0x06,
  kDelete = 0x07,
  kIfPresent = 0x0b,
  kFirstPrivate = 0x0c,
  kFirstPrivateValue = 0x0d,
  kUseDevicePointer = 0x0e,
  kZeroLength = 0x0f,
  kUseDevicePointerIfPresent = 0x10,
  kAlwaysTo = 0x11,
  kAlwaysFrom = 0x12,
  kAlwaysToFrom = 0x13,
  kRelease = 0x17,
  kStruct = 0x1c,
  kAlwaysPointer = 0x1d,
  kPointerToZeroLength = 0x1e,
  kDeleteZeroLength = 0x1f,
  kAttach = 0x50,
  kDetach = 0x51,
  kAttachZeroLength = 0x52,
  kStructUnordered = 0x5c,
  kPresentTo = 0x95, ///< with always, as the next two
  kPresentFrom = 0x96,
  kPresentToFrom = 0x97,
};
/// With one of the first four.
constexpr std::uint8_t kImplicitMask = 0x7c;
constexpr std::uint8_t kImplicit = 0x60;
constexpr std::uint8_t kMotionMask = 0x03;

/// The eight bits of the constructs of GCC 4.9 and 5 have a shorter kind and alignment.
constexpr unsigned kShortKindBits = 3;

/// A construct's list items, as parallel arrays.
struct MapArrays {
  std::size_t count = 0;
  void** addresses = nullptr;
  const std::size_t* sizes = nullptr;
  const std::uint16_t* kinds = nullptr;
};

/// Flags of constructs.
enum : unsigned {
  kNoWait = 1,
  kExitData = 2,
};

// The words of a region's launch, which end with 0.
constexpr std::uintptr_t kLaunchDeviceMask = 0x7f; ///< 0: for every kind of device
constexpr std::uintptr_t kLaunchValueFollows = 0x80;
constexpr std::uintptr_t kLaunchNameMask = 0xff00;
constexpr std::uintptr_t kLaunchTeams = 0x100;
constexpr std::uintptr_t kLaunchThreadLimit = 0x200;
constexpr unsigned kLaunchValueShift = 16;

/// Device numbers that are none.
constexpr int kDefaultDevice = -1;
constexpr int kHostFallback = -2;
constexpr int kInvalidDevice = -4; ///< since GCC 13

} // namespace gantry::abi::gcc

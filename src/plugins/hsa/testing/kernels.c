// Kernels of unit tests: what a launch gives them.

#define KERNEL __attribute__((amdgpu_kernel, visibility("protected"))) void
#define GLOBAL __attribute__((address_space(1)))
#define HIDDEN __attribute__((address_space(4)))

typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned long long u64;

// What launches add to the arguments: block counts, block sizes, remainders, dimensions. In the
// first thread of the last block.
KERNEL write_hidden(GLOBAL u64* to) {
  const HIDDEN unsigned char* const hidden =
      (const HIDDEN unsigned char*)__builtin_amdgcn_implicitarg_ptr();
  const HIDDEN u32* const counts = (const HIDDEN u32*)hidden;
  const HIDDEN u16* const sizes = (const HIDDEN u16*)(hidden + 12);
  if (__builtin_amdgcn_workgroup_id_x() + 1 != counts[0] ||
      __builtin_amdgcn_workgroup_id_y() + 1 != counts[1] ||
      __builtin_amdgcn_workgroup_id_z() + 1 != counts[2] || __builtin_amdgcn_workitem_id_x() != 0 ||
      __builtin_amdgcn_workitem_id_y() != 0 || __builtin_amdgcn_workitem_id_z() != 0) {
    return;
  }
  for (int i = 0; i < 3; ++i) {
    to[i] = counts[i];
  }
  for (int i = 0; i < 6; ++i) {
    to[3 + i] = sizes[i];
  }
  to[9] = *(const HIDDEN u16*)(hidden + 64);
}

// *to = *from + 1, after some time.
KERNEL add_slowly(GLOBAL u64* to, const GLOBAL u64* from, u64 turns) {
  volatile u64 turn = 0;
  while (turn < turns) {
    turn += 1;
  }
  *to = *from + 1;
}

__attribute__((noinline)) static u64 sum_to(volatile u64 n) {
  return n == 0 ? 0 : n + sum_to(n - 1);
}

// Recursion, of which the compiler does not know the depth.
KERNEL recurse(GLOBAL u64* to, u64 depth) {
  *to = sum_to(depth);
}

KERNEL trap(void) {
  __builtin_trap();
}

KERNEL store(u64 address) {
  *(volatile GLOBAL u64*)address = 1;
}

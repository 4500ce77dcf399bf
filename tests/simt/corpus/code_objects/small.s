// Two kernels, a function, variables with addresses of others in them, one note for each kernel (as
// GCC has them).
  .text
  .globl helper
  .type helper,@function
  .p2align 8
helper:
  s_setpc_b64 s[30:31]
  .size helper, .-helper

  .globl first
  .type first,@function
  .p2align 8
first:
  s_endpgm
  .size first, .-first

  .globl second
  .type second,@function
  .p2align 8
second:
  s_nop 0
  s_endpgm
  .size second, .-second

  .section .rodata,"a"
  .p2align 6
  .amdhsa_kernel first
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 16
    .amdhsa_group_segment_fixed_size 128
    .amdhsa_private_segment_fixed_size 16
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .end_amdhsa_kernel
  .amdhsa_kernel second
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 16
  .end_amdhsa_kernel
  .globl constant
  .type constant,@object
constant:
  .long 7
  .size constant, 4

  .data
  .globl pointers
  .type pointers,@object
  .p2align 3
pointers:
  .quad pointers + 8   // R_AMDGPU_ABS64
  .quad .Llocal        // R_AMDGPU_RELATIVE64
  .size pointers, 16
.Llocal:
  .quad 5

  .bss
  .globl zeros
  .type zeros,@object
  .p2align 4
zeros:
  .zero 64
  .size zeros, 64

  .amdgpu_metadata
amdhsa.version: [1, 0]
amdhsa.kernels:
  - .name: first
    .symbol: first.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 128
    .private_segment_fixed_size: 16
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
  .end_amdgpu_metadata
  .amdgpu_metadata
amdhsa.version: [1, 0]
amdhsa.kernels:
  - .name: second
    .symbol: second.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 4
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
  .end_amdgpu_metadata

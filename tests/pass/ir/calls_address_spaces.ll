; passes: gantry-indirect-calls,gantry-indirect-calls
; A pointer of another address space is translated as a generic one.

; CHECK-LABEL: @in_space_1(
; CHECK: [[G:%.*]] = addrspacecast ptr addrspace(1) %f to ptr
; CHECK-NEXT: [[T:%.*]] = call ptr @__kmpc_target_translate_fptr(ptr [[G]])
; CHECK-NEXT: [[C:%.*]] = addrspacecast ptr [[T]] to ptr addrspace(1)
; CHECK-NEXT: call addrspace(1) void [[C]]()
; CHECK-NEXT: ret void
define void @in_space_1(ptr addrspace(1) %f) {
  call addrspace(1) void %f()
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 52}

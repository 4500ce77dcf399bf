; passes: gantry-entries
; On a device an entry is a constant with the function's address, or the table's; several modules may
; have that of a function which several may define.

; CHECK-NOT: llvm_offload_entries
; CHECK-DAG: @function_entry = protected constant ptr @function
; CHECK-DAG: @shared_entry = weak_odr protected constant ptr @shared
; CHECK-DAG: @table_entry = weak_odr protected constant ptr @_ZTV1A
; CHECK-DAG: @__omp_offloading_1_2__ZTV1A_l3addr = weak_odr protected constant ptr @_ZTV1A

@__gantry_indirect = internal constant [109 x i8] c"F function function_entry\0AF shared shared_entry\0AT _ZTV1A table_entry\0AX hidden hidden_entry\0AX absent a_entry\0A\00"
@llvm.used = appending global [1 x ptr] [ptr @__gantry_indirect], section "llvm.metadata"
@__omp_offloading_1_2__ZTV1A_l3addr = protected constant ptr @_ZTV1A

; What is not for devices says so when it is called, and is not here.
; CHECK-DAG: @_ZTV1A = weak_odr constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr @hidden.on_host, ptr @shared] }
@_ZTV1A = weak_odr constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr @hidden, ptr @shared] }

define internal void @function() {
  ret void
}
define linkonce_odr void @shared() {
  ret void
}
; CHECK-NOT: define {{.*}}@hidden(
; CHECK-NOT: define {{.*}}@called_by_hidden(
define linkonce_odr void @hidden() {
  call void @called_by_hidden()
  ret void
}
define linkonce_odr void @called_by_hidden() {
  ret void
}
; CHECK: define internal void @hidden.on_host()
; CHECK-NEXT: call void @__gantry_virtual_member_not_on_device(ptr @{{.*}})
; CHECK-NEXT: unreachable
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 52}

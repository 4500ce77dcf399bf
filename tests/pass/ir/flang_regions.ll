; passes: gantry-flang-regions,always-inline
; Flang's device code for a CPU gets what it calls: regions of libomp's, and loops around the function for an
; iteration. What it says of the CPU that it was compiled for does not keep that from being inlined.
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @kernel(
; CHECK-NOT: call {{.*}}@__kmpc_target_init
; CHECK: @__kmpc_fork_call(
; CHECK: ret void
define void @kernel(ptr %arguments) "target-cpu"="znver1" "target-features"="+avx2" {
  %first = call i32 @__kmpc_target_init(ptr null, ptr null)
  %runs = icmp eq i32 %first, -1
  br i1 %runs, label %run, label %end
run:
  call void @__kmpc_parallel_60(ptr @place, i32 0, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %arguments, i64 1, i32 0)
  call void @__kmpc_target_deinit()
  br label %end
end:
  ret void
}

; CHECK-LABEL: define internal void @region(
; CHECK-NOT: call {{.*}}static_loop
; CHECK: call i32 @omp_get_team_num()
; CHECK: call void @iteration(i64
; CHECK: ret void
define internal void @region(ptr %thread, ptr %bound, ptr %argument) "target-cpu"="znver1" "target-features"="+avx2" {
  call void @__kmpc_distribute_for_static_loop_8u(ptr @place, ptr @iteration, ptr %argument, i64 100, i64 4, i64 0, i64 0, i8 0)
  ret void
}

define internal void @iteration(i64 %number, ptr %argument) {
  store i64 %number, ptr %argument
  ret void
}

@place = constant i32 0
declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare void @__kmpc_distribute_for_static_loop_8u(ptr, ptr, ptr, i64, i64, i64, i64, i8)

!llvm.module.flags = !{!0}
!llvm.ident = !{!1}
!0 = !{i32 7, !"openmp-device", i32 52}
!1 = !{!"flang version 22.1.0"}

; passes: gantry-flang-sharing
; Flang's code for GPUs: what one thread is to run makes the kernel one in which the others wait, regions have a
; function by which those call them, and variables that regions refer to are where all threads can read them.
target triple = "nvptx64-nvidia-cuda"

%configuration = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %configuration, ptr, ptr }

; CHECK: @alone_environment = {{.*}} { i8 1, i8 1, i8 1,
@alone_environment = weak_odr protected constant %environment { %configuration { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr null, ptr null }
; CHECK: @alone_exec_mode = weak protected constant i8 1
@alone_exec_mode = weak protected constant i8 2
; CHECK: @together_environment = {{.*}} { i8 0, i8 1, i8 2,
@together_environment = weak_odr protected constant %environment { %configuration { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr null, ptr null }
; CHECK: @together_exec_mode = weak protected constant i8 2
@together_exec_mode = weak protected constant i8 2

; It writes to what is mapped. The parameter is stored before the other threads leave.
; CHECK-LABEL: define {{.*}} @alone(
; CHECK: entry:
; CHECK-NOT: store
; CHECK: call i32 @__kmpc_target_init
; CHECK: run:
; CHECK: %[[STRUCTURE:.*]] = call align 8 ptr @__kmpc_alloc_shared(i64 8)
; CHECK: %[[VALUE:.*]] = call align 8 ptr @__kmpc_alloc_shared(i64 8)
; CHECK-NEXT: store ptr %value, ptr %[[VALUE]]
; CHECK: call void @__kmpc_parallel_60({{.*}}, ptr @region, ptr @region_wrapper, ptr %list
; CHECK: call void @__kmpc_free_shared(ptr %[[STRUCTURE]], i64 8)
; CHECK: call void @__kmpc_free_shared(ptr %[[VALUE]], i64 8)
; CHECK: call void @__kmpc_target_deinit
define weak_odr protected ptx_kernel void @alone(ptr %launch, ptr %mapped, ptr %value) {
entry:
  %list = alloca [1 x ptr]
  %structure = alloca { ptr }
  %variable = alloca ptr
  store ptr %value, ptr %variable
  %thread = call i32 @__kmpc_target_init(ptr @alone_environment, ptr %launch)
  %runs = icmp eq i32 %thread, -1
  br i1 %runs, label %run, label %end
run:
  store i32 1, ptr %mapped
  store ptr %variable, ptr %structure
  store ptr %structure, ptr %list
  call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %list, i64 1, i32 0)
  call void @__kmpc_target_deinit()
  br label %end
end:
  ret void
}

; It only hands a variable to a region, which reads it: as Flang has made it, the construct inlined.
; CHECK-LABEL: define {{.*}} @together(
; CHECK-NOT: alloc_shared
; CHECK-NOT: call void @together..omp_par
; CHECK: call void @__kmpc_parallel_60({{.*}}, ptr @region, ptr @region_wrapper,
; CHECK-NOT: alloc_shared
; CHECK: ret void
define weak_odr protected ptx_kernel void @together(ptr %launch, ptr %value) {
entry:
  %structure = alloca { ptr }
  %variable = alloca ptr
  store ptr %value, ptr %variable
  %thread = call i32 @__kmpc_target_init(ptr @together_environment, ptr %launch)
  %runs = icmp eq i32 %thread, -1
  br i1 %runs, label %run, label %end
run:
  store ptr %variable, ptr %structure
  call void @together..omp_par(ptr %structure)
  call void @__kmpc_target_deinit()
  br label %end
end:
  ret void
}

define internal void @together..omp_par(ptr %outer) {
  %list = alloca [1 x ptr]
  %structure = alloca { ptr }
  %variable = load ptr, ptr %outer
  store ptr %variable, ptr %structure
  store ptr %structure, ptr %list
  call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %list, i64 1, i32 0)
  ret void
}

define internal void @region(ptr %thread, ptr %zero, ptr %structure) {
  %variable = load ptr, ptr %structure
  %value = load ptr, ptr %variable
  ret void
}

; An array of a size known at run time alone, which a procedure of another file gets; what nobody else gets stays.
; CHECK-LABEL: define void @procedure(
; CHECK-SAME: ptr %n, ptr noalias %values)
; CHECK: %[[BYTES:.*]] = mul i64 %count, 4
; CHECK: %[[ARRAY:.*]] = call align 4 ptr @__kmpc_alloc_shared(i64 %[[BYTES]])
; CHECK: %own = alloca i32
; CHECK: call void @other(ptr %[[ARRAY]])
; CHECK: call void @__kmpc_free_shared(ptr %[[ARRAY]], i64 %[[BYTES]])
; CHECK: ret void
define void @procedure(ptr captures(none) %n, ptr noalias captures(none) %values) {
  %count = load i64, ptr %n
  %array = alloca i32, i64 %count
  %own = alloca i32
  store i32 1, ptr %own
  call void @other(ptr %array)
  ret void
}

; CHECK: declare void @other(ptr)
; CHECK-LABEL: define internal void @region_wrapper(i16 %0, i32 %1)
; CHECK: call void @__kmpc_get_shared_variables(ptr %[[LIST:.*]])
; CHECK: %[[SLOTS:.*]] = load ptr, ptr %[[LIST]]
; CHECK: call void @region(ptr

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare void @other(ptr captures(none))

!llvm.module.flags = !{!0}
!llvm.ident = !{!1}
!0 = !{i32 7, !"openmp-device", i32 51}
!1 = !{!"flang version 22.1.0"}

; passes: gantry-flang-sharing
; On AMD's GPUs local variables have an address space of their own. What a region gets is shared, whether its address
; is handed on as a local or as a generic one; all others stay local, and are used by generic addresses.
target datalayout = "e-p:64:64-p5:32:32-A5-G1"
target triple = "amdgcn-amd-amdhsa"

%configuration = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %configuration, ptr, ptr }

; CHECK: @kernel_environment = {{.*}} { i8 1, i8 1, i8 1,
@kernel_environment = weak_odr protected addrspace(1) constant %environment { %configuration { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr null, ptr null }

; CHECK-LABEL: define {{.*}} @kernel(
; CHECK: %own = alloca i32, align 4, addrspace(5)
; CHECK-NEXT: %[[OWN:.*]] = addrspacecast ptr addrspace(5) %own to ptr
; CHECK: run:
; CHECK: %[[STRUCTURE:.*]] = call align 8 ptr @__kmpc_alloc_shared(i64 16)
; CHECK: %[[VARIABLE:.*]] = call align 4 ptr @__kmpc_alloc_shared(i64 4)
; CHECK: call void @llvm.lifetime.start.p5(ptr addrspace(5) %own)
; CHECK: store i32 5, ptr %[[OWN]]
; CHECK: store ptr %[[VARIABLE]], ptr %[[STRUCTURE]]
; CHECK: %field = getelementptr { ptr, ptr }, ptr %[[STRUCTURE]], i32 0, i32 1
; CHECK: store ptr %[[VARIABLE]], ptr %field
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr %[[OWN]], ptr %mapped, i64 4, i1 false)
define weak_odr protected amdgpu_kernel void @kernel(ptr %launch, ptr %mapped) {
entry:
  %list = alloca [1 x ptr], addrspace(5)
  %list.ascast = addrspacecast ptr addrspace(5) %list to ptr
  %structure = alloca { ptr addrspace(5), ptr }, align 8, addrspace(5)
  %structure.ascast = addrspacecast ptr addrspace(5) %structure to ptr
  %variable = alloca i32, addrspace(5)
  %variable.ascast = addrspacecast ptr addrspace(5) %variable to ptr
  %own = alloca i32, addrspace(5)
  %thread = call i32 @__kmpc_target_init(ptr addrspacecast (ptr addrspace(1) @kernel_environment to ptr), ptr %launch)
  %runs = icmp eq i32 %thread, -1
  br i1 %runs, label %run, label %end
run:
  store i32 1, ptr %mapped
  call void @llvm.lifetime.start.p5(ptr addrspace(5) %own)
  store i32 5, ptr addrspace(5) %own
  store ptr addrspace(5) %variable, ptr addrspace(5) %structure
  %field = getelementptr { ptr addrspace(5), ptr }, ptr addrspace(5) %structure, i32 0, i32 1
  store ptr %variable.ascast, ptr addrspace(5) %field
  call void @llvm.memcpy.p5.p0.i64(ptr addrspace(5) %own, ptr %mapped, i64 4, i1 false)
  store ptr %structure.ascast, ptr %list.ascast
  call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %list.ascast, i64 1, i32 0)
  call void @__kmpc_target_deinit()
  br label %end
end:
  ret void
}

; CHECK-LABEL: define {{.*}} @region(
; CHECK: %address = load ptr, ptr %structure
; CHECK: %value = load i32, ptr %address
; CHECK: store i32 %value, ptr %last
define internal void @region(ptr %thread, ptr %zero, ptr %structure) {
  %address = load ptr addrspace(5), ptr %structure
  %value = load i32, ptr addrspace(5) %address
  %field = getelementptr { ptr addrspace(5), ptr }, ptr %structure, i32 0, i32 1
  %last = load ptr, ptr %field
  store i32 %value, ptr %last
  ret void
}

; CHECK-LABEL: define internal void @region_wrapper(
; CHECK: alloca ptr, align 8, addrspace(5)
; CHECK: call void @__kmpc_get_shared_variables(ptr %

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)

!llvm.module.flags = !{!0}
!llvm.ident = !{!1}
!0 = !{i32 7, !"openmp-device", i32 51}
!1 = !{!"flang version 22.1.0"}

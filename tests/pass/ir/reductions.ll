; passes: gantry-reductions
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%record = type { float, float }

@medium = internal addrspace(3) global [32 x i32] undef

declare i32 @__kmpc_shuffle_int32(i32, i16, i16)
declare i64 @__kmpc_shuffle_int64(i64, i16, i16)
declare i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr, i64, ptr, ptr, ptr)
declare i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr, ptr, i32, i64, ptr, ptr, ptr, ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; CHECK-LABEL: @of_two_bytes
; CHECK: %value = load i16, ptr %variable, align 2
; CHECK: %[[moved:.*]] = call i32 @__kmpc_shuffle_int32
; CHECK-NEXT: %[[element:.*]] = trunc i32 %[[moved]] to i16
; CHECK-NEXT: store i16 %[[element]], ptr %room, align 2
; CHECK-NOT: store i32
; CHECK: ret void
define internal void @of_two_bytes(ptr %list, i16 %lane, i16 %offset, i16 %way) {
  %others = alloca [1 x ptr], align 8
  %room = alloca half, align 2
  %variable = load ptr, ptr %list, align 8
  %value = load i16, ptr %variable, align 2
  %wide = sext i16 %value to i32
  %moved = call i32 @__kmpc_shuffle_int32(i32 %wide, i16 %offset, i16 32)
  store i32 %moved, ptr %room, align 4
  store ptr %room, ptr %others, align 8
  ret void
}

; CHECK-LABEL: @of_a_record
; CHECK: load ptr, ptr %list, align 8
; CHECK: load i64, ptr %variable, align 4
; CHECK: store i64 %moved, ptr %room, align 4
; CHECK: store ptr %room, ptr %others, align 8
define internal void @of_a_record(ptr %list, i16 %lane, i16 %offset, i16 %way) {
  %others = alloca [1 x ptr], align 8
  %room = alloca %record, align 8
  %variable = load ptr, ptr %list, align 8
  %value = load i64, ptr %variable, align 8
  %moved = call i64 @__kmpc_shuffle_int64(i64 %value, i16 %offset, i16 32)
  store i64 %moved, ptr %room, align 8
  store ptr %room, ptr %others, align 8
  ret void
}

; CHECK-LABEL: @between_warps
; CHECK: load i32, ptr %variable, align 2
; CHECK: store volatile i32 %value, ptr addrspace(3) @medium, align 4
define internal void @between_warps(ptr %list, i32 %warps) {
  %variable = load ptr, ptr %list, align 8
  %value = load i32, ptr %variable, align 4
  store volatile i32 %value, ptr addrspace(3) @medium, align 4
  ret void
}

; CHECK-LABEL: @to_memory
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 4 %buffer, ptr align 4 %variable, i64 8, i1 false)
define internal void @to_memory(ptr %buffer, i32 %place, ptr %list) {
  %variable = load ptr, ptr %list, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %buffer, ptr align 8 %variable, i64 8, i1 false)
  ret void
}

; CHECK-LABEL: @of_somebody_else
; CHECK: store i64 0, ptr %place, align 8
define void @of_somebody_else(ptr %place) {
  store i64 0, ptr %place, align 8
  %a = call i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr null, i64 2, ptr null, ptr @of_two_bytes, ptr @between_warps)
  %b = call i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr null, ptr null, i32 1024, i64 8, ptr null, ptr @of_a_record, ptr null, ptr @to_memory)
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}

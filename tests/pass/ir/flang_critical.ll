; passes: gantry-flang-critical
; The lanes of a wave of AMD's GPUs come to a critical construct one after the other.
target datalayout = "e-p:64:64-p5:32:32-A5-G1"
target triple = "amdgcn-amd-amdhsa"

@lock = internal addrspace(1) global [8 x i32] zeroinitializer
@other = internal addrspace(1) global [8 x i32] zeroinitializer

; CHECK-LABEL: define void @region(
; CHECK: %[[LOW:.*]] = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
; CHECK: %[[LANE:.*]] = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %[[LOW]])
; CHECK: %[[LANES:.*]] = call i32 @llvm.amdgcn.wavefrontsize()
; CHECK: %[[TURN:.*]] = phi i32 [ 0, %entry ], [ %[[FOLLOWING:.*]], %critical.next ]
; CHECK: %[[IS:.*]] = icmp eq i32 %[[TURN]], %[[LANE]]
; CHECK: br i1 %[[IS]], label %[[FIRST:.*]], label %critical.next
; CHECK: [[FIRST]]:
; CHECK-NEXT: call void @__kmpc_critical(
; CHECK: call void @inside()
; CHECK: call void @__kmpc_end_critical(
; CHECK-NEXT: br label %critical.next
; CHECK: critical.next:
; CHECK-NEXT: call void @llvm.amdgcn.wave.barrier()
; CHECK: %[[MORE:.*]] = icmp ult i32 %[[FOLLOWING]], %[[LANES]]
; CHECK-NEXT: br i1 %[[MORE]], label %critical.turn, label %[[BEHIND:.*]]
; CHECK: [[BEHIND]]:
; CHECK-NEXT: call void @behind()
define void @region(i32 %thread, i1 %condition) {
entry:
  call void @__kmpc_critical(ptr null, i32 %thread, ptr addrspacecast (ptr addrspace(1) @lock to ptr))
  br i1 %condition, label %some, label %join
some:
  call void @inside()
  br label %join
join:
  call void @__kmpc_end_critical(ptr null, i32 %thread, ptr addrspacecast (ptr addrspace(1) @lock to ptr))
  call void @behind()
  ret void
}

; One inside of another, both in one block.
; CHECK-LABEL: define void @nested(
; CHECK: critical.turn{{.*}}:
; CHECK: call void @__kmpc_critical(
; CHECK: critical.turn{{.*}}:
; CHECK: call void @__kmpc_critical_with_hint(
; CHECK: call void @inside()
; CHECK: critical.next{{.*}}:
; CHECK: critical.next{{.*}}:
define void @nested(i32 %thread) {
  call void @__kmpc_critical(ptr null, i32 %thread, ptr addrspacecast (ptr addrspace(1) @lock to ptr))
  call void @__kmpc_critical_with_hint(ptr null, i32 %thread, ptr addrspacecast (ptr addrspace(1) @other to ptr), i32 0)
  call void @inside()
  call void @__kmpc_end_critical(ptr null, i32 %thread, ptr addrspacecast (ptr addrspace(1) @other to ptr))
  call void @__kmpc_end_critical(ptr null, i32 %thread, ptr addrspacecast (ptr addrspace(1) @lock to ptr))
  ret void
}

; Not left in every case: as it is.
; CHECK-LABEL: define void @not_left(
; CHECK-NOT: critical.turn
define void @not_left(i32 %thread, i1 %condition) {
  call void @__kmpc_critical(ptr null, i32 %thread, ptr addrspacecast (ptr addrspace(1) @lock to ptr))
  br i1 %condition, label %leave, label %stay
leave:
  call void @__kmpc_end_critical(ptr null, i32 %thread, ptr addrspacecast (ptr addrspace(1) @lock to ptr))
  br label %stay
stay:
  ret void
}

declare void @__kmpc_critical(ptr, i32, ptr)
declare void @__kmpc_critical_with_hint(ptr, i32, ptr, i32)
declare void @__kmpc_end_critical(ptr, i32, ptr)
declare void @inside()
declare void @behind()

!llvm.module.flags = !{!0}
!llvm.ident = !{!1}
!0 = !{i32 7, !"openmp-device", i32 51}
!1 = !{!"flang version 22.1.0"}

; passes: gantry-virtual-calls,gantry-indirect-calls
; A translation is where its call is, or the load of its virtual table.

; CHECK-LABEL: @called(
; CHECK: call ptr @__kmpc_target_translate_fptr(ptr %f){{.*}}, !dbg [[C:![0-9]+]]
; CHECK-NEXT: call void {{%.*}}(){{.*}}, !dbg [[C]]
define void @called(ptr %f) !dbg !5 {
  call void %f(), !dbg !8
  ret void, !dbg !9
}

; CHECK-LABEL: @virtually(
; CHECK: %table = load ptr, ptr %object, align 8, !dbg [[V:![0-9]+]]
; CHECK-NEXT: call ptr @__kmpc_target_translate_fptr(ptr %table){{.*}}, !dbg [[V]]
define void @virtually(ptr %object) !dbg !6 {
  %table = load ptr, ptr %object, !dbg !10
  %f = load ptr, ptr %table, !dbg !11
  call void %f(ptr %object), !dbg !11
  ret void, !dbg !11
}
; CHECK-DAG: [[C]] = !DILocation(line: 3, column: 5,
; CHECK-DAG: [[V]] = !DILocation(line: 7, column: 1,

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!0, !1}
!0 = !{i32 7, !"openmp-device", i32 52}
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !3, emissionKind: FullDebug)
!3 = !DIFile(filename: "calls.cpp", directory: "/")
!4 = !DISubroutineType(types: !{null})
!5 = distinct !DISubprogram(name: "called", file: !3, line: 2, type: !4, unit: !2, spFlags: DISPFlagDefinition)
!6 = distinct !DISubprogram(name: "virtually", file: !3, line: 6, type: !4, unit: !2, spFlags: DISPFlagDefinition)
!8 = !DILocation(line: 3, column: 5, scope: !5)
!9 = !DILocation(line: 4, column: 1, scope: !5)
!10 = !DILocation(line: 7, column: 1, scope: !6)
!11 = !DILocation(line: 7, column: 9, scope: !6)

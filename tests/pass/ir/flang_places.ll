; passes: gantry-flang-places
; Flang calls every module by one name, where the runtime's messages want the file's.

; CHECK-DAG: @place = private unnamed_addr constant [22 x i8] c";heat.f90;main;12;5;;\00"
; CHECK-DAG: @other = private unnamed_addr constant [23 x i8] c";unknown;unknown;0;0;;\00"
; CHECK-DAG: @ident = private constant { i32, ptr } { i32 2, ptr @place }
@place = private unnamed_addr constant [23 x i8] c";FIRModule;main;12;5;;\00", align 1
@other = private unnamed_addr constant [23 x i8] c";unknown;unknown;0;0;;\00", align 1
@ident = private constant { i32, ptr } { i32 2, ptr @place }

define ptr @use() {
  ret ptr @ident
}
define ptr @use_other() {
  ret ptr @other
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_Fortran95, file: !1, isOptimized: true, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "heat.f90", directory: "/home/a")
!2 = !{i32 2, !"Debug Info Version", i32 3}

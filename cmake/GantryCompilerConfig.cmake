# The configuration files that make stock Clang use Gantry (--config=…), and the files beside the
# runtime that such a compile looks for. Everything is written into the build tree as it will be
# installed and names other files relative to itself.
set(GANTRY_OPENMP_LIBRARY_DIR ${LLVM_LIBRARY_DIR} CACHE PATH
  "The folder of libomp.so, the host's OpenMP runtime")
set(GANTRY_DEFAULT_TARGETS ${LLVM_TARGET_TRIPLE} CACHE STRING
  "What a program is built for when no offload flag is given, separated by commas")

foreach(name gantry-base gantry gantry-gpu gantry-flang-base gantry-flang gantry-flang-gpu)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/${name}.cfg.in ${CMAKE_BINARY_DIR}/share/gantry/${name}.cfg @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/share/gantry/${name}.cfg DESTINATION share/gantry)
endforeach()
# find_package(Gantry).
include(CMakePackageConfigHelpers)
set(package ${CMAKE_BINARY_DIR}/lib/cmake/Gantry)
configure_file(${CMAKE_SOURCE_DIR}/cmake/GantryConfig.cmake.in ${package}/GantryConfig.cmake @ONLY)
write_basic_package_version_file(${package}/GantryConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${package}/GantryConfig.cmake ${package}/GantryConfigVersion.cmake DESTINATION lib/cmake/Gantry)
# pkg-config, and the headers of those who write plugins or ask the library.
configure_file(${CMAKE_SOURCE_DIR}/cmake/gantry.pc.in ${CMAKE_BINARY_DIR}/lib/pkgconfig/gantry.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/lib/pkgconfig/gantry.pc DESTINATION lib/pkgconfig)
install(FILES ${CMAKE_SOURCE_DIR}/include/gantry/plugin.h ${CMAKE_SOURCE_DIR}/include/gantry/gantry.h
  DESTINATION include/gantry)
# For people: clang++-22 --config=build/gantry.cfg
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/gantry.cfg CONTENT "@share/gantry/gantry.cfg\n")

# omp.h of the LLVM that Gantry uses, for a compiler that comes without one: Debian cannot install
# it for Clang 19 and Clang 22 at once.
file(GLOB omp_headers ${LLVM_LIBRARY_DIR}/clang/${LLVM_VERSION_MAJOR}/include/omp.h
  ${LLVM_LIBRARY_DIR}/clang/${LLVM_VERSION_MAJOR}/include/ompx.h)
foreach(header ${omp_headers})
  get_filename_component(name ${header} NAME)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/lib/gantry/include/${name}
    CONTENT "#include \"${header}\"\n" @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/lib/gantry/include/${name} DESTINATION lib/gantry/include)
endforeach()

# The host's OpenMP runtime in a folder of its own: the one it is installed in holds much else, which
# programs are not to find there rather than where their linker looks.
file(GLOB openmp_libraries ${GANTRY_OPENMP_LIBRARY_DIR}/libomp.so*)
foreach(library ${openmp_libraries})
  get_filename_component(name ${library} NAME)
  set(link ${CMAKE_BINARY_DIR}/lib/gantry/host/${name})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/lib/gantry/host)
  file(CREATE_LINK ${library} ${link} SYMBOLIC)
  install(FILES ${link} DESTINATION lib/gantry/host)
endforeach()

# Clang 16 to 19 link a device runtime archive with every offloading program. Gantry's device code
# comes in at the device link, so theirs is empty.
file(WRITE ${CMAKE_BINARY_DIR}/lib/gantry/libomptarget.devicertl.a "!<arch>\n")
install(FILES ${CMAKE_BINARY_DIR}/lib/gantry/libomptarget.devicertl.a DESTINATION lib/gantry)

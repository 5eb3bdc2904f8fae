# SPDX-License-Identifier: BSD-3-Clause
# What a build contains, and where it finds what it is built against. Nothing is downloaded.
include(GNUInstallDirs)

option(ECO_WERROR "a warning is an error" OFF)

# Headers of the three MPI ABIs; nothing is ever linked with an MPI library.
set(ECO_MPI_PREFIX ${CMAKE_SOURCE_DIR}/.deps CACHE PATH "folder with openmpi/ and mpich/, one prefix each")
set(triplet ${CMAKE_LIBRARY_ARCHITECTURE})
find_path(ECO_OPENMPI_INCLUDE mpi.h DOC "folder of Open MPI's mpi.h" NO_DEFAULT_PATH
  PATHS ${ECO_MPI_PREFIX}/openmpi/include $ENV{MPI_HOME}/include /usr/lib/${triplet}/openmpi/include
        /usr/include/openmpi-x86_64 /usr/include/openmpi-aarch64)
find_path(ECO_MPICH_INCLUDE mpi.h DOC "folder of the mpi.h of MPICH, or of a library that shares its ABI" NO_DEFAULT_PATH
  PATHS ${ECO_MPI_PREFIX}/mpich/include /usr/include/${triplet}/mpich /usr/include/mpich-x86_64
        /usr/include/mpich-aarch64)
set(ECO_ABIS)
if(ECO_OPENMPI_INCLUDE)
  list(APPEND ECO_ABIS openmpi)
endif()
if(ECO_MPICH_INCLUDE)
  list(APPEND ECO_ABIS mpich)
  # The presets name a folder that `make demo` has not filled yet.
  if(EXISTS ${ECO_MPICH_INCLUDE}/mpi_abi.h OR ECO_MPICH_INCLUDE STREQUAL ${CMAKE_SOURCE_DIR}/.deps/mpich/include)
    list(APPEND ECO_ABIS abi)
  endif()
endif()
if(NOT ECO_ABIS)
  message(FATAL_ERROR "No mpi.h found: set ECO_OPENMPI_INCLUDE or ECO_MPICH_INCLUDE to the folder of one, or both.")
endif()
list(JOIN ECO_ABIS ", " shown)
message(STATUS "ECO for the MPI ABIs: ${shown}")

# eco_feature(NAME what header package): an option that is ON where its header is found.
macro(eco_feature name what header package)
  find_path(${name}_INCLUDE ${header})
  mark_as_advanced(${name}_INCLUDE)
  if(${name}_INCLUDE)
    option(${name} "${what}" ON)
  else()
    option(${name} "${what}" OFF)
  endif()
  if(${name} AND NOT ${name}_INCLUDE)
    message(FATAL_ERROR "${name} needs ${header}: install ${package}, or set ${name}=OFF.")
  endif()
endmacro()
# Both libraries are loaded at run time, and only their headers are needed.
eco_feature(ECO_RAILS "several NICs at once, by libfabric" rdma/fabric.h "libfabric's headers")
eco_feature(ECO_HWLOC "levels inside hosts, by hwloc" hwloc.h "hwloc's headers")

if(SKBUILD)
  set(ECO_PYTHON ${Python_EXECUTABLE})
elseif(EXISTS ${CMAKE_SOURCE_DIR}/.venv/bin/python)
  set(ECO_PYTHON ${CMAKE_SOURCE_DIR}/.venv/bin/python CACHE FILEPATH "the interpreter to build for")
else()
  find_program(ECO_PYTHON python3 DOC "the interpreter to build for")
endif()
option(ECO_PYTHON_BINDINGS "the engine of the Python commands, by nanobind" ON)

find_package(GTest QUIET) # the demo needs no unit tests
option(ECO_BUILD_TESTS "unit tests, the fuzzer and bench/; unit tests only where GoogleTest is found" ON)
if(NOT ECO_BUILD_TESTS)
  set(GTest_FOUND FALSE)
endif()

# SPDX-License-Identifier: BSD-3-Clause
# nanobind_add_module for ECO_PYTHON, in the folder that includes this.
execute_process(COMMAND ${ECO_PYTHON} -m nanobind --cmake_dir
  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT RESULT_VARIABLE failed ERROR_QUIET)
if(failed)
  message(FATAL_ERROR "${ECO_PYTHON} has no nanobind: install it (requirements-demo.txt says which), set "
    "ECO_PYTHON to an interpreter that has it, or set ECO_PYTHON_BINDINGS=OFF.")
endif()
set(Python_EXECUTABLE ${ECO_PYTHON})
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
# What nanobind asks for before it uses the stable ABI (from Python 3.12 on), and would silently do
# without. CMake before 3.26 does not know it; where modules are linked with no library, it is this.
if(NOT TARGET Python::SABIModule)
  add_library(Python::SABIModule ALIAS Python::Module)
  set(Python_SOSABI abi3) # part of the file's name
endif()
find_package(nanobind CONFIG REQUIRED)

# SPDX-License-Identifier: BSD-3-Clause
# With ECO_BUILT, a build folder, nothing is compiled: what it holds is installed, with the engine of
# the build folder ECO_ENGINE, which may be for another Python. scripts/wheel.sh makes wheels so.
if(NOT ECO_ENGINE)
  set(ECO_ENGINE ${ECO_BUILT})
endif()
foreach(component runtime engine lab development documentation)
  set(from ${ECO_BUILT})
  if(component STREQUAL engine)
    set(from ${ECO_ENGINE})
  endif()
  install(CODE "execute_process(COMMAND ${CMAKE_COMMAND} --install \"${from}\" --strip
    --component ${component} --prefix \"\${CMAKE_INSTALL_PREFIX}\" COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)"
    COMPONENT ${component})
endforeach()

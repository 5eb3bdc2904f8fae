# SPDX-License-Identifier: BSD-3-Clause
# With ECO_BUILT, a build folder, nothing is compiled: what it holds is installed. scripts/wheel.sh
# makes a wheel of a build in this way.
foreach(component runtime engine lab development documentation)
  install(CODE "execute_process(COMMAND ${CMAKE_COMMAND} --install \"${ECO_BUILT}\" --strip
    --component ${component} --prefix \"\${CMAKE_INSTALL_PREFIX}\" COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)"
    COMPONENT ${component})
endforeach()

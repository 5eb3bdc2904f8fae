# SPDX-License-Identifier: BSD-3-Clause
# cmake --install: PREFIX/bin/eco finds all it uses under PREFIX/lib/eco by its own place, so PREFIX
# can be moved, and DESTDIR is honoured. Components: runtime (what hosts need that run programs),
# engine and python (the other commands), lab, development, documentation. A wheel leaves out python.
set(private lib/eco) # also where libraries are in lib64: bin/eco looks there

install(TARGETS eco RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
foreach(family ${ECO_ABIS})
  install(TARGETS eco-${family} LIBRARY DESTINATION ${private} COMPONENT runtime)
  install(TARGETS eco-probe-${family} RUNTIME DESTINATION ${private} COMPONENT runtime)
endforeach()

install(DIRECTORY python/eco DESTINATION ${private}/python COMPONENT python PATTERN __pycache__ EXCLUDE)
install(FILES packaging/start.py DESTINATION ${private}/python RENAME __main__.py COMPONENT python)
if(TARGET _engine)
  install(TARGETS _engine LIBRARY DESTINATION ${private} COMPONENT engine)
endif()
install(TARGETS eco-lab-relay RUNTIME DESTINATION ${private} COMPONENT lab)
install(TARGETS eco-lab-quirks LIBRARY DESTINATION ${private} COMPONENT lab)

install(FILES include/eco.h include/eco.f90 DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
# For programs' Python, whichever that is: where a distribution's Python looks, say lib/python3/dist-packages.
set(ECO_MODULE_DIR share/eco CACHE STRING "folder of eco_topology.py, below the prefix")
install(FILES include/eco_topology.py DESTINATION ${ECO_MODULE_DIR} COMPONENT development)

install(FILES README.md LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)

# Man pages and completion scripts say what --help says, so they are made from it.
execute_process(COMMAND ${ECO_PYTHON} -c "import typer" RESULT_VARIABLE no_typer ERROR_QUIET)
if(no_typer)
  message(STATUS "ECO without man pages and completion scripts: ${ECO_PYTHON} has no typer")
else()
  set(manual ${CMAKE_BINARY_DIR}/share/man/man1/eco.1)
  file(GLOB_RECURSE command CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/python/eco/*.py)
  add_custom_command(OUTPUT ${manual}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${CMAKE_BINARY_DIR}/share
    COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${CMAKE_SOURCE_DIR}/python PYTHONDONTWRITEBYTECODE=1
      ${ECO_PYTHON} ${CMAKE_SOURCE_DIR}/packaging/manual.py $<TARGET_FILE:eco> ${CMAKE_BINARY_DIR}/share
    DEPENDS eco packaging/manual.py ${command} VERBATIM)
  add_custom_target(eco-manual ALL DEPENDS ${manual})
  install(DIRECTORY ${CMAKE_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT documentation)
endif()

# For Environment Modules and Lmod; it finds the prefix by its own place.
install(FILES packaging/modulefile DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/eco RENAME ${PROJECT_VERSION}
  COMPONENT documentation)

# What the tools print from their tables of options, installed:
#   share/man/man1/mpc-run.1
#   share/bash-completion/completions/mpc-run
# and so for each tool that is built.

include(GNUInstallDirs)

function(mpc_install_documents tool component)
  set(page ${CMAKE_BINARY_DIR}/share/man/man1/${tool}.1)
  set(completion ${CMAKE_BINARY_DIR}/share/bash-completion/completions/${tool})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/man/man1
    ${CMAKE_BINARY_DIR}/share/bash-completion/completions)
  add_custom_command(OUTPUT ${page} ${completion}
    COMMAND ${tool} --help=man > ${page}
    COMMAND ${tool} --help=bash > ${completion}
    DEPENDS ${tool} VERBATIM
    COMMENT "Writing the manual page and the completion of ${tool}")
  add_custom_target(${tool}-documents ALL DEPENDS ${page} ${completion})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
  install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    COMPONENT ${component})
endfunction()

mpc_install_documents(mpc-run runtime)
if(MPC_BUILD_COMPILER)
  mpc_install_documents(mpc-compile compiler)
  mpc_install_documents(mpc-opt compiler)
endif()

# What the tools print from their tables of options, installed:
#   share/man/man1/mpc-run.1
#   share/bash-completion/completions/mpc-run
# and so for each tool that is built.

include(GNUInstallDirs)

function(mpc_install_documents tool)
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
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT documents)
  install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    COMPONENT documents)
endfunction()

foreach(tool mpc-run mpc-compile mpc-opt)
  if(TARGET ${tool})
    mpc_install_documents(${tool})
  endif()
endforeach()

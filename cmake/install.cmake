# Library, header, program, manual page, completion, and what find_package and pkg-config need to find them.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cotree)

install(TARGETS cotree EXPORT cotreeTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS cotree_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES include/cotree.h src/kernel/ctk_integrators.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT cotreeTargets NAMESPACE cotree:: DESTINATION ${package_dir})
configure_package_config_file(cmake/cotreeConfig.cmake.in ${PROJECT_BINARY_DIR}/cotreeConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cotreeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
# relative to the file where it can be, so that an installation may be moved
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(folder IN ITEMS LIBDIR INCLUDEDIR)
    set(pc_${folder} "\${prefix}/${CMAKE_INSTALL_${folder}}")
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
        set(pc_${folder} ${CMAKE_INSTALL_${folder}})
    endif()
endforeach()
configure_file(cmake/cotree.pc.in ${PROJECT_BINARY_DIR}/cotree.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cotreeConfig.cmake ${PROJECT_BINARY_DIR}/cotreeConfigVersion.cmake
        DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/cotree.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${manual_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${bash_completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME cotree)
install(FILES ${zsh_completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")

# The bundles of web/ (see web/build.js), embedded as ct_web_files. They are made in the build tree from the
# packages that web/package-lock.json pins. Without node, npm or the registry everything else is built; commands
# that write pages then say what is missing, and the next build tries again.
find_program(NODE_PROGRAM node)
find_program(NPM_PROGRAM npm)
file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS web/*.js web/*.css web/package.json web/package-lock.json)
set(web_folder ${PROJECT_BINARY_DIR}/web)
set(web_text ${PROJECT_BINARY_DIR}/web_files.c)
if(NOT NODE_PROGRAM OR NOT NPM_PROGRAM)
    message(STATUS "node or npm was not found: pages of `cotree view` and `cotree report` are left out (Debian: nodejs npm)")
endif()
add_custom_command(
    OUTPUT ${web_text} ${web_folder}/complete # which is there only if all went well
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}/web -DFOLDER=${web_folder} -DOUTPUT=${web_text}
            "-DNODE=${NODE_PROGRAM}" "-DNPM=${NPM_PROGRAM}" "-DSOURCES=${web_sources}"
            -P ${PROJECT_SOURCE_DIR}/cmake/bundle_web.cmake
    DEPENDS ${web_sources} cmake/bundle_web.cmake cmake/embed_files.cmake src/view/web_files.h
    COMMENT "Bundling the pages" VERBATIM)

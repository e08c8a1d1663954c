# Copies SOURCES from SOURCE to FOLDER, installs the pinned packages there, bundles, and embeds the result in
# OUTPUT. On failure OUTPUT holds the reason instead.
set(HEADER view/web_files.h)
set(ARRAY ct_web_files)

function(give_up reason)
    message(WARNING "the viewer is left out: ${reason}")
    file(WRITE ${FOLDER}/missing "${reason}")
    set(FILES ${FOLDER}/missing)
    include(${CMAKE_CURRENT_LIST_DIR}/embed_files.cmake)
endfunction()

file(REMOVE ${FOLDER}/complete)
foreach(source IN LISTS SOURCES)
    file(RELATIVE_PATH name ${SOURCE} ${source})
    get_filename_component(folder ${FOLDER}/${name} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    configure_file(${source} ${FOLDER}/${name} COPYONLY)
endforeach()

find_program(NODE node) # may have come since the build was configured
find_program(NPM npm)
if(NOT NODE OR NOT NPM)
    give_up("node and npm were not found when it was built (Debian: nodejs npm); install them and run `make` again")
    return()
endif()

# packages: once for each lock file
file(SHA256 ${FOLDER}/package-lock.json lock)
set(installed "")
if(EXISTS ${FOLDER}/installed)
    file(READ ${FOLDER}/installed installed)
endif()
if(NOT installed STREQUAL lock)
    execute_process(
        COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1
                --fetch-retry-mintimeout=1000 --fetch-timeout=60000
        WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        file(WRITE ${FOLDER}/npm.log "${output}")
        give_up("`npm ci` failed when it was built (no way to the package registry?); the reason is in ${FOLDER}/npm.log; run `make` again when it is mended")
        return()
    endif()
    file(WRITE ${FOLDER}/installed ${lock})
endif()

execute_process(COMMAND ${NODE} build.js WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE result)
if(NOT result EQUAL 0) # a mistake in web/, not in the surroundings
    message(FATAL_ERROR "the pages could not be bundled")
endif()
file(GLOB FILES ${FOLDER}/bundles/*)
include(${CMAKE_CURRENT_LIST_DIR}/embed_files.cmake)
file(WRITE ${FOLDER}/complete "")

# Every tests/<folder>/test_*.c is a cmocka program and a ctest (the folders are those of src/); tests/cli/*.sh test
# the command line, tests/view/run.sh the pages in a browser, where there is one.
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
file(GLOB test_sources CONFIGURE_DEPENDS tests/*/test_*.c)
set(test_environment "")
set(test_seconds 1800) # ends what hangs; the longest takes two minutes on two idle cores
if(COTREE_SANITIZE)
    set(test_seconds 3600)
    set(test_environment
        "ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1;UBSAN_OPTIONS=print_stacktrace=1")
endif()

# Programs that look at values alone compile generated code without optimisation; these three look at the code as users
# get it, or at its speed. `make soak` (label soak, COTREE_SOAK set) runs the long ones with every case, optimised.
set(optimised_tests reference bench benchmarks)
set(soak_tests interpret no_memory closure_library closure_kept closure_limits closure_pivot closure_random closure_run)

# These call inner functions outside of a public call, which leave blocks to the call (tests/house/leaks.txt).
set(inner_tests solve_small closure_blocks closure_embed closure_limits closure_run expr expr_table jump parameters parse print)

foreach(source IN LISTS test_sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE cotree_static cotree_flags PkgConfig::CMOCKA)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${kernel_folders})
    target_compile_definitions(${name} PRIVATE
        CT_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
        CT_BAD_DIR="${PROJECT_SOURCE_DIR}/tests/bad"
        CT_MODELS_DIR="${PROJECT_SOURCE_DIR}/models"
        CT_BUILD_DIR="${PROJECT_BINARY_DIR}"
        CT_COTREE="$<TARGET_FILE:cotree_program>")
    string(REGEX REPLACE "^test_" "" title ${name})
    add_test(NAME ${title} COMMAND ${name})
    set(environment ${test_environment})
    if(COTREE_SANITIZE AND title IN_LIST inner_tests)
        list(APPEND environment "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/house/leaks.txt:print_suppressions=0")
    endif()
    if(NOT title IN_LIST optimised_tests)
        list(APPEND environment CC=${PROJECT_SOURCE_DIR}/tests/quick_cc)
    endif()
    set_tests_properties(${title} PROPERTIES TIMEOUT ${test_seconds} ENVIRONMENT "${environment}")
endforeach()
set_tests_properties(${soak_tests} PROPERTIES LABELS soak)
# the long ones first, so that no core waits for them at the end
set_tests_properties(generate closure_run closure_library configurations closure_kept PROPERTIES COST 100)

foreach(script IN ITEMS run plot progress texts files cache)
    set(title command_line)
    if(NOT script STREQUAL run)
        set(title command_line_${script})
    endif()
    add_test(NAME ${title} COMMAND bash ${PROJECT_SOURCE_DIR}/tests/cli/${script}.sh
             $<TARGET_FILE:cotree_program> ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/texts)
    set_tests_properties(${title} PROPERTIES TIMEOUT ${test_seconds} ENVIRONMENT "${test_environment}")
endforeach()
# checking strings to their ends is quadratic in the length of a file that is read number by number
string(REPLACE ":strict_string_checks=1" "" plot_environment "${test_environment}")
set_tests_properties(command_line_plot PROPERTIES ENVIRONMENT "${plot_environment}")

# pages are about what runs in the browser; test_view and test_report are for the sanitizers
if(NOT COTREE_SANITIZE)
    add_test(NAME view_pages
             COMMAND bash ${PROJECT_SOURCE_DIR}/tests/view/run.sh $<TARGET_FILE:cotree_program> ${PROJECT_SOURCE_DIR}
                     ${PROJECT_BINARY_DIR}/web)
    set_tests_properties(view_pages PROPERTIES TIMEOUT ${test_seconds} SKIP_RETURN_CODE 77 RUN_SERIAL ON
                         ENVIRONMENT "${test_environment}")

    add_test(NAME report_pages
             COMMAND bash ${PROJECT_SOURCE_DIR}/tests/report/run.sh $<TARGET_FILE:cotree_program> ${PROJECT_SOURCE_DIR}
                     ${PROJECT_BINARY_DIR}/web)
    set_tests_properties(report_pages PROPERTIES TIMEOUT ${test_seconds} SKIP_RETURN_CODE 77 RUN_SERIAL ON
                         ENVIRONMENT "${test_environment}")
endif()

# the documentation: every page is a test that runs what it shows, the reference lists what the
# program accepts, links lead somewhere; for the sanitizers the tests of the commands do the same
if(COTREE_SANITIZE)
    return()
endif()
find_package(Python3 COMPONENTS Interpreter REQUIRED)
set(docs_tests ${PROJECT_SOURCE_DIR}/tests/docs)
file(GLOB pages CONFIGURE_DEPENDS README.md docs/*.md)
foreach(page IN LISTS pages)
    get_filename_component(title ${page} NAME_WE)
    get_filename_component(folder ${page} DIRECTORY)
    if(folder STREQUAL PROJECT_SOURCE_DIR)
        set(title readme)
    elseif(title STREQUAL README)
        set(title index)
    endif()
    add_test(NAME docs_${title}
             COMMAND Python3::Interpreter ${docs_tests}/run.py ${page} --cotree $<TARGET_FILE:cotree_program>
                     --source ${PROJECT_SOURCE_DIR} --build ${PROJECT_BINARY_DIR})
    list(APPEND docs_titles docs_${title})
endforeach()
foreach(script IN ITEMS reference messages gallery figures)
    add_test(NAME docs_list_of_${script}
             COMMAND Python3::Interpreter ${docs_tests}/${script}.py ${PROJECT_SOURCE_DIR} $<TARGET_FILE:cotree_program>)
    list(APPEND docs_titles docs_list_of_${script})
endforeach()
# the golden net: generated code and closures of all models are what was recorded
add_test(NAME golden COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/golden ${PROJECT_BINARY_DIR})
set_tests_properties(golden PROPERTIES TIMEOUT ${test_seconds} COST 50)
# the graph of folders, from the objects: nobody uses what stands to the right
add_test(NAME folders COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/house/folders.py ${PROJECT_BINARY_DIR})
# comment outlines of long functions
add_test(NAME outlines COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/house/outlines.py ${PROJECT_SOURCE_DIR}/src)
# one name for the parameters of a type
add_test(NAME names COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/house/names.py ${PROJECT_SOURCE_DIR}/src)
# random mechanisms, the same ones every time
add_test(NAME random_mechanisms COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/random/run.py
                                        --cotree $<TARGET_FILE:cotree_program>)
set_tests_properties(random_mechanisms PROPERTIES TIMEOUT ${test_seconds} ENVIRONMENT "${test_environment}")
# random mechanisms of all kinds against the oracle, which needs numpy and scipy; `make soak` runs thousands
foreach(candidate IN ITEMS ${Python3_EXECUTABLE} /usr/bin/python3)
    if(NOT oracle_python)
        execute_process(COMMAND ${candidate} -c "import scipy, yaml" RESULT_VARIABLE lacks_scipy OUTPUT_QUIET ERROR_QUIET)
        if(NOT lacks_scipy)
            set(oracle_python ${candidate})
        endif()
    endif()
endforeach()
if(oracle_python)
    add_test(NAME soak_hundred COMMAND ${oracle_python} ${PROJECT_SOURCE_DIR}/tests/soak/run.py
                                       --cotree $<TARGET_FILE:cotree_program> --count 100 --jobs 1
                                       --methods 2 --motions 1 --sanitize 0 --far 0.1 --bodies 5)
    # real assemblies, against Newton's iteration from many starts; `make soak` has 200 planar and 50 spatial ones
    add_test(NAME random_assemblies COMMAND ${oracle_python} ${PROJECT_SOURCE_DIR}/tests/assemblies/run.py
                                            --cotree $<TARGET_FILE:cotree_program> --planar 20 --spatial 9)
    set_tests_properties(random_assemblies PROPERTIES TIMEOUT ${test_seconds} ENVIRONMENT "${test_environment}" COST 10)
    # the same motion whatever the frames of ball joints are
    add_test(NAME other_frames COMMAND ${oracle_python} ${PROJECT_SOURCE_DIR}/tests/run/other_frames.py
                                       --cotree $<TARGET_FILE:cotree_program>
                                       ${PROJECT_SOURCE_DIR}/models/spatial_four_bar.yaml
                                       ${PROJECT_SOURCE_DIR}/models/double_wishbone.yaml
                                       ${PROJECT_SOURCE_DIR}/tests/models/closure_flying.yaml
                                       ${PROJECT_SOURCE_DIR}/tests/models/closure_massless.yaml
                                       ${PROJECT_SOURCE_DIR}/tests/models/rotations/robot.yaml)
    set_tests_properties(other_frames PROPERTIES TIMEOUT ${test_seconds} ENVIRONMENT "${test_environment}" COST 20)
    set_tests_properties(soak_hundred PROPERTIES TIMEOUT ${test_seconds} ENVIRONMENT "${test_environment}" COST 40)
else()
    message(STATUS "no soak tests: python3 has no scipy and yaml (packages python3-scipy, python3-yaml)")
endif()
add_test(NAME docs_version COMMAND Python3::Interpreter ${docs_tests}/version.py ${PROJECT_SOURCE_DIR}
                                   $<TARGET_FILE:cotree_program> ${PROJECT_BINARY_DIR})
list(APPEND docs_titles docs_version)
foreach(script IN ITEMS links sentences)
    add_test(NAME docs_${script} COMMAND Python3::Interpreter ${docs_tests}/${script}.py ${PROJECT_SOURCE_DIR})
    list(APPEND docs_titles docs_${script})
endforeach()
set_tests_properties(${docs_titles} PROPERTIES
                     TIMEOUT ${test_seconds} ENVIRONMENT "${test_environment};PYTHONDONTWRITEBYTECODE=1")

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
set(soak_tests best_trees generate interpret no_memory closure_library closure_kept closure_limits closure_pivot closure_random closure_run)

# These call inner functions outside of a public call, which leave blocks to the call (tests/house/leaks.txt).
set(inner_tests solve_small closure_blocks closure_embed closure_limits closure_run expr expr_table global ida implicit jump natural
                parameters parse print
                tree)

set(quick_environment "${test_environment};CC=${PROJECT_SOURCE_DIR}/tests/quick_cc")

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

foreach(script IN ITEMS run plot progress texts files cache rest)
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
# bodies on links alone, by patterns of common ends
add_test(NAME links COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/closure/links.py
                            --cotree $<TARGET_FILE:cotree_program>)
set_tests_properties(links PROPERTIES TIMEOUT ${test_seconds} ENVIRONMENT "${test_environment};CC=none")
# random mechanisms, the same ones every time
add_test(NAME random_mechanisms COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/random/run.py
                                        --cotree $<TARGET_FILE:cotree_program>)
set_tests_properties(random_mechanisms PROPERTIES TIMEOUT ${test_seconds} ENVIRONMENT "${quick_environment}")
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
    # positions of rest: chains, arches, random springs on random mechanisms; tests/analyses/equilibria.py --count has more
    add_test(NAME equilibria COMMAND ${oracle_python} ${PROJECT_SOURCE_DIR}/tests/analyses/equilibria.py
                                     --cotree $<TARGET_FILE:cotree_program> --count 5 --twins 5)
    set_tests_properties(equilibria PROPERTIES TIMEOUT ${test_seconds}
                         ENVIRONMENT "${quick_environment}")
    # the same motion whatever the frames of ball joints are; `make soak` has the rest of the gallery
    set(gallery ${PROJECT_SOURCE_DIR}/models)
    add_test(NAME other_frames COMMAND ${oracle_python} ${PROJECT_SOURCE_DIR}/tests/run/other_frames.py
                                       --soak ${gallery}/delta.yaml ${gallery}/double_wishbone_rear.yaml ${gallery}/engine_mount.yaml
                                       ${gallery}/five_link.yaml ${gallery}/gough_stewart.yaml ${gallery}/motorcycle.yaml
                                       ${gallery}/spatial_four_bar_twisted.yaml
                                       ${gallery}/spatial_slider_crank.yaml ${gallery}/vehicle.yaml
                                       --cotree $<TARGET_FILE:cotree_program>
                                       ${PROJECT_SOURCE_DIR}/models/bouncing_ball.yaml
                                       ${PROJECT_SOURCE_DIR}/models/spatial_four_bar.yaml
                                       ${PROJECT_SOURCE_DIR}/models/double_wishbone.yaml
                                       ${PROJECT_SOURCE_DIR}/tests/models/closure_flying.yaml
                                       ${PROJECT_SOURCE_DIR}/tests/models/closure_massless.yaml
                                       ${PROJECT_SOURCE_DIR}/tests/models/rotations/robot.yaml)
    # balls inside loops through the lock of their angles, in generated C too
    add_test(NAME through_locks COMMAND ${oracle_python} ${PROJECT_SOURCE_DIR}/tests/run/through_locks.py
                                        --cotree $<TARGET_FILE:cotree_program>
                                        ${PROJECT_SOURCE_DIR}/models/double_wishbone.yaml
                                        ${PROJECT_SOURCE_DIR}/tests/models/closure_rssr.yaml
                                        ${PROJECT_SOURCE_DIR}/tests/models/closure_balls.yaml
                                        ${PROJECT_SOURCE_DIR}/tests/models/two_loops.yaml
                                        ${PROJECT_SOURCE_DIR}/tests/models/rotations/ball_in_loop.yaml)
    set_tests_properties(through_locks PROPERTIES TIMEOUT ${test_seconds} ENVIRONMENT "${quick_environment}" COST 20)
    # generated programs with other parameters move as simulate --set does, or both refuse them
    add_test(NAME parameters_at_run_time COMMAND ${oracle_python} ${PROJECT_SOURCE_DIR}/tests/run/parameters.py
                                                 --cotree $<TARGET_FILE:cotree_program> --draws 1)
    set_tests_properties(parameters_at_run_time PROPERTIES TIMEOUT ${test_seconds} ENVIRONMENT "${quick_environment}" COST 20)
    set_tests_properties(other_frames PROPERTIES TIMEOUT ${test_seconds} ENVIRONMENT "${quick_environment}" COST 20 LABELS soak)
    # energy, angular momentum and unit length over 100 s
    set(rotations ${PROJECT_SOURCE_DIR}/tests/models/rotations)
    add_test(NAME conserved COMMAND ${oracle_python} ${PROJECT_SOURCE_DIR}/tests/run/conserved.py
                                    --cotree $<TARGET_FILE:cotree_program> ${gallery}/free_body.yaml ${rotations}/book.yaml
                                    ${rotations}/gyroscope.yaml ${rotations}/top.yaml ${rotations}/pendulum.yaml
                                    ${rotations}/satellite.yaml)
    set_tests_properties(conserved PROPERTIES TIMEOUT ${test_seconds} ENVIRONMENT "${test_environment}")
    # outputs of accelerations by differences, those of forces by Newton and Euler; interpreted, since runs are short
    add_test(NAME output_accelerations COMMAND ${oracle_python} ${PROJECT_SOURCE_DIR}/tests/outputs/differences.py
                                               --cotree $<TARGET_FILE:cotree_program> --names
                                               ${PROJECT_SOURCE_DIR}/models/four_bar.yaml:,augmented,baumgarte,penalty,newton,partition,newton-loops
                                               ${PROJECT_SOURCE_DIR}/tests/models/virtual_pose.yaml:,partition
                                               ${PROJECT_SOURCE_DIR}/tests/models/free_zxy.yaml
                                               ${PROJECT_SOURCE_DIR}/tests/models/spherical_zxz.yaml
                                               ${PROJECT_SOURCE_DIR}/tests/models/kin_points.yaml:kinematics
                                               ${PROJECT_SOURCE_DIR}/tests/models/kin_spatial.yaml:kinematics
                                               ${PROJECT_SOURCE_DIR}/tests/models/screw.yaml
                                               ${PROJECT_SOURCE_DIR}/tests/models/universal_skew.yaml
                                               ${PROJECT_SOURCE_DIR}/tests/models/rotations/ball_in_loop.yaml
                                               ${PROJECT_SOURCE_DIR}/tests/mechanisms/agile_eye.yaml:augmented)
    add_test(NAME output_forces COMMAND ${oracle_python} ${PROJECT_SOURCE_DIR}/tests/outputs/newton_euler.py
                                        --cotree $<TARGET_FILE:cotree_program> ${PROJECT_SOURCE_DIR}/tests/outputs/forces.yaml)
    # values that a textbook prints for its models
    add_test(NAME published_values COMMAND ${oracle_python} ${PROJECT_SOURCE_DIR}/tests/outputs/published.py
                                           --cotree $<TARGET_FILE:cotree_program> ${PROJECT_SOURCE_DIR}/models)
    set_tests_properties(output_accelerations output_forces published_values PROPERTIES TIMEOUT ${test_seconds}
                         ENVIRONMENT "${test_environment};CC=none")
    # friction by load: closed forms, and implicit solutions of its own
    add_test(NAME friction_by_load COMMAND ${oracle_python} ${PROJECT_SOURCE_DIR}/tests/analyses/friction.py
                                           $<TARGET_FILE:cotree_program>)
    set_tests_properties(friction_by_load PROPERTIES TIMEOUT ${test_seconds} ENVIRONMENT "${test_environment};CC=none")
    # reactions: Newton and Euler of every body, self-stresses; statics and inverse dynamics by hand
    add_test(NAME reactions COMMAND ${oracle_python} ${PROJECT_SOURCE_DIR}/tests/analyses/reactions.py
                                    --cotree $<TARGET_FILE:cotree_program> --time 0.05
                                    ${PROJECT_SOURCE_DIR}/models/four_bar.yaml
                                    ${PROJECT_SOURCE_DIR}/models/parallel_four_bar.yaml
                                    ${PROJECT_SOURCE_DIR}/models/spatial_four_bar.yaml
                                    ${PROJECT_SOURCE_DIR}/models/serial_arm_7.yaml
                                    ${PROJECT_SOURCE_DIR}/models/excavator.yaml
                                    ${PROJECT_SOURCE_DIR}/models/three_rrr_mixed.yaml
                                    ${PROJECT_SOURCE_DIR}/models/peaucellier.yaml
                                    ${PROJECT_SOURCE_DIR}/models/double_wishbone.yaml
                                    ${PROJECT_SOURCE_DIR}/tests/models/screw.yaml
                                    ${PROJECT_SOURCE_DIR}/tests/models/universal_skew.yaml
                                    ${PROJECT_SOURCE_DIR}/tests/models/laws.yaml
                                    ${PROJECT_SOURCE_DIR}/tests/analyses/law_on_balls.yaml)
    # the same by implicit integrators: redundant, massless, with whole rotations, driven, by laws
    add_test(NAME reactions_implicit COMMAND ${oracle_python} ${PROJECT_SOURCE_DIR}/tests/analyses/reactions.py
                                             --cotree $<TARGET_FILE:cotree_program> --implicit --time 0.02 --step 0.001
                                             ${PROJECT_SOURCE_DIR}/models/parallel_four_bar.yaml
                                             ${PROJECT_SOURCE_DIR}/models/massless_link.yaml
                                             ${PROJECT_SOURCE_DIR}/models/double_wishbone.yaml
                                             ${PROJECT_SOURCE_DIR}/models/four_bar_driven.yaml
                                             ${PROJECT_SOURCE_DIR}/tests/models/laws.yaml)
    add_test(NAME statics COMMAND ${oracle_python} ${PROJECT_SOURCE_DIR}/tests/analyses/statics.py
                                  --cotree $<TARGET_FILE:cotree_program> --models ${PROJECT_SOURCE_DIR}/models)
    set_tests_properties(reactions reactions_implicit statics PROPERTIES TIMEOUT ${test_seconds} ENVIRONMENT "${test_environment};CC=none")
    set_tests_properties(statics PROPERTIES LABELS soak)
    # columns of reactions, output functions, generated C and all methods say the same; forces turn with the model
    add_test(NAME carried COMMAND ${oracle_python} ${PROJECT_SOURCE_DIR}/tests/analyses/carried.py
                                  --cotree $<TARGET_FILE:cotree_program> --cc ${CMAKE_C_COMPILER}
                                  --methods ${PROJECT_SOURCE_DIR}/models/four_bar.yaml
                                  --methods ${PROJECT_SOURCE_DIR}/models/spatial_four_bar.yaml
                                  --turned ${PROJECT_SOURCE_DIR}/models/parallel_four_bar.yaml
                                  --turned ${PROJECT_SOURCE_DIR}/models/spatial_four_bar.yaml
                                  ${PROJECT_SOURCE_DIR}/models/four_bar.yaml
                                  ${PROJECT_SOURCE_DIR}/models/slider_crank_driven.yaml
                                  ${PROJECT_SOURCE_DIR}/models/slider_crank_motor.yaml
                                  ${PROJECT_SOURCE_DIR}/tests/analyses/crank_press.yaml
                                  ${PROJECT_SOURCE_DIR}/models/parallel_four_bar.yaml
                                  ${PROJECT_SOURCE_DIR}/models/spatial_four_bar.yaml
                                  ${PROJECT_SOURCE_DIR}/models/serial_arm_7.yaml
                                  ${PROJECT_SOURCE_DIR}/tests/models/gear_rack.yaml)
    set_tests_properties(carried PROPERTIES TIMEOUT ${test_seconds} ENVIRONMENT "${test_environment};CC=none")
    # equal descriptions close alike
    add_test(NAME respelled COMMAND ${oracle_python} ${PROJECT_SOURCE_DIR}/tests/closure/respelled.py
                                    --cotree $<TARGET_FILE:cotree_program>
                                    ${PROJECT_SOURCE_DIR}/models/three_rrr.yaml
                                    ${PROJECT_SOURCE_DIR}/models/slider_crank.yaml
                                    ${PROJECT_SOURCE_DIR}/models/gough_stewart.yaml
                                    ${PROJECT_SOURCE_DIR}/tests/mechanisms/plate_on_links.yaml
                                    ${PROJECT_SOURCE_DIR}/tests/mechanisms/stephenson1.yaml
                                    ${PROJECT_SOURCE_DIR}/tests/mechanisms/stephenson2.yaml
                                    ${PROJECT_SOURCE_DIR}/tests/mechanisms/watt1.yaml)
    set_tests_properties(respelled PROPERTIES TIMEOUT ${test_seconds} ENVIRONMENT "${quick_environment}" COST 15)
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

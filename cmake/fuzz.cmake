# Every tests/fuzz/fuzz_*.c is a libFuzzer target.
if(NOT CMAKE_C_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "the fuzz targets need clang: configure with -DCMAKE_C_COMPILER=clang")
endif()
file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
foreach(source IN LISTS fuzz_sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE cotree_static cotree_flags)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -Wno-missing-prototypes) # the entry point
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    list(APPEND fuzz_programs ${name})
endforeach()
target_sources(fuzz_result PRIVATE src/cli/plot/result.c src/cli/plot/chart.c src/cli/plot/text.c
               src/cli/plot/figures.c src/cli/output/utf8.c)
target_include_directories(fuzz_result PRIVATE src/cli)
add_custom_target(fuzz_programs DEPENDS ${fuzz_programs})

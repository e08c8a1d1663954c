# SUNDIALS CVODE and IDA with serial vectors and dense matrices: CVODE::CVODE. What differs between its
# versions is in src/run/sundials.h.
find_path(CVODE_INCLUDE_DIR cvode/cvode.h)
set(cvode_needs)
foreach(part cvode ida nvecserial sunmatrixdense sunlinsoldense)
    find_library(SUNDIALS_${part}_LIBRARY sundials_${part})
    list(APPEND cvode_needs SUNDIALS_${part}_LIBRARY)
    list(APPEND cvode_libraries ${SUNDIALS_${part}_LIBRARY})
    mark_as_advanced(SUNDIALS_${part}_LIBRARY)
endforeach()
find_library(SUNDIALS_core_LIBRARY NAMES sundials_core sundials_generic) # absent in some builds
if(SUNDIALS_core_LIBRARY)
    list(APPEND cvode_libraries ${SUNDIALS_core_LIBRARY})
endif()

# where SUNDIALS was built with MPI, its headers may include those of MPI
if(CVODE_INCLUDE_DIR)
    include(CheckCSourceCompiles)
    set(CMAKE_REQUIRED_INCLUDES ${CVODE_INCLUDE_DIR})
    check_c_source_compiles("#include <sundials/sundials_types.h>\nint main(void) { return 0; }"
                            SUNDIALS_WITHOUT_MPI)
    unset(CMAKE_REQUIRED_INCLUDES)
    if(NOT SUNDIALS_WITHOUT_MPI)
        find_package(MPI COMPONENTS C)
        list(APPEND cvode_needs MPI_C_FOUND)
        list(APPEND cvode_libraries MPI::MPI_C)
    endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CVODE REQUIRED_VARS CVODE_INCLUDE_DIR ${cvode_needs}
    REASON_FAILURE_MESSAGE "(Debian: libsundials-dev, or run tools/install-packages)")
if(CVODE_FOUND AND NOT TARGET CVODE::CVODE)
    add_library(CVODE::CVODE INTERFACE IMPORTED)
    target_include_directories(CVODE::CVODE SYSTEM INTERFACE ${CVODE_INCLUDE_DIR})
    target_link_libraries(CVODE::CVODE INTERFACE ${cvode_libraries})
endif()
mark_as_advanced(CVODE_INCLUDE_DIR SUNDIALS_core_LIBRARY)

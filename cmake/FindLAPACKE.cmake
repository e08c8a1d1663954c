# LAPACK with its C headers, LAPACKE::LAPACK, and its C interface, LAPACKE::LAPACKE.
find_path(LAPACKE_INCLUDE_DIR lapacke.h PATH_SUFFIXES lapacke openblas)
find_library(LAPACKE_LIBRARY lapacke)
find_library(LAPACK_LIBRARY lapack)
find_library(BLAS_LIBRARY blas)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LAPACKE
    REQUIRED_VARS LAPACKE_LIBRARY LAPACK_LIBRARY BLAS_LIBRARY LAPACKE_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "(Debian: liblapacke-dev liblapack-dev libblas-dev, or run tools/install-packages)")
if(LAPACKE_FOUND AND NOT TARGET LAPACKE::LAPACKE)
    add_library(LAPACKE::LAPACK INTERFACE IMPORTED)
    target_include_directories(LAPACKE::LAPACK SYSTEM INTERFACE ${LAPACKE_INCLUDE_DIR})
    target_link_libraries(LAPACKE::LAPACK INTERFACE ${LAPACK_LIBRARY} ${BLAS_LIBRARY})
    add_library(LAPACKE::LAPACKE INTERFACE IMPORTED)
    target_link_libraries(LAPACKE::LAPACKE INTERFACE ${LAPACKE_LIBRARY} LAPACKE::LAPACK)
endif()
mark_as_advanced(LAPACKE_INCLUDE_DIR LAPACKE_LIBRARY LAPACK_LIBRARY BLAS_LIBRARY)

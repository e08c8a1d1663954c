# FLINT with Arb: FLINT::FLINT. Before version 3 Arb is a library of its own (libflint-arb on Debian,
# libarb elsewhere, headers beside FLINT's folder); since version 3 FLINT contains it. For sources,
# src/util/flint.h makes the same distinction.
find_path(FLINT_INCLUDE_DIR flint/fmpq.h)
find_library(FLINT_LIBRARY flint)
find_library(GMP_LIBRARY gmp)
find_library(MPFR_LIBRARY mpfr)
if(FLINT_INCLUDE_DIR)
    file(STRINGS ${FLINT_INCLUDE_DIR}/flint/flint.h flint_version REGEX "define +FLINT_VERSION +\"")
    string(REGEX REPLACE ".*\"([0-9.]+).*" "\\1" FLINT_VERSION "${flint_version}")
    if(NOT FLINT_VERSION) # FLINT 3 spells it in numbers
        file(STRINGS ${FLINT_INCLUDE_DIR}/flint/flint.h flint_version
             REGEX "define +__FLINT_VERSION(_MINOR|_PATCHLEVEL)? +[0-9]+")
        string(REGEX MATCHALL "[0-9]+" flint_version "${flint_version}")
        list(JOIN flint_version "." FLINT_VERSION)
    endif()
endif()

set(flint_needs FLINT_LIBRARY FLINT_INCLUDE_DIR GMP_LIBRARY MPFR_LIBRARY)
if(FLINT_INCLUDE_DIR AND NOT EXISTS ${FLINT_INCLUDE_DIR}/flint/arb.h)
    set(arb_apart TRUE)
    find_path(ARB_INCLUDE_DIR arb.h)
    find_library(ARB_LIBRARY NAMES flint-arb arb)
    list(APPEND flint_needs ARB_LIBRARY ARB_INCLUDE_DIR)
endif()

# the youngest of the functions that we use
if(FLINT_INCLUDE_DIR)
    include(CheckCSourceCompiles)
    set(CMAKE_REQUIRED_INCLUDES ${FLINT_INCLUDE_DIR})
    set(CMAKE_REQUIRED_FLAGS -Werror=implicit-function-declaration)
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
    check_c_source_compiles("
        #include <flint/fmpq_mpoly.h>
        int f(fmpz_mpoly_t a, fmpz_mpoly_ctx_t r, fmpq_mpoly_t b, fmpq_mpoly_ctx_t s, int *used, fmpq_t q, fmpz_t z) {
            fmpq_set_fmpz(q, z);
            fmpq_mpoly_used_vars(used, b, s);
            fmpz_mpoly_divexact(a, a, a, r);
            return fmpz_mpoly_resultant(a, a, a, 0, r);
        }" FLINT_HAS_ALL_FUNCTIONS)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_FLAGS)
    unset(CMAKE_TRY_COMPILE_TARGET_TYPE)
    list(APPEND flint_needs FLINT_HAS_ALL_FUNCTIONS)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FLINT REQUIRED_VARS ${flint_needs} VERSION_VAR FLINT_VERSION
    REASON_FAILURE_MESSAGE "(Debian: libflint-dev, before version 3 libflint-arb-dev too, or run tools/install-packages)")

if(FLINT_FOUND AND NOT TARGET FLINT::FLINT)
    add_library(FLINT::FLINT INTERFACE IMPORTED)
    set(flint_libraries ${FLINT_LIBRARY} ${MPFR_LIBRARY} ${GMP_LIBRARY})
    set(flint_folders ${FLINT_INCLUDE_DIR})
    if(arb_apart)
        list(PREPEND flint_libraries ${ARB_LIBRARY})
        list(APPEND flint_folders ${ARB_INCLUDE_DIR})
    endif()
    list(REMOVE_DUPLICATES flint_folders)
    target_include_directories(FLINT::FLINT SYSTEM INTERFACE ${flint_folders})
    target_link_libraries(FLINT::FLINT INTERFACE ${flint_libraries})
endif()
mark_as_advanced(FLINT_INCLUDE_DIR FLINT_LIBRARY GMP_LIBRARY MPFR_LIBRARY ARB_INCLUDE_DIR ARB_LIBRARY)

# SuiteSparse BTF: BTF::BTF.
find_path(BTF_INCLUDE_DIR btf.h PATH_SUFFIXES suitesparse)
find_library(BTF_LIBRARY btf)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(BTF REQUIRED_VARS BTF_LIBRARY BTF_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "(Debian: libsuitesparse-dev, or run tools/install-packages)")
if(BTF_FOUND AND NOT TARGET BTF::BTF)
    add_library(BTF::BTF INTERFACE IMPORTED)
    target_include_directories(BTF::BTF SYSTEM INTERFACE ${BTF_INCLUDE_DIR})
    target_link_libraries(BTF::BTF INTERFACE ${BTF_LIBRARY})
endif()
mark_as_advanced(BTF_INCLUDE_DIR BTF_LIBRARY)

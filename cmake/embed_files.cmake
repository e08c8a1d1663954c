# Writes OUTPUT, a C file that holds the text of FILES in ARRAY, which HEADER declares. Bytes are written as
# numbers: string literals have a length limit in C99, and characters that need escapes.
set(arrays "")
set(rows "")
set(count 0)
foreach(file IN LISTS FILES)
    get_filename_component(name ${file} NAME)
    file(READ "${file}" bytes HEX)
    string(REPEAT ".." 20 line)
    string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "static const unsigned char text_${count}[] = { // ${name}\n${bytes}0};\n")
    string(APPEND rows "    {\"${name}\", (const char *)text_${count}},\n")
    math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUTPUT}.new
     "// Made by embed_files.cmake.\n"
     "#include \"${HEADER}\"\n\n#include <stddef.h>\n\n"
     "${arrays}\nconst struct ct_embedded_file ${ARRAY}[] = {\n${rows}    {NULL, NULL},\n};\n")
configure_file(${OUTPUT}.new ${OUTPUT} COPYONLY) # where it differs
file(REMOVE ${OUTPUT}.new)

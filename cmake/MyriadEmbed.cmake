# Writes a C file that holds the texts of other files:
#   cmake -DOUT=file -DLIST=file -DHEADER=backend/source.h -DTYPE=myr_source -DFUNCTION=myr_sources -P MyriadEmbed.cmake
# LIST has a line "name|path" per text. HEADER declares TYPE, a structure of name, text and size, and FUNCTION, which
# gives all of them; with -DWITH_HASH=1 the structure ends with the SHA-256 of the text in hexadecimal digits. Run by
# the build, see MyriadUnits.cmake and MyriadLibrary.cmake.
file(STRINGS "${LIST}" entries)
set(texts "")
set(table "")
set(number 0)
foreach(entry IN LISTS entries)
    string(REGEX REPLACE "\\|.*$" "" name "${entry}")
    string(REGEX REPLACE "^[^|]*\\|" "" path "${entry}")
    file(READ "${path}" text)
    set(hash "")
    if(WITH_HASH)
        file(SHA256 "${path}" hash)
        set(hash ", \"${hash}\"")
    endif()
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
    string(APPEND texts "static const char text_${number}[] = /* ${name} */\n    \"${text}\";\n")
    string(APPEND table "    {\"${name}\", text_${number}, sizeof text_${number} - 1${hash}},\n")
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUT}" "/* Written by cmake/MyriadEmbed.cmake. */
#include \"${HEADER}\"

${texts}
static const ${TYPE} sources[] = {
${table}};

const ${TYPE} *${FUNCTION}(int *count)
{
    *count = ${number};
    return sources;
}
")

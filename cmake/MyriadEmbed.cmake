# Writes a C file that holds the texts of other files: cmake -DOUT=file -DLIST=file -P MyriadEmbed.cmake
# LIST has a line "include name|path" per text. Run by the build, see MyriadUnits.cmake.
file(STRINGS "${LIST}" entries)
set(texts "")
set(table "")
set(number 0)
foreach(entry IN LISTS entries)
    string(REGEX REPLACE "\\|.*$" "" name "${entry}")
    string(REGEX REPLACE "^[^|]*\\|" "" path "${entry}")
    file(READ "${path}" text)
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
    string(APPEND texts "static const char text_${number}[] = /* ${name} */\n    \"${text}\";\n")
    string(APPEND table "    {\"${name}\", text_${number}, sizeof text_${number} - 1},\n")
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUT}" "/* Written by cmake/MyriadEmbed.cmake. */
#include \"backend/source.h\"

${texts}
static const myr_source sources[] = {
${table}};

const myr_source *myr_sources(int *count)
{
    *count = ${number};
    return sources;
}
")

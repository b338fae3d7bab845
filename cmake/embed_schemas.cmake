# cmake -DOUTPUT=file.cc "-DSCHEMAS=a.x;b.x" -P embed_schemas.cmake
# Writes the .x texts as C++ literals, so that the binary explains every protocol it knows without
# files. Sizes are sizeof, not strlen: Clang allows no more than a million steps in a constant.
set(texts)
set(table)
foreach(schema ${SCHEMAS})
    get_filename_component(name ${schema} NAME_WE)
    file(READ ${schema} content)
    # One literal may hold 64 KiB by the standard's minimum; GCC and Clang take any size.
    string(APPEND texts "constexpr char k_${name}[] = R\"_helio_(${content})_helio_\";\n\n")
    string(APPEND table "    {\"${name}\", {k_${name}, sizeof k_${name} - 1}},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by cmake/embed_schemas.cmake from schema/*.x.
#include \"schema/builtin.h\"

namespace helio::builtin {

namespace {

${texts}constexpr Text kTexts[] = {
${table}};

}  // namespace

std::span<const Text> texts() { return kTexts; }

}  // namespace helio::builtin
")

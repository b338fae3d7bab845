# cmake -DOUTPUT=file.cc "-DSCHEMAS=a.x;b.x" -P embed_schemas.cmake
# The .x texts as C++ literals, so that the binary explains every protocol it speaks without files.
set(text "// Made by cmake/embed_schemas.cmake from schema/*.x.\n#include \"schema/builtin.h\"\n\n")
string(APPEND text "namespace helio::builtin {\n\nnamespace {\n\nconstexpr Text kTexts[] = {\n")
foreach(schema ${SCHEMAS})
    get_filename_component(name ${schema} NAME_WE)
    file(READ ${schema} content)
    # One literal may hold 64 KiB by the standard's minimum; GCC and Clang take any size.
    string(APPEND text "    {\"${name}\", R\"_helio_(${content})_helio_\"},\n")
endforeach()
string(APPEND text "};\n\n}  // namespace\n\nstd::span<const Text> texts() { return kTexts; }\n\n}  // namespace helio::builtin\n")
file(WRITE ${OUTPUT} "${text}")

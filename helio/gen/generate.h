// Generates C++ from a schema. The output is text; nothing here touches the disk. A file NAME.x
// becomes:
//
//     NAME.h           types, encode_T / decode_T, equality, to_string
//     NAME_codec.h     inline get_T / put_T, for the .cc files and for schemas that import this one
//     NAME_decode.cc, NAME_encode.cc, NAME_values.cc
//     NAME_service.h, NAME_service.cc   per program version: Service, Client, table of procedures
//     NAME_table.cc    every type's codec behind plain functions (xdr::TypeCodec)
#pragma once

#include <string>
#include <vector>

#include "helio/idl/schema.h"

namespace helio::gen {

struct Options {
    // Enclosing namespaces; the file's stem is added, unless the schema has a `namespace` line.
    std::vector<std::string> namespaces;
    // How generated headers include each other: "schema/" gives #include "schema/nfs3.h".
    std::string include_prefix;
};

struct OutputFile {
    std::string name;
    std::string text;
};

std::vector<OutputFile> generate(const idl::Schema& schema, const Options& options);

}  // namespace helio::gen

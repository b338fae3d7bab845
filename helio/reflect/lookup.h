// Resolves a type name given by a user: a type of the schema, or one side of a procedure.
//
//     READ3args   NFSPROC3_READ.args   READ.result   NFS_V3.READ.args   nfs3.READ.result
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "helio/base/result.h"
#include "helio/idl/schema.h"
#include "helio/reflect/arguments.h"

namespace helio::reflect {

struct FoundType {
    const idl::Type* type = nullptr;
    std::unique_ptr<const Arguments>
        arguments;  // owns `type` where that is a procedure's arguments
};

// The error is a sentence that suggests alternatives.
Result<FoundType, std::string> find_type(const idl::Schema& schema, std::string_view name);

// By its name or short name, with a program, version or schema before it if the name alone is
// ambiguous: "READ", "NFS_V3.READ".
Result<const idl::Procedure*, std::string> find_procedure(const idl::Schema& schema,
                                                          std::string_view name);

}  // namespace helio::reflect

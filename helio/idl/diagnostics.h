// Diagnostics: the problems of a schema, collected until the end so that one run shows all of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helio/idl/source.h"

namespace helio::idl {

enum class Severity : std::uint8_t { error, warning, note };
std::string_view word(Severity severity);  // "error", "warning", "note"

struct Diagnostic {
    Severity severity = Severity::error;
    Location where;
    std::string message;  // "array bound 'NFS3_FHSIZ' is not a constant"
    std::string hint;     // "did you mean 'NFS3_FHSIZE' (nfs3.x:31:7)?"; may be empty
    std::string rule;     // lint rule name, shown as [rule]; empty for the compiler's own
};

struct Diagnostics {
    std::vector<Diagnostic> items;
    std::uint32_t error_count = 0;
    std::uint32_t warning_count = 0;

    void error(Location where, std::string message, std::string hint = {});
    void warning(Location where, std::string message, std::string hint = {});
    bool ok() const { return error_count == 0; }
    // kErrorsMax (parse.h) errors are kept, then a note that there are more: a hostile file can
    // cause a million. Once full, there is no point in looking further.
    bool full() const;
};

// nfs3.x:212:17: error: array bound 'NFS3_FHSIZ' is not a constant; did you mean …?
//     opaque data<NFS3_FHSIZ>;
//                 ^~~~~~~~~~
// Control characters in names and source lines are escaped, so that a hostile schema cannot control
// the terminal.
std::string render(const Diagnostic& diagnostic, const SourceSet& sources);
std::string render(const Diagnostics& diagnostics, const SourceSet& sources);

}  // namespace helio::idl

// The name of an NFS export, as users write it: "host:/export", "host:2049:/export",
// "[::1]:2049:/export", "nfs://host:2049/export".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "helio/base/result.h"

namespace helio::load::nfs {

struct ExportName {
    std::string host;        // "localhost" if omitted
    std::uint16_t port = 0;  // of NFS; 0 if omitted
    std::string path;        // begins with '/'
};

// The error is a sentence.
Result<ExportName, std::string> parse_export(std::string_view text);

}  // namespace helio::load::nfs

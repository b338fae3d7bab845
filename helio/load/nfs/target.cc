#include "helio/load/nfs/target.h"

#include <fmt/format.h>

#include "helio/transport/socket/socket.h"

namespace helio::load::nfs {

namespace {

constexpr std::string_view kScheme = "nfs://";

}  // namespace

Result<ExportName, std::string> parse_export(std::string_view text) {
    const bool url = text.starts_with(kScheme);
    std::string_view place = url ? text.substr(kScheme.size()) : text;
    const std::size_t slash = url ? place.find('/') : place.find(":/");
    if (slash == std::string_view::npos)
        return fail(fmt::format(
            "'{}' is not an export; use HOST:/PATH, HOST:PORT:/PATH or nfs://HOST:PORT/PATH",
            text));
    ExportName out;
    out.path = place.substr(url ? slash : slash + 1);
    place = place.substr(0, slash);
    if (!place.empty()) {
        auto where = transport::parse_host_port(place);
        if (!where) return fail(where.error());
        out.host = std::move(where->host);
        out.port = where->port;
    }
    if (out.host.empty()) out.host = "localhost";
    return out;
}

}  // namespace helio::load::nfs

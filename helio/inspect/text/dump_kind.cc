#include "helio/inspect/text/dump.h"

namespace helio::inspect {

std::string_view name(DumpKind kind) {
    switch (kind) {
        case DumpKind::none:
            return "nothing";
        case DumpKind::words:
            return "words";
        case DumpKind::bytes:
            return "bytes";
        case DumpKind::xxd:
            return "a dump of xxd";
        case DumpKind::hexdump:
            return "a hex dump";
        case DumpKind::od:
            return "a dump of od";
        case DumpKind::tcpdump:
            return "packets of tcpdump -x";
        case DumpKind::c_array:
            return "an array of C";
        case DumpKind::trace_columns:
            return "a kernel trace in columns";
        case DumpKind::trace_raw:
            return "a kernel trace of a probe";
        case DumpKind::notes:
            return "notes with bytes";
    }
    return "";
}

}  // namespace helio::inspect

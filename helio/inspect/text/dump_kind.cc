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
            return "xxd output";
        case DumpKind::hexdump:
            return "a hex dump";
        case DumpKind::od:
            return "od output";
        case DumpKind::tcpdump:
            return "tcpdump -x output";
        case DumpKind::c_array:
            return "a C array";
        case DumpKind::trace_columns:
            return "a kernel trace in columns";
        case DumpKind::trace_raw:
            return "output of a kernel probe";
        case DumpKind::notes:
            return "notes with bytes";
    }
    return "";
}

}  // namespace helio::inspect

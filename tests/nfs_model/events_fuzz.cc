// Events of several NFS 4.1 clients, against a server without sockets and the model: each eight
// bytes of the input are an event. An answer that the model does not expect ends the program, with
// the trace; so does a status that RFC 8881 does not allow.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "tests/nfs_model/direct_subject.h"
#include "tests/nfs_model/runs.h"

using namespace helio;
using namespace helio::tests::model;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<Event> events(size / 8);
    for (Event& one : events) {
        one.kind = static_cast<Kind>(*data % kKinds);
        std::copy_n(data + 1, one.picks.size(), one.picks.begin());
        data += 8;
    }
    const Outcome run = run_events([] { return std::make_unique<DirectSubject>(); }, events);
    if (run.wrong)
        std::fputs(fmt::format("{}\n{}\n", fmt::join(run.trace, "\n"), *run.wrong).c_str(), stderr);
    HELIO_ASSERT(!run.wrong);
    return 0;
}

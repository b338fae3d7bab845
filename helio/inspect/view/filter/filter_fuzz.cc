// Any text as a filter: parsing ends, an error points into the text and is safe for a terminal, and
// a filter can be applied to every kind of exchange with any bytes.
#include <cstdint>

#include "helio/base/assert.h"
#include "helio/inspect/view/filter/filter.h"
#include "testing/inspect/exchange.h"

using namespace helio;
using namespace helio::inspect;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Names names{builtin_catalogue()};
    static ExchangeMaker lookup{"nfs3.LOOKUP", R"({"what": {"dir": {"data": "01"}, "name": "a"}})"};
    static ExchangeMaker write{
        "nfs3.WRITE",
        R"({"file": {"data": "01"}, "offset": 1, "count": 5, "stable": "UNSTABLE", "data": "abcd"})"};
    write.reply(
        R"({"status": "NFS3ERR_IO", "resfail": {"file_wcc": {"before": null, "after": null}}})");
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const auto filter = Filter::parse(text, builtin_catalogue());
    if (!filter) {
        HELIO_ASSERT(filter.error().position <= text.size() && !filter.error().problem.empty());
        for (const char c : to_string(filter.error()))
            HELIO_ASSERT(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
        return 0;
    }
    (void)filter->matches(lookup.exchange(), names);
    (void)filter->matches(write.exchange(), names);
    // The filter's own text as the arguments of a call.
    Exchange odd = write.exchange();
    odd.arguments = as_bytes(text);
    odd.results = as_bytes(text);
    (void)filter->matches(odd, names);
    Exchange compound = odd;
    compound.procedure = &procedure_named("nfs4.COMPOUND");
    (void)filter->matches(compound, names);
    return 0;
}

// Any bytes into any typed decoder of one schema, beside the reflective one: they agree, or it is a
// bug in one of them. The first two bytes pick the type; two more keep the rest aligned.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/decoders_agree/schemas.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace helio;
    if (size < 4) return 0;
    static const test::BothReaders& one =
        *std::ranges::find(test::schemas(), HELIO_FUZZ_SCHEMA, &test::BothReaders::name);
    const auto picked = test::pick(one, data[0] | data[1] << 8);
    if (picked.codec == nullptr) return 0;
    const ByteView bytes{reinterpret_cast<const std::byte*>(data) + 4, size - 4};
    const auto wrong = test::disagreement(picked, bytes);
    if (wrong.empty()) return 0;
    std::fprintf(stderr, "%s.%s: %s\n", one.name.c_str(), picked.codec->name.data(), wrong.c_str());
    std::abort();
}

// How many words does it decode per second? The inspector needs at least a million per core.
#include <benchmark/benchmark.h>

#include "helio/reflect/decode.h"
#include "helio/reflect/json/json.h"
#include "helio/xdr/wire.h"
#include "testing/reflect/schema.h"

namespace helio::reflect {
namespace {

void report(benchmark::State& state, std::size_t size) {
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * size));
    state.counters["words/s"] = benchmark::Counter(
        static_cast<double>(state.iterations() * size / 4), benchmark::Counter::kIsRate);
}

std::vector<std::byte> listing(std::size_t entries) {
    const auto entry = hex("00000001 0000000000000001 0000000a 6162636465666768696a0000");
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < entries; ++i) bytes.insert(bytes.end(), entry.begin(), entry.end());
    bytes.resize(bytes.size() + 4);
    return bytes;
}

// A READDIR reply: structs, strings, a list.
void BM_DecodeList(benchmark::State& state) {
    const auto bytes = listing(static_cast<std::size_t>(state.range(0)));
    Tree tree;
    for (auto _ : state) {
        decode_into(tree, bytes, rich("entry_list"));
        benchmark::DoNotOptimize(tree.nodes.data());
    }
    report(state, bytes.size());
}
BENCHMARK(BM_DecodeList)->Arg(1)->Arg(100)->Arg(10'000);

// Only words.
void BM_DecodeInts(benchmark::State& state) {
    static const auto schema = schema_of("typedef int t<>;");
    std::vector<std::byte> bytes(4 + 4 * static_cast<std::size_t>(state.range(0)));
    xdr::store_u32(bytes.data(), static_cast<std::uint32_t>(state.range(0)));
    Tree tree;
    for (auto _ : state) {
        decode_into(tree, bytes, *schema->type("t"));
        benchmark::DoNotOptimize(tree.nodes.data());
    }
    report(state, bytes.size());
}
BENCHMARK(BM_DecodeInts)->Arg(100)->Arg(10'000);

void BM_ListToJson(benchmark::State& state) {
    const auto bytes = listing(1000);
    const Tree tree = decode(bytes, rich("entry_list"));
    for (auto _ : state) benchmark::DoNotOptimize(to_json(tree));
    report(state, bytes.size());
}
BENCHMARK(BM_ListToJson);

void BM_JsonToList(benchmark::State& state) {
    const auto bytes = listing(1000);
    const std::string json = to_json(decode(bytes, rich("entry_list")));
    for (auto _ : state) benchmark::DoNotOptimize(encode(rich("entry_list"), json));
    report(state, bytes.size());
}
BENCHMARK(BM_JsonToList);

}  // namespace
}  // namespace helio::reflect

BENCHMARK_MAIN();

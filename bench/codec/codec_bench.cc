// How many instructions and nanoseconds does one encode or decode cost, beside rpcgen + libtirpc
// and beside a hand-written straight-line codec? Four messages: GETATTR call and reply, READ reply
// with 64 KiB, READDIRPLUS reply with 100 entries, each with its RPC header.
//
//   codec_bench [--benchmark_…]                 nanoseconds, by Google Benchmark
//   codec_bench --count MESSAGE SIDE OP N       N operations, counted alone under
//                                               valgrind --tool=callgrind --collect-atstart=no
//   codec_bench --count null null null N        the harness itself, to be subtracted
//   codec_bench --list                          every MESSAGE SIDE OP
//   codec_allocations N                         heap allocations: MESSAGE SIDE OP COUNT per line
//
// Before anything is measured, all sides must have encoded the same bytes and decoded the same
// values. bench/codec/run drives all of it and prints the table.
#include <benchmark/benchmark.h>
#include <valgrind/callgrind.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "bench/codec/allocations.h"
#include "bench/codec/side.h"

namespace bench {
namespace {

using Sides = std::vector<Side>;

constexpr std::size_t kWarmUp = 300;  // enough for arenas to grow and lazy binding to finish

[[noreturn]] void die(const std::string& why) {
    std::fprintf(stderr, "codec_bench: %s\n", why.c_str());
    std::exit(1);
}

Sides make_sides(const Sample& sample) {
    Sides sides;
    sides.push_back(make_limit(sample));
    sides.push_back(make_helio(sample));
    sides.push_back(make_libtirpc(sample));
    return sides;
}

// A side that encodes other bytes or decodes other values would answer another question.
void insist_on_agreement(Sample& sample, Sides& sides) {
    for (const Message message : kMessages) {
        Bytes& agreed = sample.wire[static_cast<std::size_t>(message)];
        for (Side& side : sides) {
            side[message].encode()();
            side[message].encode()();  // twice: every encode except the first is measured
            const Bytes bytes = side[message].encoded();
            if (agreed.empty()) agreed = bytes;
            if (bytes != agreed)
                die(std::string(side.name) + " encodes " + std::string(name_of(message)) +
                    " to other bytes than " + std::string(sides.front().name));
        }
        for (Side& side : sides)
            if (!side[message].decodes_to_sample())
                die(std::string(side.name) + " decodes " + std::string(name_of(message)) +
                    " to other values than the sample's");
    }
}

template <class F>
void for_each_operation(Sides& sides, F f) {
    for (const Message message : kMessages)
        for (Side& side : sides) {
            f(message, side, "encode", side[message].encode());
            f(message, side, "decode", side[message].decode());
        }
}

void do_nothing(void*) { benchmark::ClobberMemory(); }

Operation find(Sides& sides, std::string_view message, std::string_view side,
               std::string_view which) {
    Operation found{nullptr, nullptr};
    if (message == "null") found = {do_nothing, nullptr};
    for_each_operation(sides, [&](Message m, Side& s, std::string_view w, Operation op) {
        if (name_of(m) == message && s.name == side && w == which) found = op;
    });
    if (!found.run) die("no such operation; see --list");
    return found;
}

std::size_t parse_count(std::string_view text) {
    std::size_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc{} || end != text.data() + text.size() || count == 0)
        die("N must be a positive number");
    return count;
}

// Not inlined: the same loop for every operation, including the null operation.
[[gnu::noinline]] void repeat(Operation op, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        op();
        benchmark::ClobberMemory();
    }
}

int count_instructions(Sides& sides, char** words) {
    const Operation op = find(sides, words[0], words[1], words[2]);
    const std::size_t count = parse_count(words[3]);
    repeat(op, kWarmUp);
    CALLGRIND_TOGGLE_COLLECT;
    repeat(op, count);
    CALLGRIND_TOGGLE_COLLECT;
    return 0;
}

int count_allocations(Sides& sides, std::size_t count) {
    for_each_operation(sides, [&](Message m, Side& s, std::string_view which, Operation op) {
        repeat(op, kWarmUp);
        const std::size_t before = allocations();
        repeat(op, count);
        const double each =
            static_cast<double>(allocations() - before) / static_cast<double>(count);
        std::printf("%s %s %s %g\n", name_of(m).data(), s.name.data(), which.data(), each);
    });
    return 0;
}

int list(Sides& sides) {
    for_each_operation(sides, [](Message m, Side& s, std::string_view which, Operation) {
        std::printf("%s %s %s\n", name_of(m).data(), s.name.data(), which.data());
    });
    return 0;
}

int measure_time(Sides& sides, int argc, char** argv) {
    for_each_operation(sides, [](Message m, Side& s, std::string_view which, Operation op) {
        const std::string name =
            std::string(name_of(m)) + "/" + std::string(s.name) + "/" + std::string(which);
        benchmark::RegisterBenchmark(name.c_str(), [op](benchmark::State& state) {
            for (auto _ : state) {
                op();
                benchmark::ClobberMemory();
            }
        });
    });
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

int run(int argc, char** argv) {
    Sample sample;
    Sides sides = make_sides(sample);
    insist_on_agreement(sample, sides);

    const std::string_view verb = argc > 1 ? argv[1] : "";
    if (allocations_counted()) {
        if (argc != 2) die("usage: codec_allocations N");
        return count_allocations(sides, parse_count(verb));
    }
    if (verb == "--list") return list(sides);
    if (verb == "--count") {
        if (argc != 6) die("usage: codec_bench --count MESSAGE SIDE OP N");
        return count_instructions(sides, argv + 2);
    }
    return measure_time(sides, argc, argv);
}

}  // namespace

void operation_failed(std::string_view side, std::string_view operation) {
    std::fprintf(stderr, "codec_bench: %s failed to %s\n", side.data(), operation.data());
    std::abort();
}

}  // namespace bench

int main(int argc, char** argv) { return bench::run(argc, argv); }

// What a load run calls, and how. Arguments are encoded before the run: reading JSON for every call
// would make the generator the bottleneck. A template with changing places becomes many variants,
// and the calls go round them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/result.h"
#include "helio/idl/schema.h"
#include "helio/load/source.h"
#include "helio/transport/client/client.h"

namespace helio::load {

// Variants of one template, unless told: more than a server's caches for one call are likely to
// hold, and small enough to stay in the generator's own.
inline constexpr std::size_t kVariants = 1024;
// And what they may take together, encoded; fewer are made when each is large.
inline constexpr std::size_t kVariantBytesMax = 16u << 20;
inline constexpr std::uint32_t kConnectionsMax = 10'000;
inline constexpr std::uint32_t kDepthMax = 4'096;
inline constexpr std::uint32_t kThreadsMax = 256;
// A mix is laid out call by call, in so many places: weights are exact to 0.1 %.
inline constexpr std::size_t kMixPlacesMax = 1'000;
inline constexpr std::chrono::hours kDurationMax{24};

// One procedure of the mix.
struct Step {
    std::string name;  // "nfs3.GETATTR", for the report
    std::uint32_t program = 0;
    std::uint32_t version = 0;
    std::uint32_t procedure = 0;
    bool idempotent = false;
    // Where generated code describes it: transports that make room for results before they come
    // (RDMA) then know how much, and where the Source's bulk data is.
    const xdr::VersionInfo* version_info = nullptr;
    const xdr::ProcedureInfo* info = nullptr;
    std::uint32_t weight = 1;
    // Its variants, at least one; none when calls come from a Source.
    std::vector<std::vector<std::byte>> arguments;
    const idl::Type* result = nullptr;  // of the Schema, which stays; for `check` and statuses
};

// The JSON template becomes arguments. The error is a sentence.
Result<std::vector<std::vector<std::byte>>, std::string> make_variants(
    const idl::Procedure& procedure, std::string_view json_template, std::size_t count,
    std::uint64_t seed);

// The steps as numbers, in the order they are called: each as often as its weight says, evenly
// spread.
std::vector<std::uint16_t> lay_out(const std::vector<Step>& steps);

struct Settings {
    std::vector<transport::Endpoint> servers;
    std::string target;  // as the user named it
    transport::ClientOptions client;
    std::uint32_t connections = 8;
    std::uint32_t depth = 8;
    std::uint32_t threads = 1;
    double rate = 0;  // calls a second; 0: closed loop
    std::chrono::nanoseconds warmup = std::chrono::seconds(1);
    std::chrono::nanoseconds duration = std::chrono::seconds(10);
    bool check = false;  // decode every result against its type
    MakeSource source;   // instead of the arguments of the steps; it checks as well
};

}  // namespace helio::load

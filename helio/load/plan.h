// The steps of a load run and its settings. Arguments are encoded before the run: parsing JSON for
// every call would make the generator the bottleneck. A template with variable parts becomes many
// variants, and the calls cycle through them.
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

// Default number of variants of one template: more than a server is likely to cache for one call,
// few enough to stay in the generator's caches.
inline constexpr std::size_t kVariants = 1024;
// Their total encoded size; large variants are fewer.
inline constexpr std::size_t kVariantBytesMax = 16u << 20;
inline constexpr std::uint32_t kConnectionsMax = 10'000;
inline constexpr std::uint32_t kDepthMax = 4'096;
inline constexpr std::uint32_t kThreadsMax = 256;
// A mix is a sequence of at most this many calls: weights are exact to 0.1 %.
inline constexpr std::size_t kMixPlacesMax = 1'000;
inline constexpr std::chrono::hours kDurationMax{24};

// One procedure of the mix.
struct Step {
    std::string name;  // "nfs3.GETATTR", for the report
    std::uint32_t program = 0;
    std::uint32_t version = 0;
    std::uint32_t procedure = 0;
    bool idempotent = false;
    // The generated description, if there is one: transports that reserve room for results (RDMA)
    // then know how much, and where the Source's bulk data is.
    const xdr::VersionInfo* version_info = nullptr;
    const xdr::ProcedureInfo* info = nullptr;
    std::uint32_t weight = 1;
    // Its variants, at least one; none if calls come from a Source.
    std::vector<std::vector<std::byte>> arguments;
    const idl::Type* result = nullptr;  // in the Schema, which stays; for `check` and statuses
    // Without `result`: names the status that results begin with. Null if they begin with none.
    std::string (*status_name)(std::uint32_t status) = nullptr;
};

// Turns the JSON template into arguments. The error is a sentence.
Result<std::vector<std::vector<std::byte>>, std::string> make_variants(
    const idl::Procedure& procedure, std::string_view json_template, std::size_t count,
    std::uint64_t seed);

// Indexes of the steps in the order of calls: each as often as its weight requires, evenly spread.
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
    MakeSource source;   // replaces the steps' arguments; also checks results
};

}  // namespace helio::load

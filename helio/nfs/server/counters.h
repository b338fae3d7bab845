// NFS statistics by export and by client: calls and errors by procedure, bytes read and written.
// Each thread has its own counters, up to a limit; readers add them up.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "helio/rpc/call.h"

namespace helio::nfs {

// Clients counted separately; the rest is counted together. Enough for a building full of machines,
// and limited because any datagram can claim to be from a new one.
inline constexpr std::size_t kClientsCountedMax = 1024;
// Threads with their own counters: more than there are cores to serve and to wait on. Others share.
inline constexpr std::size_t kThreadsCountedMax = 64;

// Procedures of NFS version 3, followed by those of versions 2 and 4.
inline constexpr std::size_t kProcedures3 = 22;
inline constexpr std::size_t kProcedures2 = 18;
inline constexpr std::size_t kProcedures4 = 2;
inline constexpr std::size_t kProceduresAll = kProcedures3 + kProcedures2 + kProcedures4;

struct ProcedureCount {
    std::uint32_t version = 0;
    std::string_view procedure;  // "READ"
    std::uint64_t calls = 0;
    std::uint64_t errors = 0;  // failed calls; a missing name counts too
};

struct ExportCounts {
    std::string path;
    std::vector<ProcedureCount> procedures;  // every one, called or not
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
};

struct ClientCounts {
    std::string client;  // "10.0.0.7", "unix uid 1000"; "others": those beyond the limit
    std::uint64_t calls = 0;
    std::uint64_t errors = 0;
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
};

// A number that no other living thread has, from 0 on; kThreadsCountedMax when all are taken.
std::size_t thread_number();

// A client without its port.
std::string client_text(const rpc::ClientAddress& client);

class ExportCounters final {
 public:
    ExportCounters() = default;
    ~ExportCounters();
    ExportCounters(const ExportCounters&) = delete;
    ExportCounters& operator=(const ExportCounters&) = delete;

    void count(std::uint32_t version, std::uint32_t procedure, bool error, std::uint64_t bytes_read,
               std::uint64_t bytes_written);
    ExportCounts counts() const;  // without the path

 private:
    using Word = std::atomic<std::uint64_t>;
    struct alignas(64) Shard {
        std::array<Word, kProceduresAll> calls{};
        std::array<Word, kProceduresAll> errors{};
        Word bytes_read = 0;
        Word bytes_written = 0;
    };
    Shard& mine(std::size_t thread);

    std::array<std::atomic<Shard*>, kThreadsCountedMax> shards_{};
    Shard shared_;
};

class ClientCounters final {
 public:
    ClientCounters();
    ~ClientCounters();
    ClientCounters(const ClientCounters&) = delete;
    ClientCounters& operator=(const ClientCounters&) = delete;

    void count(const rpc::ClientAddress& client, bool error, std::uint64_t bytes_read,
               std::uint64_t bytes_written);
    std::vector<ClientCounts> counts() const;

 private:
    using Word = std::atomic<std::uint64_t>;
    struct Client {
        std::atomic<bool> taken = false;  // the address does not change any more
        rpc::ClientAddress address;
    };
    struct Counts {
        Word calls = 0;
        Word errors = 0;
        Word bytes_read = 0;
        Word bytes_written = 0;
    };
    // Twice as many places as clients, for short searches, and one for all other clients.
    static constexpr std::size_t kPlaces = 2 * kClientsCountedMax;
    // A client with several connections is served by several threads. Each has its own counters, so
    // that no cache line is shared.
    using Shard = std::array<Counts, kPlaces + 1>;

    std::size_t find(const rpc::ClientAddress& address);
    Shard& mine(std::size_t thread);
    ClientCounts sum(std::size_t place) const;

    std::uint64_t key_;
    std::unique_ptr<Client[]> places_;
    std::mutex mutex_;  // to take a place
    std::atomic<std::size_t> taken_ = 0;
    std::array<std::atomic<Shard*>, kThreadsCountedMax> shards_{};
    std::unique_ptr<Shard> shared_;
};

}  // namespace helio::nfs

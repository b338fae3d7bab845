// Workload: one operation of `helio load nfs` as calls, and the check of every answer. A Caller is
// the load::Source of one thread; it borrows the TestFiles of a TestTree, which do not change
// meanwhile.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/random.h"
#include "helio/load/nfs/names.h"
#include "helio/load/nfs/server_cpu.h"
#include "helio/load/nfs/test_tree.h"
#include "helio/load/plan.h"
#include "helio/load/source.h"
#include "helio/xdr/arena.h"

namespace helio::load::nfs {

enum class Operation : std::uint8_t {
    null,
    getattr,
    lookup,
    access,
    read,
    write,
    create,  // and remove, in turn
    readdirplus,
    mixed,
};
inline constexpr std::size_t kOperations = 9;
std::string_view to_text(Operation operation);
std::optional<Operation> operation_named(std::string_view word);

enum class Pattern : std::uint8_t { sequential, random };

// Sizes and counts. `mixed` uses random READs and WRITEs of 4 KiB.
struct TransferOptions {
    std::uint32_t read_bytes = 4096;
    std::uint32_t write_bytes = 4096;
    Pattern pattern = Pattern::random;
    nfs3::stable_how stable = nfs3::UNSTABLE;
    std::uint32_t reply_bytes = 64u << 10;  // READDIRPLUS's maxcount
};

// The procedures that a Caller calls.
enum class Kind : std::uint8_t {
    null,
    getattr,
    lookup,
    access,
    read,
    write,
    create,
    remove,
    readdirplus,
    fsinfo,
};
inline constexpr std::size_t kKinds = 10;

// The operation's procedures with their weights, for the load engine and its report; `kinds` maps
// them to Kinds.
struct Program {
    std::vector<Step> steps;
    std::vector<Kind> kinds;
};
Program program_of(Operation operation);

// What a Caller counts in addition to the engine's figures.
struct Seen {
    std::uint64_t wrong = 0;       // answers, including warm-up
    std::string first_wrong;       // as a sentence
    std::uint64_t listings = 0;    // complete ones, with every name once
    std::uint64_t read_whole = 0;  // READs compared byte by byte
    std::optional<std::chrono::nanoseconds> server_cpu;
};

class Caller final : public Source {
 public:
    Caller(const TestFiles& test_files, const Content& content, const Program& program,
           const TransferOptions& transfer, std::uint32_t thread, std::size_t slots,
           std::optional<ServerCpu> server);

    std::uint16_t choose(std::size_t slot) override;
    bool write(std::size_t slot, xdr::Writer& arguments) override;
    const char* check(std::size_t slot, ByteView results, std::span<const ByteView> bulk) override;
    void failed(std::size_t slot) override;
    void begin_measuring() override;
    void end_measuring() override;

    const Seen& seen() const { return seen_; }
    // Ranges written and acknowledged.
    struct Written {
        std::uint32_t file;
        std::uint64_t offset;
    };
    const std::vector<Written>& written() const { return written_; }

 private:
    struct Slot {
        Kind kind = Kind::null;
        bool has_made = false;  // it has created `made_name`
        std::uint32_t file = 0;
        std::uint32_t count = 0;
        std::uint64_t offset = 0;
        std::array<char, 40> made_name{};
        std::size_t made_size = 0;
        // The slot's current listing.
        nfs3::cookie3 cookie = 0;
        nfs3::cookieverf3 verifier{};
        KnownNames names;

        explicit Slot(std::uint32_t entries) : names(entries) {}
        std::string_view made() const { return {made_name.data(), made_size}; }
    };

    std::uint32_t random(std::uint32_t below);
    void place_transfer(Slot& slot, std::uint32_t bytes, std::uint32_t files);
    void name_made(std::size_t slot);

    template <class Result, class Decode, class Check>
    const char* checked(Slot& slot, ByteView results, Decode decode, Check more);
    const char* check_getattr(Slot& slot, const nfs3::GETATTR3resok& result);
    const char* check_lookup(Slot& slot, const nfs3::LOOKUP3resok& result);
    const char* check_access(Slot& slot, const nfs3::ACCESS3resok& result);
    const char* check_read(Slot& slot, const nfs3::READ3resok& result);
    const char* check_write(Slot& slot, const nfs3::WRITE3resok& result);
    const char* check_create(Slot& slot, const nfs3::CREATE3resok& result);
    const char* check_listing(Slot& slot, const nfs3::READDIRPLUS3resok& result);
    const char* wrong(const Slot& slot, const std::string& what, const std::string& detail = {});

    const TestFiles& test_files_;
    const Content& content_;
    const TransferOptions transfer_;
    const std::vector<Kind> kinds_;
    std::array<std::uint16_t, kKinds> step_of_{};
    std::vector<std::uint16_t> order_;
    std::size_t order_at_ = 0;
    const std::uint32_t number_;  // among all callers of the process
    std::vector<Slot> slots_;
    Random random_;
    std::uint64_t cursor_ = 0;  // of sequential transfers, through all files
    std::uint64_t made_count_ = 0;
    std::uint64_t reads_ = 0;
    std::optional<nfs3::writeverf3> verifier_;  // of WRITE
    std::vector<Written> written_;
    xdr::Arena arena_;
    std::map<std::string, std::string> words_;  // descriptions of faults: stable addresses
    std::span<const ByteView> bulk_;            // of the results being checked
    std::optional<ServerCpu> server_;
    std::chrono::nanoseconds cpu_before_{0};
    Seen seen_;
};

}  // namespace helio::load::nfs

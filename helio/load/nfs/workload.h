// Workload: one operation of `helio load nfs` as calls, and the check of every answer. A Caller is
// the load::Source of one thread; it borrows the TestFiles of a TestTree, which do not change
// meanwhile. The wire format is that of its Calls.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/random.h"
#include "helio/load/nfs/calls.h"
#include "helio/load/nfs/content.h"
#include "helio/load/nfs/files.h"
#include "helio/load/nfs/names.h"
#include "helio/load/nfs/server_cpu.h"
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
    // Version 4 only.
    open,       // and close, in turn
    open_read,  // open, read and close, in turn
    lock,       // and unlock, in turn
};
inline constexpr std::size_t kOperations = 12;
std::string_view to_text(Operation operation);
std::optional<Operation> operation_named(std::string_view word);
// Does it need version 4?
bool needs_state(Operation operation);

enum class Pattern : std::uint8_t { sequential, random };

// Sizes and counts. `mixed` uses random READs and WRITEs of 4 KiB.
struct TransferOptions {
    std::uint32_t read_bytes = 4096;
    std::uint32_t write_bytes = 4096;
    Pattern pattern = Pattern::random;
    Stability stable = Stability::unstable;
    std::uint32_t reply_bytes = 64u << 10;  // of READDIRPLUS or READDIR
};

// The operation's procedures with their weights, for the load engine and its report; `kinds` maps
// them to Kinds.
struct Program {
    Version version = Version::v3;
    std::vector<Step> steps;
    std::vector<Kind> kinds;
};
Program program_of(Operation operation, Version version);

// What a Caller counts in addition to the engine's figures.
struct Seen {
    std::uint64_t wrong = 0;       // answers, including warm-up
    std::string first_wrong;       // as a sentence
    std::uint64_t listings = 0;    // complete ones, with every name once
    std::uint64_t read_whole = 0;  // READs compared byte by byte
    std::optional<std::chrono::nanoseconds> server_cpu;
};

// A Caller's part of all slots of a run.
struct SlotRange {
    std::uint32_t thread = 0;
    std::size_t first = 0;
    std::size_t count = 0;
    std::size_t total = 0;
};

class Caller final : public Source {
 public:
    Caller(const TestFiles& test_files, const Content& content, const Program& program,
           const TransferOptions& transfer, std::unique_ptr<Calls> calls, const SlotRange& range,
           std::optional<ServerCpu> server);

    std::uint16_t choose(std::size_t slot) override;
    bool write(std::size_t slot, xdr::Writer& arguments) override;
    const char* check(std::size_t slot, ByteView results, std::span<const ByteView> bulk) override;
    void failed(std::size_t slot) override;
    void begin_measuring() override;
    void end_measuring() override;

    // After the run: releases what the slots hold.
    void release() { calls_->release(); }
    const Seen& seen() const { return seen_; }
    // Ranges written and acknowledged.
    struct Written {
        std::uint32_t file;
        std::uint64_t offset;
    };
    const std::vector<Written>& written() const { return written_; }

 private:
    struct Slot {
        Request request;
        bool repeat = false;    // the last call had no answer: make it again
        bool has_made = false;  // it has created the file `made()`
        bool has_open = false;
        bool has_read = false;  // what it has open
        bool has_lock = false;
        std::uint32_t file = 0;  // its place in the list that the request takes it from
        std::array<char, 40> made_name{};
        std::size_t made_size = 0;
        KnownNames names;  // of the slot's current listing

        explicit Slot(std::uint32_t entries) : names(entries) {}
        std::string_view made() const { return {made_name.data(), made_size}; }
    };

    std::uint32_t random(std::uint32_t below);
    void place_transfer(Slot& slot, std::uint32_t bytes, const std::vector<File>& files);
    void place_lock(std::size_t slot);
    void pick_file(Slot& slot, const std::vector<File>& files, const Handle& directory);
    void name_made(std::size_t slot);
    Kind next_kind(const Slot& slot);
    void fill_in(std::size_t slot);
    void restart_listing(Slot& slot);

    const char* check_answer(Slot& slot);
    const char* check_attributes(Slot& slot);
    const char* check_lookup(Slot& slot);
    const char* check_access(Slot& slot);
    const char* check_read(Slot& slot);
    const char* check_write(Slot& slot);
    const char* check_create(Slot& slot);
    const char* check_open(Slot& slot);
    const char* check_listing(Slot& slot);
    const char* wrong(const Slot& slot, const std::string& what, const std::string& detail = {});

    const TestFiles& test_files_;
    const Content& content_;
    const TransferOptions transfer_;
    const Version version_;
    const std::vector<Kind> kinds_;
    const std::unique_ptr<Calls> calls_;
    const SlotRange range_;
    bool reads_opened_ = false;
    std::array<std::uint16_t, kKinds> step_of_{};
    std::vector<std::uint16_t> order_;
    std::size_t order_at_ = 0;
    const std::uint32_t number_;  // among all callers of the process
    std::vector<Slot> slots_;
    Random random_;
    std::uint64_t cursor_ = 0;  // of sequential transfers, through all files
    std::uint64_t made_count_ = 0;
    std::uint64_t reads_ = 0;
    std::optional<Verifier> verifier_;  // of WRITE
    std::vector<Written> written_;
    xdr::Arena arena_;
    Answer answer_;                             // to the call being checked
    std::map<std::string, std::string> words_;  // descriptions of faults: stable addresses
    std::optional<ServerCpu> server_;
    std::chrono::nanoseconds cpu_before_{0};
    Seen seen_;
};

}  // namespace helio::load::nfs
